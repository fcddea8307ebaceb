/* Counters of the GPU over time (activity, memory traffic), from CUPTI's PM sampling: the hardware
 * itself writes their values at a fixed period into a buffer, which is read when a window closes.
 * Kernels are not disturbed, and activity records go with it; the range profiler
 * (counters/gpu_counters.h) does not, since both need the same hardware.
 *
 * The library is found as cupti_source.h says. All functions are for the main thread. A source that
 * is NULL samples nothing. */
#ifndef PROFILING_SOURCES_SAMPLING_GPU_SAMPLING_H
#define PROFILING_SOURCES_SAMPLING_GPU_SAMPLING_H

#include <stdint.h>

#include "record/log.h"
#include "trace/trace.h"

typedef struct prof_gpu_sampling prof_gpu_sampling;

/* For the device of that number (CUDA's), every `period` ns; CUDA is in use already. At most `most`
 * samples are kept of a window. NULL after one warning that says why. */
prof_gpu_sampling *prof_gpu_sampling_create(int32_t device, int64_t period, int64_t most,
                                            prof_log *log);

/* A window opens, or one warning says why it has no samples. */
void prof_gpu_sampling_start(prof_gpu_sampling *sampling, prof_log *log);

/* The window is over: the samples that lie within it, as the trace tells it, are given to
 * trace->sampled. */
void prof_gpu_sampling_stop(prof_gpu_sampling *sampling, prof_trace *trace, prof_log *log);

void prof_gpu_sampling_destroy(prof_gpu_sampling **sampling);

#endif
