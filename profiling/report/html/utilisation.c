/* The GPU's state during the window, as NVML sampled it. */
#include <math.h>

#include "report/html/sections.h"
#include "report/html/svg.h"
#include "report/html/table.h"

static const double left = 56.0, right = 930.0, top = 30.0, bottom = 170.0;

static void line(page *p, const prof_timeline *t, const axis *x, const axis *y, bool is_memory)
{
    bool drawing = false;
    page_markup(p, "<path class=\"line %s\" d=\"", is_memory ? "memory" : "sm");
    for (int64_t k = 0; k < t->sample_count; k++) {
        const double value = is_memory ? t->samples[k].memory : t->samples[k].sm;
        if (isfinite(value))
            page_markup(p, "%c%.1f %.1f", drawing ? 'L' : 'M',
                        axis_at(x, (double)t->samples[k].time), axis_at(y, value));
        drawing = isfinite(value);
    }
    page_markup(p, "\"/>\n");
}

static void graph(page *p, const prof_report_window *w)
{
    const prof_timeline *t = &w->timeline;
    const axis x = {0.0, (double)t->duration, left, right, false, false};
    const axis y = {0.0, 100.0, bottom, top, false, false};
    svg_begin(p, "utilisation", (int)bottom + 44, "Share of the time that the GPU was used",
              "%lld samples; multiprocessors on average %s %%, memory %s %%.",
              (long long)t->sample_count, number_digits(w->gpu.sm.mean).text,
              number_digits(w->gpu.memory.mean).text);
    svg_axis_y(p, &y, left, right, (scale){1.0, "%", 0}, "used");
    svg_axis_x(p, &x, bottom, bottom, scale_time((double)t->duration), "time");
    line(p, t, &x, &y, false);
    line(p, t, &x, &y, true);
    page_markup(p, "<path class=\"line sm\" d=\"M%.1f %.1fh24\"/>", right - 250.0, top - 12.0);
    svg_text(p, right - 220.0, top - 8.0, "", "a kernel ran");
    page_markup(p, "<path class=\"line memory\" d=\"M%.1f %.1fh24\"/>", right - 130.0, top - 12.0);
    svg_text(p, right - 100.0, top - 8.0, "", "memory was used");
    svg_end(p);
}

static void quantity(page *p, const char *name, const prof_report_quantity *q, const char *unit,
                     double factor)
{
    if (q->count == 0)
        return;
    table_row_begin(p);
    table_heading(p, name);
    table_text(p, unit);
    table_count(p, q->count);
    const double values[] = {q->mean, q->min, q->max};
    for (int k = 0; k < 3; k++)
        page_element(p, "td", NULL, "%s", number_digits(values[k] / factor).text);
    table_row_end(p);
}

void section_utilisation(page *p, const prof_report *report, const prof_report_window *w)
{
    static const column columns[] = {{"Quantity", NULL, NULL, true}, {"Unit", NULL, NULL, true},
                                     {"Samples", NULL, NULL, false}, {"Mean", NULL, NULL, false},
                                     {"Least", NULL, NULL, false},   {"Most", NULL, NULL, false}};
    const prof_report_gpu *g = &w->gpu;
    if (!report->device.is_gpu) {
        page_element(p, "p", NULL,
                     "Utilisation is sampled on GPUs; none computed in this run. How busy the "
                     "threads of the CPU were is told under CPU threads.");
        return;
    }
    part_sampled(p, w); /* even if there are no samples of its state */
    const int64_t samples = g->sm.count + g->memory.count + g->memory_used.count +
                            g->sm_clock.count + g->power.count + g->temperature.count;
    if (!w->has_gpu || samples == 0) {
        page_element(p, "p", NULL,
                     "There are no samples of the GPU’s state: NVML was not there, or the window "
                     "(%s) was over before the first sample.",
                     number_time(w->duration).text);
        return;
    }
    if (w->timeline.sample_count > 1)
        graph(p, w);
    table_begin(p, "utilisation", false, "The GPU’s state during the window");
    table_columns(p, columns, 6);
    quantity(p, "time that a kernel ran", &g->sm, "%", 1.0);
    quantity(p, "time that memory was read or written", &g->memory, "%", 1.0);
    quantity(p, "memory in use by all", &g->memory_used, "GB", 1e9);
    quantity(p, "clock of the multiprocessors", &g->sm_clock, "MHz", 1.0);
    quantity(p, "clock of the memory", &g->memory_clock, "MHz", 1.0);
    quantity(p, "power", &g->power, "W", 1.0);
    quantity(p, "temperature", &g->temperature, "°C", 1.0);
    table_end(p);
}
