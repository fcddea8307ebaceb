/* How long steps took, and what of. */
#include <math.h>
#include <string.h>

#include "report/html/colour.h"
#include "report/html/sections.h"
#include "report/html/svg.h"
#include "report/html/table.h"

static const double left = 48.0, right = 890.0, top = 34.0, bottom = 180.0;
enum { DOTS_MOST = 400 };

typedef double step_value(const prof_report_step *step);

static double host_time(const prof_report_step *step)
{
    return step->host;
}

static double gpu_time(const prof_report_step *step)
{
    return step->gpu;
}

/* One line through the steps' times; dots where there are not too many. */
static void step_line(page *p, const prof_report_window *w, const axis *x, const axis *y,
                      step_value *value, const char *class)
{
    bool drawing = false;
    page_markup(p, "<path class=\"line %s\" d=\"", class);
    for (int64_t k = 0; k < w->step_count; k++) {
        const double time = value(&w->each[k]);
        if (isfinite(time))
            page_markup(p, "%c%.1f %.1f", drawing ? 'L' : 'M', axis_at(x, (double)w->each[k].step),
                        axis_at(y, time));
        drawing = isfinite(time);
    }
    page_markup(p, "\"/>\n");
    for (int64_t k = 0; k < w->step_count && w->step_count <= DOTS_MOST; k++) {
        const double time = value(&w->each[k]);
        if (!isfinite(time))
            continue;
        page_markup(p, "<circle class=\"dot %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"><title>", class,
                    axis_at(x, (double)w->each[k].step), axis_at(y, time));
        page_print(p, "step %lld: %s", (long long)w->each[k].step, number_time(time).text);
        page_markup(p, "</title></circle>\n");
    }
}

/* The middle half of the times as a band, the median as a line with its value. */
static void spread_band(page *p, const prof_spread *s, const axis *y)
{
    page_markup(p, "<rect class=\"band\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n",
                left, axis_at(y, s->high), right - left,
                fmax(axis_at(y, s->low) - axis_at(y, s->high), 1.0));
    page_markup(p, "<path class=\"median\" d=\"M%.1f %.1fH%.1f\"/>\n", left, axis_at(y, s->median),
                right);
    svg_text(p, right + 8.0, axis_at(y, s->median) + 4.0, "", "%s", number_time(s->median).text);
}

static void step_graph(page *p, const prof_report *report, const prof_report_window *w)
{
    double most = 0.0;
    bool has_gpu = false;
    for (int64_t k = 0; k < w->step_count; k++) {
        most = fmax(most, fmax(w->each[k].host, w->each[k].gpu));
        has_gpu = has_gpu || isfinite(w->each[k].gpu);
    }
    const int64_t first = w->each[0].step, last = w->each[w->step_count - 1].step;
    const axis x = {(double)first - 0.5, (double)last + 0.5, left, right, false, true};
    const axis y = axis_from_zero(most, bottom, top);
    const prof_spread *shown = report->device.is_gpu && has_gpu ? &w->step_gpu : &w->step_host;
    svg_begin(p, "steps", (int)bottom + 44, "Time of every step of the window",
              "Steps %lld to %lld; median %s, middle half from %s to %s.", (long long)first,
              (long long)last, number_time(shown->median).text, number_time(shown->low).text,
              number_time(shown->high).text);
    svg_axis_y(p, &y, left, right, scale_time(y.high), "time");
    svg_axis_x(p, &x, bottom, bottom, scale_plain(1.0), "step");
    spread_band(p, shown, &y);
    step_line(p, w, &x, &y, host_time, "host");
    if (has_gpu) {
        step_line(p, w, &x, &y, gpu_time, "gpu");
        page_markup(p, "<path class=\"line host\" d=\"M%.1f %.1fh24\"/>", right - 160.0,
                    top - 14.0);
        svg_text(p, right - 130.0, top - 10.0, "", "host");
        page_markup(p, "<path class=\"line gpu\" d=\"M%.1f %.1fh24\"/>", right - 70.0, top - 14.0);
        svg_text(p, right - 40.0, top - 10.0, "", "GPU");
    }
    svg_end(p);
}

/* A part of the bar; what is too narrow for its name goes into the legend below, from the right. */
static void breakdown_part(page *p, double *x, double *legend, double share, int colour,
                           const char *name)
{
    const double width = share * SVG_WIDTH, letter = 7.5;
    const bool fits = width > letter * (double)strlen(name) + 8.0 && width > 48.0;
    svg_bar(p, *x, 1.0, width, 36.0, colour_class(colour), "%s: %s", name,
            number_percent(share).text);
    page_markup(p, "<g class=\"%s\">", colour_class(colour));
    if (fits) {
        svg_text(p, *x + width / 2.0, 16.0, "on middle", "%s", name);
        svg_text(p, *x + width / 2.0, 31.0, "on middle", "%s", number_percent(share).text);
    } else {
        page_markup(p, "<rect class=\"bar\" x=\"%.1f\" y=\"46\" width=\"10\" height=\"10\"/>",
                    *legend);
        svg_text(p, *legend + 14.0, 55.0, "", "%s %s", name, number_percent(share).text);
        *legend += letter * (double)(strlen(name) + 6) + 26.0;
    }
    page_markup(p, "</g>\n");
    *x += width;
}

static void breakdown(page *p, const prof_report *report, const prof_report_window *w)
{
    double all = fmax(w->other_share, 0.0), x = 0.0, legend = 0.0;
    for (int k = 0; k < w->stage_count; k++)
        all += fmax(w->stages[k].share, 0.0);
    if (!(all > 0.0))
        return;
    all = fmax(all, 1.0); /* never wider than the picture */
    svg_begin(p, "breakdown", 60,
              report->device.is_gpu ? "Where the time of the stages on the GPU goes"
                                    : "Where the time of a step goes",
              "Shares of the stages, largest first; %s is %s.", w->stages[0].name,
              number_percent(w->stages[0].share).text);
    for (int k = 0; k < w->stage_count; k++)
        if (w->stages[k].share > 0.0)
            breakdown_part(p, &x, &legend, w->stages[k].share / all,
                           colour_of(w, w->stages[k].name), w->stages[k].name);
    if (w->other_share > 0.0)
        breakdown_part(p, &x, &legend, w->other_share / all, COLOUR_OTHER, "outside of stages");
    svg_end(p);
}

/* All windows of the run, when there are more than the one that is shown. */
static void windows(page *p, const prof_report *report)
{
    static const column columns[] = {{"Window", NULL, NULL, true},
                                     {"Steps", NULL, NULL, false},
                                     {"Step", NULL, "median on the device that computed", false},
                                     {"Quartiles", NULL, NULL, true},
                                     {"Opened", NULL, NULL, true}};
    table_begin(p, "windows", true,
                "All windows of the run. This page shows the one of the median step time.");
    table_columns(p, columns, 5);
    for (int k = 0; k < report->window_count; k++) {
        const prof_report_window *w = &report->windows[k];
        const prof_spread *s =
            report->device.is_gpu && w->step_gpu.count > 0 ? &w->step_gpu : &w->step_host;
        table_row_begin(p);
        page_markup(p, "<th scope=\"row\" class=\"text\">");
        page_print(p, "from step %s%s", number_count(w->first_step).text,
                   k == report->shown ? " (shown)" : "");
        page_markup(p, "</th>");
        table_count(p, w->steps);
        page_markup(p, "<td data-value=\"%.9g\">%s</td>", w->step, number_time(w->step).text);
        page_element(p, "td", "text", "%s to %s", number_time(s->low).text,
                     number_time(s->high).text);
        table_text(p, w->date);
        table_row_end(p);
    }
    table_end(p);
}

void section_steps(page *p, const prof_report *report, const prof_report_window *w)
{
    if (w->step_count > 0)
        step_graph(p, report, w);
    else
        page_element(p, "p", NULL, "The window holds no time of a single step.");
    if (w->stage_count > 0)
        breakdown(p, report, w);
    if (report->window_count > 1)
        windows(p, report);
}
