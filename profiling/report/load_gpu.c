/* Checks and derives the GPU of a window: kernels, copies, hardware counters. */
#include <math.h>

#include "report/internal.h"

/* Whether a kernel can have been launched so: by CUDA's limits, the number of blocks is an int64_t.
 */
static bool is_launch(const prof_report_kernel *kernel)
{
    static const int64_t most[3] = {INT32_MAX, UINT16_MAX, UINT16_MAX};
    bool is_possible = kernel->static_shared <= INT32_MAX && kernel->dynamic_shared <= INT32_MAX;
    for (int k = 0; k < 3; k++)
        is_possible &= kernel->grid[k] >= 0 && kernel->grid[k] <= most[k] &&
                       kernel->block[k] >= 0 && kernel->block[k] <= UINT16_MAX;
    return is_possible;
}

void refuse_launches(reader *r, const node *summary, const prof_report_window *w)
{
    const node kernels = read_array(r, summary, "kernels");
    for (int k = 0; k < w->kernel_count; k++) {
        const node kernel = read_item(&kernels, (size_t)k);
        if (!is_launch(&w->kernels[k]))
            reader_refuse(r, &kernel, "is larger than a launch can be");
    }
}

void derive_kernels_and_copies(prof_report_window *w)
{
    double total = 0.0;
    for (int k = 0; k < w->kernel_count; k++)
        total += w->kernels[k].time.total;
    for (int k = 0; k < w->kernel_count; k++)
        w->kernels[k].share = total > 0.0 ? w->kernels[k].time.total / total : NAN;
    for (int k = 0; k < w->copy_count; k++) {
        prof_report_copy *copy = &w->copies[k];
        copy->bandwidth = copy->time.total > 0.0 ? 1e9 * copy->bytes.total / copy->time.total : NAN;
    }
}

static prof_cost_check pair_of(double formula, double counted)
{
    return (prof_cost_check){formula, counted, formula > 0.0 ? counted / formula : NAN};
}

static prof_stage_counters counted_of(const prof_report_window *w, const prof_counted_row *row)
{
    const prof_report_stage *stage = stage_named(w, row->sums.stage);
    const double calls = (double)row->sums.calls, *value = row->sums.value;
    const double read = value[PROF_METRIC_dram_read_bytes] / calls;
    const double written = value[PROF_METRIC_dram_written_bytes] / calls;
    return (prof_stage_counters){
        .stage = row->sums.stage,
        .calls = row->sums.calls,
        .kernels = row->kernels,
        .kernel_count = row->kernel_count,
        .time = value[PROF_METRIC_time_ns] / calls,
        .read_bytes = read,
        .written_bytes = written,
        .l2_bytes = value[PROF_METRIC_l2_bytes] / calls,
        .l1_bytes = value[PROF_METRIC_l1_bytes] / calls,
        .bytes = pair_of(stage != NULL ? stage->bytes : NAN, read + written),
        .flops = pair_of(stage != NULL ? stage->flops : NAN, row->flops / calls)};
}

void load_counters(reader *r, const node *summary, prof_report_window *w)
{
    prof_report_counters *c = &w->counters;
    if (!c->is_known) {
        c->chip = "";
        return;
    }
    const node object = read_object(r, summary, "counters", true);
    const node stages = read_array(r, &object, "stages");
    refuse_duplicates(r, &stages, UNIQUE("stage"));
    c->stages = pool_array(r->pool, (size_t)c->row_count, sizeof *c->stages);
    for (int k = 0; c->stages != NULL && k < c->row_count; k++) {
        const node item = read_item(&stages, (size_t)k);
        if (c->rows[k].sums.calls == 0)
            reader_refuse(r, &item, "has no calls");
        c->stages[c->stage_count++] = counted_of(w, &c->rows[k]);
    }
}
