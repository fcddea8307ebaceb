#include "record/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

struct prof_memory_tracker {
    prof_place *sites;
    int32_t site_count;
    prof_block *blocks;
    int32_t block_count;
    int64_t in_use, peak;
    bool is_open;
    prof_blocks before; /* when the window opened */
    prof_memory_event *events;
    int64_t event_count, site_room, block_room, event_room;
};

prof_memory_tracker *prof_memory_tracker_create(void)
{
    return calloc(1, sizeof(prof_memory_tracker));
}

void prof_memory_tracker_destroy(prof_memory_tracker **pointer)
{
    prof_memory_tracker *t = *pointer;
    if (t == NULL)
        return;
    free(t->sites);
    free(t->blocks);
    free(t->before.block);
    free(t->events);
    free(t);
    *pointer = NULL;
}

/* Index of an allocation site, added if new; -1 without memory. */
static int32_t site_of(prof_memory_tracker *t, const prof_place *place)
{
    for (int32_t k = 0; k < t->site_count; k++) {
        const prof_place *site = &t->sites[k];
        if (site->line == place->line && strcmp(site->label, place->label) == 0 &&
            strcmp(site->file, place->file) == 0)
            return k;
    }
    prof_place *sites = prof_grow(t->sites, t->site_count, &t->site_room, sizeof *sites);
    if (sites == NULL)
        return -1;
    t->sites = sites;
    t->sites[t->site_count] = *place;
    return t->site_count++;
}

static void add_event(prof_memory_tracker *t, const prof_block *block, int64_t time, int64_t bytes)
{
    if (!t->is_open)
        return;
    prof_memory_event *events =
        prof_grow(t->events, t->event_count, &t->event_room, sizeof *events);
    if (events == NULL)
        return;
    t->events = events;
    t->events[t->event_count++] =
        (prof_memory_event){time, block->address, bytes, t->in_use, t->peak, block->site};
}

void prof_memory_tracker_add(prof_memory_tracker *t, uint64_t address, int64_t bytes,
                             prof_place place)
{
    const int32_t site = site_of(t, &place);
    if (site < 0)
        return;
    prof_block *blocks = prof_grow(t->blocks, t->block_count, &t->block_room, sizeof *blocks);
    if (blocks == NULL)
        return;
    t->blocks = blocks;
    const prof_block block = {address, bytes, swe_clock_ns(), site};
    t->blocks[t->block_count++] = block;
    t->in_use += bytes;
    if (t->in_use > t->peak)
        t->peak = t->in_use;
    add_event(t, &block, block.time, bytes);
}

void prof_memory_tracker_remove(prof_memory_tracker *t, uint64_t address)
{
    int32_t k = t->block_count - 1;
    while (k >= 0 && t->blocks[k].address != address)
        k--;
    if (k < 0)
        return;
    const prof_block block = t->blocks[k];
    t->in_use -= block.bytes;
    t->block_count--;
    memmove(&t->blocks[k], &t->blocks[k + 1], (size_t)(t->block_count - k) * sizeof *t->blocks);
    add_event(t, &block, swe_clock_ns(), -block.bytes);
}

void prof_memory_tracker_reset_peak(prof_memory_tracker *t)
{
    t->peak = t->in_use;
}

/* A copy, never of zero size; NULL without memory. */
static void *copy_of(const void *array, int64_t count, size_t size)
{
    void *copy = malloc((size_t)(count + 1) * size);
    if (copy != NULL && count > 0)
        memcpy(copy, array, (size_t)count * size);
    return copy;
}

static prof_blocks blocks_now(const prof_memory_tracker *t)
{
    prof_blocks now = {swe_clock_ns(), copy_of(t->blocks, t->block_count, sizeof *t->blocks),
                       t->block_count, t->in_use, t->peak};
    if (now.block == NULL)
        now.count = 0;
    return now;
}

void prof_memory_tracker_open(prof_memory_tracker *t)
{
    t->is_open = true;
    t->event_count = 0;
    free(t->before.block);
    t->before = blocks_now(t);
}

bool prof_memory_tracker_close(prof_memory_tracker *t, prof_trace *trace)
{
    trace->sites = copy_of(t->sites, t->site_count, sizeof *t->sites);
    trace->memory_events = copy_of(t->events, t->event_count, sizeof *t->events);
    trace->before = t->before;
    trace->after = blocks_now(t);
    t->before = (prof_blocks){0};
    t->is_open = false;
    if (trace->sites == NULL || trace->memory_events == NULL || trace->before.block == NULL ||
        trace->after.block == NULL)
        return false;
    trace->site_count = t->site_count;
    trace->memory_event_count = t->event_count;
    return true;
}
