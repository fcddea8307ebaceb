/* What the GPU counted of the stages, beside what their formulas say. */
#include <math.h>

#include "report/counted.h"
#include "report/html/colour.h"
#include "report/html/sections.h"
#include "report/html/table.h"

typedef struct scales {
    scale time, bytes, flops;
} scales;

static scales scales_of(const prof_report_counters *c)
{
    double time = 0.0, bytes = 0.0, flops = 0.0;
    for (int k = 0; k < c->stage_count; k++) {
        const prof_report_counted *s = &c->stages[k];
        time = fmax(time, s->time);
        bytes = fmax(bytes, fmax(s->bytes.counted, s->bytes.formula));
        flops = fmax(flops, fmax(s->flops.counted, s->flops.formula));
    }
    return (scales){scale_time(time), scale_bytes(bytes), scale_flops(flops)};
}

/* A ratio, with a mark where it is off. */
static void ratio_cell(page *p, const prof_report_pair *pair)
{
    if (counted_differs(pair))
        page_markup(p, "<td class=\"off\" data-value=\"%.9g\">%s</td>", pair->ratio,
                    number_digits(pair->ratio).text);
    else
        table_number(p, (scale){1.0, "", 2}, pair->ratio);
}

static void pair_cells(page *p, scale s, const prof_report_pair *pair)
{
    table_number(p, s, pair->counted);
    table_number(p, s, pair->formula);
    ratio_cell(p, pair);
}

static void row(page *p, const prof_report_window *w, const prof_report_counted *stage,
                const scales *s)
{
    table_row_begin(p);
    table_stage(p, stage->stage, colour_of(w, stage->stage));
    table_count(p, stage->calls);
    table_number(p, s->time, stage->time);
    pair_cells(p, s->bytes, &stage->bytes);
    table_number(p, s->bytes, stage->read_bytes);
    table_number(p, s->bytes, stage->written_bytes);
    table_number(p, s->bytes, stage->l2_bytes);
    table_number(p, s->bytes, stage->l1_bytes);
    pair_cells(p, s->flops, &stage->flops);
    table_row_end(p);
}

static void stages(page *p, const prof_report_window *w)
{
    const scales s = scales_of(&w->counters);
    const column columns[] = {
        {"Stage", NULL, NULL, true},
        {"Calls", "a step", NULL, false},
        {"Call", s.time.unit, "time on the GPU while nothing else ran, with what counting adds",
         false},
        {"Memory", s.bytes.unit, "read from and written to device memory, counted", false},
        {"Formula", s.bytes.unit, "what must move, each value once", false},
        {"Ratio", NULL, "counted over formula", false},
        {"Read", s.bytes.unit, "from device memory, counted", false},
        {"Written", s.bytes.unit, "to device memory, counted", false},
        {"L2", s.bytes.unit, "requested of the L2 cache, counted", false},
        {"L1", s.bytes.unit, "requested of the L1 caches, counted", false},
        {"FLOPs", s.flops.unit, "FP64 operations counted, a multiply-add being two", false},
        {"Formula", s.flops.unit, "operations by the formulas", false},
        {"Ratio", NULL, "counted over formula", false}};
    table_begin(p, "counters", true, "One call of each stage: as counted, and by its formulas");
    table_columns(p, columns, 13);
    for (int k = 0; k < w->counters.stage_count; k++)
        row(p, w, &w->counters.stages[k], &s);
    table_end(p);
}

/* What the counts of a stage are of. */
static void kernels(page *p, const prof_report_window *w)
{
    static const column columns[] = {{"Stage", NULL, NULL, true},
                                     {"Kernel", NULL, NULL, true},
                                     {"Launches", "in a step", NULL, false}};
    table_begin(p, "counted-kernels", false,
                "The kernels whose counts these are: a stage with one kernel has that one's");
    table_columns(p, columns, 3);
    for (int k = 0; k < w->counters.stage_count; k++) {
        const prof_report_counted *stage = &w->counters.stages[k];
        for (int j = 0; j < stage->kernel_count; j++) {
            table_row_begin(p);
            table_stage(p, stage->stage, colour_of(w, stage->stage));
            table_code(p, stage->kernels[j].kernel);
            table_count(p, stage->kernels[j].launches);
            table_row_end(p);
        }
    }
    table_end(p);
}

void section_counters(page *p, const prof_report *report, const prof_report_window *w)
{
    const prof_report_counters *c = &w->counters;
    char verdict[COUNTED_VERDICT_SIZE];
    if (c->stage_count == 0) {
        page_element(p, "p", NULL, "%s", counted_absent(report, w));
        return;
    }
    counted_verdict(w, verdict);
    page_element(p, "p", NULL, "%s", verdict);
    stages(p, w);
    page_element(p, "p", "note",
                 "Counted by %s in %s passes, each of which took a step from step %s on; steps "
                 "launch the same kernels with the same sizes. An en dash is what the chip cannot "
                 "count, or what no formula is known of.",
                 c->chip, number_count(c->passes).text, number_count(c->first_step).text);
    kernels(p, w);
}
