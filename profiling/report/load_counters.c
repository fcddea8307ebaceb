/* What the GPU counted of the stages, beside what their formulas say. */
#include <math.h>

#include "report/parts.h"

/* A row of the file: sums over the calls of a step. */
typedef struct counted_row {
    const char *stage;
    int64_t calls;
    double value[PROF_METRIC_COUNT], flops;
} counted_row;

static prof_report_pair pair_of(double formula, double counted)
{
    return (prof_report_pair){formula, counted, formula > 0.0 ? counted / formula : NAN};
}

static prof_report_counted counted_of(const prof_report_window *w, const counted_row *row)
{
    const prof_report_stage *stage = stage_named(w, row->stage);
    const double calls = (double)row->calls;
    const double read = row->value[PROF_METRIC_dram_read_bytes] / calls;
    const double written = row->value[PROF_METRIC_dram_written_bytes] / calls;
    return (prof_report_counted){
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
                       prof_report_counted *out)
{
    static const field fields[] = {{"stage", FIELD_TEXT, offsetof(counted_row, stage)},
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
    if (r->status == PROF_LOADED && row.calls == 0)
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
    read_unique(r, &stages, UNIQUE("stage"));
    c->stages = pool_array(r->pool, read_size(&stages), sizeof *c->stages);
    for (size_t k = 0; c->stages != NULL && k < read_size(&stages) && r->status == PROF_LOADED;
         k++) {
        const node item = read_item(&stages, k);
        load_stage(r, &item, w, &c->stages[c->stage_count++]);
    }
}
