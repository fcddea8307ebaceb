/* The sections of the page, in their order: id, heading, what it shows. Each is written by
 * section_<id>; one that does not apply is a sentence that says why. */
#ifndef PROFILING_REPORT_HTML_SECTIONS_H
#define PROFILING_REPORT_HTML_SECTIONS_H

#include "html/page.h"
#include "report/report.h"

#define SECTION_LIST(SECTION)                                                                      \
    SECTION(findings, "Findings")                                                                  \
    SECTION(indicators, "Indicators")                                                              \
    SECTION(steps, "Time of a step")                                                               \
    SECTION(stages, "Stages")                                                                      \
    SECTION(timeline, "Timeline")                                                                  \
    SECTION(roofline, "Roofline")                                                                  \
    SECTION(counters, "Counters")                                                                  \
    SECTION(kernels, "Kernels")                                                                    \
    SECTION(threads, "CPU threads")                                                                \
    SECTION(memory, "Memory")                                                                      \
    SECTION(utilisation, "Utilisation")                                                            \
    SECTION(overhead, "Host overhead and gaps")                                                    \
    SECTION(phases, "Phases of the run")                                                           \
    SECTION(checklist, "Checklist")                                                                \
    SECTION(warnings, "Warnings and drops")                                                        \
    SECTION(method, "How the numbers were made")

typedef void section_function(page *p, const prof_report *report, const prof_report_window *window);

#define SECTION_DECLARATION(id, heading) section_function section_##id;
SECTION_LIST(SECTION_DECLARATION)
#undef SECTION_DECLARATION

/* Of the utilisation: the GPU's counters over time; nothing if they were not sampled. */
void part_sampled(page *p, const prof_report_window *window);

/* Case, device and the few numbers that matter most; before all sections. */
section_function headline;

/* The mark and the word of a grade. */
void grade_mark(page *p, prof_grade grade);

#endif
