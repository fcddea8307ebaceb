/* TEXT for a terminal: at most 100 columns, no boxes, colours are optional. */
#ifndef PROFILING_REPORT_TEXT_H
#define PROFILING_REPORT_TEXT_H

#include <stdio.h>

#include "report/report.h"

typedef struct text_page {
    FILE *out;
    bool colours;
} text_page;

/* A heading, after an empty line. */
void text_heading(const text_page *page, const char *heading);

/* A text as it is; what does not print is '?'. Every text of a profile must pass through it. */
void text_put(const text_page *page, const char *text);

/* A text in `width` columns: cut with "..." if it is longer, filled with spaces if shorter. */
void text_cell(const text_page *page, const char *text, int width);

/* A number, right in `width` columns; "-" if unknown. */
void text_number(const text_page *page, double value, int digits, int width);

/* A text that goes on in new lines, each indented so far. Its first line continues the one that is
 * begun, which is `indent` columns long. */
void text_wrapped(const text_page *page, const char *text, int indent);

/* The name of a grade, in 7 columns and its colour. */
void text_grade(const text_page *page, prof_grade grade);

/* Tables of a window; those without rows print nothing, but for the counters, which say why. */
void text_windows(const text_page *page, const prof_report *report);
void text_stages(const text_page *page, const prof_report *report, const prof_report_window *w);
void text_counters(const text_page *page, const prof_report *report, const prof_report_window *w);
void text_kernels(const text_page *page, const prof_report_window *w);
void text_copies(const text_page *page, const prof_report_window *w);
void text_calls(const text_page *page, const prof_report_window *w);
void text_threads(const text_page *page, const prof_report_window *w);
void text_memory(const text_page *page, const prof_report_window *w);
void text_phases(const text_page *page, const prof_report_window *w);

#endif
