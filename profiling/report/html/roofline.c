/* The roofline: every stage's rate over its intensity, below what the device reaches at most. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/html/colour.h"
#include "report/html/sections.h"
#include "report/html/svg.h"

static const double left = 64.0, right = 730.0, top = 30.0, bottom = 350.0;
static const double label_left = 758.0, label_height = 17.0;
enum { POINTS_MOST = 32 };

/* A stage, by its formulas or as the GPU counted it. */
typedef struct point {
    const char *stage;
    bool is_counted;
    double intensity, rate, fraction;
    double x, y, label; /* places */
} point;

static bool can_be_drawn(const point *at)
{
    return at->intensity > 0.0 && isfinite(at->intensity) && at->rate > 0.0 && isfinite(at->rate);
}

static const prof_report_counted *counted_of(const prof_report_window *w, const char *stage)
{
    for (int k = 0; k < w->counters.stage_count; k++)
        if (strcmp(w->counters.stages[k].stage, stage) == 0)
            return &w->counters.stages[k];
    return NULL;
}

/* What the formulas say of a stage. A window of counters has no other time than that of counting,
 * and how far that is from a ceiling tells little. */
static point formula_point(const prof_report_window *w, const prof_report_stage *s)
{
    const prof_report_counted *counted = counted_of(w, s->name);
    point made = {
        .stage = s->name, .intensity = s->intensity, .rate = s->flop_rate, .fraction = s->fraction};
    if (isnan(s->call) && counted != NULL) {
        made.rate = 1e9 * s->flops / counted->time;
        made.fraction = NAN;
    }
    return made;
}

/* All points that can be drawn, formulas first. */
static int collect_points(const prof_report_window *w, point points[POINTS_MOST])
{
    int count = 0;
    for (int k = 0; k < w->stage_count && count < POINTS_MOST; k++) {
        points[count] = formula_point(w, &w->stages[k]);
        count += can_be_drawn(&points[count]);
    }
    for (int k = 0; k < w->counters.stage_count && count < POINTS_MOST; k++) {
        const prof_report_counted *s = &w->counters.stages[k];
        points[count] = (point){.stage = s->stage,
                                .is_counted = true,
                                .intensity = s->intensity,
                                .rate = s->flop_rate,
                                .fraction = s->fraction};
        count += can_be_drawn(&points[count]);
    }
    return count;
}

/* Axes around all points, the ceilings and where these meet. */
static void find_axes(const prof_report_ceilings *c, const point *points, int count, axis *x,
                      axis *y)
{
    double low_x = 0.1, high_x = 10.0, low_y = INFINITY, high_y = 0.0;
    for (int k = 0; k < count; k++) {
        low_x = fmin(low_x, points[k].intensity);
        high_x = fmax(high_x, points[k].intensity);
        low_y = fmin(low_y, points[k].rate);
        high_y = fmax(high_y, points[k].rate);
    }
    if (c->ridge > 0.0)
        high_x = fmax(high_x, 2.0 * c->ridge);
    if (c->flops > 0.0)
        high_y = fmax(high_y, 1.2 * c->flops);
    *x = axis_decades(low_x, high_x, left, right);
    *y = axis_decades(low_y, high_y, bottom, top);
}

/* A line of the roof, within the picture. */
static void ceiling(page *p, const axis *x, const axis *y, const prof_report_ceilings *c)
{
    const char *source[] = {"of the data sheet", "measured"};
    const bool has_bandwidth = c->bandwidth > 0.0, has_flops = c->flops > 0.0;
    const double corner = has_bandwidth && has_flops ? c->flops / c->bandwidth : x->high;
    if (has_bandwidth) {
        const double from = fmax(x->low, y->low / c->bandwidth);
        const double to = fmin(corner, fmin(x->high, y->high / c->bandwidth));
        page_markup(p, "<path class=\"roof\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", axis_at(x, from),
                    axis_at(y, from * c->bandwidth), axis_at(x, to), axis_at(y, to * c->bandwidth));
        const double dx = axis_at(x, to) - axis_at(x, from);
        const double dy = axis_at(y, to * c->bandwidth) - axis_at(y, from * c->bandwidth);
        page_markup(p, "<g transform=\"translate(%.1f %.1f) rotate(%.1f)\">",
                    axis_at(x, from) + 0.5 * dx, axis_at(y, from * c->bandwidth) + 0.5 * dy,
                    atan2(dy, dx) * 180.0 / 3.14159265358979);
        svg_text(p, 0.0, -7.0, "roof-label middle", "copy %s, %s",
                 number_bandwidth(c->bandwidth).text, source[c->bandwidth_is_measured]);
        page_markup(p, "</g>\n");
    }
    if (has_flops) {
        const double from = has_bandwidth ? fmax(corner, x->low) : x->low;
        page_markup(p, "<path class=\"roof\" d=\"M%.1f %.1fH%.1f\"/>\n", axis_at(x, from),
                    axis_at(y, c->flops), right);
        svg_text(p, right, axis_at(y, c->flops) - 7.0, "roof-label end", "FP64 %s, %s",
                 number_flop_rate(c->flops).text, source[c->flops_are_measured]);
    }
}

static int higher_first(const void *a, const void *b)
{
    const double x = ((const point *)a)->rate, y = ((const point *)b)->rate;
    return (x < y) - (x > y);
}

/* Points from the top down, with places for their labels that do not overlap. */
static void place_points(const axis *x, const axis *y, point *points, int count)
{
    qsort(points, (size_t)count, sizeof *points, higher_first);
    double next = top;
    for (int k = 0; k < count; k++) {
        points[k].x = axis_at(x, points[k].intensity);
        points[k].y = axis_at(y, points[k].rate);
        points[k].label = fmax(points[k].y, next);
        next = points[k].label + label_height;
    }
    double most = bottom; /* and none below the picture */
    for (int k = count - 1; k >= 0; k--) {
        points[k].label = fmin(points[k].label, most);
        most = points[k].label - label_height;
    }
}

static void draw_point(page *p, const prof_report_window *w, const point *at)
{
    page_markup(p, "<path class=\"leader\" d=\"M%.1f %.1fL%.1f %.1fH%.1f\"/>\n", at->x, at->y,
                label_left - 14.0, at->label, label_left - 5.0);
    page_markup(p, "<circle class=\"point %s%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"6\"><title>",
                colour_class(colour_of(w, at->stage)), at->is_counted ? " counted" : "", at->x,
                at->y);
    page_print(p, "%s%s: %s FLOP/B, %s", at->stage, at->is_counted ? " as counted" : "",
               number_digits(at->intensity).text, number_flop_rate(at->rate).text);
    if (isfinite(at->fraction))
        page_print(p, ", %s of its ceiling", number_percent(at->fraction).text);
    page_markup(p, "</title></circle>\n");
    svg_text(p, label_left, at->label + 4.0, "", "%s%s%s%s", at->stage,
             at->is_counted ? ", counted" : "", isfinite(at->fraction) ? " " : "",
             isfinite(at->fraction) ? number_percent(at->fraction).text : "");
}

static void roof_remark(page *p, const prof_report_ceilings *c)
{
    if (!(c->bandwidth > 0.0) && !(c->flops > 0.0))
        page_element(p, "p", "note",
                     "The ceilings are not known: the run measured none, and there is no data "
                     "sheet of this device. The points show rates only.");
    else if (!(c->bandwidth > 0.0))
        page_element(p, "p", "note", "The bandwidth of the device’s memory is not known.");
    else if (!(c->flops > 0.0))
        page_element(p, "p", "note", "The FP64 rate that the device reaches is not known.");
    else
        page_element(p, "p", "note",
                     "Left of %s FLOP/B, where the ceilings meet, memory is the limit. Percentages "
                     "are of the ceiling at a stage’s intensity. Bytes and operations are those "
                     "that the formulas need, each value moved once.",
                     number_digits(c->ridge).text);
}

static void counted_remark(page *p, const prof_report_window *w)
{
    if (w->counters.stage_count > 0)
        page_element(p, "p", "note",
                     "Rings are what the GPU counted: FP64 operations over the traffic of device "
                     "memory, at the rate while it counted, which takes longer than a run%s.",
                     isnan(w->step) ? "; discs are what the formulas say, in the same time" : "");
}

static bool has_point(const point *points, int count, const char *stage)
{
    for (int k = 0; k < count; k++)
        if (!points[k].is_counted && strcmp(points[k].stage, stage) == 0)
            return true;
    return false;
}

/* Stages that have no point. */
static void missing(page *p, const prof_report_window *w, const point *points, int count)
{
    int told = 0;
    for (int k = 0; k < w->stage_count; k++) {
        if (has_point(points, count, w->stages[k].name))
            continue;
        page_markup(p, "%s", told == 0 ? "<p class=\"note\">" : "");
        page_print(p, "%s%s", told == 0 ? "Without a point: " : ", ", w->stages[k].name);
        told++;
    }
    if (told > 0) {
        page_print(p, " (no operations or no time counted, or beyond %d points).", POINTS_MOST);
        page_markup(p, "</p>\n");
    }
}

void section_roofline(page *p, const prof_report *report, const prof_report_window *w)
{
    (void)report;
    point points[POINTS_MOST];
    const int count = collect_points(w, points);
    if (count == 0) {
        page_element(p, "p", NULL,
                     "There is no roofline: the profile does not say what the stages must compute "
                     "and move, or in what time they did.");
        return;
    }
    axis x, y;
    find_axes(&w->ceilings, points, count, &x, &y);
    svg_begin(p, "roofline", (int)bottom + 44, "Rate of each stage over its arithmetic intensity",
              "%d points, below the ceilings of the device: bandwidth %s, FP64 %s.", count,
              number_bandwidth(w->ceilings.bandwidth).text,
              number_flop_rate(w->ceilings.flops).text);
    svg_axis_y(p, &y, left, right, (scale){1e9, "GFLOP/s", 0}, "rate");
    svg_axis_x(p, &x, top, bottom, (scale){1.0, "FLOP/B", 0}, "intensity");
    ceiling(p, &x, &y, &w->ceilings);
    place_points(&x, &y, points, count);
    for (int k = 0; k < count; k++)
        draw_point(p, w, &points[k]);
    svg_end(p);
    roof_remark(p, &w->ceilings);
    counted_remark(p, w);
    missing(p, w, points, count);
}
