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

/* Print a text; unprintable characters become '?'. All texts of a profile are printed through it.
 */
void text_print(const text_page *page, const char *text);

/* A text in `width` columns: cut with "..." if it is longer, filled with spaces if shorter. */
void text_cell(const text_page *page, const char *text, int width);

/* A number, right in `width` columns; "-" if unknown. */
void text_number(const text_page *page, double value, int digits, int width);

/* Print a text in lines of at most 100 columns. It continues the present line, which has `indent`
 * columns; further lines are indented by as many. */
void text_wrapped(const text_page *page, const char *text, int indent);

/* The name of a grade, in 7 columns and its colour. */
void text_grade(const text_page *page, prof_grade grade);

/* Tables of a window. A table without rows prints nothing, but text_counters then prints the
 * reason. */
void text_windows(const text_page *page, const prof_report *report);
void text_stages(const text_page *page, const prof_report *report, const prof_report_window *w);
void text_counters(const text_page *page, const prof_report *report, const prof_report_window *w);
void text_kernels(const text_page *page, const prof_report_window *w);
void text_copies(const text_page *page, const prof_report_window *w);
void text_calls(const text_page *page, const prof_report_window *w);
void text_threads(const text_page *page, const prof_report_window *w);
void text_parts(const text_page *page, const prof_report_window *w);
void text_ranks(const text_page *page, const prof_report_window *w);
void text_memory(const text_page *page, const prof_report_window *w);
void text_phases(const text_page *page, const prof_report_window *w);

#endif
