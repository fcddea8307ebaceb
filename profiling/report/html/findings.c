/* What the diagnosis says: findings, indicators, the checklist. */
#include <math.h>
#include <string.h>

#include "report/html/sections.h"
#include "report/html/table.h"

void grade_mark(page *p, prof_grade grade)
{
    static const char *const marks[] = {[PROF_GRADE_GOOD] = "●",
                                        [PROF_GRADE_WARNING] = "▲",
                                        [PROF_GRADE_BAD] = "■",
                                        [PROF_GRADE_UNKNOWN] = "○"};
    const char *name = prof_grade_name(grade);
    page_markup(p, "<span class=\"grade %s\"><span aria-hidden=\"true\">%s</span> %s</span>", name,
                marks[grade], name);
}

static void finding(page *p, const prof_finding *f)
{
    page_markup(p, "<article class=\"finding %s\"><h3>", prof_grade_name(f->severity));
    page_text(p, f->pattern);
    page_markup(p, " ");
    grade_mark(p, f->severity);
    page_markup(p, "</h3>");
    page_element(p, "p", NULL, "%s", f->evidence);
    const bool has_cause = f->cause[0] != '\0', has_advice = f->advice[0] != '\0';
    if (has_cause || has_advice)
        page_markup(p, "<dl>");
    if (has_cause) {
        page_element(p, "dt", NULL, "Cause");
        page_element(p, "dd", NULL, "%s", f->cause);
    }
    if (has_advice) {
        page_element(p, "dt", NULL, "What to try");
        page_element(p, "dd", NULL, "%s", f->advice);
    }
    page_markup(p, "%s</article>\n", has_cause || has_advice ? "</dl>" : "");
}

void section_findings(page *p, const prof_report *report, const prof_report_window *w)
{
    (void)report;
    if (w->finding_count == 0)
        page_element(p, "p", NULL,
                     isfinite(w->step)
                         ? "None of the patterns that are known to cost time was found in this "
                           "window."
                         : "Without the time of a step on the device that computed, no pattern "
                           "could be found.");
    for (int k = 0; k < w->finding_count; k++)
        finding(p, &w->findings[k]);
}

static void indicator(page *p, const prof_indicator *i)
{
    table_row_begin(p);
    page_markup(p, "<th scope=\"row\" class=\"text\">");
    page_text(p, i->name);
    page_markup(p, "</th>");
    if (isfinite(i->value)) {
        page_markup(p, "<td data-value=\"%.9g\">", i->value);
        if (strcmp(i->unit, "%") == 0)
            page_text(p, number_percent(i->value / 100.0).text);
        else
            page_print(p, "%s\u202f%s", number_digits(i->value).text, i->unit);
        page_markup(p, "</td>");
    } else {
        page_element(p, "td", NULL, "–");
    }
    page_markup(p, "<td class=\"text\">");
    grade_mark(p, i->grade);
    page_markup(p, "</td>");
    table_text(p, i->good);
    table_text(p, i->warning);
    table_text(p, i->bad);
    page_markup(p, "<td class=\"text prose\">");
    page_text(p, i->meaning);
    if (i->grade == PROF_GRADE_UNKNOWN && i->why_unknown[0] != '\0') {
        page_element(p, "em", NULL, "Unknown: %s", i->why_unknown);
    }
    page_markup(p, "</td>");
    table_row_end(p);
}

void section_indicators(page *p, const prof_report *report, const prof_report_window *w)
{
    (void)report;
    static const column columns[] = {{"Indicator", NULL, NULL, true}, {"Value", NULL, NULL, false},
                                     {"Grade", NULL, NULL, true},     {"Good", NULL, NULL, true},
                                     {"Warning", NULL, NULL, true},   {"Bad", NULL, NULL, true},
                                     {"What it is", NULL, NULL, true}};
    if (w->indicator_count == 0) {
        page_element(p, "p", NULL, "Nothing of this profile could be graded.");
        return;
    }
    table_begin(p, "indicators", false, "Indicators, their grades and the thresholds of these");
    table_columns(p, columns, 7);
    for (int k = 0; k < w->indicator_count; k++)
        indicator(p, &w->indicators[k]);
    table_end(p);
}

void section_checklist(page *p, const prof_report *report, const prof_report_window *w)
{
    (void)report;
    static const column columns[] = {
        {"Question", NULL, NULL, true}, {"Answer", NULL, NULL, true}, {"Grade", NULL, NULL, true}};
    if (w->check_count == 0) {
        page_element(p, "p", NULL, "Nothing of this profile answers a question of the checklist.");
        return;
    }
    table_begin(p, "checklist", false, "What to ask before optimising, answered from this profile");
    table_columns(p, columns, 3);
    const char *group = NULL;
    for (int k = 0; k < w->check_count; k++) {
        const prof_check *c = &w->checks[k];
        if (group == NULL || strcmp(group, c->group) != 0) {
            page_markup(p, "</tbody><tbody><tr class=\"group\"><th colspan=\"3\" "
                           "scope=\"rowgroup\">");
            page_text(p, c->group);
            page_markup(p, "</th></tr>\n");
        }
        group = c->group;
        table_row_begin(p);
        table_heading(p, c->question);
        page_element(p, "td", "text prose", "%s", c->answer);
        page_markup(p, "<td class=\"text\">");
        grade_mark(p, c->grade);
        page_markup(p, "</td>");
        table_row_end(p);
    }
    table_end(p);
}
