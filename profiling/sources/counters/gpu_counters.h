/* GPU COUNTERS: memory traffic and FP64 operations by stage, from CUPTI's range profiler.
 *
 * Each call of a stage within a step is a range. Metrics that do not fit into one pass need further
 * ones. Each pass counts another step, which launches the same kernels with the same sizes, so that
 * no kernel is replayed and caches have the state of a run. Ranges do not overlap, so times differ
 * from those of an undisturbed run. CUPTI records no activity meanwhile: such a window has no GPU
 * trace.
 *
 * The library is found as in cupti_source.h. All functions are called on the main thread; a NULL
 * source counts nothing. */
#ifndef PROFILING_SOURCES_COUNTERS_GPU_COUNTERS_H
#define PROFILING_SOURCES_COUNTERS_GPU_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "record/log.h"
#include "profiler.h"
#include "trace/trace.h"

typedef struct prof_gpu_counters prof_gpu_counters;

/* Create the source for a CUDA device; CUDA is already in use. A step counts at most `max_ranges`
 * calls of stages. NULL after one warning. */
prof_gpu_counters *prof_gpu_counters_create(int32_t device, int64_t max_ranges, prof_log *log);

/* Open a window; the device is idle and no region is open. */
void prof_gpu_counters_start(prof_gpu_counters *counters);

/* Begin and end a region at a model step (-1 outside of steps); its name must outlive the source.
 * Also called outside of windows, where steps determine the number of ranges. */
void prof_gpu_counters_begin(prof_gpu_counters *counters, prof_region region, int64_t step);
void prof_gpu_counters_end(prof_gpu_counters *counters);

/* Close the window; the device is idle. Stores the counters in the trace, or warns once. */
void prof_gpu_counters_stop(prof_gpu_counters *counters, prof_trace *trace, prof_log *log);

void prof_gpu_counters_destroy(prof_gpu_counters **counters);

#endif
