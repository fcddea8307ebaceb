/* The recorder: the stack of regions, and while a window is open a span for each of them and for
 * what every CPU thread does of a stage. */
#ifndef PROFILING_RECORD_RECORDER_H
#define PROFILING_RECORD_RECORDER_H

#include "sources/perf/perf.h"
#include "trace/trace.h"

typedef struct prof_recorder prof_recorder;

/* Regions that the main thread is in, the innermost last. */
typedef struct prof_frame {
    int region;
    int64_t begin; /* [ns]; 0 where it was not needed */
    int64_t step;  /* of a step; -1 */
    int32_t span;  /* while a window is open; -1 */
} prof_frame;

/* At most `max_events` spans of the main thread and as many of all others are kept in a window.
 * NULL if there is no memory. */
prof_recorder *prof_recorder_create(const prof_region *regions, int count, int64_t max_events);
void prof_recorder_destroy(prof_recorder **recorder);

/* Threads 0..threads-1 take part in stages; `perf` counts for them (NULL: nothing does). Called
 * once, no window open. False if there is no memory. */
bool prof_recorder_threads(prof_recorder *recorder, int threads, prof_perf *perf);

/* The next step begins after this many steps; and after how many it begins by now. */
void prof_recorder_at_step(prof_recorder *recorder, int64_t step);
int64_t prof_recorder_step(const prof_recorder *recorder);

/* A region begins on the main thread; its frame holds until it ends. Ends the innermost. */
const prof_frame *prof_recorder_begin(prof_recorder *recorder, int region);
void prof_recorder_end(prof_recorder *recorder);

/* A thread's part of the innermost region, called on that thread. */
void prof_recorder_part_begin(prof_recorder *recorder, int thread);
void prof_recorder_part_end(prof_recorder *recorder, int thread);

/* A window opens, and closes: then spans, threads, drops and the phases of the run so far go to the
 * trace; false if there is no memory. No region is begun across either. */
void prof_recorder_open(prof_recorder *recorder);
bool prof_recorder_close(prof_recorder *recorder, prof_trace *trace);

#endif
