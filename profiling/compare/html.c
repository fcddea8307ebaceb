/* A comparison as one page of HTML: styles and bars within it, light and dark, no request. */
#include <math.h>

#include "compare/compare.h"
#include "html/page.h"

enum { BAR_WIDTH = 260, BAR_HEIGHT = 18 };

static const char style[] =
    ":root{color-scheme:light dark;--ink:#1c1f23;--paper:#fff;--faint:#667;--line:#d8dbe0;"
    "--slower:#b3261e;--faster:#1b7a3d;--same:#667}\n"
    "@media(prefers-color-scheme:dark){:root{--ink:#e4e6ea;--paper:#16181c;--faint:#9aa2ae;"
    "--line:#363a42;--slower:#ff8a80;--faster:#6fd08c;--same:#9aa2ae}}\n"
    "body{font:15px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--paper);"
    "max-width:70em;margin:2em auto;padding:0 1em}\n"
    "h1{font-size:1.4em}h2{font-size:1.1em;margin-top:1.8em}\n"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;width:100%}\n"
    "th,td{text-align:left;padding:.3em .7em;border-bottom:1px solid var(--line);"
    "overflow-wrap:anywhere}\n"
    ".n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}\n"
    ".slower{color:var(--slower)}.faster{color:var(--faster)}.same{color:var(--same)}\n"
    ".faint{color:var(--faint)}svg{display:block}\n";

/* The largest change that bars have room for, as a logarithm: of the changes, and of the intervals
 * within 2.5 times that. */
static double reach_of(const prof_comparison *c)
{
    double change = 0.05, interval = 0.0;
    for (int k = 0; k < c->row_count; k++) {
        const prof_difference *d = &c->rows[k].difference;
        if (d->verdict == PROF_NOT_JUDGED)
            continue;
        change = fmax(change, fabs(log1p(d->change)));
        interval = fmax(interval, fmax(fabs(log1p(d->low)), fabs(log1p(d->high))));
    }
    return 1.1 * fmax(change, fmin(interval, 2.5 * change));
}

static double place(double change, double reach)
{
    const double at = fmin(fmax(log1p(change) / reach, -1.0), 1.0);
    return 0.5 * BAR_WIDTH * (1.0 + at);
}

/* No change is the line in the middle; the bar is the change, the whisker its interval. */
static void write_bar(page *p, const prof_difference *d, double reach)
{
    const double zero = place(0.0, reach), to = place(d->change, reach);
    const int middle = BAR_HEIGHT / 2;
    page_markup(p,
                "<td><svg width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"%+.1f %%\">"
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\" stroke=\"var(--line)\"/>",
                BAR_WIDTH, BAR_HEIGHT, 100.0 * d->change, zero, zero, BAR_HEIGHT);
    if (d->verdict != PROF_NOT_JUDGED)
        page_markup(p,
                    "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"8\" fill=\"currentColor\" "
                    "opacity=\".55\"/>"
                    "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"currentColor\" "
                    "stroke-width=\"2\"/>",
                    fmin(zero, to), middle - 4, fabs(to - zero), place(d->low, reach),
                    place(d->high, reach), middle, middle);
    page_markup(p, "</svg></td>");
}

static void write_row(page *p, const prof_comparison_row *row, double reach)
{
    static const char *const classes[] = {"same", "faster", "slower", "same"};
    const prof_difference *d = &row->difference;
    char label[PROF_LABEL_SIZE];
    prof_comparison_label(row, label);
    page_markup(p, "<tr class=\"%s\">", classes[d->verdict]);
    page_element(p, "td", NULL, "%s", label);
    page_markup(
        p, "<td class=\"n\">%.1f</td><td class=\"n\">%.1f</td><td class=\"n\">%+.1f&nbsp;%%</td>",
        d->a, d->b, 100.0 * d->change);
    if (d->verdict == PROF_NOT_JUDGED)
        page_markup(p, "<td class=\"n\"></td>");
    else
        page_markup(p, "<td class=\"n\">%+.1f to %+.1f&nbsp;%%</td>", 100.0 * d->low,
                    100.0 * d->high);
    write_bar(p, d, reach);
    page_element(p, "td", NULL, "%s", prof_verdict_text(d->verdict));
    page_markup(p, "</tr>\n");
}

static void write_runs(page *p, const prof_comparison *c)
{
    const prof_measured *const runs[] = {c->a, c->b};
    page_markup(p, "<p>");
    for (int k = 0; k < 2; k++) {
        page_markup(p, "%s<b>%c</b> <code>", k == 0 ? "" : "<br>", 'A' + k);
        page_text(p, runs[k]->path);
        page_markup(p, "</code>");
        if (runs[k]->windows > 0)
            page_markup(p, " <span class=\"faint\">%d window%s</span>", runs[k]->windows,
                        runs[k]->windows == 1 ? "" : "s");
    }
    page_markup(p, "</p>\n");
}

static void write_gate(page *p, const prof_comparison *c)
{
    static const char *const classes[] = {"", "faster", "slower", "slower"};
    char text[PROF_GATE_SIZE];
    prof_gate_text(c, text);
    if (text[0] == '\0')
        return;
    page_markup(p, "<p class=\"%s\"><b>Gate</b> ", classes[c->gate.verdict]);
    page_text(p, text);
    page_markup(p, "</p>\n");
}

static void write_changes(page *p, const prof_comparison *c)
{
    if (c->change_count == 0)
        return;
    page_markup(
        p, "<h2>What differs besides time</h2>\n<div class=\"scroll\"><table><tr><th></th><th>A"
           "</th><th>B</th></tr>\n");
    for (int k = 0; k < c->change_count; k++) {
        const prof_comparison_change *change = &c->changes[k];
        page_markup(p, "<tr>");
        page_element(p, "td", NULL, "%s", change->name);
        page_element(p, "td", NULL, "%s", change->a[0] != '\0' ? change->a : "not told");
        page_element(p, "td", NULL, "%s", change->b[0] != '\0' ? change->b : "not told");
        page_markup(p, "</tr>\n");
    }
    page_markup(p, "</table></div>\n");
}

static void write_rows(page *p, const prof_comparison *c)
{
    const double reach = reach_of(c);
    page_markup(p,
                "<div class=\"scroll\"><table><tr><th>median of</th><th class=\"n\">A [us]</th>"
                "<th class=\"n\">B [us]</th><th class=\"n\">change</th><th class=\"n\">%.0f %% "
                "interval</th><th class=\"faint\">faster &#183; slower, to &#177;%.0f %%</th>"
                "<th>B is</th></tr>\n",
                100.0 * (1.0 - PROF_COMPARISON_TAIL), 100.0 * expm1(reach));
    for (int k = 0; k < c->row_count; k++)
        write_row(p, &c->rows[k], reach);
    page_markup(p, "</table></div>\n");
}

static void write_page(page *p, const void *subject)
{
    const prof_comparison *c = subject;
    char notes[PROF_NOTES][PROF_NOTE_SIZE];
    page_head(p, style, "cubeswe compare");
    page_markup(p, "<body>\n<h1>Two runs, side by side</h1>\n");
    write_runs(p, c);
    write_gate(p, c);
    write_rows(p, c);
    prof_comparison_notes(c, notes);
    for (int k = 0; notes[k][0] != '\0'; k++)
        page_element(p, "p", NULL, "%s", notes[k]);
    write_changes(p, c);
    page_markup(p, "</body>\n</html>\n");
}

bool prof_comparison_write_html(const prof_comparison *comparison, const char *path, prof_log *log)
{
    return page_save(path, write_page, comparison, log);
}
