/* Replaces the source in builds without CUPTI: creation fails with one warning. */
#include "sources/counters/gpu_counters.h"

prof_gpu_counters *prof_gpu_counters_create(int32_t device, int64_t max_ranges, prof_log *log)
{
    (void)device, (void)max_ranges;
    prof_warn(log, "no counters: this build has no CUPTI (cupti.h of CUDA 13.0 or later was not "
                   "found)");
    return NULL;
}

void prof_gpu_counters_start(prof_gpu_counters *counters)
{
    (void)counters;
}

void prof_gpu_counters_begin(prof_gpu_counters *counters, prof_region region, int64_t step)
{
    (void)counters, (void)region, (void)step;
}

void prof_gpu_counters_end(prof_gpu_counters *counters)
{
    (void)counters;
}

void prof_gpu_counters_stop(prof_gpu_counters *counters, prof_trace *trace, prof_log *log)
{
    (void)counters, (void)trace, (void)log;
}

void prof_gpu_counters_destroy(prof_gpu_counters **counters)
{
    (void)counters;
}
