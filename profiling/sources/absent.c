/* Replaces CUPTI's sources in builds without it: each creation fails with one warning. */
#include "sources/sources.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
/* NOLINTBEGIN(misc-unused-parameters) */

/* A format for each source: the log prints a format once. */
#define HAS_NO(source)                                                                             \
    (swe_warn(log, "no " source ": this build has no CUPTI (cupti.h of CUDA 13.0 or later was "    \
                   "not found)"),                                                                  \
     NULL)

prof_cupti *prof_cupti_create(int64_t max_events, swe_log *log)
{
    return HAS_NO("GPU trace");
}

bool prof_cupti_start(prof_cupti *cupti, swe_log *log)
{
    return false;
}

prof_gpu_counters *prof_gpu_counters_create(int32_t device, int64_t max_ranges, swe_log *log)
{
    return HAS_NO("counters");
}

prof_gpu_sampling *prof_gpu_sampling_create(int32_t device, int64_t period, int64_t most,
                                            swe_log *log)
{
    return HAS_NO("counter samples");
}

prof_gpu_code *prof_gpu_code_create(const prof_options *options, swe_log *log)
{
    return HAS_NO("parts of stages");
}

/* There is no source, and these functions ignore NULL. */
#define IGNORES_NULL(function, ...)                                                                \
    void function(__VA_ARGS__)                                                                     \
    {                                                                                              \
    }
IGNORES_NULL(prof_cupti_warm_up, prof_cupti *cupti)
IGNORES_NULL(prof_cupti_capture, prof_cupti *cupti)
IGNORES_NULL(prof_cupti_push, prof_cupti *cupti, prof_region region, int32_t span)
IGNORES_NULL(prof_cupti_pop, prof_cupti *cupti)
IGNORES_NULL(prof_cupti_stop, prof_cupti *cupti, prof_trace *trace, swe_log *log)
IGNORES_NULL(prof_cupti_destroy, prof_cupti **cupti)
IGNORES_NULL(prof_gpu_counters_start, prof_gpu_counters *counters)
IGNORES_NULL(prof_gpu_counters_begin, prof_gpu_counters *counters, prof_region region, int64_t step)
IGNORES_NULL(prof_gpu_counters_end, prof_gpu_counters *counters)
IGNORES_NULL(prof_gpu_counters_stop, prof_gpu_counters *counters, prof_trace *trace, swe_log *log)
IGNORES_NULL(prof_gpu_counters_destroy, prof_gpu_counters **counters)
IGNORES_NULL(prof_gpu_code_start, prof_gpu_code *code, swe_log *log)
IGNORES_NULL(prof_gpu_code_stop, prof_gpu_code *code, prof_trace *trace, swe_log *log)
IGNORES_NULL(prof_gpu_code_destroy, prof_gpu_code **code)
IGNORES_NULL(prof_gpu_sampling_start, prof_gpu_sampling *sampling, swe_log *log)
IGNORES_NULL(prof_gpu_sampling_stop, prof_gpu_sampling *sampling, prof_trace *trace, swe_log *log)
IGNORES_NULL(prof_gpu_sampling_destroy, prof_gpu_sampling **sampling)
/* NOLINTEND(misc-unused-parameters) */
