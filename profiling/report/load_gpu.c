/* Loads the GPU of a window: kernels, copies, use, samples, hardware counters. */
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

static void check_launches(reader *r, const node *summary, const prof_report_window *w)
{
    const node kernels = read_array(r, summary, "kernels");
    for (int k = 0; k < w->kernel_count; k++) {
        const node kernel = read_item(&kernels, (size_t)k);
        if (!is_launch(&w->kernels[k]))
            reader_refuse(r, &kernel, "is larger than a launch can be");
    }
}

static void derive_kernels_and_copies(prof_report_window *w)
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

void load_gpu(reader *r, const node *summary, prof_report_window *w)
{
    prof_report_gpu *gpu = &w->gpu;
    check_launches(r, summary, w);
    derive_kernels_and_copies(w);
    const node object = read_object(r, summary, "gpu", true);
    if (object.value == NULL)
        return;
    w->has_gpu = true;
    read_table(r, &object, prof_gpu_fields, gpu);
    const node samples = read_object(r, &object, "samples", false);
    read_table(r, &samples, prof_gpu_state_fields, gpu);
    for (int k = 0; k < PROF_SAMPLED_COUNT; k++)
        gpu->sampled[k] = (prof_report_quantity){0, NAN, NAN, NAN};
    const node sampled = read_object(r, &object, "sampled", true);
    if (sampled.value != NULL)
        read_table(r, &sampled, prof_gpu_sampled_fields, gpu);
}

/* A row of the file: sums over the calls of a step. */
typedef struct counted_row {
    const char *stage;
    int64_t calls;
    double value[PROF_METRIC_COUNT], flops;
} counted_row;

static prof_cost_check pair_of(double formula, double counted)
{
    return (prof_cost_check){formula, counted, formula > 0.0 ? counted / formula : NAN};
}

static prof_stage_counters counted_of(const prof_report_window *w, const counted_row *row)
{
    const prof_report_stage *stage = stage_named(w, row->stage);
    const double calls = (double)row->calls;
    const double read = row->value[PROF_METRIC_dram_read_bytes] / calls;
    const double written = row->value[PROF_METRIC_dram_written_bytes] / calls;
    return (prof_stage_counters){
        .stage = row->stage,
        .calls = row->calls,
        .time = row->value[PROF_METRIC_time_ns] / calls,
        .read_bytes = read,
        .written_bytes = written,
        .l2_bytes = row->value[PROF_METRIC_l2_bytes] / calls,
        .l1_bytes = row->value[PROF_METRIC_l1_bytes] / calls,
        .bytes = pair_of(stage != NULL ? stage->bytes : NAN, read + written),
        .flops = pair_of(stage != NULL ? stage->flops : NAN, row->flops / calls)};
}

static void load_stage(reader *r, const node *item, const prof_report_window *w,
                       prof_stage_counters *out)
{
    static const field fields[] = {{"stage", FIELD_STAGE, offsetof(counted_row, stage)},
                                   {"calls", FIELD_COUNT, offsetof(counted_row, calls)},
#define METRIC_FIELD(name, cupti, unit, meaning)                                                   \
    {#name, FIELD_KNOWN, offsetof(counted_row, value[PROF_METRIC_##name])},
                                   PROF_METRIC_LIST(METRIC_FIELD)
#undef METRIC_FIELD
                                       {"fp64_flops", FIELD_KNOWN, offsetof(counted_row, flops)}};
    counted_row row = {.calls = 0};
    read_fields(r, item, FIELDS(fields), &row);
    if (r->status == SWE_LOADED && row.calls == 0)
        reader_refuse(r, item, "has no calls");
    *out = counted_of(w, &row);
    out->kernels = read_list(r, item, "kernels", prof_launches_fields, sizeof *out->kernels,
                             &out->kernel_count);
}

void load_counters(reader *r, const node *summary, prof_report_window *w)
{
    prof_report_counters *c = &w->counters;
    const node object = read_object(r, summary, "counters", true);
    c->chip = "";
    if (object.value == NULL)
        return;
    read_table(r, &object, prof_counters_fields, c);
    const node stages = read_array(r, &object, "stages");
    refuse_duplicates(r, &stages, UNIQUE("stage"));
    c->stages = pool_array(r->pool, read_size(&stages), sizeof *c->stages);
    for (size_t k = 0; c->stages != NULL && k < read_size(&stages) && r->status == SWE_LOADED;
         k++) {
        const node item = read_item(&stages, k);
        load_stage(r, &item, w, &c->stages[c->stage_count++]);
    }
}
