/* Device memory and costs of the stages in summary.json. */
#include <stdlib.h>

#include "window/summary/internal.h"
#include "window/reach.h"

/* Add the blocks of one moment to the use of their sites. */
static void add_uses(const prof_blocks *blocks, prof_report_site *sites, bool after)
{
    for (int32_t k = 0; k < blocks->count; k++) {
        const prof_block *block = &blocks->block[k];
        prof_report_use *use = after ? &sites[block->site].after : &sites[block->site].before;
        use->bytes += (double)block->bytes;
        use->blocks++;
    }
}

static prof_report_site *sites_of(const prof_trace *trace, pool *pool)
{
    prof_report_site *sites = pool_array(pool, (size_t)trace->site_count, sizeof *sites);
    if (sites == NULL)
        return NULL;
    for (int32_t k = 0; k < trace->site_count; k++) {
        const prof_place *site = &trace->sites[k];
        sites[k] = (prof_report_site){.label = site->label,
                                      .function = site->function,
                                      .file = site->file,
                                      .line = site->line};
    }
    add_uses(&trace->before, sites, false);
    add_uses(&trace->after, sites, true);
    return sites;
}

/* Allocations (sign 1) or releases (-1) within the window. */
static prof_report_use changes_of(const prof_trace *trace, int sign)
{
    prof_report_use sum = {0.0, 0};
    for (int64_t k = 0; k < trace->memory_event_count; k++) {
        const int64_t bytes = sign * trace->memory_events[k].bytes;
        if (bytes > 0) {
            sum.bytes += (double)bytes;
            sum.blocks++;
        }
    }
    return sum;
}

void summary_memory(const prof_trace *trace, pool *pool, prof_report_window *w)
{
    const prof_blocks *before = &trace->before, *after = &trace->after;
    w->memory =
        (prof_report_memory){.before = (double)before->in_use,
                             .after = (double)after->in_use,
                             .peak = (double)after->peak,
                             .peak_before = (double)before->peak,
                             .blocks_before = before->count,
                             .blocks_after = after->count,
                             .allocated = changes_of(trace, 1),
                             .released = changes_of(trace, -1),
                             .untracked = {(double)trace->untracked_bytes, trace->untracked_blocks},
                             .sites = sites_of(trace, pool),
                             .site_count = trace->site_count};
}

static prof_report_cost cost_of(const prof_cost *cost, double reach, pool *pool)
{
    prof_report_cost out = {.stage = cost->stage, .flops = cost->flops, .reach = reach};
    out.buffers = pool_array(pool, (size_t)cost->access_count, sizeof *out.buffers);
    for (int k = 0; k < cost->access_count && out.buffers != NULL; k++) {
        const prof_access *access = &cost->accesses[k];
        out.buffers[out.buffer_count++] =
            (prof_report_buffer){.name = access->buffer,
                                 .bytes = access->bytes,
                                 .access = access->writes ? "write" : "read"};
        *(access->writes ? &out.written_bytes : &out.read_bytes) += access->bytes;
    }
    return out;
}

void summary_costs(const prof_trace *trace, pool *pool, prof_report_window *w)
{
    double *reaches = prof_reaches(trace);
    w->costs = pool_array(pool, (size_t)trace->cost_count, sizeof *w->costs);
    pool->failed |= reaches == NULL;
    for (int32_t k = 0; k < trace->cost_count && !pool->failed; k++)
        w->costs[w->cost_count++] = cost_of(&trace->costs[k], reaches[k], pool);
    free(reaches);
}
