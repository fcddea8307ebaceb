/* What CUPTI's profilers refuse, in words that say what to do. */
#ifndef PROFILING_SOURCES_COUNTERS_COUNTERS_FAILURE_H
#define PROFILING_SOURCES_COUNTERS_COUNTERS_FAILURE_H

#include "log.h"
#include "sources/counters/counters_host.h"
#include "sources/cupti/cupti_library.h"

/* The warning that there are no counters. */
void prof_counters_warn(prof_log *log, const prof_cupti_library *library,
                        prof_counters_failure failure);

#endif
