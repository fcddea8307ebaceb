/* Counters of the GPU (memory traffic, FP64 operations) by stage, from CUPTI's range profiler.
 *
 * A stage's call within a step is a range. What one pass cannot count takes further ones: each
 * takes the next step, which launches the same kernels with the same sizes, so that nothing has to
 * be saved and run again, and caches are as they are in a run. Ranges follow each other without
 * overlap, so times are not those of an undisturbed run, and activity records cannot be had
 * meanwhile: a window of counters has no GPU trace.
 *
 * The library is found as cupti_source.h says. All functions are for the main thread. A source that
 * is NULL counts nothing. */
#ifndef PROFILING_SOURCES_COUNTERS_GPU_COUNTERS_H
#define PROFILING_SOURCES_COUNTERS_GPU_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "record/log.h"
#include "profiler.h"
#include "trace/trace.h"

typedef struct prof_gpu_counters prof_gpu_counters;

/* For the device of that number (CUDA's); CUDA is in use already. At most `max_ranges` calls of
 * stages are counted of a step. NULL after one warning that says why. */
prof_gpu_counters *prof_gpu_counters_create(int32_t device, int64_t max_ranges, prof_log *log);

/* A window opens; the device is idle, no region begun. */
void prof_gpu_counters_start(prof_gpu_counters *counters);

/* A region begins, at a model step (-1 outside of steps), or ends. Its name outlives the source.
 * Also called outside of windows: the steps there tell what room a step needs. */
void prof_gpu_counters_begin(prof_gpu_counters *counters, prof_region region, int64_t step);
void prof_gpu_counters_end(prof_gpu_counters *counters);

/* The window closes; the device is idle. What was counted is given to the trace, or one warning
 * says why there is nothing. */
void prof_gpu_counters_stop(prof_gpu_counters *counters, prof_trace *trace, prof_log *log);

void prof_gpu_counters_destroy(prof_gpu_counters **counters);

#endif
