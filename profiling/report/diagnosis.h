/* THE DIAGNOSIS of a window: measures, rules that detect patterns, answers of the checklist. */
#ifndef PROFILING_REPORT_DIAGNOSIS_H
#define PROFILING_REPORT_DIAGNOSIS_H

#include "base/json_reader.h"
#include "report/report.h"

/* Input and output of a rule or an answer. */
typedef struct diagnosis {
    pool *pool; /* owns the texts */
    const prof_report *report;
    const prof_report_window *window;
    prof_finding *finding; /* of a rule that applies */
    const char *text;      /* of an answer */
} diagnosis;

/* ---- measures ----
 *
 * Shares are 0..1; NAN if the profile lacks the data. */

/* Share of the window with GPU work, or share of the step time that CPU threads worked. */
double measure_utilisation(const diagnosis *c);

/* Share of the step time in which no stage ran, on the computing device. On a GPU from the
 * start of a step's first operation to the end of its last. */
double measure_host_overhead(const diagnosis *c);

/* Mean time of a kernel, ns. */
double measure_kernel_time(const diagnosis *c);

/* Kernels per step. */
double measure_kernels_per_step(const diagnosis *c);

/* Bytes of the static cost divided by the time of the stages, B/s. */
double measure_byte_rate(const diagnosis *c);
/* The same if each stage moved its bytes at the copy bandwidth of the memory that serves it. */
double measure_serving(const diagnosis *c);
/* The ratio of both. */
double measure_bandwidth(const diagnosis *c);

/* Share of the stages' time in stages whose fraction of the bandwidth peak is less than
 * `fraction`, of those that it bounds. */
double measure_slow_share(const diagnosis *c, double fraction);

/* A phase of the run; NULL if there was none. */
const prof_phase_time *measure_phase(const diagnosis *c, const char *name);

/* Share of output and diagnostics in the time of the run, setup excluded, and their number. */
double measure_output_share(const diagnosis *c, int64_t *count);

/* Share of the steps that threads waited for the one that worked longest on a stage, and the stage
 * with most of it; `worst` may be NULL. */
double measure_imbalance(const diagnosis *c, const prof_report_thread **worst);

/* Share of the steps that even the thread that worked longest did not work on its stage: begin and
 * end of parallel work; and the stage with most of it. */
double measure_waiting(const diagnosis *c, const prof_report_thread **worst);

/* Totals of the thread counters: time measured and time on a core [ns], switches; time 0
 * if nothing was measured. */
typedef struct thread_counts {
    double time, on_core, switches;
} thread_counts;
thread_counts measure_counts(const diagnosis *c);

/* Copies between host and device: time [ns], bytes, number. */
typedef struct transfers {
    double time, bytes, count;
} transfers;
transfers measure_transfers(const diagnosis *c);

/* Time of the calls of a kind whose names contain a word, ns, and their number. */
double measure_calls(const diagnosis *c, const char *kind, const char *word, double *count);

/* Overhead of tracing: traced over untraced time of a step, less 1; NAN also if it is noise. */
double measure_tracing(const diagnosis *c);

/* Spread of the step's time: between its quartiles over its median, on the device that computed. */
double measure_spread(const diagnosis *c);

/* The rank that works longest, and its work over the mean of the ranks, less 1; NULL and NAN: not
 * known, or one rank. */
const prof_rank *measure_slowest_rank(const diagnosis *c);
double measure_rank_imbalance(const diagnosis *c);

/* Whether other ranks compute on the CPU of rank 0 and may use its caches, too. */
bool measure_shares_caches(const diagnosis *c);

/* Share of the stages' time in which ranks wait for messages of others, mean of the ranks. */
double measure_exposed(const diagnosis *c);

/* ---- patterns ---- */

static const char pattern_host_bound[] = "Host-bound: launch overhead";
static const char pattern_idle_gaps[] = "GPU idle gaps";
static const char pattern_copies[] = "Large copies between host and GPU";
static const char pattern_small_kernels[] = "Many small kernels";
static const char pattern_few_blocks[] = "Grids too small for the GPU";
static const char pattern_low_occupancy[] = "Low occupancy";
static const char pattern_spills[] = "Register spills";
static const char pattern_busy_machine[] = "CPU cores shared with other work";
static const char pattern_imbalance[] = "Thread imbalance";
static const char pattern_waiting[] = "Fork and barrier overhead";
static const char pattern_rank_imbalance[] = "Rank imbalance";
static const char pattern_exposed[] = "Exposed messages between ranks";
static const char pattern_clocks[] = "Uncertain clocks of ranks";
static const char pattern_dominating[] = "One stage dominates";
static const char pattern_below_peak[] = "Memory-bound, far below peak bandwidth";
static const char pattern_cached[] = "Working set fits in the caches";
static const char pattern_near_memory[] = "Memory-bound, near peak bandwidth";
static const char pattern_near_compute[] = "Compute-bound, near peak FLOP rate";
static const char pattern_output[] = "Output and diagnostics are expensive";
static const char pattern_unexplained[] = "Bad indicators without a known cause";
static const char pattern_drops[] = "Dropped profiler records";
static const char pattern_more_traffic[] = "More memory traffic than the static cost";
static const char pattern_less_traffic[] = "Less memory traffic than the static cost";
static const char pattern_more_operations[] = "More operations than the static cost";
static const char pattern_fewer_operations[] = "Fewer operations than the static cost";

/* Thresholds of the patterns. Shares are 0..1. */
/* Share of the window in which the GPU was idle; of the steps spent in launching calls. */
static const double limit_idle = 0.20, limit_idle_bad = 0.50, limit_launch_share = 0.50;
/* A small kernel is shorter than this [ns]; share of small ones in launches and in kernel time. */
static const double limit_kernel_small = 5e3, limit_small_launches = 0.50, limit_small_time = 0.25;
/* Share of the window in copies between host and device; slower copies [B/s] are not pinned. */
static const double limit_copies = 0.10, limit_copies_bad = 0.25, limit_pageable = 8e9;
/* Share of one stage in the step, and the least number of stages for which it is judged. */
static const double limit_dominant = 0.50, limit_dominant_bad = 0.75;
static const int limit_dominant_min_stages = 3;
/* Fraction of the roofline that counts as optimal. */
static const double limit_near_peak = 0.60;
/* Fraction of the bandwidth that only caches give, or that is poor; share of such stages. */
static const double limit_cached = 1.25, limit_cached_share = 0.10;
static const double limit_below_peak = 0.40, limit_below_share = 0.50;
/* Occupancy [percent]; share of the kernel time in kernels below it. */
static const double limit_occupancy = 50.0, limit_occupancy_bad = 25.0,
                    limit_occupancy_share = 0.10;
/* Share of the kernel time in kernels with fewer blocks than multiprocessors; with local memory. */
static const double limit_few_blocks_share = 0.50, limit_spill_share = 0.01,
                    limit_spill_share_bad = 0.25;
/* Shares of the step time. A stage shorter than this [ns] spends much of it on fork and barrier. */
static const double limit_imbalance = 0.10, limit_imbalance_bad = 0.25, limit_waiting = 0.10,
                    limit_waiting_bad = 0.25, limit_short_stage = 100e3;
/* Greatest work of a rank over the mean of the ranks, less 1; the part of it that the rank's share
 * of the vertices explains if blocks are uneven. */
static const double limit_rank_imbalance = 0.10, limit_rank_imbalance_bad = 0.30,
                    limit_uneven_blocks = 0.50;
/* Share of the stages' time in which ranks wait for messages; uncertainty of a clock, in steps. */
static const double limit_exposed = 0.05, limit_exposed_bad = 0.20, limit_clock = 0.10;
/* Overhead of tracing that is noise if it is negative, or below the spread of the steps. */
static const double limit_tracing = 0.05;
/* Share of the threads' time on a core. */
static const double limit_on_core = 0.90, limit_on_core_bad = 0.70;
/* Share of output and diagnostics in the run without its setup, and the least number of outputs and
 * diagnostics for which it is judged. */
static const double limit_output = 0.15, limit_output_bad = 0.40;
static const int limit_output_count = 3;
/* Relative difference of counters and static cost of a stage; the least share of a step's bytes or
 * operations that is reported; the excess traffic, as a share of a step's bytes. */
static const double limit_counter_tolerance = 0.10, limit_counter_min_share = 0.02,
                    limit_excess_traffic_bad = 0.50;

/* A rule is true, and has stored its finding, if its pattern is present. Rules are called in a
 * fixed order, so that a rule can check whether an earlier one explains its pattern. */
typedef bool finding_rule(diagnosis *c);
finding_rule find_host_bound, find_idle_gaps, find_copies, find_small_kernels, find_few_blocks,
    find_low_occupancy, find_spills;
finding_rule find_rank_imbalance, find_exposed, find_clocks;
finding_rule find_more_traffic, find_less_traffic, find_more_operations, find_fewer_operations;

/* Store a finding with its evidence, a format; returns true. */
bool found(diagnosis *c, const char *pattern, prof_grade severity, const char *cause,
           const char *advice, const char *evidence, ...) __attribute__((format(printf, 6, 7)));
/* PROF_GRADE_BAD if a value is beyond the limit `bad`, otherwise PROF_GRADE_WARNING. */
prof_grade severity_of(double value, double bad);

/* Whether a pattern was found; and its severity. If it was not found: good, or unknown where the
 * times of the window are not reliable. */
bool finding_exists(const prof_report_window *window, const char *pattern);
prof_grade finding_severity(const prof_report_window *window, const char *pattern);

/* ---- the checklist ---- */

/* An answer stores its text and returns its grade. */
typedef prof_grade check_answer(diagnosis *c);
check_answer check_bandwidth, check_intensity, check_roofline, check_throughput, check_pinned,
    check_size, check_precision, check_occupancy, check_memory_rate, check_flop_rate;

/* Store a text, a format; returns the grade. */
prof_grade answer(diagnosis *c, prof_grade grade, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Whether the run used a GPU; whether no GPU operation was recorded, which becomes the text. */
bool check_on_gpu(const diagnosis *c);
bool check_no_gpu_data(diagnosis *c);
/* The grade of an indicator; unknown if the device has none of that name. */
prof_grade check_grade(const diagnosis *c, const char *indicator);

#endif
