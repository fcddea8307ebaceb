#include <math.h>
#include <string.h>

#include "report/html/number.h"
#include "report/html/sections.h"
#include "report/measures.h"

/* One of the numbers at the top: what it is, its value, and a remark. The remark's text follows. */
static void tile_begin(page *p, const char *name, const char *value)
{
    page_markup(p, "<div><dt>");
    page_text(p, name);
    page_markup(p, "</dt><dd><strong>");
    page_text(p, value);
    page_markup(p, "</strong><span>");
}

static void tile_end(page *p)
{
    page_markup(p, "</span></dd></div>\n");
}

static void step_tile(page *p, const prof_report *report, const prof_report_window *w)
{
    const prof_spread *step =
        report->device.is_gpu && w->step_gpu.count > 0 ? &w->step_gpu : &w->step_host;
    if (!isfinite(w->step))
        return;
    tile_begin(p, "Time of a step", number_time(w->step).text);
    if (step->count > 1)
        page_print(p, "median of %s; middle half %s to %s", number_count(step->count).text,
                   number_time(step->low).text, number_time(step->high).text);
    else
        page_text(p, "one step");
    tile_end(p);
}

static void unknown_tile(page *p, const prof_report *report, const prof_report_window *w)
{
    if (!(w->step / report->unknowns > 0.0))
        return;
    tile_begin(p, "Per unknown and step", number_time(w->step / report->unknowns).text);
    page_print(p, "%s unknowns; %s steps a second", number_count((int64_t)report->unknowns).text,
               number_digits(1e9 / w->step).text);
    tile_end(p);
}

static void stage_tile(page *p, const prof_report *report, const prof_report_window *w)
{
    if (w->stage_count == 0)
        return;
    tile_begin(p, "Largest stage", w->stages[0].name);
    page_print(p, "%s of %s, %s a call", number_percent(w->stages[0].share).text,
               report->device.is_gpu ? "all stages" : "the step",
               number_time(w->stages[0].call).text);
    tile_end(p);
}

/* Bytes that all stages must move over their time: the indicator of the memory bandwidth. */
static void bandwidth_tile(page *p, const prof_report_window *w)
{
    const double rate = measure_byte_rate(w), ceiling = w->ceilings.bandwidth;
    if (!(rate > 0.0))
        return;
    tile_begin(p, "Bandwidth of the stages", number_bandwidth(rate).text);
    if (ceiling > 0.0)
        page_print(p, "%s of %s that %s", number_percent(measure_bandwidth(w)).text,
                   number_bandwidth(ceiling).text,
                   w->ceilings.bandwidth_is_measured ? "a copy reached"
                                                     : "the data sheet promises");
    else
        page_text(p, "by the formulas of its stages");
    tile_end(p);
}

static void memory_tile(page *p, const prof_report *report, const prof_report_window *w)
{
    if (!(w->memory.peak > 0.0))
        return;
    tile_begin(p, "Most memory", number_bytes(w->memory.peak).text);
    if (report->device.memory_size > 0.0)
        page_print(p, "%s of the device",
                   number_percent(w->memory.peak / report->device.memory_size).text);
    else
        page_text(p, "of the solver’s buffers");
    tile_end(p);
}

/* The diagnosis in one sentence: the worst finding, and how many more there are. */
static void verdict(page *p, const prof_report_window *w)
{
    int troubles = 0;
    for (int k = 0; k < w->finding_count; k++)
        troubles += w->findings[k].severity == PROF_GRADE_WARNING ||
                    w->findings[k].severity == PROF_GRADE_BAD;
    const prof_grade grade = troubles > 0        ? w->findings[0].severity
                             : isfinite(w->step) ? PROF_GRADE_GOOD
                                                 : PROF_GRADE_UNKNOWN;
    page_markup(p, "<p class=\"verdict %s\">", prof_grade_name(grade));
    grade_mark(p, grade);
    page_text(p, " ");
    if (troubles > 0) {
        page_element(p, "strong", NULL, "%s.", w->findings[0].pattern);
        page_print(p, " %s ", w->findings[0].evidence);
        if (troubles > 1)
            page_print(p, "And %d more %s. ", troubles - 1, troubles == 2 ? "finding" : "findings");
        page_markup(p, "<a href=\"#findings\">What to try</a>");
    } else if (grade == PROF_GRADE_GOOD) {
        page_text(p, "None of the known patterns that cost time was found.");
    } else {
        page_text(p, "The window has no time of a step on the device that computed, so "
                     "nothing can be said of its speed.");
    }
    page_markup(p, "</p>\n");
}

/* On what, with how many threads, and when. */
static void subject(page *p, const prof_report *report, const prof_report_window *w)
{
    page_markup(p, "<p class=\"subject\">");
    if (report->n > 0)
        page_print(p, "N = %s, order %s, ", number_count(report->n).text,
                   number_count(report->order).text);
    page_print(p, "%s on ", strcmp(report->backend, "cuda") == 0 ? "CUDA" : "CPU");
    page_element(p, "b", NULL, "%s", report->device.name);
    if (report->device.threads > 0 && !report->device.is_gpu)
        page_print(p, ", %s %s", number_count(report->device.threads).text,
                   report->device.threads == 1 ? "thread" : "threads");
    if (w->steps > 0)
        page_print(p, "; steps %s to %s", number_count(w->first_step).text,
                   number_count(w->first_step + w->steps - 1).text);
    page_print(p, "; %s", w->date);
    page_markup(p, "</p>\n");
}

void headline(page *p, const prof_report *report, const prof_report_window *w)
{
    page_markup(p, "<header id=\"headline\"><p class=\"kind\">");
    page_print(p, "cubeswe %s profile", report->version);
    page_markup(p, "</p><h1>");
    page_text(p, report->case_name);
    page_markup(p, "</h1>\n");
    subject(p, report, w);
    verdict(p, w);
    page_markup(p, "<dl class=\"tiles\">\n");
    step_tile(p, report, w);
    unknown_tile(p, report, w);
    stage_tile(p, report, w);
    bandwidth_tile(p, w);
    memory_tile(p, report, w);
    page_markup(p, "</dl></header>\n");
}
