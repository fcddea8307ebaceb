/* The GPU in summary.json: kernels, copies, stages, samples and hardware counters. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/json.h"
#include "outputs/output.h"
#include "outputs/summary/internal.h"
#include "trace/analysis.h"

static json_t *kernel_of(const prof_group *group)
{
    const prof_op *op = group->item;
    return json_pack("{s:o, s:o, s:o, s:[i,i,i], s:[i,i,i], s:i, s:i, s:i, s:i, s:o}", "name",
                     swe_json_text_or_null(op->name), "stage", swe_json_text_or_null(op->stage),
                     "time_ns", prof_json_statistics(group), "grid", op->grid[0], op->grid[1],
                     op->grid[2], "block", op->block[0], op->block[1], op->block[2], "registers",
                     op->registers, "static_shared_bytes", op->static_shared,
                     "dynamic_shared_bytes", op->dynamic_shared, "local_bytes", op->local,
                     "occupancy_percent", swe_json_nonnegative(op->occupancy));
}

json_t *summary_kernels(const prof_trace *trace)
{
    return summary_groups(prof_group_launches(trace), kernel_of);
}

json_t *summary_copies(const prof_trace *trace)
{
    prof_groups *times = prof_group_copy_times(trace), *sizes = prof_group_copy_sizes(trace);
    json_t *all = NULL;
    if (times != NULL && sizes != NULL) {
        all = json_array();
        for (int64_t k = 0; k < times->count; k++) {
            const prof_group *time = &times->group[k];
            const prof_op *op = time->item;
            swe_json_append(&all, json_pack("{s:o, s:o, s:o}", "operation",
                                            swe_json_text_or_null(op->name), "time_ns",
                                            prof_json_statistics(time), "bytes",
                                            prof_json_statistics(prof_groups_find(sizes, op))));
        }
    }
    prof_groups_destroy(&times);
    prof_groups_destroy(&sizes);
    return all;
}

json_t *summary_stages(const prof_trace *trace, const prof_projection *projections)
{
    if (trace->op_count == 0)
        return json_array();
    prof_groups *ops = prof_group_stages(trace);
    prof_groups *calls = prof_group_stage_calls(trace, projections);
    json_t *all = NULL;
    if (ops != NULL && calls != NULL) {
        all = json_array();
        for (int64_t k = 0; k < ops->count; k++) {
            const prof_op *op = ops->group[k].item;
            const prof_group *called =
                op->stage != NULL ? prof_groups_find(calls, &op->stage) : NULL;
            swe_json_append(&all,
                            json_pack("{s:o, s:o, s:o}", "stage", swe_json_text_or_null(op->stage),
                                      "time_ns", prof_json_statistics(&ops->group[k]), "calls_ns",
                                      prof_json_statistics(called)));
        }
    }
    prof_groups_destroy(&ops);
    prof_groups_destroy(&calls);
    return all;
}

/* One double member of every element of an array; an empty array may be NULL. */
typedef struct quantity {
    const void *array;
    size_t offset, stride; /* [bytes] of the member in an element; between elements */
    int64_t count;
} quantity;

/* Mean and extremes over the elements where the member is known (finite, not negative); null
 * without any. */
static json_t *quantity_of(quantity of)
{
    int64_t count = 0;
    double sum = 0.0, least = 0.0, most = 0.0;
    for (int64_t k = 0; k < of.count; k++) {
        double value;
        memcpy(&value, (const char *)of.array + (size_t)k * of.stride + of.offset, sizeof value);
        if (!isfinite(value) || value < 0.0)
            continue;
        least = count == 0 || value < least ? value : least;
        most = count == 0 || value > most ? value : most;
        sum += value;
        count++;
    }
    if (count == 0)
        return json_null();
    return json_pack("{s:I, s:o, s:o, s:o}", "count", (json_int_t)count, "mean",
                     swe_json_real(sum / (double)count), "min", swe_json_real(least), "max",
                     swe_json_real(most));
}

static json_t *samples_of(const prof_trace *trace)
{
    json_t *samples = json_object();
#define STATE(key, member, title, unit)                                                            \
    swe_json_set(&samples, #key,                                                                   \
                 quantity_of((quantity){trace->samples, offsetof(prof_gpu_sample, member),         \
                                        sizeof *trace->samples, trace->sample_count}));
    PROF_STATE_LIST(STATE)
#undef STATE
    return samples;
}

/* Hardware counters over time; null if they were not sampled. */
static json_t *sampled_of(const prof_sampled *sampled)
{
    static const char *const names[] = {
#define PROF_SAMPLED_NAME(name, title, unit, meaning) #name,
        PROF_SAMPLED_LIST(PROF_SAMPLED_NAME)
#undef PROF_SAMPLED_NAME
    };
    if (sampled->chip == NULL)
        return json_null();
    json_t *all =
        json_pack("{s:o, s:I, s:I}", "chip", swe_json_text_or_null(sampled->chip), "period_ns",
                  (json_int_t)sampled->period, "count", (json_int_t)sampled->count);
    for (int k = 0; k < PROF_SAMPLED_COUNT; k++)
        swe_json_set(&all, names[k],
                     quantity_of((quantity){sampled->intervals,
                                            offsetof(prof_sampled_interval, value) +
                                                (size_t)k * sizeof *sampled->intervals->value,
                                            sizeof *sampled->intervals, sampled->count}));
    return all;
}

json_t *summary_gpu(const prof_trace *trace)
{
    prof_launch_delays delays;
    if (!trace->device.is_gpu || trace->mode == PROF_COUNTERS)
        return json_null();
    if (!prof_launch_delays_of(trace, &delays))
        return NULL;
    const int64_t busy = prof_gpu_busy(trace), window = trace->end - trace->start;
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "ops", (json_int_t)trace->op_count,
                     "busy_ns", (json_int_t)busy, "idle_share",
                     window > 0 ? swe_json_real(1.0 - (double)busy / (double)window) : json_null(),
                     "launch_latency_ns", prof_json_only_statistics(delays.latency), "queue_ns",
                     prof_json_only_statistics(delays.queue), "samples", samples_of(trace),
                     "sampled", sampled_of(&trace->sampled));
}

static json_t *counted_kernels_of(const prof_counted *all, const char *stage)
{
    json_t *kernels = json_array();
    for (int32_t k = 0; k < all->kernel_count; k++)
        if (strcmp(all->kernels[k].stage, stage) == 0)
            swe_json_append(&kernels, json_pack("{s:o, s:I}", "name",
                                                swe_json_text_or_null(all->kernels[k].name),
                                                "launches", (json_int_t)all->kernels[k].launches));
    return kernels;
}

static json_t *counted_stage_of(const prof_counted *all, const prof_counted_stage *stage)
{
    static const char *const names[] = {
#define PROF_METRIC_NAME(name, cupti, unit, meaning) #name,
        PROF_METRIC_LIST(PROF_METRIC_NAME)
#undef PROF_METRIC_NAME
    };
    json_t *row =
        json_pack("{s:o, s:I, s:o}", "stage", swe_json_text_or_null(stage->stage), "calls",
                  (json_int_t)stage->calls, "kernels", counted_kernels_of(all, stage->stage));
    for (int k = 0; k < PROF_METRIC_COUNT; k++)
        swe_json_set(&row, names[k], swe_json_nonnegative(stage->value[k]));
    swe_json_set(&row, "fp64_flops", swe_json_nonnegative(prof_counted_flops(stage)));
    return row;
}

json_t *summary_counters(const prof_trace *trace)
{
    const prof_counted *all = &trace->counted;
    if (all->chip == NULL)
        return json_null();
    json_t *stages = json_array();
    for (int32_t k = 0; k < all->stage_count; k++)
        swe_json_append(&stages, counted_stage_of(all, &all->stages[k]));
    return json_pack("{s:o, s:i, s:I, s:o}", "chip", swe_json_text_or_null(all->chip), "passes",
                     all->passes, "first_step", (json_int_t)all->first_step, "stages", stages);
}
