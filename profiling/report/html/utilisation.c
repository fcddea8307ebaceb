/* The GPU's state, as NVML sampled it: in the window, and over the whole run. */
#include <math.h>

#include "report/html/sections.h"
#include "report/html/svg.h"
#include "report/html/table.h"

static const double left = 56.0, right = 930.0, top = 34.0, panel_height = 84.0, panel_gap = 42.0;
enum { PANELS = 3, LINES_MOST = 2, PLACES = 437 /* along the picture, two pixels apart */ };

/* A part of the picture: quantities of one unit. */
static const struct panel {
    const char *name, *unit;
    double most; /* of its axis; 0: that of the samples */
    struct {
        const char *name, *class;
        size_t quantity; /* in a sample */
    } lines[LINES_MOST];
} panels[PANELS] = {{"used",
                     "%",
                     100.0,
                     {{"a kernel ran", "sm", offsetof(prof_timeline_sample, sm)},
                      {"memory was used", "memory", offsetof(prof_timeline_sample, memory)}}},
                    {"power", "W", 0.0, {{NULL, "sm", offsetof(prof_timeline_sample, power)}}},
                    {"clock",
                     "MHz",
                     0.0,
                     {{"multiprocessors", "sm", offsetof(prof_timeline_sample, sm_clock)},
                      {"memory", "memory", offsetof(prof_timeline_sample, memory_clock)}}}};

/* What a picture is of. */
typedef struct graph {
    const char *name, *title;
    const prof_timeline_sample *samples;
    int64_t count;
    double duration;        /* ns */
    const prof_report *run; /* whose windows are marked; NULL: none are */
} graph;

static double value_at(const prof_timeline_sample *sample, size_t quantity)
{
    return *(const double *)((const char *)sample + quantity);
}

/* The largest value of a quantity; NAN if none is known. */
static double most_of(const graph *g, size_t quantity)
{
    double most = NAN;
    for (int64_t k = 0; k < g->count; k++)
        most = fmax(most, value_at(&g->samples[k], quantity));
    return most;
}

/* The largest value that a panel shows; NAN if there is none. */
static double most_in(const graph *g, const struct panel *panel)
{
    double most = NAN;
    for (int line = 0; line < LINES_MOST && panel->lines[line].class != NULL; line++)
        most = fmax(most, most_of(g, panel->lines[line].quantity));
    return most;
}

/* A line through the samples; of many, through the means of those that share a place. */
static void draw_line(page *p, const graph *g, const axis *x, const axis *y, const char *class,
                      size_t quantity)
{
    double sum = 0.0, times = 0.0;
    int64_t count = 0;
    bool drawing = false;
    page_markup(p, "<path class=\"line %s\" d=\"", class);
    for (int64_t k = 0; k < g->count; k++) {
        const double value = value_at(&g->samples[k], quantity);
        if (isfinite(value)) {
            sum += value;
            times += (double)g->samples[k].time;
            count++;
        }
        const bool is_last =
            g->count <= PLACES || (k + 1) * PLACES / g->count != k * PLACES / g->count;
        if (!is_last)
            continue;
        if (count > 0)
            page_markup(p, "%c%.1f %.1f", drawing ? 'L' : 'M', axis_at(x, times / (double)count),
                        axis_at(y, sum / (double)count));
        drawing = count > 0;
        sum = times = 0.0;
        count = 0;
    }
    page_markup(p, "\"/>\n");
}

/* Where the windows are. The log has local time: made in another time zone than it is read in, it
 * does not tell. */
static void mark_windows(page *p, const graph *g, const axis *x, double y)
{
    for (int k = 0; g->run != NULL && k < g->run->window_count; k++) {
        const prof_report_window *w = &g->run->windows[k];
        const double from = w->start - g->run->log.start, to = from + w->duration;
        if (to >= 0.0 && from <= g->duration)
            svg_bar(p, axis_at(x, fmax(from, 0.0)), y,
                    fmax(axis_at(x, fmin(to, g->duration)) - axis_at(x, fmax(from, 0.0)), 2.0),
                    panel_height, "window", "window from step %lld", (long long)w->first_step);
    }
}

static void draw_panel(page *p, const graph *g, const struct panel *panel, double most, double y)
{
    const axis x = {0.0, g->duration, left, right, false, false};
    const axis values = axis_from_zero(panel->most > 0.0 ? panel->most : most, y + panel_height, y);
    double legend = left + 110.0;
    mark_windows(p, g, &x, y);
    svg_axis_y(p, &values, left, right, (scale){1.0, panel->unit, 0}, panel->name);
    svg_axis_x(p, &x, y + panel_height, y + panel_height, scale_time(g->duration), "time");
    for (int k = 0; k < LINES_MOST && panel->lines[k].class != NULL; k++) {
        if (isnan(most_of(g, panel->lines[k].quantity)))
            continue;
        draw_line(p, g, &x, &values, panel->lines[k].class, panel->lines[k].quantity);
        if (panel->lines[k].name == NULL)
            continue;
        page_markup(p, "<path class=\"line %s\" d=\"M%.1f %.1fh24\"/>", panel->lines[k].class,
                    legend, y - 14.0);
        svg_text(p, legend + 30.0, y - 10.0, "", "%s", panel->lines[k].name);
        legend += 150.0;
    }
}

static void draw(page *p, const graph *g)
{
    double most[PANELS], y = top;
    int shown = 0;
    for (int k = 0; k < PANELS; k++) {
        most[k] = most_in(g, &panels[k]);
        shown += isfinite(most[k]);
    }
    if (shown == 0 || !(g->duration > 0.0))
        return;
    svg_begin(p, g->name, (int)(top + shown * (panel_height + panel_gap)), g->title,
              "%lld samples in %s: the shares of time that a kernel ran and that memory was used, "
              "power and clocks, as far as they are known, one above the other.",
              (long long)g->count, number_time(g->duration).text);
    for (int k = 0; k < PANELS; k++)
        if (isfinite(most[k])) {
            draw_panel(p, g, &panels[k], most[k], y);
            y += panel_height + panel_gap;
        }
    svg_end(p);
}

/* A quantity in the window and over the run. */
static void quantity(page *p, const char *name, const char *unit, double factor,
                     const prof_report_quantity *window, const prof_report_quantity *run)
{
    const prof_report_quantity *const both[] = {window, run};
    if (window->count == 0 && run->count == 0)
        return;
    table_row_begin(p);
    table_heading(p, name);
    table_text(p, unit);
    for (int k = 0; k < 2; k++) {
        const prof_report_quantity *q = both[k];
        const double values[] = {q->mean, q->min, q->max};
        table_count(p, q->count > 0 ? q->count : -1);
        for (int v = 0; v < 3; v++)
            page_element(p, "td", NULL, "%s",
                         number_digits(q->count > 0 ? values[v] / factor : NAN).text);
    }
    table_row_end(p);
}

static void table(page *p, const prof_report_gpu *g, const prof_report_log *log)
{
    static const column columns[] = {
        {"Quantity", NULL, NULL, true},        {"Unit", NULL, NULL, true},
        {"Samples", "window", NULL, false},    {"Mean", "window", NULL, false},
        {"Least", "window", NULL, false},      {"Most", "window", NULL, false},
        {"Samples", "whole run", NULL, false}, {"Mean", "whole run", NULL, false},
        {"Least", "whole run", NULL, false},   {"Most", "whole run", NULL, false}};
    table_begin(p, "utilisation", false,
                "The GPU’s state during the window, and from the first step to the end of the run");
    table_columns(p, columns, 10);
    quantity(p, "time that a kernel ran", "%", 1.0, &g->sm, &log->sm);
    quantity(p, "time that memory was read or written", "%", 1.0, &g->memory, &log->memory);
    quantity(p, "memory in use by all", "GB", 1e9, &g->memory_used, &log->memory_used);
    quantity(p, "clock of the multiprocessors", "MHz", 1.0, &g->sm_clock, &log->sm_clock);
    quantity(p, "clock of the memory", "MHz", 1.0, &g->memory_clock, &log->memory_clock);
    quantity(p, "power", "W", 1.0, &g->power, &log->power);
    quantity(p, "temperature", "°C", 1.0, &g->temperature, &log->temperature);
    table_end(p);
}

void section_utilisation(page *p, const prof_report *report, const prof_report_window *w)
{
    const prof_report_gpu *g = &w->gpu;
    const prof_report_log *log = &report->log;
    const prof_timeline *t = &w->timeline;
    if (!report->device.is_gpu) {
        page_element(p, "p", NULL,
                     "Utilisation is sampled on GPUs; none computed in this run. How busy the "
                     "threads of the CPU were is told under CPU threads.");
        return;
    }
    part_sampled(p, w); /* even if there are no samples of its state */
    const int64_t samples = g->sm.count + g->memory.count + g->memory_used.count +
                            g->sm_clock.count + g->power.count + g->temperature.count;
    const bool has_samples = w->has_gpu && samples > 0;
    if (!has_samples)
        page_element(p, "p", NULL,
                     "There are no samples of the GPU’s state in this window: NVML was not there, "
                     "it was not asked (a window of counters), or the window (%s) was over before "
                     "the first sample.",
                     number_time(w->duration).text);
    if (!has_samples && log->count == 0)
        return;
    if (t->sample_count > 1)
        draw(p, &(graph){.name = "utilisation",
                         .title = "Use, power and clock of the GPU in the window",
                         .samples = t->samples,
                         .count = t->sample_count,
                         .duration = (double)t->duration});
    if (log->count > 1)
        draw(p, &(graph){.name = "utilisation-run",
                         .title = "Use, power and clock of the GPU over the whole run, with its "
                                  "windows",
                         .samples = log->samples,
                         .count = log->count,
                         .duration = (double)log->samples[log->count - 1].time,
                         .run = report});
    if (log->count > PLACES)
        page_element(p, "p", "note",
                     "Of the %s samples of the run the lines go through the means of about %s at a "
                     "time.",
                     number_count(log->count).text, number_count(log->count / PLACES + 1).text);
    table(p, g, log);
}
