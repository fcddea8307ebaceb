/* CUPTI's functions, looked up in the library when it is loaded. */
#ifndef PROFILING_SOURCES_CUPTI_CUPTI_LIBRARY_H
#define PROFILING_SOURCES_CUPTI_CUPTI_LIBRARY_H

#include <cupti.h>
#include <stdbool.h>

#include "log.h"

#define PROF_CUPTI_FUNCTION_LIST(FUNCTION)                                                         \
    FUNCTION(cuptiGetVersion)                                                                      \
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
#define PROF_CUPTI_FUNCTION(name) __typeof__(&(name)) name;
    PROF_CUPTI_FUNCTION_LIST(PROF_CUPTI_FUNCTION)
#undef PROF_CUPTI_FUNCTION
} prof_cupti_library;

/* Load CUPTI; false after a warning. It is never unloaded: it keeps threads. */
bool prof_cupti_library_open(prof_cupti_library *library, prof_log *log);

/* What a result means, as a text that ends up in a warning. */
const char *prof_cupti_error(const prof_cupti_library *library, CUptiResult result);

#endif
