/* Common to the range profiler and PM sampling of CUPTI: calls, failures with
 * advice for the user, and the chip of a device. */
#ifndef PROFILING_SOURCES_COUNTERS_COUNTERS_LIBRARY_H
#define PROFILING_SOURCES_COUNTERS_COUNTERS_LIBRARY_H

#include <stdlib.h>

#include "base/log.h"
#include "sources/counters/counters_host.h"
#include "sources/cupti/cupti_library.h"

/* Calls of a profiler of CUPTI: the library, and the last call that failed. */
typedef struct prof_cupti_calls {
    const prof_cupti_library *library;
    prof_counters_failure failure;
} prof_cupti_calls;

/* The parameters `p` of a call, and the call; false after storing a failure. */
#define PROF_CUPTI_PARAMETERS(p, type, ...)                                                        \
    CUpti_##type##_Params p = {.structSize = CUpti_##type##_Params_STRUCT_SIZE, __VA_ARGS__}
#define PROF_CUPTI_CALL(calls, name, parameters)                                                   \
    prof_counters_check(&(calls)->failure, #name,                                                  \
                        (calls)->library->name != NULL ? (calls)->library->name(parameters)        \
                                                       : CUPTI_ERROR_API_NOT_IMPLEMENTED)

/* Whether a call succeeded; a failure is stored. */
static inline bool prof_counters_check(prof_counters_failure *failure, const char *call,
                                       CUptiResult result)
{
    if (result != CUPTI_SUCCESS)
        *failure = (prof_counters_failure){call, (int)result};
    return result == CUPTI_SUCCESS;
}

/* Allocate zeroed bytes, which the caller frees; false, with NULL, after storing a failure. */
static inline bool prof_counters_allocate(prof_cupti_calls *calls, size_t bytes, uint8_t **data)
{
    *data = calloc(bytes, 1);
    return *data != NULL ||
           prof_counters_check(&calls->failure, "calloc", CUPTI_ERROR_OUT_OF_MEMORY);
}

/* Warn of the failure; `what` names its consequence ("no counters"). */
void prof_counters_warn(swe_log *log, const prof_cupti_calls *calls, const char *what);

/* Initialise CUPTI's profilers and get the chip's name, a static string of CUPTI. False after a
 * failure, and if the device does not support the profiler `api`. */
bool prof_counters_chip(prof_cupti_calls *calls, CUpti_Profiler_API api, int32_t device,
                        const char **chip);

#endif
