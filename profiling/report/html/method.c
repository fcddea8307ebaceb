/* What surrounds the numbers: phases of the run, what went wrong, where all of it comes from. */
#include <string.h>

#include "report/html/sections.h"
#include "report/html/table.h"

void section_phases(page *p, const prof_report *report, const prof_report_window *w)
{
    (void)report;
    if (w->phase_count == 0) {
        page_element(p, "p", NULL, "The profile tells no phases of the run.");
        return;
    }
    static const column columns[] = {{"Phase", NULL, NULL, true},
                                     {"Times", NULL, NULL, false},
                                     {"Total", NULL, NULL, false},
                                     {"Share", "of all phases", NULL, false}};
    table_begin(p, "phases", false, "From the begin of the run to the end of the window");
    table_columns(p, columns, 4);
    for (int k = 0; k < w->phase_count; k++) {
        const prof_report_phase *phase = &w->phases[k];
        table_row_begin(p);
        table_heading(p, phase->name);
        table_count(p, phase->count);
        page_element(p, "td", NULL, "%s", number_time(phase->total).text);
        table_share(p, phase->share);
        table_row_end(p);
    }
    table_end(p);
}

void section_warnings(page *p, const prof_report *report, const prof_report_window *w)
{
    (void)report;
    const prof_drops *d = &w->drops;
    const struct {
        int64_t count;
        const char *what;
    } drops[] = {{d->spans, "regions and parts of threads, beyond the most that a window keeps"},
                 {d->ops, "GPU operations and calls, beyond the most that a window keeps"},
                 {d->records, "records of CUPTI, whose buffers were full"},
                 {d->rejected, "records without times, or that end before they start"},
                 {d->unknown, "records of kinds that are not read"}};
    int64_t dropped = 0;
    for (int k = 0; k < 5; k++)
        dropped += drops[k].count;
    if (w->warning_count == 0 && dropped == 0) {
        page_element(p, "p", NULL, "Nothing went wrong, and nothing was left out.");
        return;
    }
    page_markup(p, "<ul class=\"warnings\">\n");
    for (int k = 0; k < w->warning_count; k++)
        page_element(p, "li", NULL, "%s", w->warnings[k]);
    for (int k = 0; k < 5; k++)
        if (drops[k].count > 0)
            page_element(p, "li", NULL, "Left out: %s %s.", number_count(drops[k].count).text,
                         drops[k].what);
    page_markup(p, "</ul>\n");
}

static void fact(page *p, const char *name, const char *text)
{
    if (text[0] == '\0')
        return;
    page_element(p, "dt", NULL, "%s", name);
    page_element(p, "dd", NULL, "%s", text);
}

static void facts(page *p, const prof_report *report, const prof_report_window *w)
{
    page_markup(p, "<dl class=\"facts\">\n");
    fact(p, "case", report->case_name);
    fact(p, "device", report->device.name);
    fact(p, "host", report->host);
    fact(p, "version", report->version);
    for (int k = 0; k < report->fact_count; k++)
        fact(p, report->facts[k].name, report->facts[k].text);
    fact(p, "mode", w->mode);
    fact(p, "opened", w->date);
    page_markup(p, "</dl>\n");
}

/* A text as one word of a command: quoted, unless it is made of harmless characters. */
static void shell_word(page *p, const char *text)
{
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "0123456789_./+:=@-";
    if (text[0] != '\0' && text[strspn(text, harmless)] == '\0') {
        page_text(p, text);
        return;
    }
    page_text(p, "'");
    for (; *text != '\0'; text++) {
        const char letter[] = {*text, '\0'};
        page_text(p, *text == '\'' ? "'\\''" : letter);
    }
    page_text(p, "'");
}

void section_method(page *p, const prof_report *report, const prof_report_window *w)
{
    facts(p, report, w);
    page_element(
        p, "p", NULL,
        "Times of regions are taken by the solver’s own profiler on the clock of the host; "
        "those of kernels and copies are the GPU’s, by CUPTI, on the same clock. A step’s "
        "and a stage’s time is %s. Medians and quartiles are over all calls in the window; "
        "shares are of %s. Bytes and operations are those that the "
        "formulas of a stage need, each value moved once. Calls of one stage may differ in what "
        "they do (the four of rk4): rates are of their mean work over their mean time.",
        report->device.is_gpu ? "that of its operations on the GPU"
                              : "that between its begin and end on the main thread",
        report->device.is_gpu ? "the time of all stages on the GPU" : "the time of all its steps");
    page_markup(p, "<p>");
    page_text(p, "The files are in ");
    page_element(p, "code", NULL, "%s", w->folder);
    page_text(p,
              ": summary.json has all numbers of the tables, timeline.json the events of the "
              "timeline; trace.perfetto-trace opens in ui.perfetto.dev, plugins/ in TensorBoard.");
    page_markup(p, "</p>\n<p>");
    page_text(p, "Make this page again with ");
    page_markup(p, "<code>cubeswe report ");
    shell_word(p, report->directory);
    page_markup(p, "</code>");
    page_text(p, "; a profile with ");
    page_element(p, "code", "command", "cubeswe run CONFIG --profile");
    page_text(p, ".");
    page_markup(p, "</p>\n");
}
