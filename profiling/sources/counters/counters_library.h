/* Common to the range profiler and PM sampling of CUPTI: function tables, calls, failures with
 * advice for the user, and the chip of a device. */
#ifndef PROFILING_SOURCES_COUNTERS_COUNTERS_LIBRARY_H
#define PROFILING_SOURCES_COUNTERS_COUNTERS_LIBRARY_H

#include <cupti_profiler_target.h>

#include "base/log.h"
#include "sources/counters/counters_host.h"
#include "sources/cupti/cupti_library.h"

/* Entries of a list of functions: a member of a table, and its look-up in a function that returns
 * false on failure; `library`, `functions` (the table) and `failure` are variables there. */
#define PROF_CUPTI_MEMBER(name) __typeof__(&(name)) name;
#define PROF_CUPTI_LOOK_UP(name)                                                                   \
    if (!prof_cupti_library_find(library, #name, &functions->name))                                \
        return prof_counters_check(failure, #name, CUPTI_ERROR_API_NOT_IMPLEMENTED);

/* The parameters `p` of a call, and the call; false after storing a failure. */
#define PROF_CUPTI_PARAMETERS(p, type, ...)                                                        \
    CUpti_##type##_Params p = {.structSize = CUpti_##type##_Params_STRUCT_SIZE, __VA_ARGS__}
#define PROF_CUPTI_CALL(functions, failure, name, parameters)                                      \
    prof_counters_check(failure, #name, (functions)->name(parameters))

/* Whether a call succeeded; a failure is stored. */
static inline bool prof_counters_check(prof_counters_failure *failure, const char *call,
                                       CUptiResult result)
{
    if (result != CUPTI_SUCCESS)
        *failure = (prof_counters_failure){call, (int)result};
    return result == CUPTI_SUCCESS;
}

/* Warn of a failure; `what` names its consequence ("no counters"). */
void prof_counters_warn(swe_log *log, const prof_cupti_library *library, const char *what,
                        prof_counters_failure failure);

/* Initialise CUPTI's profilers and get the chip's name, a static string of CUPTI. False, with
 * `failure` set, if the device does not support the profiler `api`. */
bool prof_counters_chip(const prof_cupti_library *library, CUpti_Profiler_API api, int32_t device,
                        const char **chip, prof_counters_failure *failure);

#endif
