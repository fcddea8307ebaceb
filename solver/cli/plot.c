#include "cli/plot.h"

#include <math.h>

/* The rectangle between the axes [pixel], and the ranges of log10 x and log10 y. */
typedef struct frame {
    double left, top, width, height;
    double x0, x1, y0, y1;
} frame;

static double place_x(const frame *f, double x)
{
    return f->left + f->width * (log10(x) - f->x0) / (f->x1 - f->x0);
}

static double place_y(const frame *f, double y)
{
    return f->top + f->height * (f->y1 - log10(y)) / (f->y1 - f->y0);
}

static const char *colour_of(int number)
{
    static const char *const colours[] = {"#0072b2", "#d55e00", "#009e73",
                                          "#cc79a7", "#e69f00", "#56b4e9"};
    return colours[number % (int)(sizeof colours / sizeof colours[0])];
}

/* Whether a value has a logarithm. */
static bool can_be_shown(double y)
{
    return isfinite(y) && y > 0.0;
}

static frame frame_of(const cli_plot *plot)
{
    frame f = {70, 40, 400, 320, INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (int s = 0; s < plot->count; s++)
        for (int k = 0; k < plot->series[s].count; k++) {
            const double x = plot->series[s].x[k], y = plot->series[s].y[k];
            f.x0 = fmin(f.x0, log10(x));
            f.x1 = fmax(f.x1, log10(x));
            if (!can_be_shown(y))
                continue;
            f.y0 = fmin(f.y0, log10(y));
            f.y1 = fmax(f.y1, log10(y));
        }
    if (!(f.y0 <= f.y1)) /* no point */
        f.y0 = f.y1 = 0.0;
    f.x0 -= 0.08;
    f.x1 += 0.08;
    f.y0 = floor(f.y0 - 0.05);
    f.y1 = ceil(f.y1 + 0.05);
    return f;
}

static void draw_axes(FILE *file, const frame *f, const cli_plot *plot)
{
    fprintf(file,
            "<rect x='%g' y='%g' width='%g' height='%g' fill='none' stroke='#444'/>\n"
            "<text x='%g' y='%g' text-anchor='middle'>%s</text>\n"
            "<text transform='translate(18 %g) rotate(-90)' text-anchor='middle'>%s</text>\n",
            f->left, f->top, f->width, f->height, f->left + f->width / 2, f->top + f->height + 42,
            plot->x_label, f->top + f->height / 2, plot->y_label);
    for (int y = (int)f->y0; y <= (int)f->y1; y++) {
        const double at = place_y(f, pow(10.0, y));
        fprintf(file,
                "<line x1='%g' x2='%g' y1='%.1f' y2='%.1f' stroke='#ddd'/>\n"
                "<text x='%g' y='%.1f' text-anchor='end'>1e%d</text>\n",
                f->left, f->left + f->width, at, at, f->left - 6, at + 4, y);
    }
    for (int k = 0; k < plot->series[0].count; k++) {
        const double x = plot->series[0].x[k], at = place_x(f, x);
        fprintf(file,
                "<line x1='%.1f' x2='%.1f' y1='%g' y2='%g' stroke='#ddd'/>\n"
                "<text x='%.1f' y='%g' text-anchor='middle'>%g</text>\n",
                at, at, f->top, f->top + f->height, at, f->top + f->height + 18, x);
    }
}

static void draw_points(FILE *file, const frame *f, const cli_series *series)
{
    const char *colour = colour_of(series->colour);
    fprintf(file, "<polyline fill='none' stroke='%s' stroke-width='2' points='", colour);
    for (int k = 0; k < series->count; k++)
        if (can_be_shown(series->y[k]))
            fprintf(file, "%.1f,%.1f ", place_x(f, series->x[k]), place_y(f, series->y[k]));
    fputs("'/>\n", file);
    for (int k = 0; k < series->count; k++)
        if (can_be_shown(series->y[k]))
            fprintf(file, "<circle cx='%.1f' cy='%.1f' r='4' fill='%s'/>\n",
                    place_x(f, series->x[k]), place_y(f, series->y[k]), colour);
}

static void draw_guide(FILE *file, const frame *f, const cli_series *series)
{
    const double(*ends)[2] = series->guide;
    if (ends[0][0] > 0.0 && can_be_shown(ends[0][1]) && can_be_shown(ends[1][1]))
        fprintf(file,
                "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s' stroke-dasharray='5 5' "
                "clip-path='url(#area)'/>\n",
                place_x(f, ends[0][0]), place_y(f, ends[0][1]), place_x(f, ends[1][0]),
                place_y(f, ends[1][1]), colour_of(series->colour));
}

static void draw_legend(FILE *file, const frame *f, const cli_series *series, int y)
{
    fprintf(file, "<circle cx='%g' cy='%d' r='4' fill='%s'/><text x='%g' y='%d'>%s</text>\n",
            f->left + f->width + 18, y - 4, colour_of(series->colour), f->left + f->width + 30, y,
            series->label);
}

static void write_escaped(FILE *file, const char *text)
{
    for (; *text != '\0'; text++)
        if (*text == '&' || *text == '<' || *text == '>')
            fprintf(file, "&#%d;", *text);
        else
            fputc(*text, file);
}

void cli_plot_write(const cli_plot *plot, FILE *file)
{
    const frame f = frame_of(plot);
    fprintf(
        file,
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 700 420' width='700' height='420' "
        "font-family='sans-serif' font-size='13'>\n"
        "<rect width='700' height='420' fill='white'/>\n"
        "<clipPath id='area'><rect x='%g' y='%g' width='%g' height='%g'/></clipPath>\n"
        "<text x='%g' y='24' font-size='15'>",
        f.left, f.top, f.width, f.height, f.left);
    write_escaped(file, plot->title);
    fputs("</text>\n", file);
    draw_axes(file, &f, plot);
    for (int s = 0; s < plot->count; s++) {
        draw_points(file, &f, &plot->series[s]);
        draw_guide(file, &f, &plot->series[s]);
        draw_legend(file, &f, &plot->series[s], 60 + 22 * s);
    }
    fputs("</svg>\n", file);
}
