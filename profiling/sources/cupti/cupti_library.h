/* CUPTI's functions, resolved at run time. */
#ifndef PROFILING_SOURCES_CUPTI_CUPTI_LIBRARY_H
#define PROFILING_SOURCES_CUPTI_CUPTI_LIBRARY_H

#include <cupti.h>
#include <stdbool.h>

#include "base/log.h"

#define PROF_CUPTI_FUNCTION_LIST(FUNCTION)                                                         \
    FUNCTION(cuptiGetVersion)                                                                      \
    FUNCTION(cuptiGetTimestamp)                                                                    \
    FUNCTION(cuptiGetErrorMessage)                                                                 \
    FUNCTION(cuptiSubscribe_v2)                                                                    \
    FUNCTION(cuptiUnsubscribe)                                                                     \
    FUNCTION(cuptiEnableCallback)                                                                  \
    FUNCTION(cuptiGetCallbackName)                                                                 \
    FUNCTION(cuptiGetGraphNodeId)                                                                  \
    FUNCTION(cuptiSetThreadIdType)                                                                 \
    FUNCTION(cuptiActivitySetAttribute)                                                            \
    FUNCTION(cuptiActivityRegisterCallbacks)                                                       \
    FUNCTION(cuptiActivityEnable)                                                                  \
    FUNCTION(cuptiActivityEnableAndDump)                                                           \
    FUNCTION(cuptiActivityDisable)                                                                 \
    FUNCTION(cuptiActivityFlushAll)                                                                \
    FUNCTION(cuptiActivityGetNextRecord)                                                           \
    FUNCTION(cuptiActivityGetNumDroppedRecords)                                                    \
    FUNCTION(cuptiActivityPushExternalCorrelationId)                                               \
    FUNCTION(cuptiActivityPopExternalCorrelationId)

/* Every function under its own name. */
typedef struct prof_cupti_library {
    void *handle;        /* of dlopen */
    const char *missing; /* a library that counting needs and that was not found; NULL: none */
#define PROF_CUPTI_FUNCTION(name) __typeof__(&(name)) name;
    PROF_CUPTI_FUNCTION_LIST(PROF_CUPTI_FUNCTION)
#undef PROF_CUPTI_FUNCTION
} prof_cupti_library;

/* Load CUPTI for a purpose ("GPU trace"), which the warning names if this fails: false. CUPTI runs
 * its own threads and is never unloaded. */
bool prof_cupti_library_open(prof_cupti_library *library, const char *purpose, swe_log *log);

/* Load the libraries that CUPTI's counters need and that CUPTI opens by bare name: from CUPTI's own
 * folder, else from the system's search path. library->missing names one that was not found. */
void prof_cupti_library_open_counting(prof_cupti_library *library);

/* Resolve a further function; false if absent. */
bool prof_cupti_library_find(const prof_cupti_library *library, const char *name, void *function);

/* Subscribe; a process allows one subscriber. False after a warning, which names the other one. */
bool prof_cupti_subscribe(const prof_cupti_library *library, const char *purpose,
                          CUpti_CallbackFunc callback, void *data,
                          CUpti_SubscriberHandle *subscriber, swe_log *log);

/* Description of a result, for a warning. */
const char *prof_cupti_error(const prof_cupti_library *library, CUptiResult result);

#endif
