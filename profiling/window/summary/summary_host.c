/* The host in summary.json: steps, regions, CPU threads and CUDA calls. */
#include <math.h>
#include <string.h>

#include "window/summary/internal.h"

prof_spread summary_spread(const prof_group *group)
{
    if (group == NULL)
        return (prof_spread){.count = 0};
    return (prof_spread){.count = group->count,
                         .total = (double)group->total,
                         .mean = group->mean,
                         .median = group->median,
                         .low = group->low,
                         .high = group->high,
                         .min = (double)group->min,
                         .max = (double)group->max,
                         .deviation = group->deviation};
}

prof_spread summary_only_spread(pool *pool, prof_groups *groups)
{
    const bool is_one = groups != NULL && groups->count > 0;
    const prof_spread spread = summary_spread(is_one ? &groups->group[0] : NULL);
    pool->failed |= groups == NULL;
    prof_groups_destroy(&groups);
    return spread;
}

void *summary_array(pool *pool, const prof_groups *groups, size_t size, int *count)
{
    void *all = groups != NULL ? pool_array(pool, (size_t)groups->count, size) : NULL;
    pool->failed |= groups == NULL;
    *count = all != NULL ? (int)groups->count : 0;
    return all;
}

/* Statistics of the steps: times on the host (steps in graphs have none), or on the GPU (steps
 * without operations are left out). */
static prof_spread step_times(const prof_trace *trace, const prof_projection *projections,
                              pool *pool, bool on_gpu)
{
    prof_groups *times = prof_groups_create(trace->span_count + trace->replay_count, NULL);
    if (times == NULL)
        return summary_only_spread(pool, NULL);
    for (int64_t k = 0; k < trace->replay_count && on_gpu; k++) {
        const prof_replay *step = &trace->replays[k];
        if (step->kind == PROF_STEP)
            prof_groups_add(times, step, step->end - step->start);
    }
    for (int64_t k = 0; k < trace->span_count; k++) {
        const prof_span *span = &trace->spans[k];
        const prof_projection *on = &projections[k];
        if (span->kind == PROF_STEP && !on_gpu)
            prof_groups_add(times, span, span->end - span->start);
        else if (span->kind == PROF_STEP && on->ops > 0)
            prof_groups_add(times, span, on->end - on->start);
    }
    return summary_only_spread(pool, prof_groups_finish(times));
}

/* Append the steps of graphs that precede step `until`, from number `*next` of the replays on. */
static void append_replays(const prof_trace *trace, int64_t until, int64_t *next,
                           prof_report_window *w)
{
    for (; *next < trace->replay_count; (*next)++) {
        const prof_replay *replay = &trace->replays[*next];
        if (replay->kind != PROF_STEP || replay->step < 0)
            continue;
        if (replay->step >= until)
            return;
        w->each[w->step_count++] = (prof_report_step){
            replay->step, NAN, (double)(replay->end - replay->start), replay->ops};
    }
}

void summary_steps(const prof_trace *trace, const prof_projection *projections, pool *pool,
                   prof_report_window *w)
{
    int64_t next = 0;
    w->step_host = step_times(trace, projections, pool, false);
    w->step_gpu = step_times(trace, projections, pool, true);
    w->each = pool_array(pool, (size_t)(trace->span_count + trace->replay_count), sizeof *w->each);
    if (w->each == NULL)
        return;
    for (int64_t k = 0; k < trace->span_count; k++) {
        const prof_span *step = &trace->spans[k];
        const prof_projection *on = &projections[k];
        if (step->kind != PROF_STEP)
            continue;
        append_replays(trace, step->step, &next, w);
        w->each[w->step_count++] =
            (prof_report_step){step->step, (double)(step->end - step->start),
                               on->ops > 0 ? (double)(on->end - on->start) : NAN, on->ops};
    }
    append_replays(trace, INT64_MAX, &next, w);
}

/* Time of a region within steps over the time of all steps; NAN for phases and launches of graphs,
 * which are not in a step. */
static double share_of_steps(const prof_group *region, int64_t steps)
{
    int64_t within = 0;
    const prof_kind kind = ((const prof_span *)region->item)->kind;
    if (kind == PROF_PHASE || kind == PROF_LAUNCH || steps <= 0)
        return NAN;
    for (int64_t k = 0; k < region->count; k++)
        if (((const prof_span *)region->values[k].item)->step >= 0)
            within += region->values[k].value;
    return (double)within / (double)steps;
}

void summary_regions(const prof_trace *trace, const prof_projection *projections, pool *pool,
                     prof_report_window *w)
{
    prof_groups *regions = prof_group_regions(trace);
    prof_groups *projected = prof_group_projected(trace, projections);
    int64_t steps = 0; /* their time */
    for (int64_t k = 0; k < trace->span_count; k++)
        if (trace->spans[k].kind == PROF_STEP)
            steps += trace->spans[k].end - trace->spans[k].start;
    w->regions = summary_array(pool, projected != NULL ? regions : NULL, sizeof *w->regions,
                               &w->region_count);
    for (int k = 0; k < w->region_count; k++) {
        const prof_group *region = &regions->group[k];
        const prof_span *span = region->item;
        w->regions[k] =
            (prof_report_region){.name = span->name,
                                 .kind = prof_kind_names[span->kind],
                                 .host = summary_spread(region),
                                 .gpu = summary_spread(prof_groups_find(projected, span)),
                                 .share = share_of_steps(region, steps)};
        for (int64_t i = 0; i < region->count; i++)
            w->regions[k].gpu_ops +=
                projections[(const prof_span *)region->values[i].item - trace->spans].ops;
    }
    prof_groups_destroy(&regions);
    prof_groups_destroy(&projected);
}

void summary_threads(const prof_trace *trace, pool *pool, prof_report_window *w)
{
    prof_thread_works works;
    if (!prof_thread_works_of(trace, &works)) {
        pool->failed = true;
        return;
    }
    w->threads = pool_array(pool, (size_t)works.count, sizeof *w->threads);
    for (int64_t k = 0; k < works.count && w->threads != NULL; k++) {
        const prof_thread_work *work = &works.work[k];
        const prof_thread *thread = &trace->threads[work->thread];
        prof_report_thread *out = &w->threads[w->thread_count++];
        *out = (prof_report_thread){.stage = work->stage,
                                    .thread = thread->name,
                                    .id = thread->id,
                                    .time = summary_spread(&work->parts),
                                    .share_of_stage = work->share,
                                    .imbalance = work->imbalance,
                                    .instructions_per_cycle = work->instructions_per_cycle};
        memcpy(out->counters, work->counts, sizeof out->counters);
    }
    prof_thread_works_destroy(&works);
}

void summary_parts(const prof_trace *trace, pool *pool, prof_report_window *w)
{
    const prof_parts *parts = &trace->parts;
    w->parts = pool_array(pool, (size_t)parts->count, sizeof *w->parts);
    for (int k = 0; k < parts->count && w->parts != NULL; k++) {
        const prof_part_samples *part = &parts->part[k];
        const int64_t of_stage = prof_samples_of(parts->part, parts->count, part->stage);
        w->parts[w->part_count++] = (prof_report_part){
            .stage = part->stage,
            .name = part->name,
            .samples = part->samples,
            .time = parts->period > 0 ? (double)part->samples * (double)parts->period : NAN,
            .share = (double)part->samples / (double)of_stage};
    }
}

static prof_report_call call_of(const prof_group *group, pool *pool)
{
    static const char *const kinds[] = {"runtime", "driver", "synchronize", "overhead"};
    const prof_call *call = group->item;
    prof_report_call out = {
        .name = pool_text(pool, "%.*s", prof_call_name_length(call->name), call->name),
        .kind = kinds[call->kind],
        .time = summary_spread(group)};
    for (int64_t k = 0; k < group->count; k++)
        out.failed += ((const prof_call *)group->values[k].item)->result != 0;
    return out;
}

void summary_calls(const prof_trace *trace, pool *pool, prof_report_window *w)
{
    prof_groups *groups = prof_group_calls(trace);
    w->calls = summary_array(pool, groups, sizeof *w->calls, &w->call_count);
    for (int k = 0; k < w->call_count; k++)
        w->calls[k] = call_of(&groups->group[k], pool);
    prof_groups_destroy(&groups);
}
