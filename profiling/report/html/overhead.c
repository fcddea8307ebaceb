/* What the step loses around the stages: launches, gaps between operations, calls, copies. */
#include <math.h>
#include <stdlib.h>

#include "report/html/sections.h"
#include "report/html/table.h"

static void spread_row(page *p, const char *name, const prof_spread *s)
{
    if (s->count == 0)
        return;
    table_row_begin(p);
    table_heading(p, name);
    table_count(p, s->count);
    const double values[] = {s->min, s->low, s->median, s->high, s->max};
    for (int k = 0; k < 5; k++)
        page_markup(p, "<td data-value=\"%.9g\">%s</td>", values[k], number_time(values[k]).text);
    table_row_end(p);
}

/* Gaps in which no operation ran, between the first and the last one. */
typedef struct gaps {
    double *gap;
    int64_t count;
    double total;
} gaps;

static gaps find_gaps(const prof_timeline *t)
{
    gaps g = {.gap = calloc((size_t)t->op_count + 1, sizeof *g.gap)};
    int64_t end = t->op_count > 0 ? t->ops[0].end : 0;
    for (int64_t k = 1; k < t->op_count && g.gap != NULL; k++) {
        if (t->ops[k].start > end) {
            g.gap[g.count++] = (double)(t->ops[k].start - end);
            g.total += (double)(t->ops[k].start - end);
        }
        end = t->ops[k].end > end ? t->ops[k].end : end;
    }
    return g;
}

/* Gaps by their lengths' powers of ten. */
static void gap_table(page *p, const prof_timeline *t)
{
    static const double edges[] = {0.0, 1e3, 1e4, 1e5, 1e6, INFINITY};
    static const char *const names[] = {"below 1 µs", "1 to 10 µs", "10 to 100 µs", "0.1 to 1 ms",
                                        "1 ms and more"};
    static const column columns[] = {{"Gap", NULL, NULL, true},
                                     {"Number", NULL, NULL, false},
                                     {"Total", NULL, NULL, false},
                                     {"Share", "of all gaps", NULL, false}};
    gaps g = find_gaps(t);
    if (g.count > 0) {
        table_begin(p, "gaps", false, "Gaps in which the GPU ran nothing, by length");
        table_columns(p, columns, 4);
        for (int bin = 0; bin < 5; bin++) {
            int64_t members = 0;
            double total = 0.0;
            for (int64_t k = 0; k < g.count; k++)
                if (g.gap[k] >= edges[bin] && g.gap[k] < edges[bin + 1]) {
                    members++;
                    total += g.gap[k];
                }
            table_row_begin(p);
            table_heading(p, names[bin]);
            table_count(p, members);
            page_element(p, "td", NULL, "%s", number_time(total).text);
            table_share(p, total / g.total);
            table_row_end(p);
        }
        table_end(p);
    }
    free(g.gap);
}

static void launch_table(page *p, const prof_report_gpu *gpu)
{
    static const column columns[] = {{"From the host to the GPU", NULL, NULL, true},
                                     {"Launches", NULL, NULL, false},
                                     {"Least", NULL, NULL, false},
                                     {"Quartile", NULL, NULL, false},
                                     {"Median", NULL, NULL, false},
                                     {"Quartile", NULL, NULL, false},
                                     {"Most", NULL, NULL, false}};
    if (gpu->launch_latency.count + gpu->queue.count == 0)
        return;
    table_begin(p, "launches", false, "What lies between a launch and what it launched");
    table_columns(p, columns, 7);
    spread_row(p, "start of the call to start of the operation", &gpu->launch_latency);
    spread_row(p, "end of the call to start of the operation", &gpu->queue);
    table_end(p);
}

static void call_table(page *p, const prof_report_window *w)
{
    if (w->call_count == 0)
        return;
    double most = 0.0, longest = 0.0;
    for (int k = 0; k < w->call_count; k++) {
        most = fmax(most, w->calls[k].time.total);
        longest = fmax(longest, w->calls[k].time.median);
    }
    const scale total = scale_time(most), call = scale_time(longest);
    const column columns[] = {
        {"Call", NULL, NULL, true},         {"Kind", NULL, NULL, true},
        {"Calls", NULL, NULL, false},       {"Total", total.unit, NULL, false},
        {"Median", call.unit, NULL, false}, {"Failed", NULL, NULL, false}};
    table_begin(p, "calls", true, "CUDA calls of the host, the largest total first");
    table_columns(p, columns, 6);
    for (int k = 0; k < w->call_count; k++) {
        const prof_report_call *c = &w->calls[k];
        table_row_begin(p);
        table_code(p, c->name);
        table_text(p, c->kind);
        table_count(p, c->time.count);
        table_number(p, total, c->time.total);
        table_number(p, call, c->time.median);
        table_count(p, c->failed);
        table_row_end(p);
    }
    table_end(p);
}

static void copy_table(page *p, const prof_report_window *w)
{
    if (w->copy_count == 0) {
        page_element(p, "p", NULL, "Nothing was copied or filled within the window.");
        return;
    }
    static const column columns[] = {
        {"Operation", NULL, NULL, true}, {"Number", NULL, NULL, false},
        {"Bytes", "total", NULL, false}, {"Bytes", "median", NULL, false},
        {"Time", "total", NULL, false},  {"Rate", NULL, NULL, false}};
    table_begin(p, "copies", true, "Copies and fills on the GPU");
    table_columns(p, columns, 6);
    for (int k = 0; k < w->copy_count; k++) {
        const prof_report_copy *c = &w->copies[k];
        table_row_begin(p);
        table_code(p, c->operation);
        table_count(p, c->time.count);
        page_markup(p, "<td data-value=\"%.9g\">%s</td>", c->bytes.total,
                    number_bytes(c->bytes.total).text);
        page_markup(p, "<td data-value=\"%.9g\">%s</td>", c->bytes.median,
                    number_bytes(c->bytes.median).text);
        page_markup(p, "<td data-value=\"%.9g\">%s</td>", c->time.total,
                    number_time(c->time.total).text);
        page_markup(p, "<td>%s</td>", number_bandwidth(c->bandwidth).text);
        table_row_end(p);
    }
    table_end(p);
}

void section_overhead(page *p, const prof_report *report, const prof_report_window *w)
{
    if (isfinite(w->other_share))
        page_element(p, "p", NULL,
                     "Outside of all stages a step spends %s of its time: calling them, and in the "
                     "profiler.",
                     number_percent(w->other_share).text);
    if (!w->has_gpu) {
        page_element(p, "p", NULL,
                     report->device.is_gpu
                         ? "The profile does not tell what the GPU ran, so there are neither gaps "
                           "nor latencies of launches."
                         : "Launches and gaps between them are a matter of GPUs; none computed in "
                           "this run.");
        return;
    }
    page_element(p, "p", NULL,
                 "The GPU ran %s operations in %s of the window’s %s; for %s of the window it was "
                 "idle.",
                 number_count(w->gpu.ops).text, number_time(w->gpu.busy).text,
                 number_time(w->duration).text, number_percent(w->gpu.idle_share).text);
    gap_table(p, &w->timeline);
    launch_table(p, &w->gpu);
    call_table(p, w);
    copy_table(p, w);
}
