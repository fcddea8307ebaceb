/* Sums the counters of the ranges by stage, for the trace. */
#ifndef PROFILING_SOURCES_COUNTERS_COUNTERS_RESULTS_H
#define PROFILING_SOURCES_COUNTERS_COUNTERS_RESULTS_H

#include "sources/counters/counters_device.h"
#include "sources/counters/counters_ranges.h"
#include "sources/cupti/cupti_names.h"
#include "trace/trace.h"

typedef struct prof_counters_results {
    prof_counters_device *device;
    const prof_counters_host *host;
    const prof_counters_ranges *ranges;
    prof_cupti_demangle *demangle; /* NULL: kernels keep their mangled names */
    int64_t missing;               /* output: ranges without counters */
} prof_counters_results;

/* After the last pass: set the stages and kernels of `trace->counted`. False, with `failure` set
 * and no stage stored, on failure. */
bool prof_counters_collect(prof_counters_results *results, prof_trace *trace,
                           prof_counters_failure *failure);

#endif
