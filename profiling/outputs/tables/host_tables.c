/* Tables of the host: calls, regions, threads. */
#include <stdlib.h>

#include "outputs/tables/tables.h"
#include "trace/groupings.h"
#include "trace/thread_work.h"

static bool is_api(const prof_group *group)
{
    const prof_call *call = group->item;
    return call->kind == PROF_CALL_RUNTIME || call->kind == PROF_CALL_DRIVER;
}

bool table_calls(const prof_trace *trace, csv *out)
{
    prof_groups *groups = prof_group_calls(trace);
    if (groups == NULL)
        return false;
    int64_t all = 0;
    for (int64_t k = 0; k < groups->count; k++)
        all += is_api(&groups->group[k]) ? groups->group[k].total : 0;
    for (int64_t k = 0; k < groups->count; k++) {
        const prof_call *call = groups->group[k].item;
        if (!is_api(&groups->group[k]))
            continue;
        csv_summary(out, &groups->group[k], all);
        csv_format(out, "%.*s", prof_call_name_length(call->name), call->name);
        csv_end_row(out);
    }
    prof_groups_destroy(&groups);
    return true;
}

/* The name of a range as nsys prints it: NVTX domain, then name. */
static void write_range(csv *out, const prof_span *span)
{
    csv_format(out, "cubeswe:%s", span->name);
}

bool table_regions(const prof_trace *trace, csv *out)
{
    prof_groups *groups = prof_group_regions(trace);
    if (groups == NULL)
        return false;
    for (int64_t k = 0; k < groups->count; k++) {
        csv_summary(out, &groups->group[k], groups->total);
        csv_text(out, "PushPop");
        write_range(out, groups->group[k].item);
        csv_end_row(out);
    }
    prof_groups_destroy(&groups);
    return true;
}

/* Number of child regions with operations, for every span; free() it. NULL: out of memory. */
static int64_t *count_children(const prof_trace *trace, const prof_projection *projections)
{
    int64_t *children = calloc((size_t)trace->span_count + 1, sizeof *children);
    if (children == NULL)
        return NULL;
    for (int64_t k = 0; k < trace->span_count; k++) {
        const prof_span *span = &trace->spans[k];
        if (span->kind != PROF_THREAD && span->parent >= 0 && projections[k].ops > 0)
            children[span->parent]++;
    }
    return children;
}

static void write_projection(csv *out, const prof_group *group, const prof_trace *trace,
                             const prof_projection *projections, const int64_t *children)
{
    int64_t host = 0, ops = 0, levels = 0, below = 0;
    for (int64_t k = 0; k < group->count; k++) {
        const prof_span *span = group->values[k].item;
        const ptrdiff_t index = span - trace->spans;
        host += span->end - span->start;
        ops += projections[index].ops;
        levels += span->depth;
        below += children[index];
    }
    write_range(out, group->item);
    csv_text(out, "PushPop");
    csv_integer(out, group->total);
    csv_integer(out, host);
    csv_integer(out, group->count);
    csv_times(out, group);
    csv_integer(out, ops);
    csv_real(out, (double)ops / (double)group->count, 1);
    csv_real(out, (double)levels / (double)group->count, 1);
    csv_real(out, (double)below / (double)group->count, 1);
    csv_end_row(out);
}

bool table_projections(const prof_trace *trace, csv *out)
{
    prof_projection *projections = prof_project(trace);
    if (projections == NULL)
        return false;
    prof_groups *groups = prof_group_projected(trace, projections);
    int64_t *children = count_children(trace, projections);
    const bool ready = groups != NULL && children != NULL;
    for (int64_t k = 0; ready && k < groups->count; k++)
        write_projection(out, &groups->group[k], trace, projections, children);
    free(children);
    prof_groups_destroy(&groups);
    free(projections);
    return ready;
}

/* In the order of the heading. */
static const int counters[] = {PROF_COUNTER_task_clock, PROF_COUNTER_context_switches,
                               PROF_COUNTER_instructions, PROF_COUNTER_cycles,
                               PROF_COUNTER_cache_misses};

static void write_counters(csv *out, const prof_thread_work *work)
{
    for (size_t k = 0; k < sizeof counters / sizeof *counters; k++)
        if (work->counts[counters[k]] >= 0)
            csv_integer(out, work->counts[counters[k]]);
        else
            csv_empty(out, 1);
    if (work->instructions_per_cycle >= 0.0)
        csv_real(out, work->instructions_per_cycle, 3);
    else
        csv_empty(out, 1);
}

bool table_threads(const prof_trace *trace, csv *out)
{
    prof_thread_works works;
    if (!prof_thread_works_of(trace, &works))
        return false;
    for (int64_t k = 0; k < works.count; k++) {
        const prof_thread_work *w = &works.work[k];
        csv_text(out, w->stage);
        csv_text(out, trace->threads[w->thread].name);
        csv_summary(out, &w->parts, w->stage_total);
        csv_real(out, w->imbalance, 3);
        write_counters(out, w);
        csv_end_row(out);
    }
    prof_thread_works_destroy(&works);
    return true;
}
