/* The GPU in summary.json: kernels, copies, stages, samples and hardware counters. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "window/summary/internal.h"

static prof_report_kernel kernel_of(const prof_group *group)
{
    const prof_op *op = group->item;
    return (prof_report_kernel){.name = op->name,
                                .stage = op->stage,
                                .time = summary_spread(group),
                                .grid = {op->grid[0], op->grid[1], op->grid[2]},
                                .block = {op->block[0], op->block[1], op->block[2]},
                                .registers = op->registers,
                                .static_shared = op->static_shared,
                                .dynamic_shared = op->dynamic_shared,
                                .local = op->local,
                                .occupancy = op->occupancy};
}

void summary_kernels(const prof_trace *trace, pool *pool, prof_report_window *w)
{
    prof_groups *groups = prof_group_launches(trace);
    w->kernels = summary_array(pool, groups, sizeof *w->kernels, &w->kernel_count);
    for (int k = 0; k < w->kernel_count; k++)
        w->kernels[k] = kernel_of(&groups->group[k]);
    prof_groups_destroy(&groups);
}

void summary_copies(const prof_trace *trace, pool *pool, prof_report_window *w)
{
    prof_groups *times = prof_group_copy_times(trace), *sizes = prof_group_copy_sizes(trace);
    w->copies =
        summary_array(pool, sizes != NULL ? times : NULL, sizeof *w->copies, &w->copy_count);
    for (int k = 0; k < w->copy_count; k++) {
        const prof_group *time = &times->group[k];
        const prof_op *op = time->item;
        w->copies[k] = (prof_report_copy){.operation = op->name,
                                          .time = summary_spread(time),
                                          .bytes = summary_spread(prof_groups_find(sizes, op))};
    }
    prof_groups_destroy(&times);
    prof_groups_destroy(&sizes);
}

void summary_stages(const prof_trace *trace, const prof_projection *projections, pool *pool,
                    prof_report_window *w)
{
    if (trace->op_count == 0)
        return;
    prof_groups *ops = prof_group_stages(trace);
    prof_groups *calls = prof_group_stage_calls(trace, projections);
    w->gpu_times =
        summary_array(pool, calls != NULL ? ops : NULL, sizeof *w->gpu_times, &w->gpu_time_count);
    for (int k = 0; k < w->gpu_time_count; k++) {
        const prof_op *op = ops->group[k].item;
        const prof_group *called = op->stage != NULL ? prof_groups_find(calls, &op->stage) : NULL;
        w->gpu_times[k] =
            (prof_gpu_time){op->stage, summary_spread(&ops->group[k]), summary_spread(called)};
    }
    prof_groups_destroy(&ops);
    prof_groups_destroy(&calls);
}

/* One double member of every element of an array; an empty array may be NULL. */
typedef struct quantity {
    const void *array;
    size_t offset, stride; /* [bytes] of the member in an element; between elements */
    int64_t count;
} quantity;

/* Mean and extremes over the elements where the member is known (finite, not negative). */
static prof_report_quantity quantity_of(quantity of)
{
    prof_report_quantity out = {.count = 0};
    double sum = 0.0;
    for (int64_t k = 0; k < of.count; k++) {
        double value;
        memcpy(&value, (const char *)of.array + (size_t)k * of.stride + of.offset, sizeof value);
        if (!isfinite(value) || value < 0.0)
            continue;
        out.min = out.count == 0 || value < out.min ? value : out.min;
        out.max = out.count == 0 || value > out.max ? value : out.max;
        sum += value;
        out.mean = sum / (double)++out.count;
    }
    return out;
}

/* Hardware counters over time. */
static prof_report_sampled sampled_of(const prof_sampled *sampled)
{
    prof_report_sampled out = {.is_known = sampled->chip != NULL,
                               .chip = sampled->chip,
                               .period = sampled->period,
                               .count = sampled->count};
    for (int k = 0; k < PROF_SAMPLED_COUNT; k++)
        out.value[k] = quantity_of((quantity){sampled->intervals,
                                              offsetof(prof_sampled_interval, value) +
                                                  (size_t)k * sizeof *sampled->intervals->value,
                                              sizeof *sampled->intervals, sampled->count});
    return out;
}

void summary_gpu(const prof_trace *trace, pool *pool, prof_report_window *w)
{
    prof_launch_delays delays;
    if (!trace->device.is_gpu || trace->mode == PROF_COUNTERS)
        return;
    if (!prof_launch_delays_of(trace, &delays)) {
        pool->failed = true;
        return;
    }
    const double busy = (double)prof_gpu_busy(trace), window = (double)(trace->end - trace->start);
    w->has_gpu = true;
    w->gpu = (prof_report_gpu){.ops = trace->op_count,
                               .busy = busy,
                               .idle_share = window > 0.0 ? 1.0 - busy / window : NAN,
                               .launch_latency = summary_only_spread(pool, delays.latency),
                               .queue = summary_only_spread(pool, delays.queue),
                               .sampled = sampled_of(&trace->sampled)};
#define STATE(key, member, title, unit)                                                            \
    w->gpu.member = quantity_of((quantity){trace->samples, offsetof(prof_gpu_sample, member),      \
                                           sizeof *trace->samples, trace->sample_count});
    PROF_STATE_LIST(STATE)
#undef STATE
}

static prof_counted_row counted_of(const prof_counted *all, const prof_counted_stage *stage,
                                   pool *pool)
{
    prof_counted_row row = {.sums = *stage, .flops = prof_counted_flops(stage)};
    row.kernels = pool_array(pool, (size_t)all->kernel_count, sizeof *row.kernels);
    for (int32_t k = 0; k < all->kernel_count && row.kernels != NULL; k++)
        if (strcmp(all->kernels[k].stage, stage->stage) == 0)
            row.kernels[row.kernel_count++] = all->kernels[k];
    return row;
}

void summary_counters(const prof_trace *trace, pool *pool, prof_report_window *w)
{
    const prof_counted *all = &trace->counted;
    prof_report_counters *c = &w->counters;
    *c = (prof_report_counters){.is_known = all->chip != NULL,
                                .chip = all->chip,
                                .passes = all->passes,
                                .first_step = all->first_step};
    c->rows = pool_array(pool, (size_t)all->stage_count, sizeof *c->rows);
    for (int32_t k = 0; k < all->stage_count && c->rows != NULL; k++)
        c->rows[c->row_count++] = counted_of(all, &all->stages[k], pool);
}
