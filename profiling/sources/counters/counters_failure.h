/* Failures of CUPTI's profilers, with advice for the user. */
#ifndef PROFILING_SOURCES_COUNTERS_COUNTERS_FAILURE_H
#define PROFILING_SOURCES_COUNTERS_COUNTERS_FAILURE_H

#include "record/log.h"
#include "sources/counters/counters_host.h"
#include "sources/cupti/cupti_library.h"

/* Whether a call succeeded; a failure is stored. */
static inline bool prof_counters_check(prof_counters_failure *failure, const char *call,
                                       CUptiResult result)
{
    if (result != CUPTI_SUCCESS)
        *failure = (prof_counters_failure){call, (int)result};
    return result == CUPTI_SUCCESS;
}

/* Warn of a failure; `what` names its consequence ("no counters"). */
void prof_counters_warn(prof_log *log, const prof_cupti_library *library, const char *what,
                        prof_counters_failure failure);

#endif
