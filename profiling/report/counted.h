/* WHAT WAS COUNTED beside what the formulas say: what findings, text and page share. */
#ifndef PROFILING_REPORT_COUNTED_H
#define PROFILING_REPORT_COUNTED_H

#include "report/report.h"

/* Whether both are known and differ by more than the threshold of the findings. */
bool counted_differs(const prof_report_pair *pair);

/* How many stages have a quantity that differs. */
int counted_differing(const prof_report_window *window);

/* Why there is nothing that was counted, and how to get it; a sentence or two. */
const char *counted_absent(const prof_report *report, const prof_report_window *window);

/* Bytes and operations of stages side by side: the sentence that says how they compare. */
enum { COUNTED_VERDICT_SIZE = 200 };
void counted_verdict(const prof_report_window *window, char text[COUNTED_VERDICT_SIZE]);

#endif
