#include "cli/rows.h"

#include <math.h>
#include <string.h>

#include "cli/results.h"

static const void *value_at(const void *row, size_t offset)
{
    return (const char *)row + offset;
}

static json_t *value_json(const field_type *type, const void *value)
{
    if (type == FIELD_TEXT)
        return swe_json_text_or_null(*(const char *const *)value);
    if (type == FIELD_FLAG)
        return json_boolean(*(const bool *)value);
    if (type == FIELD_COUNT)
        return json_integer(*(const int64_t *)value);
    if (type == FIELD_INTEGER)
        return swe_json_positive_integer(*(const int64_t *)value);
    return swe_json_real(*(const double *)value);
}

void cli_row_set(json_t *object, const cli_column *columns, const void *row)
{
    for (const cli_column *c = columns; c->key != NULL; c++)
        if (c->use != ROW_SHOWN)
            json_object_set_new(object, c->key, value_json(c->type, value_at(row, c->offset)));
}

void cli_row_read(reader *r, const node *object, const cli_column *columns, void *row)
{
    for (const cli_column *c = columns; c->key != NULL; c++) {
        const field one = {c->key, c->type, c->offset};
        if (c->use == ROW_READ)
            read_fields(r, object, &one, 1, row);
    }
}

enum { TEXT = 64 };

/* Return a value as text; "": unknown (cli_column). An integer without a scale (0) is printed as an
 * integer. With a scale it is printed as a real. */
static const char *text_of(char out[TEXT], const field_type *type, const char *format, double scale,
                           const void *value)
{
    if (type == FIELD_TEXT)
        return *(const char *const *)value;
    const bool is_integer = type == FIELD_COUNT || type == FIELD_INTEGER;
    const int64_t integer = is_integer ? *(const int64_t *)value : 0;
    const double real = is_integer ? (double)integer : *(const double *)value;
    if (type == FIELD_INTEGER ? integer <= 0 : !isfinite(real))
        return "";
    if (is_integer && scale == 0.0)
        snprintf(out, TEXT, format, (long long)integer);
    else
        snprintf(out, TEXT, format, (scale != 0.0 ? scale : 1.0) * real);
    return out;
}

static const void *row_at(cli_rows rows, int row)
{
    return value_at(rows.first, (size_t)row * rows.size);
}

json_t *cli_rows_json(cli_rows rows, json_t *(*first)(const void *row))
{
    json_t *all = json_array();
    for (int row = 0; row < rows.count; row++) {
        json_t *object = first != NULL ? first(row_at(rows, row)) : json_object();
        cli_row_set(object, rows.columns, row_at(rows, row));
        json_array_append_new(all, object);
    }
    return all;
}

void cli_rows_csv(FILE *file, cli_rows rows)
{
    char text[TEXT];
    for (int row = -1; row < rows.count; row++) { /* -1: the keys */
        const char *comma = "";
        for (const cli_column *c = rows.columns; c->key != NULL; c++)
            if (c->csv != NULL) {
                fprintf(file, "%s%s", comma,
                        row < 0 ? c->key
                                : text_of(text, c->type, c->csv, 0.0,
                                          value_at(row_at(rows, row), c->offset)));
                comma = ",";
            }
        fputc('\n', file);
    }
}

void cli_rows_table(FILE *file, cli_rows rows, unsigned table)
{
    enum { HEADS = -2, RULE };
    static const char dashes[] = "----------------------------------------";
    const cli_column *last = rows.columns;
    char text[TEXT];
    for (const cli_column *c = rows.columns; c->key != NULL; c++)
        if ((c->tables & table) != 0)
            last = c;
    for (int row = HEADS; row < rows.count; row++) {
        for (const cli_column *c = rows.columns; c <= last; c++) {
            const bool is_text = c->type == FIELD_TEXT && c->format == NULL;
            const int width = (int)strlen(c->head != NULL ? c->head : "");
            if ((c->tables & table) == 0)
                continue;
            if (row == RULE) {
                fprintf(file, "|%.*s%s", width + 1, dashes, !is_text ? ":" : c != last ? "-" : "");
                continue;
            }
            const char *shown = row == HEADS ? c->head
                                             : text_of(text, c->type, c->format, c->scale,
                                                       value_at(row_at(rows, row), c->offset));
            fprintf(file, "| %*s%s", is_text ? (c == last ? 0 : -width) : width, shown,
                    is_text && c == last ? "" : " ");
        }
        fputs(last->type == FIELD_TEXT ? "\n" : "|\n", file);
    }
}

json_t *cli_json_quartiles(swe_quartiles q, double scale)
{
    return json_pack("{s:o, s:o, s:o, s:i}", "median", swe_json_real(scale * q.median),
                     "low_quartile", swe_json_real(scale * q.low), "high_quartile",
                     swe_json_real(scale * q.high), "samples", q.count);
}

swe_quartiles cli_read_quartiles(reader *r, const node *object, double scale)
{
    static const field fields[] = {{"median", FIELD_NUMBER, offsetof(swe_quartiles, median)},
                                   {"low_quartile", FIELD_NUMBER, offsetof(swe_quartiles, low)},
                                   {"high_quartile", FIELD_NUMBER, offsetof(swe_quartiles, high)}};
    static const field samples = {"samples", FIELD_COUNT, 0};
    swe_quartiles q = {0.0, 0.0, 0.0, 0, 0.0};
    int64_t count = 0;
    read_fields(r, object, FIELDS(fields), &q);
    read_fields(r, object, &samples, 1, &count);
    return (swe_quartiles){q.low / scale, q.median / scale, q.high / scale, (int)count, 0.0};
}

/* ---- plots ----------------------------------------------------------------------------------- */

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

static double x_of(const cli_plot *plot, int row)
{
    return (double)*(const int64_t *)value_at(row_at(plot->rows, row), plot->x);
}

static double y_of(const cli_plot *plot, int row)
{
    return *(const double *)value_at(row_at(plot->rows, row), plot->y);
}

static frame frame_of(const cli_plot *plot)
{
    frame f = {70, 40, 400, 320, INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (int row = 0; row < plot->rows.count; row++) {
        const double x = x_of(plot, row), y = y_of(plot, row);
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
            "<text x='%g' y='%g' text-anchor='middle'>cells along a panel side, n</text>\n"
            "<text transform='translate(18 %g) rotate(-90)' text-anchor='middle'>%s</text>\n",
            f->left, f->top, f->width, f->height, f->left + f->width / 2, f->top + f->height + 42,
            f->top + f->height / 2, plot->y_label);
    for (int y = (int)f->y0; y <= (int)f->y1; y++) {
        const double at = place_y(f, pow(10.0, y));
        fprintf(file,
                "<line x1='%g' x2='%g' y1='%.1f' y2='%.1f' stroke='#ddd'/>\n"
                "<text x='%g' y='%.1f' text-anchor='end'>1e%d</text>\n",
                f->left, f->left + f->width, at, at, f->left - 6, at + 4, y);
    }
    const int ticks = plot->series(plot->study, 0, 0).count;
    for (int k = 0; k < ticks; k++) {
        const double x = x_of(plot, k), at = place_x(f, x);
        fprintf(file,
                "<line x1='%.1f' x2='%.1f' y1='%g' y2='%g' stroke='#ddd'/>\n"
                "<text x='%.1f' y='%g' text-anchor='middle'>%g</text>\n",
                at, at, f->top, f->top + f->height, at, f->top + f->height + 18, x);
    }
}

/* Draw a marker. Its shape and its colour identify the series. */
static void draw_marker(FILE *file, int number, double x, double y)
{
    static const char *const shapes[] = {"M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", "M-4-4h8v8h-8z",
                                         "M0-5l5 9h-10z", "M0-6l6 6l-6 6l-6-6z", "M0 5l5-9h-10z"};
    fprintf(file, "<path d='%s' transform='translate(%.1f %.1f)' fill='%s'/>\n",
            shapes[number % (int)(sizeof shapes / sizeof shapes[0])], x, y, colour_of(number));
}

static void draw_points(FILE *file, const frame *f, const cli_plot *plot, int first,
                        const cli_series *series)
{
    const int end = first + series->count;
    fprintf(file, "<polyline fill='none' stroke='%s' stroke-width='2' points='",
            colour_of(series->colour));
    for (int k = first; k < end; k++)
        if (can_be_shown(y_of(plot, k)))
            fprintf(file, "%.1f,%.1f ", place_x(f, x_of(plot, k)), place_y(f, y_of(plot, k)));
    fputs("'/>\n", file);
    for (int k = first; k < end; k++)
        if (can_be_shown(y_of(plot, k)))
            draw_marker(file, series->colour, place_x(f, x_of(plot, k)), place_y(f, y_of(plot, k)));
}

/* Move an end of a line between the axes: not all programs that show SVG have clip-path. */
static void clip_end(const frame *f, double end[2], const double other[2])
{
    const double inside = fmin(fmax(end[1], f->top), f->top + f->height);
    if (inside != end[1])
        end[0] += (other[0] - end[0]) * (inside - end[1]) / (other[1] - end[1]);
    end[1] = inside;
}

static void draw_guide(FILE *file, const frame *f, const cli_series *series)
{
    const double(*g)[2] = series->guide;
    if (!(g[0][0] > 0.0 && can_be_shown(g[0][1]) && can_be_shown(g[1][1])))
        return;
    double a[2] = {place_x(f, g[0][0]), place_y(f, g[0][1])},
           b[2] = {place_x(f, g[1][0]), place_y(f, g[1][1])};
    if (fmax(a[1], b[1]) < f->top || fmin(a[1], b[1]) > f->top + f->height)
        return;
    clip_end(f, a, b);
    clip_end(f, b, a);
    fprintf(file,
            "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s' stroke-dasharray='5 5'/>\n",
            a[0], a[1], b[0], b[1], colour_of(series->colour));
}

void cli_plot_write(const cli_plot *plot, FILE *file)
{
    const frame f = frame_of(plot);
    fprintf(
        file,
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 700 420' width='700' height='420' "
        "font-family='sans-serif' font-size='13'>\n"
        "<rect width='700' height='420' fill='white'/>\n"
        "<text x='%g' y='24' font-size='15'>",
        f.left);
    for (const char *text = plot->title; *text != '\0'; text++)
        if (*text == '&' || *text == '<' || *text == '>')
            fprintf(file, "&#%d;", *text);
        else
            fputc(*text, file);
    fputs("</text>\n", file);
    draw_axes(file, &f, plot);
    for (int first = 0, number = 0; first < plot->rows.count; number++) {
        const cli_series series = plot->series(plot->study, first, number);
        draw_points(file, &f, plot, first, &series);
        draw_guide(file, &f, &series);
        const int y = 60 + 22 * number; /* of the legend */
        draw_marker(file, series.colour, f.left + f.width + 18, y - 4);
        fprintf(file, "<text x='%g' y='%d'>%s</text>\n", f.left + f.width + 30, y, series.label);
        first += series.count;
    }
    fputs("</svg>\n", file);
}
