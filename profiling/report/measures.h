/* Measures of a window shared by indicators, findings and checks. Shares are 0..1; NAN if the
 * profile lacks the data. */
#ifndef PROFILING_REPORT_MEASURES_H
#define PROFILING_REPORT_MEASURES_H

#include "report/report.h"

/* Share of the window with GPU work, or share of the step time that CPU threads worked. */
double measure_utilisation(const prof_report *report, const prof_report_window *window);

/* Share of the step time in which no stage ran, on the computing device. On a GPU from the
 * start of a step's first operation to the end of its last, which leaves out replayed graphs. */
double measure_host_overhead(const prof_report *report, const prof_report_window *window);

/* Mean time of a kernel, ns. */
double measure_kernel_time(const prof_report_window *window);

/* Kernels a step; of the steps that were not replayed from a graph. */
double measure_kernels_per_step(const prof_report_window *window);

/* Bytes of the static cost over the time of the stages, B/s; and its ratio to the peak bandwidth.
 */
double measure_byte_rate(const prof_report_window *window);
double measure_bandwidth(const prof_report_window *window);

/* Share of the stages' time in stages whose fraction of the bandwidth peak is less than
 * `fraction`, of those that it bounds. */
double measure_slow_share(const prof_report_window *window, double fraction);

/* A phase of the run; NULL if there was none. */
const prof_report_phase *measure_phase(const prof_report_window *window, const char *name);

/* Share of the run without its setup that went into output and diagnostics, and how often there
 * was one of them. */
double measure_output_share(const prof_report_window *window, int64_t *count);

/* Share of the steps that threads waited for the one that worked longest on a stage, and the stage
 * that has most of it (NULL: none). */
double measure_imbalance(const prof_report_window *window, const prof_report_thread **worst);

/* Share of the steps that even the thread that worked longest did not work on its stage: begin and
 * end of parallel work; and the stage that has most of it. */
double measure_waiting(const prof_report_window *window, const prof_report_thread **worst);

/* Totals of the thread counters: time measured and time on a core [ns], switches; time 0
 * if nothing was measured. */
typedef struct thread_counts {
    double time, on_core, switches;
} thread_counts;
thread_counts measure_counts(const prof_report_window *window);

/* Copies between host and device: time [ns], bytes, number. */
typedef struct transfers {
    double time, bytes, count;
} transfers;
transfers measure_transfers(const prof_report_window *window);

/* Time of the calls of a kind whose names contain a word, ns, and their number. */
double measure_calls(const prof_report_window *window, const char *kind, const char *word,
                     double *count);

/* Spread of the step's time: between its quartiles over its median, on the device that computed. */
double measure_spread(const prof_report *report, const prof_report_window *window);

#endif
