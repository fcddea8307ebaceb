/* The plane of the host: regions and CUDA calls by thread, and device memory. */
#include <stdlib.h>

#include "outputs/items.h"
#include "outputs/xplane/internal.h"

/* A line number that XProf reserves for derived lines: it counts no operations there, so that
 * allocations are not operations. */
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

/* XProf sorts changes by time, and not stably: times must differ by at least 1 ps. */
static void add_change(const prof_trace *trace, xplane_plane *plane, int64_t time,
                       const change *what, int64_t *next_offset)
{
    const prof_device_info *device = &trace->device;
    const int64_t bytes = what->bytes < 0 ? -what->bytes : what->bytes;
    const int64_t free_bytes = (int64_t)device->memory_size - what->in_use;
    char allocator[32], location[256];
    snprintf(allocator, sizeof allocator, device->is_gpu ? "GPU:%d" : "CPU", (int)device->index);
    snprintf(location, sizeof location, "%s:%d", what->site->file, what->site->line);
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
    /* the breakdown at the peak shows these texts, in columns with unrelated headings */
    xplane_stat_text(&stats, "tf_op", what->site->label);
    xplane_stat_text(&stats, "region_type", what->site->function);
    xplane_stat_integer(&stats, "data_type", 0); /* unknown */
    xplane_stat_text(&stats, "shape", location);
    int64_t offset = xplane_offset(plane, time);
    if (offset < *next_offset)
        offset = *next_offset;
    *next_offset = offset + 1;
    xplane_event(&stats, what->bytes < 0 ? "MemoryDeallocation" : "MemoryAllocation", NULL, offset,
                 offset);
}

/* Blocks that existed when the window opened, as allocations at that time. */
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

/* Add the line of device memory to the plane. */
static void add_memory(const prof_trace *trace, xplane_plane *plane)
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

/* Lines that are not threads; the number of a thread's line is its thread id. */
enum { LINE_WINDOW = 1 << 30, LINE_OVERHEAD };

/* Depths of items: a call is within the span of the same times. */
enum { SPAN, CALL };

/* All spans and calls, sorted by line: XProf nests only parents before children. free() them. NULL:
 * out of memory. */
static prof_item *sorted_items(const prof_trace *trace, int64_t count)
{
    prof_item *items = malloc((size_t)(count + 1) * sizeof *items), *to = items;
    if (items == NULL)
        return NULL;
    for (int64_t k = 0; k < trace->span_count; k++) {
        const prof_span *span = &trace->spans[k];
        *to++ = (prof_item){trace->threads[span->thread].id, span->start, span->end, k, SPAN};
    }
    for (int64_t k = 0; k < trace->call_count; k++) {
        const prof_call *call = &trace->calls[k];
        const int32_t line = call->kind == PROF_CALL_OVERHEAD ? LINE_OVERHEAD : call->thread_id;
        *to++ = (prof_item){line, call->start, call->end, k, CALL};
    }
    prof_items_sort(items, count);
    return items;
}

static void add_span(const prof_trace *trace, xplane_plane *plane, int64_t index)
{
    const prof_span *span = &trace->spans[index];
    xplane_stats stats = {.plane = plane};
    if (span->kind == PROF_STEP || span->kind == PROF_LAUNCH) {
        xplane_stat_integer(&stats, "_r", 1); /* root of a group: a step, or the steps of a graph */
        xplane_stat_integer(&stats, "step_num", span->step);
    } else if (span->kind == PROF_SUBSTEP || span->kind == PROF_STAGE) {
        char text[XPLANE_OP_NAME_SIZE];
        xplane_op_name(trace, (int32_t)index, span->name, text);
        xplane_stat_text(&stats, "tf_op", text);
    }
    if (span->kind == PROF_THREAD)
        for (int k = 0; k < PROF_COUNTER_COUNT; k++)
            if (span->counts[k] >= 0)
                xplane_stat_integer(&stats, prof_counter_name(k), span->counts[k]);
    xplane_event(&stats, span->name, NULL, xplane_offset(plane, span->start),
                 xplane_offset(plane, span->end));
}

/* XProf finds the operation of a launch by the correlation. */
static void add_call(const prof_trace *trace, xplane_plane *plane, int64_t index)
{
    const prof_call *call = &trace->calls[index];
    xplane_stats stats = {.plane = plane};
    if (call->kind == PROF_CALL_RUNTIME || call->kind == PROF_CALL_DRIVER)
        xplane_stat_natural(&stats, "correlation_id", call->correlation);
    if (call->result != 0)
        xplane_stat_integer(&stats, "result", call->result);
    xplane_event(&stats, call->name, NULL, xplane_offset(plane, call->start),
                 xplane_offset(plane, call->end));
}

static void begin_line(const prof_trace *trace, xplane_plane *plane, int32_t line)
{
    char unknown[32];
    snprintf(unknown, sizeof unknown, "thread %d", line);
    const char *name = line == LINE_OVERHEAD ? "CUPTI overhead" : unknown;
    for (int32_t k = 0; k < trace->thread_count; k++)
        if (trace->threads[k].id == line)
            name = trace->threads[k].name;
    xplane_line_begin(plane, line, name);
}

static void add_lines(const prof_trace *trace, xplane_plane *plane, const prof_item *items,
                      int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        if (k == 0 || items[k].row != items[k - 1].row)
            begin_line(trace, plane, (int32_t)items[k].row);
        if (items[k].depth == CALL)
            add_call(trace, plane, items[k].index);
        else
            add_span(trace, plane, items[k].index);
        if (k + 1 == count || items[k + 1].row != items[k].row)
            xplane_line_end(plane);
    }
}

/* The event that GPU work outside of steps is tied to. XProf appends the number to its name. */
static void add_window(const prof_trace *trace, xplane_plane *plane)
{
    xplane_line_begin(plane, LINE_WINDOW, "window");
    xplane_stats stats = {.plane = plane};
    xplane_stat_integer(&stats, "_r", 2); /* root that comes before the steps */
    xplane_stat_integer(&stats, "step_num", trace->first_step);
    xplane_stat_integer(&stats, "_pt", XPLANE_TIE_TYPE);
    xplane_stat_natural(&stats, "_p", XPLANE_TIE_NUMBER);
    xplane_event(&stats, "outside of steps, window", NULL, 0, xplane_offset(plane, trace->end));
    xplane_line_end(plane);
}

bool xplane_write_host(const prof_trace *trace, FILE *space)
{
    const int64_t count = trace->span_count + trace->call_count;
    prof_item *items = sorted_items(trace, count);
    if (items == NULL)
        return false;
    xplane_plane plane;
    xplane_begin(&plane, XPLANE_ID_HOST, "/host:CPU", trace->start);
    add_lines(trace, &plane, items, count);
    free(items);
    if (trace->op_count > 0)
        add_window(trace, &plane);
    add_memory(trace, &plane);
    return xplane_end(&plane, space);
}
