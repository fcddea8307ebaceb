/* The timeline: the whole window as a picture, and its events for page.js, which draws parts of it.
 *
 * What is narrower than two pixels is drawn together with its neighbours of the same colour, so
 * that the picture is small however many events there are. */
#include <math.h>
#include <string.h>

#include "report/html/colour.h"
#include "report/html/sections.h"
#include "report/html/svg.h"
#include "report/html/timeline_rows.h"

/* Places in the picture; page.js has the same rules for what it draws. */
static const double left = 96.0, right = 952.0, top = 6.0;
static const double narrow = 2.0; /* narrower bars join */
static const double hairline = 0.5;
enum { EVENTS_MOST = 200000, MANY_ROWS = 28 };

/* Give the rows their places. The height of a bar; `bottom` is the end of the last row. */
static double place_rows(timeline_rows *rows, double *bottom)
{
    const double height = rows->count > MANY_ROWS ? 9.0 : 17.0;
    double y = top;
    for (int r = 0; r < rows->count; r++) {
        y += rows->labels[r].begins_group ? 9.0 : 0.0;
        rows->labels[r].y = y;
        y += height + 1.0;
    }
    *bottom = y + 2.0;
    return height;
}

static void draw_bar(page *p, double from, double to, double y, double height)
{
    page_markup(p, "M%.1f %.1fH%.1fV%.1fH%.1fZ", from, y, fmax(to, from + hairline), y + height,
                from);
}

/* All bars of one colour in a row, as one path. */
static void draw_colour(page *p, const timeline_rows *rows, int row, int colour, const axis *x,
                        double height)
{
    double from = NAN, to = NAN; /* the narrow bars that are joined so far */
    bool begun = false;
    for (int64_t k = rows->first[row]; k < rows->first[row + 1]; k++) {
        const row_event *e = &rows->events[k];
        if (rows->names[e->name].colour != colour)
            continue;
        if (!begun)
            page_markup(p, "<path class=\"area %s\" d=\"", colour_class(colour));
        begun = true;
        const double a = axis_at(x, (double)e->start), b = axis_at(x, (double)e->end);
        const bool joins = b - a < narrow && a <= to + hairline;
        if (joins) {
            to = fmax(to, b);
            continue;
        }
        if (isfinite(from))
            draw_bar(p, from, to, rows->labels[row].y, height);
        from = to = NAN;
        if (b - a < narrow)
            from = a, to = b;
        else
            draw_bar(p, a, b - hairline, rows->labels[row].y, height);
    }
    if (isfinite(from))
        draw_bar(p, from, to, rows->labels[row].y, height);
    if (begun)
        page_markup(p, "\"/>\n");
}

/* The short name of a kernel: without its type, its template's and its function's arguments. */
static void short_name(const row_name *name, char text[64])
{
    if (name->step >= 0) {
        snprintf(text, 64, "step %lld", (long long)name->step);
        return;
    }
    const char *from = strncmp(name->text, "void ", 5) == 0 ? name->text + 5 : name->text;
    const size_t length = strcspn(from, "<(");
    snprintf(text, 64, "%.*s", (int)length, from);
}

static void draw_names(page *p, const timeline_rows *rows, int row, const axis *x, double height)
{
    for (int64_t k = rows->first[row]; k < rows->first[row + 1]; k++) {
        const row_event *e = &rows->events[k];
        const double a = axis_at(x, (double)e->start), b = axis_at(x, (double)e->end);
        char text[64];
        short_name(&rows->names[e->name], text);
        if (b - a < 6.5 * (double)strlen(text) + 6.0)
            continue;
        page_markup(p, "<g class=\"%s\">", colour_class(rows->names[e->name].colour));
        svg_text(p, (a + b) / 2.0, rows->labels[row].y + height - 5.0, "on middle", "%s", text);
        page_markup(p, "</g>");
    }
}

static void draw_rows(page *p, const timeline_rows *rows, const axis *x, double height)
{
    page_markup(p, "<g class=\"events\">\n");
    for (int r = 0; r < rows->count; r++) {
        for (int colour = 0; colour < COLOUR_COUNT; colour++)
            draw_colour(p, rows, r, colour, x, height);
        if (height > 12.0)
            draw_names(p, rows, r, x, height);
    }
    page_markup(p, "</g>\n");
    for (int r = 0; r < rows->count; r++)
        if (rows->labels[r].text[0] != '\0')
            svg_text(p, left - 8.0, rows->labels[r].y + height - (height > 12.0 ? 5.0 : 1.0),
                     "label end", "%s", rows->labels[r].text);
}

static void write_names(page *p, const timeline_rows *rows)
{
    page_markup(p, "\"names\":[");
    for (int k = 0; k < rows->name_count; k++) {
        const row_name *name = &rows->names[k];
        char text[64];
        short_name(name, text);
        page_markup(p, "%s[", k > 0 ? "," : "");
        page_json_text(p, text);
        page_markup(p, ",\"%s\",", colour_class(name->colour));
        page_json_text(p, name->text);
        page_markup(p, ",");
        page_json_text(p, name->stage);
        page_markup(p, ",\"%s\"]", name->bytes > 0.0 ? number_bytes(name->bytes).text : "");
    }
    page_markup(p, "]");
}

/* Events of a row as start after the start of the one before, length, name. */
static int64_t write_row(page *p, const timeline_rows *rows, int row, int64_t room)
{
    int64_t before = 0, written = 0;
    for (int64_t k = rows->first[row]; k < rows->first[row + 1] && written < room; k++) {
        const row_event *e = &rows->events[k];
        page_markup(p, "%s%lld,%lld,%d", written > 0 ? "," : "", (long long)(e->start - before),
                    (long long)(e->end - e->start), e->name);
        before = e->start;
        written++;
    }
    return written;
}

/* What page.js draws from. The number of events that are in it. */
static int64_t write_data(page *p, const timeline_rows *rows, double height, int64_t duration)
{
    int64_t written = 0;
    page_markup(p,
                "<script type=\"application/json\" id=\"timeline-data\">{\"duration\":%lld,"
                "\"left\":%g,\"right\":%g,\"height\":%g,",
                (long long)duration, left, right, height);
    write_names(p, rows);
    page_markup(p, ",\"rows\":[");
    for (int r = 0; r < rows->count; r++) {
        page_markup(p, "%s{\"y\":%g,\"events\":[", r > 0 ? "," : "", rows->labels[r].y);
        written += write_row(p, rows, r, EVENTS_MOST - written);
        page_markup(p, "]}");
    }
    page_markup(p, "]}</script>\n");
    return written;
}

static void remarks(page *p, const prof_timeline *t, const timeline_rows *rows, int64_t zoomed)
{
    page_markup(p, "<p class=\"note\">");
    page_print(p, "%s events; those narrower than two pixels are drawn together. ",
               number_count(rows->event_count).text);
    if (zoomed < rows->event_count)
        page_print(p, "Parts of the window are drawn from the first %s of them only, row by row. ",
                   number_count(zoomed).text);
    if (t->omitted_spans + t->omitted_ops > 0)
        page_print(p, "The profile’s timeline leaves out the latest %s regions and %s operations. ",
                   number_count(t->omitted_spans).text, number_count(t->omitted_ops).text);
    page_markup(p, "</p>\n");
}

static void picture(page *p, const prof_timeline *t, timeline_rows *rows)
{
    double bottom;
    const double height = place_rows(rows, &bottom);
    const axis x = {0.0, (double)t->duration, left, right, false, false};
    page_markup(p, "<div id=\"timeline-view\">\n");
    svg_begin(p, "timeline", (int)bottom + 40, "The window, from its opening to its close",
              "Rows of bars along time: nested regions of the main thread, what each CPU thread "
              "did of the stages, and operations of the GPU by stream; %s in all.",
              number_time((double)t->duration).text);
    page_markup(p, "<g class=\"time-axis\" data-bottom=\"%.1f\">\n", bottom);
    svg_axis_x(p, &x, top, bottom, scale_time((double)t->duration), "time");
    page_markup(p, "</g>\n");
    draw_rows(p, rows, &x, height);
    svg_end(p);
    page_markup(p, "</div>\n");
    remarks(p, t, rows, write_data(p, rows, height, t->duration));
}

void section_timeline(page *p, const prof_report *report, const prof_report_window *w)
{
    (void)report;
    const prof_timeline *t = &w->timeline;
    timeline_rows rows;
    if (!t->is_known || t->duration <= 0 || t->span_count + t->op_count == 0) {
        page_element(p, "p", NULL, "The profile has no timeline (timeline.json) of this window.");
        return;
    }
    if (!timeline_rows_create(w, &rows)) {
        page_element(p, "p", NULL, "There was no memory to draw the timeline.");
        return;
    }
    picture(p, t, &rows);
    timeline_rows_destroy(&rows);
}
