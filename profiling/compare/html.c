/* A comparison as one page of HTML: styles and bars within it, light and dark, no request. */
#include <math.h>
#include <string.h>

#include "compare/compare.h"

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

static void write_escaped(FILE *file, const char *text)
{
    for (; *text != '\0'; text++)
        if (strchr("&<>\"'", *text) != NULL)
            fprintf(file, "&#%d;", *text);
        else
            fputc((unsigned char)*text < ' ' ? '?' : *text, file);
}

static void write_cell(FILE *file, const char *tag, const char *text)
{
    fprintf(file, "<%s>", tag);
    write_escaped(file, text);
    fprintf(file, "</%s>", tag);
}

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
static void write_bar(FILE *file, const prof_difference *d, double reach)
{
    const double zero = place(0.0, reach), to = place(d->change, reach);
    const int middle = BAR_HEIGHT / 2;
    fprintf(file,
            "<td><svg width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"%+.1f %%\">"
            "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\" stroke=\"var(--line)\"/>",
            BAR_WIDTH, BAR_HEIGHT, 100.0 * d->change, zero, zero, BAR_HEIGHT);
    if (d->verdict != PROF_NOT_JUDGED)
        fprintf(file,
                "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"8\" fill=\"currentColor\" "
                "opacity=\".55\"/>"
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"currentColor\" "
                "stroke-width=\"2\"/>",
                fmin(zero, to), middle - 4, fabs(to - zero), place(d->low, reach),
                place(d->high, reach), middle, middle);
    fputs("</svg></td>", file);
}

static void write_row(FILE *file, const prof_comparison_row *row, double reach)
{
    static const char *const classes[] = {"same", "faster", "slower", "same"};
    const prof_difference *d = &row->difference;
    char label[PROF_LABEL_SIZE];
    prof_comparison_label(row, label);
    fprintf(file, "<tr class=\"%s\">", classes[d->verdict]);
    write_cell(file, "td", label);
    fprintf(file,
            "<td class=\"n\">%.1f</td><td class=\"n\">%.1f</td><td class=\"n\">%+.1f&nbsp;%%</td>",
            d->a, d->b, 100.0 * d->change);
    if (d->verdict == PROF_NOT_JUDGED)
        fputs("<td class=\"n\"></td>", file);
    else
        fprintf(file, "<td class=\"n\">%+.1f to %+.1f&nbsp;%%</td>", 100.0 * d->low,
                100.0 * d->high);
    write_bar(file, d, reach);
    write_cell(file, "td", prof_verdict_text(d->verdict));
    fputs("</tr>\n", file);
}

static void write_runs(FILE *file, const prof_comparison *c)
{
    const prof_measured *const runs[] = {c->a, c->b};
    fputs("<p>", file);
    for (int k = 0; k < 2; k++) {
        fprintf(file, "%s<b>%c</b> <code>", k == 0 ? "" : "<br>", 'A' + k);
        write_escaped(file, runs[k]->path);
        fputs("</code>", file);
        if (runs[k]->windows > 0)
            fprintf(file, " <span class=\"faint\">%d window%s</span>", runs[k]->windows,
                    runs[k]->windows == 1 ? "" : "s");
    }
    fputs("</p>\n", file);
}

static void write_changes(FILE *file, const prof_comparison *c)
{
    if (c->change_count == 0)
        return;
    fputs("<h2>What differs besides time</h2>\n<div class=\"scroll\"><table><tr><th></th><th>A"
          "</th><th>B</th></tr>\n",
          file);
    for (int k = 0; k < c->change_count; k++) {
        const prof_comparison_change *change = &c->changes[k];
        fputs("<tr>", file);
        write_cell(file, "td", change->name);
        write_cell(file, "td", change->a[0] != '\0' ? change->a : "not told");
        write_cell(file, "td", change->b[0] != '\0' ? change->b : "not told");
        fputs("</tr>\n", file);
    }
    fputs("</table></div>\n", file);
}

void prof_comparison_write_html(const prof_comparison *comparison, FILE *file)
{
    const prof_comparison *c = comparison;
    const double reach = reach_of(c);
    char notes[PROF_NOTES][PROF_NOTE_SIZE];
    fprintf(file,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<link rel=\"icon\" href=\"data:,\">\n<title>cubeswe compare</title>\n"
            "<style>\n%s</style></head><body>\n<h1>Two runs, side by side</h1>\n",
            style);
    write_runs(file, c);
    fprintf(file,
            "<div class=\"scroll\"><table><tr><th>median of</th><th class=\"n\">A [us]</th>"
            "<th class=\"n\">B [us]</th><th class=\"n\">change</th><th class=\"n\">%.0f %% "
            "interval</th><th class=\"faint\">faster &#183; slower, to &#177;%.0f %%</th>"
            "<th>B is</th></tr>\n",
            100.0 * (1.0 - PROF_COMPARISON_TAIL), 100.0 * expm1(reach));
    for (int k = 0; k < c->row_count; k++)
        write_row(file, &c->rows[k], reach);
    fputs("</table></div>\n", file);
    prof_comparison_notes(c, notes);
    for (int k = 0; notes[k][0] != '\0'; k++)
        write_cell(file, "p", notes[k]);
    write_changes(file, c);
    fputs("</body></html>\n", file);
}
