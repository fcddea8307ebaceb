#include "outputs/xplane/parts.h"

/* One of the numbers of lines that XProf derives itself: it counts no operations there, else every
 * allocation would be one. */
#define LINE_MEMORY (INT64_C(0xdeadbeef) + 7)

/* Device memory after an allocation or a release of `bytes` (negative: released). */
typedef struct change {
    uint64_t address;
    int64_t bytes, in_use, peak;
    const prof_place *site;
} change;

static const prof_place *site_of(const prof_trace *trace, int32_t site)
{
    static const prof_place unknown = {"unknown", "", "", 0};
    return site >= 0 ? &trace->sites[site] : &unknown;
}

/* XProf sorts changes by their time, and not stably, so that they must differ: by 1 ps at least. */
static void add_change(const prof_trace *trace, xplane_plane *plane, int64_t time,
                       const change *what, int64_t *next_offset)
{
    const prof_device_info *device = &trace->device;
    const int64_t bytes = what->bytes < 0 ? -what->bytes : what->bytes;
    const int64_t free_bytes = (int64_t)device->memory_size - what->in_use;
    char allocator[32], place[256];
    snprintf(allocator, sizeof allocator, device->is_gpu ? "GPU:%d" : "CPU", device->index);
    snprintf(place, sizeof place, "%s:%d", what->site->file, what->site->line);
    xplane_stats stats = {.plane = plane};
    xplane_stat_text(&stats, "allocator_name", allocator);
    xplane_stat_integer(&stats, "bytes_reserved", 0);
    xplane_stat_integer(&stats, "bytes_allocated", what->in_use);
    xplane_stat_integer(&stats, "bytes_available", free_bytes > 0 ? free_bytes : 0);
    xplane_stat_integer(&stats, "peak_bytes_in_use", what->peak);
    xplane_stat_integer(&stats, "requested_bytes", bytes);
    xplane_stat_integer(&stats, "allocation_bytes", bytes);
    xplane_stat_integer(&stats, "addr", (int64_t)what->address);
    xplane_stat_real(&stats, "fragmentation", 0.0);
    /* its breakdown at the peak shows these texts, in columns named after something else */
    xplane_stat_text(&stats, "tf_op", what->site->label);
    xplane_stat_text(&stats, "region_type", what->site->function);
    xplane_stat_integer(&stats, "data_type", 0); /* not known */
    xplane_stat_text(&stats, "shape", place);
    int64_t offset = xplane_offset(plane, time);
    if (offset < *next_offset)
        offset = *next_offset;
    *next_offset = offset + 1;
    xplane_event(&stats, what->bytes < 0 ? "MemoryDeallocation" : "MemoryAllocation", NULL, offset,
                 offset);
}

/* Blocks that were there when the window opened, as if they were allocated then. */
static void add_blocks(const prof_trace *trace, xplane_plane *plane, int64_t *next_offset)
{
    const prof_blocks *before = &trace->before;
    int64_t in_use = before->in_use;
    for (int32_t k = 0; k < before->count; k++)
        in_use -= before->block[k].bytes;
    for (int32_t k = 0; k < before->count; k++) {
        const prof_block *block = &before->block[k];
        in_use += block->bytes;
        const change what = {block->address, block->bytes, in_use, before->peak,
                             site_of(trace, block->site)};
        add_change(trace, plane, trace->start, &what, next_offset);
    }
}

void xplane_add_memory(const prof_trace *trace, xplane_plane *plane)
{
    int64_t next_offset = 0;
    xplane_line_begin(plane, LINE_MEMORY, "device memory");
    add_blocks(trace, plane, &next_offset);
    for (int64_t k = 0; k < trace->memory_event_count; k++) {
        const prof_memory_event *event = &trace->memory_events[k];
        const change what = {event->address, event->bytes, event->in_use, event->peak,
                             site_of(trace, event->site)};
        add_change(trace, plane, event->time, &what, &next_offset);
    }
    xplane_line_end(plane);
}
