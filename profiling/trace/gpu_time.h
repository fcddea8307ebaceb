/* Use of the GPU within a window: busy time and launch delays. */
#ifndef PROFILING_TRACE_GPU_TIME_H
#define PROFILING_TRACE_GPU_TIME_H

#include "trace/statistics.h"
#include "trace/trace.h"

/* Time within the window in which at least one operation ran [ns]. */
int64_t prof_gpu_busy(const prof_trace *trace);

/* Delays from each launching call to its first operation [ns]: one group each, or none. Owned by
 * the caller; freed by prof_launch_delays_destroy. */
typedef struct prof_launch_delays {
    prof_groups *latency; /* from the start of the call to the start of the operation */
    prof_groups *queue;   /* from the end of the call; 0 if the operation started earlier */
} prof_launch_delays;

/* False without memory. */
bool prof_launch_delays_of(const prof_trace *trace, prof_launch_delays *delays);
void prof_launch_delays_destroy(prof_launch_delays *delays);

#endif
