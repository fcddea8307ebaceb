/* Hardware and software counters of CPU threads, from Linux perf events.
 *
 * Counters cover user space and kernel, or user space only if perf_event_paranoid requires that. */
#ifndef PROFILING_SOURCES_PERF_PERF_H
#define PROFILING_SOURCES_PERF_PERF_H

#include "record/log.h"
#include "trace/trace.h"

typedef struct prof_perf prof_perf;

/* Whether the cores have hardware counters, permitted or not; virtual machines often have none. */
bool prof_perf_has_hardware(void);

/* Counters for the threads 0 to threads - 1. One warning names those that the machine does not have
 * or does not allow, which read as -1; NULL if that is all of them, or if there is no memory. The
 * log must outlive it. */
prof_perf *prof_perf_create(int threads, prof_log *log);

/* Also warns if a thread could not open its counters. No thread is reading. */
void prof_perf_destroy(prof_perf **perf);

/* Counts of the calling thread, which goes by the number `thread`, since its first call; that one
 * opens the counters. Numbers are independent of each other; one has one caller at a time.
 *
 * A number's OS thread may change, as in a pool. Its counters are then opened anew and count from
 * zero: use prof_perf_since for differences. A read of the software's counters took 0.8 to 1.5
 * microseconds on a virtual machine (test_perf --bench). */
void prof_perf_read(prof_perf *perf, int thread, int64_t counts[PROF_COUNTER_COUNT]);

/* What was counted since a read of the same number. -1 where that is not known: not measured, the
 * number's OS thread is another one than then, or counters shared with others were scaled too
 * roughly. */
void prof_perf_since(prof_perf *perf, int thread, const int64_t before[PROF_COUNTER_COUNT],
                     int64_t counts[PROF_COUNTER_COUNT]);

#endif
