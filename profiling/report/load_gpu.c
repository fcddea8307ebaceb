/* What the GPU did. */
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

static void load_kernels(reader *r, const node *summary, prof_report_window *w)
{
    static const field fields[] = {
        {"name", FIELD_TEXT, offsetof(prof_report_kernel, name)},
        {"stage", FIELD_STAGE, offsetof(prof_report_kernel, stage)},
        {"time_ns", FIELD_SPREAD, offsetof(prof_report_kernel, time)},
        {"grid", FIELD_SIZES, offsetof(prof_report_kernel, grid)},
        {"block", FIELD_SIZES, offsetof(prof_report_kernel, block)},
        {"registers", FIELD_INTEGER, offsetof(prof_report_kernel, registers)},
        {"static_shared_bytes", FIELD_INTEGER, offsetof(prof_report_kernel, static_shared)},
        {"dynamic_shared_bytes", FIELD_INTEGER, offsetof(prof_report_kernel, dynamic_shared)},
        {"local_bytes", FIELD_INTEGER, offsetof(prof_report_kernel, local)},
        {"occupancy_percent", FIELD_KNOWN, offsetof(prof_report_kernel, occupancy)}};
    double total = 0.0;
    w->kernels =
        read_list(r, summary, "kernels", FIELDS(fields), sizeof *w->kernels, &w->kernel_count);
    check_launches(r, summary, w);
    for (int k = 0; k < w->kernel_count; k++)
        total += w->kernels[k].time.total;
    for (int k = 0; k < w->kernel_count; k++)
        w->kernels[k].share = total > 0.0 ? w->kernels[k].time.total / total : NAN;
}

static void load_copies(reader *r, const node *summary, prof_report_window *w)
{
    static const field fields[] = {{"operation", FIELD_TEXT, offsetof(prof_report_copy, operation)},
                                   {"time_ns", FIELD_SPREAD, offsetof(prof_report_copy, time)},
                                   {"bytes", FIELD_SPREAD, offsetof(prof_report_copy, bytes)}};
    w->copies = read_list(r, summary, "copies", FIELDS(fields), sizeof *w->copies, &w->copy_count);
    for (int k = 0; k < w->copy_count; k++) {
        prof_report_copy *copy = &w->copies[k];
        copy->bandwidth = copy->time.total > 0.0 ? 1e9 * copy->bytes.total / copy->time.total : NAN;
    }
}

static void load_calls(reader *r, const node *summary, prof_report_window *w)
{
    static const field fields[] = {{"name", FIELD_TEXT, offsetof(prof_report_call, name)},
                                   {"kind", FIELD_TEXT, offsetof(prof_report_call, kind)},
                                   {"time_ns", FIELD_SPREAD, offsetof(prof_report_call, time)},
                                   {"failed", FIELD_COUNT, offsetof(prof_report_call, failed)}};
    w->calls = read_list(r, summary, "calls", FIELDS(fields), sizeof *w->calls, &w->call_count);
}

static prof_report_quantity quantity_of(reader *r, const node *samples, const char *key)
{
    static const field fields[] = {{"count", FIELD_COUNT, offsetof(prof_report_quantity, count)},
                                   {"mean", FIELD_SIGNED, offsetof(prof_report_quantity, mean)},
                                   {"min", FIELD_SIGNED, offsetof(prof_report_quantity, min)},
                                   {"max", FIELD_SIGNED, offsetof(prof_report_quantity, max)}};
    prof_report_quantity quantity = {0, NAN, NAN, NAN};
    const node object = read_object(r, samples, key, true);
    if (object.value != NULL)
        read_fields(r, &object, FIELDS(fields), &quantity);
    return quantity;
}

static void load_sampled(reader *r, const node *gpu, prof_report_gpu *out)
{
    static const char *const names[] = {
#define PROF_SAMPLED_NAME(name, title, unit, meaning) #name,
        PROF_SAMPLED_LIST(PROF_SAMPLED_NAME)
#undef PROF_SAMPLED_NAME
    };
    const node sampled = read_object(r, gpu, "sampled", true);
    for (int k = 0; k < PROF_SAMPLED_COUNT; k++)
        out->sampled[k] = sampled.value != NULL ? quantity_of(r, &sampled, names[k])
                                                : (prof_report_quantity){0, NAN, NAN, NAN};
}

void load_gpu(reader *r, const node *summary, prof_report_window *w)
{
    static const field fields[] = {
        {"ops", FIELD_COUNT, offsetof(prof_report_gpu, ops)},
        {"busy_ns", FIELD_NUMBER, offsetof(prof_report_gpu, busy)},
        {"idle_share", FIELD_KNOWN, offsetof(prof_report_gpu, idle_share)},
        {"launch_latency_ns", FIELD_DELAYS, offsetof(prof_report_gpu, launch_latency)},
        {"queue_ns", FIELD_SPREAD, offsetof(prof_report_gpu, queue)}};
    prof_report_gpu *gpu = &w->gpu;
    load_kernels(r, summary, w);
    load_copies(r, summary, w);
    load_calls(r, summary, w);
    const node object = read_object(r, summary, "gpu", true);
    if (object.value == NULL)
        return;
    w->has_gpu = true;
    read_fields(r, &object, FIELDS(fields), gpu);
    const node samples = read_object(r, &object, "samples", false);
    gpu->sm = quantity_of(r, &samples, "sm_percent");
    gpu->memory = quantity_of(r, &samples, "memory_percent");
    gpu->memory_used = quantity_of(r, &samples, "memory_used_bytes");
    gpu->sm_clock = quantity_of(r, &samples, "sm_clock_mhz");
    gpu->memory_clock = quantity_of(r, &samples, "memory_clock_mhz");
    gpu->power = quantity_of(r, &samples, "power_watts");
    gpu->temperature = quantity_of(r, &samples, "temperature_celsius");
    load_sampled(r, &object, gpu);
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
    static const field kernel_fields[] = {
        {"name", FIELD_TEXT, offsetof(prof_report_launches, kernel)},
        {"launches", FIELD_COUNT, offsetof(prof_report_launches, launches)}};
    counted_row row = {.calls = 0};
    read_fields(r, item, FIELDS(fields), &row);
    if (r->status == SWE_LOADED && row.calls == 0)
        reader_refuse(r, item, "has no calls");
    *out = counted_of(w, &row);
    out->kernels = read_list(r, item, "kernels", FIELDS(kernel_fields), sizeof *out->kernels,
                             &out->kernel_count);
}

void load_counters(reader *r, const node *summary, prof_report_window *w)
{
    static const field fields[] = {
        {"chip", FIELD_TEXT, offsetof(prof_report_counters, chip)},
        {"passes", FIELD_COUNT, offsetof(prof_report_counters, passes)},
        {"first_step", FIELD_COUNT, offsetof(prof_report_counters, first_step)}};
    prof_report_counters *c = &w->counters;
    const node object = read_object(r, summary, "counters", true);
    c->chip = "";
    if (object.value == NULL)
        return;
    read_fields(r, &object, FIELDS(fields), c);
    const node stages = read_array(r, &object, "stages");
    refuse_duplicates(r, &stages, UNIQUE("stage"));
    c->stages = pool_array(r->pool, read_size(&stages), sizeof *c->stages);
    for (size_t k = 0; c->stages != NULL && k < read_size(&stages) && r->status == SWE_LOADED;
         k++) {
        const node item = read_item(&stages, k);
        load_stage(r, &item, w, &c->stages[c->stage_count++]);
    }
}
