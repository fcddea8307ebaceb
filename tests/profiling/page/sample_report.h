/* Sample reports for tests of the page. Their numbers are invented and belong to no device. */
#ifndef TESTS_PROFILING_SAMPLE_REPORT_H
#define TESTS_PROFILING_SAMPLE_REPORT_H

#include "report/report.h"

typedef enum sample_kind {
    SAMPLE_CPU,      /* all data of a profile on a CPU, including counters */
    SAMPLE_GPU,      /* all data of a profile on a GPU, several windows, awkward texts */
    SAMPLE_BARE,     /* a GPU, with almost no data */
    SAMPLE_MANY,     /* a CPU, with more events and threads than a figure has pixels */
    SAMPLE_COUNTERS, /* a GPU, in mode counters */
    SAMPLE_KINDS
} sample_kind;

/* Fill a report; its arrays are static or never released: a program makes one and ends. */
void sample_report(sample_kind kind, prof_report *report);

/* Parts of it, of reports that have stages and windows: what a GPU counted, which then has no
 * times; the log of its state. */
void sample_count(prof_report_window *window);
void sample_log(prof_report *report);

/* Texts that stand in the GPU's report and must be on its page as they are. */
extern const char *const sample_awkward[3];

#endif
