/* RECORDING: the stack of regions and the spans of a window, the schedule of windows, and
 * allocations of device memory. Main thread only, unless stated otherwise. Times are ns of
 * swe_clock_ns. */
#ifndef PROFILING_RECORD_RECORD_H
#define PROFILING_RECORD_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "sources/sources.h"
#include "window/trace.h"

/* THE RECORDER keeps the stack of open regions and, while a window is open, one span for each
 * region and for each CPU thread's share of a stage. */
typedef struct prof_recorder prof_recorder;

/* Stack frame of an open region on the main thread. */
typedef struct prof_frame {
    int region;
    int64_t begin; /* [ns]; 0 outside of windows, except for phases */
    int64_t step;  /* model step, of a launch the first one; -1 outside of steps */
    int32_t span;  /* index of its span; -1: not recorded */
} prof_frame;

/* A window keeps at most `max_events` spans of regions, and of threads' shares 1 +
 * max_events/threads of each thread. `regions` must outlive the recorder. NULL without memory. */
prof_recorder *prof_recorder_create(const prof_region *regions, int count, int64_t max_events);
void prof_recorder_destroy(prof_recorder **recorder);

/* Set the number of threads that share stages, and their counters (NULL: none). Called once, before
 * the first window. False without memory. */
bool prof_recorder_threads(prof_recorder *recorder, int threads, prof_perf *perf);

/* Make room for exchanges: `max_events` of them in a window, and a few times as many messages.
 * False without memory. */
bool prof_recorder_ranks(prof_recorder *recorder);

/* Set and get the number of the next step. */
void prof_recorder_at_step(prof_recorder *recorder, int64_t step);
int64_t prof_recorder_step(const prof_recorder *recorder);

/* Begin a region, and end the innermost one, on the main thread. The frame is valid until the
 * region ends; NULL if the stack is deeper than the recorder keeps. */
const prof_frame *prof_recorder_begin(prof_recorder *recorder, int region);
void prof_recorder_end(prof_recorder *recorder);

/* The innermost region that is no PROF_WAIT, as a number; -1: none, or too deep. Any thread, while
 * none but a PROF_WAIT begins or ends. */
int prof_recorder_region(const prof_recorder *recorder);

/* Begin and end of a thread's share of that region, called on that thread. */
void prof_recorder_thread_begin(prof_recorder *recorder, int thread);
void prof_recorder_thread_end(prof_recorder *recorder, int thread);

/* An exchange begins; false if it is not recorded. Its messages, those received first. */
bool prof_recorder_exchange(prof_recorder *recorder);
void prof_recorder_message(prof_recorder *recorder, prof_message message, bool is_sent);

/* Open a window, and close it: spans, exchanges, threads, drops and the phase times of the run so
 * far are copied to the trace, which owns them. False without memory. No step is open at either
 * time. */
void prof_recorder_open(prof_recorder *recorder);
bool prof_recorder_close(prof_recorder *recorder, prof_trace *trace);

/* THE SCHEDULE of windows, in steps: pure functions of the step number. */
typedef struct prof_schedule {
    int64_t start;    /* steps before the first window */
    int64_t duration; /* steps of a window; 0: no windows */
    int64_t interval; /* steps from one window's start to the next; 0: one window */
    int64_t last;     /* steps of the run; windows end here at the latest */
    int64_t lead;     /* steps before a window at which sources prepare */
} prof_schedule;

/* Whether the step that follows `step` steps is in a window. */
bool prof_schedule_covers(const prof_schedule *schedule, int64_t step);

/* First step, `step` or later, after which a window opens; -1: none does. */
int64_t prof_schedule_next(const prof_schedule *schedule, int64_t step);

/* Whether a window opens after `step` steps. */
bool prof_schedule_opens(const prof_schedule *schedule, int64_t step);

/* Whether sources prepare after `step` steps for the window that opens `lead` steps later, with
 * none of those steps in another window. */
bool prof_schedule_leads(const prof_schedule *schedule, int64_t step);

/* Whether a window closes after `step` steps; with adjacent windows the next one then opens. */
bool prof_schedule_closes(const prof_schedule *schedule, int64_t step);

/* Steps from `step` to the next preparation, opening or closing, at most `most`. */
int64_t prof_schedule_to_edge(const prof_schedule *schedule, int64_t step, int64_t most);

/* THE MEMORY TRACKER: allocations of device memory with their sizes, sites and times. */
typedef struct prof_memory_tracker prof_memory_tracker;

/* NULL without memory. */
prof_memory_tracker *prof_memory_tracker_create(void);
void prof_memory_tracker_destroy(prof_memory_tracker **tracker);

/* Record an allocation, and the release of the block at an address; unknown addresses are ignored.
 */
void prof_memory_tracker_add(prof_memory_tracker *tracker, uint64_t address, int64_t bytes,
                             prof_place place);
void prof_memory_tracker_remove(prof_memory_tracker *tracker, uint64_t address);

/* Restart the high-water mark at the bytes in use: the profiler's own benchmarks do not count. */
void prof_memory_tracker_reset_peak(prof_memory_tracker *tracker);

/* Open a window: copy the list of blocks and start to record events. */
void prof_memory_tracker_open(prof_memory_tracker *tracker);

/* Close the window: move sites, blocks and events to the trace. False without memory. */
bool prof_memory_tracker_close(prof_memory_tracker *tracker, prof_trace *trace);

#endif
