/* How the GPU's time within a window went by. */
#ifndef PROFILING_TRACE_GPU_TIME_H
#define PROFILING_TRACE_GPU_TIME_H

#include "trace/statistics.h"
#include "trace/trace.h"

/* Time within the window when at least one operation ran [ns]. */
int64_t prof_gpu_busy(const prof_trace *trace);

/* What passed between the calls that launched work and the first operation of each [ns]; one group,
 * or none. To be destroyed. */
typedef struct prof_launch_delays {
    prof_groups *latency; /* from the start of the call to the start of the operation */
    prof_groups *queue;   /* from the end of the call, 0 if the operation started before it */
} prof_launch_delays;

/* False if there is no memory. */
bool prof_launch_delays_of(const prof_trace *trace, prof_launch_delays *delays);
void prof_launch_delays_destroy(prof_launch_delays *delays);

#endif
