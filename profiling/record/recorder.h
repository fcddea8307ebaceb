/* The recorder: keeps the stack of open regions and, while a window is open, one span for each
 * region and for each CPU thread's share of a stage. Times are [ns] of swe_clock_ns. */
#ifndef PROFILING_RECORD_RECORDER_H
#define PROFILING_RECORD_RECORDER_H

#include "sources/perf/perf.h"
#include "trace/trace.h"

typedef struct prof_recorder prof_recorder;

/* Stack frame of an open region on the main thread. */
typedef struct prof_frame {
    int region;
    int64_t begin; /* [ns]; 0 outside of windows, except for phases */
    int64_t step;  /* model step; -1 outside of steps */
    int32_t span;  /* index of its span; -1: not recorded */
} prof_frame;

/* A window keeps at most `max_events` spans of the main thread and as many of all other threads
 * together. `regions` must outlive the recorder. NULL without memory. */
prof_recorder *prof_recorder_create(const prof_region *regions, int count, int64_t max_events);
void prof_recorder_destroy(prof_recorder **recorder);

/* Set the number of threads that share stages, and their counters (NULL: none). Called once, before
 * the first window. False without memory. */
bool prof_recorder_threads(prof_recorder *recorder, int threads, prof_perf *perf);

/* Set and get the number of the next step. */
void prof_recorder_at_step(prof_recorder *recorder, int64_t step);
int64_t prof_recorder_step(const prof_recorder *recorder);

/* Begin a region, and end the innermost one, on the main thread. The frame is valid until the
 * region ends; NULL if the stack is deeper than the recorder keeps. */
const prof_frame *prof_recorder_begin(prof_recorder *recorder, int region);
void prof_recorder_end(prof_recorder *recorder);

/* Begin and end of a thread's share of the innermost region, called on that thread. */
void prof_recorder_thread_begin(prof_recorder *recorder, int thread);
void prof_recorder_thread_end(prof_recorder *recorder, int thread);

/* Open a window, and close it: spans, threads, drops and the phase times of the run so far are
 * copied to the trace, which owns them. False without memory. No step is open at either time. */
void prof_recorder_open(prof_recorder *recorder);
bool prof_recorder_close(prof_recorder *recorder, prof_trace *trace);

#endif
