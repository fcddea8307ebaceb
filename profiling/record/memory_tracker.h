/* What device memory is allocated, where, and what for. */
#ifndef PROFILING_RECORD_MEMORY_TRACKER_H
#define PROFILING_RECORD_MEMORY_TRACKER_H

#include "trace/trace.h"

typedef struct prof_memory_tracker prof_memory_tracker;

/* NULL if there is no memory. */
prof_memory_tracker *prof_memory_tracker_create(void);
void prof_memory_tracker_destroy(prof_memory_tracker **tracker);

/* A block was allocated, or is about to be released. */
void prof_memory_tracker_add(prof_memory_tracker *tracker, uint64_t address, int64_t bytes,
                             prof_place place);
void prof_memory_tracker_remove(prof_memory_tracker *tracker, uint64_t address);

/* What was in use before no longer counts for the most that is: it was the profiler's own doing. */
void prof_memory_tracker_forget_peak(prof_memory_tracker *tracker);

/* A window opens: keep what is allocated now, and what comes. */
void prof_memory_tracker_open(prof_memory_tracker *tracker);

/* The window closes: give sites, blocks and events to the trace. False if there is no memory. */
bool prof_memory_tracker_close(prof_memory_tracker *tracker, prof_trace *trace);

#endif
