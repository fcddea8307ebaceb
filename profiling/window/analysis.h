/* DERIVED FROM A TRACE: groupings of its records with statistics, regions projected onto the GPU,
 * use of the GPU, and work of the CPU threads. Times are ns. NULL and false mean out of memory. */
#ifndef PROFILING_WINDOW_ANALYSIS_H
#define PROFILING_WINDOW_ANALYSIS_H

#include "window/statistics.h"
#include "window/trace.h"

/* ---- projections: the time span of the operations launched in each region ---- */

typedef struct prof_projection {
    int64_t start, end; /* first start and last end [ns]; undefined if ops is 0 */
    int64_t ops;        /* launched in the span or its descendants */
} prof_projection;

/* Projections of all spans, by span index; the caller frees the array. NULL without memory. */
prof_projection *prof_project(const prof_trace *trace);

/* Time of a span on the device that computed [ns]; -1: it launched nothing there. */
int64_t prof_device_time(const prof_trace *trace, const prof_projection *projections, int64_t span);

/* ---- groupings ----
 *
 * Unless stated otherwise, items are `const prof_op *`, `const prof_call *` or `const prof_span *`
 * into the trace; values are times [ns], or sizes [B]. The caller owns the result
 * (prof_groups_destroy); NULL without memory. */

/* Kernels by name; and by launch: name, stage, grid, block, resources. */
prof_groups *prof_group_kernels(const prof_trace *trace);
prof_groups *prof_group_launches(const prof_trace *trace);

/* Copies and fills by name: their times, or their bytes. */
prof_groups *prof_group_copy_times(const prof_trace *trace);
prof_groups *prof_group_copy_sizes(const prof_trace *trace);

/* Operations by stage. */
prof_groups *prof_group_stages(const prof_trace *trace);

/* Calls of stages within steps, those in replayed graphs too, by stage: times on the device that
 * computed. Items are `const char *const *`, the name. */
prof_groups *prof_group_stage_calls(const prof_trace *trace, const prof_projection *projections);

/* Calls by kind and name. */
prof_groups *prof_group_calls(const prof_trace *trace);

/* Regions by kind and name: host times; or the times of their GPU operations. */
prof_groups *prof_group_regions(const prof_trace *trace);
prof_groups *prof_group_projected(const prof_trace *trace, const prof_projection *projections);

/* Threads' shares of stages, by stage and thread. */
prof_groups *prof_group_thread_shares(const prof_trace *trace);

/* Length of a call's name without CUPTI's version suffix ("_v7000"), as nsys prints it. */
int prof_call_name_length(const char *name);

/* ---- use of the GPU within a window ---- */

/* Time within the window in which at least one operation ran [ns]. */
int64_t prof_gpu_busy(const prof_trace *trace);

/* Calls that may launch operations, by correlation id; of equal ids (a runtime call and the driver
 * call within it) the earlier, outer call first. free() `call`. False without memory. */
typedef struct prof_launch_call {
    uint32_t correlation;
    bool is_used;
    int64_t call; /* index into the trace's calls */
} prof_launch_call;

typedef struct prof_launches {
    prof_launch_call *call;
    int64_t count;
} prof_launches;

bool prof_launches_of(const prof_trace *trace, prof_launches *launches);
/* The first call of a correlation id; NULL: none. */
prof_launch_call *prof_launches_find(const prof_launches *launches, uint32_t correlation);

/* Delays from each launching call to its first operation [ns]: one group each, or none. Owned by
 * the caller; freed by prof_launch_delays_destroy. */
typedef struct prof_launch_delays {
    prof_groups *latency; /* from the start of the call to the start of the operation */
    prof_groups *queue;   /* from the end of the call; 0 if the operation started earlier */
} prof_launch_delays;

/* False without memory. */
bool prof_launch_delays_of(const prof_trace *trace, prof_launch_delays *delays);
void prof_launch_delays_destroy(prof_launch_delays *delays);

/* ---- work of the stages by CPU thread ---- */

/* One thread's shares of one stage. */
typedef struct prof_thread_work {
    const char *stage;
    int32_t thread;      /* index into the trace's threads */
    prof_group parts;    /* times of its shares; the values are owned by `groups` below */
    int64_t stage_total; /* time of the stage on the main thread [ns] */
    double share;        /* fraction of the stage's time in which the thread worked */
    double imbalance;    /* of the stage: the largest time of a thread over their mean */
    int64_t counts[PROF_COUNTER_COUNT]; /* sum over measured shares; -1: none */
    double instructions_per_cycle;      /* over shares where both were measured; -1: none */
} prof_thread_work;

typedef struct prof_thread_works {
    prof_thread_work *work; /* by stage, then by thread */
    int64_t count;
    prof_groups *groups;
} prof_thread_works;

/* False without memory; `works` is then empty. */
bool prof_thread_works_of(const prof_trace *trace, prof_thread_works *works);
void prof_thread_works_destroy(prof_thread_works *works);

#endif
