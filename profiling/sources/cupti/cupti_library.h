/* CUPTI's functions, looked up in the library when it is loaded. */
#ifndef PROFILING_SOURCES_CUPTI_CUPTI_LIBRARY_H
#define PROFILING_SOURCES_CUPTI_CUPTI_LIBRARY_H

#include <cupti.h>
#include <stdbool.h>

#include "record/log.h"

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
    const char *missing; /* a file that counting needs and that was not found; NULL: none */
#define PROF_CUPTI_FUNCTION(name) __typeof__(&(name)) name;
    PROF_CUPTI_FUNCTION_LIST(PROF_CUPTI_FUNCTION)
#undef PROF_CUPTI_FUNCTION
} prof_cupti_library;

/* Load CUPTI for a purpose ("GPU trace"); false after a warning that there is no such thing. It is
 * never unloaded: it keeps threads. */
bool prof_cupti_library_open(prof_cupti_library *library, const char *purpose, prof_log *log);

/* Open the libraries that CUPTI counts with, which it asks for by their bare names: those beside
 * it, wherever that is, or those that the system finds. library->missing is one that is nowhere. */
void prof_cupti_library_open_counting(prof_cupti_library *library);

/* Look up a further function; false if the library does not have it. */
bool prof_cupti_library_find(const prof_cupti_library *library, const char *name, void *function);

/* Subscribe, as one program in a process can; false after a warning that names who does already. */
bool prof_cupti_subscribe(const prof_cupti_library *library, const char *purpose,
                          CUpti_CallbackFunc callback, void *data,
                          CUpti_SubscriberHandle *subscriber, prof_log *log);

/* What a result means, as a text that ends up in a warning. */
const char *prof_cupti_error(const prof_cupti_library *library, CUptiResult result);

#endif
