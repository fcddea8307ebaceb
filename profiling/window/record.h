/* WHAT A WINDOW'S DOCUMENTS HOLD: the records of summary.json and report.json.
 *
 * fields.h has a table of the members of each record; it serves to write and to read. Texts and
 * arrays belong to the pool with which a record is filled, or to the trace. Texts are UTF-8; those
 * that are read are never NULL unless stated. Times are nanoseconds unless a name has another unit,
 * sizes bytes. An unknown double is NAN, an unknown integer -1. */
#ifndef PROFILING_WINDOW_RECORD_H
#define PROFILING_WINDOW_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "window/device_model.h"
#include "window/ranks.h"
#include "window/trace.h"

/* Statistics of a set of values; with `count` 0 all other members are NAN. */
typedef struct prof_spread {
    int64_t count;
    double total, mean, median;
    double low, high; /* quartiles */
    double min, max, deviation;
} prof_spread;

/* Peak rates of the device: measured in the run, otherwise from the data sheet. */
typedef struct prof_report_peaks {
    double bandwidth;         /* B/s of the memory, read and written together */
    double flops;             /* 1/s, in the precision of the run where it was measured */
    double fp64, fp32;        /* 1/s, as measured; NAN: not measured */
    const char *flops_of;     /* "FP64" or "FP32": the precision of `flops` */
    const prof_cache *caches; /* smallest first; none in profiles of earlier versions */
    int cache_count;
    bool bandwidth_is_measured, flops_are_measured;
    double ridge; /* ridge point of the roofline of the memory, FLOP/B */
} prof_report_peaks;

typedef struct prof_report_step {
    int64_t step;
    double host, gpu; /* gpu: from the start of its first to the end of its last operation */
    int64_t gpu_ops;
} prof_report_step;

typedef struct prof_report_buffer {
    const char *name;
    double bytes; /* in one call */
    bool writes;
    const char *access; /* "read" or "write", in summary.json */
} prof_report_buffer;

/* Static cost of one call of a stage, mean over the calls. */
typedef struct prof_report_cost {
    const char *stage;
    double flops, read_bytes, written_bytes;
    double reach; /* bytes that a step touches between two accesses of its data; NAN: unknown */
    prof_report_buffer *buffers;
    int buffer_count;
} prof_report_cost;

/* A stage of the step: its time, its static cost and the resulting rates. */
typedef struct prof_report_stage {
    const char *name;
    double calls_per_step;
    prof_spread host;  /* of its regions; none where it ran in a replayed graph */
    prof_spread gpu;   /* of its operations on the GPU, each */
    prof_spread calls; /* of its calls on the GPU; none in profiles of earlier versions */
    double total;      /* of the window on the device that computed: host, or sum of gpu */
    double share;      /* 0..1: of the steps' time on a CPU, of all stages' time on a GPU */
    double call;       /* time of one call there: the mean, as bytes and flops are means of calls */
    double waits;      /* 0..1: of that time for messages of other ranks */
    double work;       /* time of one call without waits */
    double total_work; /* of the window, without waits */
    /* static cost of one call, mean over the calls; NAN if the profile has none */
    double read_bytes, written_bytes, bytes, flops;
    double reach; /* bytes that a step touches between two accesses of its data; NAN: unknown */
    prof_report_buffer *buffers;
    int buffer_count;
    const char *served_by; /* the smallest cache that holds its reach; "memory" if none does */
    double serving;        /* B/s of copies there */
    /* rates */
    double bandwidth; /* B/s, bytes over work */
    double flop_rate; /* 1/s, flops over work */
    double intensity; /* FLOP/B */
    prof_bound bound;
    double attainable; /* 1/s: the roofline at its intensity */
    double fraction;   /* of the roofline; above 1 if a faster memory serves the stage */
} prof_report_stage;

/* Any region, as summary.json has it. */
typedef struct prof_report_region {
    const char *name;
    const char *kind; /* "phase", "step", "part", "stage", "launch", "wait" */
    prof_spread host, gpu;
    double share; /* of the steps, 0..1 */
    int64_t gpu_ops;
} prof_report_region;

typedef struct prof_report_kernel {
    const char *name;
    const char *stage; /* "" if not known */
    prof_spread time;
    double share; /* of all kernels' time, 0..1 */
    int64_t grid[3], block[3];
    int64_t registers; /* per thread */
    int64_t static_shared, dynamic_shared;
    int64_t local;    /* bytes per thread: spills and stack */
    double occupancy; /* theoretical, percent */
} prof_report_kernel;

typedef struct prof_report_copy {
    const char *operation; /* "[CUDA memcpy Host-to-Device]" */
    prof_spread time;
    prof_spread bytes;
    double bandwidth; /* B/s */
} prof_report_copy;

typedef struct prof_report_call {
    const char *name;
    const char *kind; /* "runtime", "driver", "synchronize", "overhead" */
    prof_spread time;
    int64_t failed;
} prof_report_call;

/* Work of one CPU thread on a stage. */
typedef struct prof_report_thread {
    const char *stage, *thread;
    int64_t id;
    prof_spread time;
    double share_of_stage;
    double imbalance;                     /* of the stage: longest thread over mean; 1: even */
    int64_t counters[PROF_COUNTER_COUNT]; /* -1: not measured */
    double instructions_per_cycle;
} prof_report_thread;

/* A part of a stage, by samples of the code that ran. */
typedef struct prof_report_part {
    const char *stage;
    const char *name; /* "": code of the stage that is in none of its parts */
    int64_t samples;
    double time;  /* samples times their period; NAN: unknown */
    double share; /* of the stage's samples, 0..1 */
} prof_report_part;

typedef struct prof_report_use {
    double bytes;
    int64_t blocks;
} prof_report_use;

typedef struct prof_report_site {
    const char *label, *function, *file;
    int64_t line;
    prof_report_use before, after;
} prof_report_site;

typedef struct prof_report_memory {
    double before, after; /* in use */
    double peak;          /* since the run began, as the window closed */
    double peak_before;   /* the same as it opened */
    int64_t blocks_before, blocks_after;
    prof_report_use allocated, released, untracked;
    prof_report_site *sites; /* largest first */
    int site_count;
} prof_report_memory;

/* Samples of one quantity of a GPU; `count` 0: none. */
typedef struct prof_report_quantity {
    int64_t count;
    double mean, min, max;
} prof_report_quantity;

/* Counters of a GPU over time. */
typedef struct prof_report_sampled {
    bool is_known;
    const char *chip;      /* "GH100" */
    int64_t period, count; /* requested [ns]; number of intervals */
    prof_report_quantity value[PROF_SAMPLED_COUNT];
} prof_report_sampled;

typedef struct prof_report_gpu {
    int64_t ops;
    double busy;       /* ns of the window in which an operation ran */
    double idle_share; /* of the window, 0..1 */
    prof_spread launch_latency;
    prof_spread queue;               /* from the end of a launch to the start of its operation */
    prof_report_quantity sm, memory; /* percent */
    prof_report_quantity memory_used;
    prof_report_quantity sm_clock, memory_clock; /* MHz */
    prof_report_quantity power;                  /* W */
    prof_report_quantity temperature;            /* degrees C */
    prof_report_sampled sampled;
} prof_report_gpu;

/* A quantity of one call: static cost and GPU counter. */
typedef struct prof_cost_check {
    double formula, counted;
    double ratio; /* counted over formula; NAN where one of them is not known or the latter is 0 */
} prof_cost_check;

/* GPU counters of a stage for one call (mean over the calls of a step), beside its
 * static cost. */
typedef struct prof_stage_counters {
    const char *stage;
    int64_t calls; /* in a step */
    prof_counted_kernel *kernels;
    int kernel_count;
    double time; /* of the serialized kernels, including the overhead of counting */
    double read_bytes, written_bytes; /* of device memory */
    double l2_bytes, l1_bytes;        /* requested */
    prof_cost_check bytes;            /* static cost, and traffic of device memory */
    prof_cost_check flops;
    /* roofline position from the counters; members as in prof_report_stage */
    double intensity, flop_rate, bandwidth;
    prof_bound bound;
    double fraction;
} prof_stage_counters;

/* Counters of a stage: sums over its calls in a step. */
typedef struct prof_counted_row {
    prof_counted_stage sums;
    double flops; /* FP64; negative or NAN: not counted */
    prof_counted_kernel *kernels;
    int kernel_count;
} prof_counted_row;

typedef struct prof_report_counters {
    bool is_known;    /* false: nothing was counted */
    const char *chip; /* "GH100" */
    int64_t passes, first_step;
    prof_counted_row *rows; /* as recorded; the rest is derived */
    int row_count;
    prof_stage_counters *stages; /* in the order of their first calls; none without counters */
    int stage_count;
} prof_report_counters;

/* The GPU's state from the first step to the end of the run, gpu_log.csv. */
typedef struct prof_report_log {
    prof_gpu_sample *samples; /* their times are from the first one */
    int64_t count;            /* 0: there is no log */
    double start;             /* of the first one, ns since the epoch */
    prof_report_quantity sm, memory, memory_used, sm_clock, memory_clock, power, temperature;
} prof_report_log;

typedef enum prof_grade {
    PROF_GRADE_GOOD,
    PROF_GRADE_WARNING,
    PROF_GRADE_BAD,
    PROF_GRADE_UNKNOWN /* not in the profile, or not applicable */
} prof_grade;

/* "good", "warning", "bad", "unknown". */
const char *prof_grade_name(prof_grade grade);

/* A number that is graded: the key performance indicators. */
typedef struct prof_indicator {
    const char *name;
    double value;
    const char *unit; /* "%", "us", "ms", "x" */
    prof_grade grade;
    const char *good, *warning, *bad; /* ranges in words: "> 80 %", "50-80 %", "< 50 %" */
    const char *meaning;              /* definition and computation */
    const char *why_unknown;          /* "" unless grade is unknown */
} prof_indicator;

/* A performance pattern that was found. Severity good marks a healthy pattern that is worth
 * reporting. */
typedef struct prof_finding {
    const char *pattern;  /* short: "GPU idle gaps" */
    prof_grade severity;  /* good, warning or bad */
    const char *evidence; /* a sentence with the numbers */
    const char *cause;
    const char *advice; /* what to try */
} prof_finding;

/* A question of the checklist and the answer from the profile. */
typedef struct prof_check {
    const char *group; /* "Is the GPU actually busy?"; equal for neighbours of one group */
    const char *question;
    const char *answer;
    prof_grade grade;
} prof_check;

/* A quantity over the ranks; `count` is their number, 0: unknown. */
typedef struct prof_over_ranks {
    int64_t count;
    double least, median, greatest;
} prof_over_ranks;

/* A stage on all ranks, in a step: times are medians of the steps. */
typedef struct prof_report_rank_stage {
    const char *stage;
    prof_over_ranks time, work, exposed; /* work: time without exposed */
    double rank_0_exposed;               /* the exposed of rank 0 */
    double imbalance;                    /* greatest work over the mean of the ranks; 1: even */
    int64_t slowest;                     /* the rank of the greatest work; -1: unknown */
    double exchanges;
    double messages, received; /* of the rank that receives most; bytes */
} prof_report_rank_stage;

/* All ranks of the computation; `count` 0: it has one, or the profile is of an earlier version. All
 * other members of a window are of rank 0. */
typedef struct prof_report_ranks {
    bool is_known;
    int64_t count;
    int64_t traced; /* ranks whose records are in the traces */
    prof_over_ranks step;
    double imbalance, exposed_share; /* of a step, as for its stages; 0..1 */
    prof_rank *each;                 /* by number, `count` of them */
    prof_report_rank_stage *stages;  /* longest first */
    int each_count, stage_count;
} prof_report_ranks;

/* Operations of the GPU on a stage, or on another region of that name. */
typedef struct prof_gpu_time {
    const char *stage;
    prof_spread time, calls;
} prof_gpu_time;

typedef struct prof_report_window {
    const char *folder; /* its path */
    const char *date;   /* when it opened, "2026-11-20 17:09:15 UTC" */
    const char *mode;   /* "trace", "summary" */
    int64_t first_step, steps;
    int64_t start;                   /* ns since the epoch */
    double duration;                 /* how long it was open */
    prof_spread step_host, step_gpu; /* time of a step */
    double step;                     /* median on the device that computed */
    prof_report_step *each;
    int64_t step_count;
    prof_phase_time *phases;
    prof_report_region *regions;
    int phase_count, region_count;
    prof_gpu_time *gpu_times;
    prof_report_cost *costs;
    int gpu_time_count, cost_count;
    prof_report_stage *stages;   /* largest share first */
    prof_report_thread *threads; /* by stage, then thread */
    prof_report_part *parts;     /* by stage; none unless sampled, or in earlier versions */
    int stage_count, thread_count, part_count;
    double other_share;          /* of the step outside of all stages, 0..1; NAN on a GPU */
    prof_report_kernel *kernels; /* largest total first */
    prof_report_copy *copies;
    int kernel_count, copy_count;
    prof_report_call *calls;
    const char **warnings;
    int call_count, warning_count;
    prof_report_memory memory;
    prof_report_gpu gpu; /* filled if has_gpu */
    prof_report_counters counters;
    prof_report_peaks peaks;
    prof_tracing tracing;
    prof_report_ranks ranks;
    prof_drops drops;
    /* derived from the members above */
    prof_indicator *indicators;
    prof_finding *findings; /* worst first */
    prof_check *checks;
    int indicator_count, finding_count, check_count;
    bool has_gpu;
} prof_report_window;

/* A fact that the program records of its run ("run" of summary.json). */
typedef struct prof_report_fact {
    const char *name, *text; /* numbers as text, too */
} prof_report_fact;

typedef struct prof_report {
    const char *directory; /* as given by the caller */
    const char *case_name, *version, *build, *host, *closure, *precision; /* "" if not known */
    const char *date;                                                     /* of the first window */
    const char *backend;                                                  /* "cpu" or "cuda" */
    int64_t process;
    int64_t n, order, run_steps;
    double unknowns;
    double dt; /* s of model time */
    prof_device_info device;
    prof_report_fact *facts; /* all of them */
    int fact_count;
    prof_report_log log;
    prof_report_window *windows; /* by first step; at least one */
    int window_count;
    int shown; /* the window to be shown in full: the window with the median step time */
    struct json_t *timeline; /* its timeline.json; NULL: there is none */
    struct swe_pool *pool;   /* private */
} prof_report;

/* The content of summary.json: members of the run and of the window. */
typedef struct prof_summary {
    prof_report run;
    prof_report_window window;
} prof_summary;

#endif
