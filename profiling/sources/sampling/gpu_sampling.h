/* GPU COUNTER SAMPLES: activity and memory traffic over time, from CUPTI's PM sampling.
 *
 * The hardware writes counters at a fixed period to a buffer that is read when a window closes.
 * Kernels are not serialised, and activity records work at the same time. The range profiler
 * (counters/gpu_counters.h) does not: both need the same hardware.
 *
 * The library is found as in cupti_source.h. All functions are called on the main thread; a NULL
 * source samples nothing. */
#ifndef PROFILING_SOURCES_SAMPLING_GPU_SAMPLING_H
#define PROFILING_SOURCES_SAMPLING_GPU_SAMPLING_H

#include <stdint.h>

#include "record/log.h"
#include "trace/trace.h"

typedef struct prof_gpu_sampling prof_gpu_sampling;

/* Create the source for a CUDA device with a period [ns]; CUDA is already in use. A window keeps at
 * most `most` samples. NULL after one warning. */
prof_gpu_sampling *prof_gpu_sampling_create(int32_t device, int64_t period, int64_t most,
                                            prof_log *log);

/* Open a window; a failure is one warning. */
void prof_gpu_sampling_start(prof_gpu_sampling *sampling, prof_log *log);

/* Close the window: store the samples between trace->start and trace->end in trace->sampled. */
void prof_gpu_sampling_stop(prof_gpu_sampling *sampling, prof_trace *trace, prof_log *log);

void prof_gpu_sampling_destroy(prof_gpu_sampling **sampling);

#endif
