/* What the CPU threads do of the stages that they share. */
#ifndef PROFILING_TRACE_THREAD_WORK_H
#define PROFILING_TRACE_THREAD_WORK_H

#include "trace/statistics.h"
#include "trace/trace.h"

/* One thread's parts of one stage. */
typedef struct prof_thread_work {
    const char *stage;
    int32_t thread;      /* index into the trace's threads */
    prof_group parts;    /* their times; the values belong to `groups` below */
    int64_t stage_total; /* time of the stage on the main thread [ns] */
    double share;        /* of the stage's time that the thread worked */
    double imbalance;    /* of the stage: the busiest thread's time over the threads' mean */
    int64_t counts[PROF_COUNTER_COUNT]; /* over the parts where measured; -1 if nowhere */
    double instructions_per_cycle;      /* over the parts where both were measured; -1: nowhere */
} prof_thread_work;

typedef struct prof_thread_works {
    prof_thread_work *work; /* by stage, then by thread */
    int64_t count;
    prof_groups *groups;
} prof_thread_works;

/* False if there is no memory. */
bool prof_thread_works_of(const prof_trace *trace, prof_thread_works *works);
void prof_thread_works_destroy(prof_thread_works *works);

#endif
