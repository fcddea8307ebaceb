#include <math.h>

#include "cli/cli.h"

/* The plot's area in the picture, and the ranges of log10 n and log10 l2 that it shows. */
typedef struct frame {
    double left, top, width, height;
    double x0, x1, y0, y1;
} frame;

static double place_x(const frame *f, double n)
{
    return f->left + f->width * (log10(n) - f->x0) / (f->x1 - f->x0);
}

static double place_y(const frame *f, double error)
{
    return f->top + f->height * (f->y1 - log10(error)) / (f->y1 - f->y0);
}

static const char *colour_of(int order)
{
    return order == 2 ? "#0072b2" : order == 4 ? "#d55e00" : "#009e73";
}

/* Whether a row can stand on a logarithmic axis. */
static bool can_be_shown(const swe_results *row)
{
    return isfinite(row->errors.l2) && row->errors.l2 > 0.0;
}

static frame frame_of(const swe_results *rows, int count)
{
    frame f = {70, 40, 400, 320, INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (int k = 0; k < count; k++) {
        f.x0 = fmin(f.x0, log10(rows[k].n));
        f.x1 = fmax(f.x1, log10(rows[k].n));
        if (!can_be_shown(&rows[k]))
            continue;
        f.y0 = fmin(f.y0, log10(rows[k].errors.l2));
        f.y1 = fmax(f.y1, log10(rows[k].errors.l2));
    }
    if (!(f.y0 <= f.y1)) /* nothing to show */
        f.y0 = f.y1 = 0.0;
    f.x0 -= 0.08;
    f.x1 += 0.08;
    f.y0 = floor(f.y0 - 0.05);
    f.y1 = ceil(f.y1 + 0.05);
    return f;
}

static void draw_axes(FILE *file, const frame *f, const swe_results *rows, int count)
{
    fprintf(file,
            "<rect x='%g' y='%g' width='%g' height='%g' fill='none' stroke='#444'/>\n"
            "<text x='%g' y='%g' text-anchor='middle'>cells along a panel side, n</text>\n"
            "<text transform='translate(18 %g) rotate(-90)' text-anchor='middle'>"
            "relative l2 error of h</text>\n",
            f->left, f->top, f->width, f->height, f->left + f->width / 2, f->top + f->height + 42,
            f->top + f->height / 2);
    for (int y = (int)f->y0; y <= (int)f->y1; y++) {
        const double at = place_y(f, pow(10.0, y));
        fprintf(file,
                "<line x1='%g' x2='%g' y1='%.1f' y2='%.1f' stroke='#ddd'/>\n"
                "<text x='%g' y='%.1f' text-anchor='end'>1e%d</text>\n",
                f->left, f->left + f->width, at, at, f->left - 6, at + 4, y);
    }
    for (int k = 0; k < count && rows[k].order == rows[0].order; k++) {
        const double at = place_x(f, rows[k].n);
        fprintf(file,
                "<line x1='%.1f' x2='%.1f' y1='%g' y2='%g' stroke='#ddd'/>\n"
                "<text x='%.1f' y='%g' text-anchor='middle'>%d</text>\n",
                at, at, f->top, f->top + f->height, at, f->top + f->height + 18, rows[k].n);
    }
}

static void draw_points(FILE *file, const frame *f, const swe_results *rows, int count)
{
    const char *colour = colour_of(rows[0].order);
    fprintf(file, "<polyline fill='none' stroke='%s' stroke-width='2' points='", colour);
    for (int k = 0; k < count; k++)
        if (can_be_shown(&rows[k]))
            fprintf(file, "%.1f,%.1f ", place_x(f, rows[k].n), place_y(f, rows[k].errors.l2));
    fputs("'/>\n", file);
    for (int k = 0; k < count; k++)
        if (can_be_shown(&rows[k]))
            fprintf(file, "<circle cx='%.1f' cy='%.1f' r='4' fill='%s'/>\n", place_x(f, rows[k].n),
                    place_y(f, rows[k].errors.l2), colour);
}

/* Rate at which l2 falls once the closures' errors dominate: of order p on a line of measure 1/n.
 */
static double expected_rate(int order)
{
    const int p = order / 2;
    return fmin(2.0 * p, p + 1.5);
}

/* One order: its line and points, and a dashed line of the expected slope through its last point.
 */
static void draw_order(FILE *file, const frame *f, const swe_results *rows, int count, int legend)
{
    const int order = rows[0].order;
    const char *colour = colour_of(order);
    const swe_results *first = &rows[0], *last = &rows[count - 1];
    draw_points(file, f, rows, count);
    if (count > 1 && can_be_shown(last))
        fprintf(file,
                "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s' stroke-dasharray='5 5' "
                "clip-path='url(#area)'/>\n",
                place_x(f, first->n),
                place_y(f, last->errors.l2 * pow((double)last->n / first->n, expected_rate(order))),
                place_x(f, last->n), place_y(f, last->errors.l2), colour);
    fprintf(file,
            "<circle cx='%g' cy='%d' r='4' fill='%s'/><text x='%g' y='%d'>order %d (dashed: slope "
            "%.3g)</text>\n",
            f->left + f->width + 18, legend - 4, colour, f->left + f->width + 30, legend, order,
            expected_rate(order));
}

static void write_escaped(FILE *file, const char *text)
{
    for (; *text != '\0'; text++)
        if (*text == '&' || *text == '<' || *text == '>')
            fprintf(file, "&#%d;", *text);
        else
            fputc(*text, file);
}

void cli_plot_convergence(FILE *file, const char *title, const swe_results *rows, int count)
{
    const frame f = frame_of(rows, count);
    fprintf(
        file,
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 700 420' width='700' height='420' "
        "font-family='sans-serif' font-size='13'>\n"
        "<rect width='700' height='420' fill='white'/>\n"
        "<clipPath id='area'><rect x='%g' y='%g' width='%g' height='%g'/></clipPath>\n"
        "<text x='%g' y='24' font-size='15'>Convergence of ",
        f.left, f.top, f.width, f.height, f.left);
    write_escaped(file, title);
    fputs("</text>\n", file);
    draw_axes(file, &f, rows, count);
    for (int start = 0, legend = 60; start < count; legend += 22) {
        int end = start;
        while (end < count && rows[end].order == rows[start].order)
            end++;
        draw_order(file, &f, rows + start, end - start, legend);
        start = end;
    }
    fputs("</svg>\n", file);
}
