/* The host in summary.json: steps, regions, CPU threads and CUDA calls. */
#include <string.h>

#include "base/json.h"
#include "outputs/output.h"
#include "outputs/summary/internal.h"
#include "trace/analysis.h"

json_t *summary_groups(prof_groups *groups, json_t *(*item)(const prof_group *group))
{
    json_t *all = groups != NULL ? json_array() : NULL;
    for (int64_t k = 0; all != NULL && k < groups->count; k++)
        swe_json_append(&all, item(&groups->group[k]));
    prof_groups_destroy(&groups);
    return all;
}

/* Statistics of the steps: times on the host (steps in graphs have none), or on the GPU (steps
 * without operations are left out). */
static json_t *step_times(const prof_trace *trace, const prof_projection *projections, bool on_gpu)
{
    prof_groups *times = prof_groups_create(trace->span_count + trace->replay_count, NULL);
    if (times == NULL)
        return NULL;
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
    return prof_json_only_statistics(prof_groups_finish(times));
}

static void append_step(json_t **each, int64_t step, json_t *host_ns, json_t *gpu_ns, int64_t ops)
{
    swe_json_append(each, json_pack("{s:I, s:o, s:o, s:I}", "step", (json_int_t)step, "host_ns",
                                    host_ns, "gpu_ns", gpu_ns, "gpu_ops", (json_int_t)ops));
}

/* Append the steps of graphs that precede step `until`, from number `*next` of the replays on. */
static void append_replays(const prof_trace *trace, int64_t until, int64_t *next, json_t **each)
{
    for (; *next < trace->replay_count; (*next)++) {
        const prof_replay *replay = &trace->replays[*next];
        if (replay->kind != PROF_STEP || replay->step < 0)
            continue;
        if (replay->step >= until)
            return;
        append_step(each, replay->step, json_null(), json_integer(replay->end - replay->start),
                    replay->ops);
    }
}

json_t *summary_steps(const prof_trace *trace, const prof_projection *projections)
{
    json_t *each = json_array();
    int64_t next = 0;
    for (int64_t k = 0; k < trace->span_count; k++) {
        const prof_span *step = &trace->spans[k];
        const prof_projection *on = &projections[k];
        if (step->kind != PROF_STEP)
            continue;
        append_replays(trace, step->step, &next, &each);
        append_step(&each, step->step, json_integer(step->end - step->start),
                    on->ops > 0 ? json_integer(on->end - on->start) : json_null(), on->ops);
    }
    append_replays(trace, INT64_MAX, &next, &each);
    return json_pack("{s:o, s:o, s:o}", "host_ns", step_times(trace, projections, false), "gpu_ns",
                     step_times(trace, projections, true), "each", each);
}

static int64_t total_of_steps(const prof_trace *trace)
{
    int64_t total = 0;
    for (int64_t k = 0; k < trace->span_count; k++)
        if (trace->spans[k].kind == PROF_STEP)
            total += trace->spans[k].end - trace->spans[k].start;
    return total;
}

/* Time of a region within steps over the time of all steps; null for phases and launches of graphs,
 * which are not in a step. */
static json_t *share_of_steps(const prof_group *region, int64_t steps)
{
    int64_t within = 0;
    const prof_kind kind = ((const prof_span *)region->item)->kind;
    if (kind == PROF_PHASE || kind == PROF_LAUNCH || steps <= 0)
        return json_null();
    for (int64_t k = 0; k < region->count; k++)
        if (((const prof_span *)region->values[k].item)->step >= 0)
            within += region->values[k].value;
    return swe_json_real((double)within / (double)steps);
}

static json_t *region_of(const prof_trace *trace, const prof_projection *projections,
                         const prof_group *region, const prof_group *projected, int64_t steps)
{
    const prof_span *span = region->item;
    int64_t ops = 0;
    for (int64_t k = 0; k < region->count; k++)
        ops += projections[(const prof_span *)region->values[k].item - trace->spans].ops;
    return json_pack("{s:o, s:s, s:o, s:o, s:o, s:I}", "name", swe_json_text_or_null(span->name),
                     "kind", prof_kind_names[span->kind], "host_ns", prof_json_statistics(region),
                     "share_of_steps", share_of_steps(region, steps), "gpu_ns",
                     prof_json_statistics(projected), "gpu_ops", (json_int_t)ops);
}

json_t *summary_regions(const prof_trace *trace, const prof_projection *projections)
{
    prof_groups *regions = prof_group_regions(trace);
    prof_groups *projected = prof_group_projected(trace, projections);
    const int64_t steps = total_of_steps(trace);
    json_t *all = NULL;
    if (regions != NULL && projected != NULL) {
        all = json_array();
        for (int64_t k = 0; k < regions->count; k++) {
            const prof_group *region = &regions->group[k];
            swe_json_append(&all, region_of(trace, projections, region,
                                            prof_groups_find(projected, region->item), steps));
        }
    }
    prof_groups_destroy(&regions);
    prof_groups_destroy(&projected);
    return all;
}

static json_t *counters_of(const prof_thread_work *work)
{
    json_t *counters = json_object();
    for (int c = 0; c < PROF_COUNTER_COUNT; c++)
        swe_json_set(&counters, prof_counter_name(c),
                     work->counts[c] >= 0 ? json_integer(work->counts[c]) : json_null());
    return counters;
}

static json_t *thread_of(const prof_trace *trace, const prof_thread_work *work)
{
    const prof_thread *thread = &trace->threads[work->thread];
    return json_pack(
        "{s:o, s:o, s:i, s:o, s:o, s:o, s:o, s:o}", "stage", swe_json_text_or_null(work->stage),
        "thread", swe_json_text_or_null(thread->name), "thread_id", thread->id, "time_ns",
        prof_json_statistics(&work->parts), "share_of_stage", swe_json_real(work->share),
        "imbalance", swe_json_real(work->imbalance), "counters", counters_of(work),
        "instructions_per_cycle", swe_json_positive(work->instructions_per_cycle));
}

json_t *summary_threads(const prof_trace *trace)
{
    prof_thread_works works;
    if (!prof_thread_works_of(trace, &works))
        return NULL;
    json_t *all = json_array();
    for (int64_t k = 0; k < works.count; k++)
        swe_json_append(&all, thread_of(trace, &works.work[k]));
    prof_thread_works_destroy(&works);
    return all;
}

static json_t *time_of_samples(int64_t samples, int64_t period)
{
    return period > 0 ? json_integer((json_int_t)samples * period) : json_null();
}

json_t *summary_parts(const prof_trace *trace)
{
    json_t *all = json_array();
    for (int k = 0; k < trace->parts.count; k++) {
        const prof_part_samples *part = &trace->parts.part[k];
        const double share =
            (double)part->samples /
            (double)prof_samples_of(trace->parts.part, trace->parts.count, part->stage);
        swe_json_append(&all, json_pack("{s:s, s:s?, s:I, s:o, s:o}", "stage", part->stage, "part",
                                        part->name, "samples", (json_int_t)part->samples, "time_ns",
                                        time_of_samples(part->samples, trace->parts.period),
                                        "share_of_stage", swe_json_real(share)));
    }
    return all;
}

static json_t *call_of(const prof_group *group)
{
    static const char *const kinds[] = {"runtime", "driver", "synchronize", "overhead"};
    const prof_call *call = group->item;
    int64_t failed = 0;
    for (int64_t k = 0; k < group->count; k++)
        failed += ((const prof_call *)group->values[k].item)->result != 0;
    return json_pack("{s:o, s:s, s:o, s:I}", "name",
                     swe_json_text_prefix(call->name, prof_call_name_length(call->name)), "kind",
                     kinds[call->kind], "time_ns", prof_json_statistics(group), "failed",
                     (json_int_t)failed);
}

json_t *summary_calls(const prof_trace *trace)
{
    return summary_groups(prof_group_calls(trace), call_of);
}
