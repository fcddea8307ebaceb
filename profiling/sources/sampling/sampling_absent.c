/* Replaces the source in builds without CUPTI: creation fails with one warning. */
#include "sources/sampling/gpu_sampling.h"

prof_gpu_sampling *prof_gpu_sampling_create(int32_t device, int64_t period, int64_t most,
                                            prof_log *log)
{
    (void)device, (void)period, (void)most;
    prof_warn(log, "no counter samples: this build has no CUPTI (cupti.h of CUDA 13.0 or later was "
                   "not found)");
    return NULL;
}

void prof_gpu_sampling_start(prof_gpu_sampling *sampling, prof_log *log)
{
    (void)sampling, (void)log;
}

void prof_gpu_sampling_stop(prof_gpu_sampling *sampling, prof_trace *trace, prof_log *log)
{
    (void)sampling, (void)trace, (void)log;
}

void prof_gpu_sampling_destroy(prof_gpu_sampling **sampling)
{
    (void)sampling;
}
