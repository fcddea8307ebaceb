/* What CUPTI's profilers refuse, in words that say what to do. */
#ifndef PROFILING_SOURCES_COUNTERS_COUNTERS_FAILURE_H
#define PROFILING_SOURCES_COUNTERS_COUNTERS_FAILURE_H

#include "record/log.h"
#include "sources/counters/counters_host.h"
#include "sources/cupti/cupti_library.h"

/* Whether a call succeeded; noted if it did not. */
static inline bool prof_counters_check(prof_counters_failure *failure, const char *call,
                                       CUptiResult result)
{
    if (result != CUPTI_SUCCESS)
        *failure = (prof_counters_failure){call, (int)result};
    return result == CUPTI_SUCCESS;
}

/* The warning of what does not come ("no counters") for a failure. */
void prof_counters_warn(prof_log *log, const prof_cupti_library *library, const char *what,
                        prof_counters_failure failure);

#endif
