/* What the GPU's counters say over time: a part of the utilisation. */
#include <math.h>

#include "report/html/sections.h"
#include "report/html/svg.h"
#include "report/html/table.h"

static const double left = 56.0, right = 930.0, top = 30.0, bottom = 170.0;

/* A value of the picture of counters in percent; of traffic, that of a bandwidth. NAN: not known.
 */
static double share_of(const prof_sampled_interval *interval, int quantity, double bandwidth)
{
    if (quantity != PROF_SAMPLED_dram_read_bytes_per_s)
        return interval->value[quantity];
    if (!(bandwidth > 0.0))
        return NAN;
    return 100.0 *
           (interval->value[quantity] + interval->value[PROF_SAMPLED_dram_written_bytes_per_s]) /
           bandwidth;
}

/* Means of `together` samples each, at the middle of these. */
static void line(page *p, const prof_timeline *t, const axis *x, const axis *y, int64_t together,
                 int quantity, double bandwidth, const char *class)
{
    bool drawing = false;
    page_markup(p, "<path class=\"line %s\" d=\"", class);
    for (int64_t k = 0; k < t->sampled_count; k += together) {
        const int64_t past = k + together < t->sampled_count ? k + together : t->sampled_count;
        double sum = 0.0;
        for (int64_t s = k; s < past; s++)
            sum += share_of(&t->sampled[s], quantity, bandwidth);
        const double mean = sum / (double)(past - k);
        const double middle = 0.5 * (double)(t->sampled[k].start + t->sampled[past - 1].end);
        if (isfinite(mean))
            page_markup(p, "%c%.1f %.1f", drawing ? 'L' : 'M', axis_at(x, middle),
                        axis_at(y, mean < y->high ? mean : y->high)); /* reads may beat a copy */
        drawing = isfinite(mean);
    }
    page_markup(p, "\"/>\n");
}

static void graph(page *p, const prof_report_window *w)
{
    static const struct {
        int quantity;
        const char *class, *name;
        double place; /* in the legend, from the right */
    } lines[] = {
        {PROF_SAMPLED_sm_active_percent, "sm", "SMs active", 480.0},
        {PROF_SAMPLED_fp64_active_percent, "fp64", "FP64 pipe active", 350.0},
        {PROF_SAMPLED_dram_read_bytes_per_s, "memory", "DRAM traffic, of its ceiling", 198.0}};
    const prof_timeline *t = &w->timeline;
    const int64_t most = 800, together = (t->sampled_count + most - 1) / most;
    const axis x = {0.0, (double)t->duration, left, right, false, false};
    const axis y = {0.0, 100.0, bottom, top, false, false};
    svg_begin(p, "sampled", (int)bottom + 44, "What the GPU’s counters say over time",
              "%lld samples; multiprocessors active on average %s %%, FP64 pipe %s %%.",
              (long long)t->sampled_count,
              number_digits(w->gpu.sampled[PROF_SAMPLED_sm_active_percent].mean).text,
              number_digits(w->gpu.sampled[PROF_SAMPLED_fp64_active_percent].mean).text);
    svg_axis_y(p, &y, left, right, (scale){1.0, "%", 0}, "of the most");
    svg_axis_x(p, &x, bottom, bottom, scale_time((double)t->duration), "time");
    for (int k = 0; k < 3; k++) {
        line(p, t, &x, &y, together, lines[k].quantity, w->ceilings.bandwidth, lines[k].class);
        page_markup(p, "<path class=\"line %s\" d=\"M%.1f %.1fh24\"/>", lines[k].class,
                    right - lines[k].place, top - 12.0);
        svg_text(p, right - lines[k].place + 30.0, top - 8.0, "", "%s", lines[k].name);
    }
    svg_end(p);
}

static void row(page *p, const char *name, const char *unit, const prof_report_quantity *q)
{
    const bool is_rate = unit[0] == 'B';
    const double values[] = {q->mean, q->min, q->max};
    if (q->count == 0)
        return;
    table_row_begin(p);
    table_heading(p, name);
    table_text(p, is_rate ? "GB/s" : unit);
    table_count(p, q->count);
    for (int k = 0; k < 3; k++)
        page_element(p, "td", NULL, "%s", number_digits(values[k] / (is_rate ? 1e9 : 1.0)).text);
    table_row_end(p);
}

void part_sampled(page *p, const prof_report_window *w)
{
    static const column columns[] = {{"Quantity", NULL, NULL, true}, {"Unit", NULL, NULL, true},
                                     {"Samples", NULL, NULL, false}, {"Mean", NULL, NULL, false},
                                     {"Least", NULL, NULL, false},   {"Most", NULL, NULL, false}};
    int64_t samples = 0;
    for (int k = 0; k < PROF_SAMPLED_COUNT; k++)
        samples += w->gpu.sampled[k].count;
    if (w->timeline.sampled_count > 1)
        graph(p, w);
    if (samples == 0)
        return;
    table_begin(p, "sampled", false, "The GPU’s counters during the window");
    table_columns(p, columns, 6);
#define SAMPLED(name, title, unit, meaning)                                                        \
    row(p, meaning, unit, &w->gpu.sampled[PROF_SAMPLED_##name]);
    PROF_SAMPLED_LIST(SAMPLED)
#undef SAMPLED
    table_end(p);
}
