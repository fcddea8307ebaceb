/* Distribution of the stages' work over CPU threads: times, imbalance, counters. */
#ifndef PROFILING_TRACE_THREAD_WORK_H
#define PROFILING_TRACE_THREAD_WORK_H

#include "trace/statistics.h"
#include "trace/trace.h"

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
