/* Tracks allocations of device memory with their sizes, sites and times. Main thread only. */
#ifndef PROFILING_RECORD_MEMORY_TRACKER_H
#define PROFILING_RECORD_MEMORY_TRACKER_H

#include "trace/trace.h"

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
