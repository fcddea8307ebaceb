/* CUPTI's functions, resolved at run time. */
#ifndef PROFILING_SOURCES_CUPTI_CUPTI_LIBRARY_H
#define PROFILING_SOURCES_CUPTI_CUPTI_LIBRARY_H

#include <cupti.h>
#include <cupti_pcsampling.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
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

/* Functions of the profilers: the chip of a device, ranges, PM sampling and PC sampling. */
#define PROF_CUPTI_PROFILER_LIST(FUNCTION)                                                         \
    FUNCTION(cuptiProfilerInitialize)                                                              \
    FUNCTION(cuptiProfilerDeviceSupported)                                                         \
    FUNCTION(cuptiDeviceGetChipName)                                                               \
    FUNCTION(cuptiProfilerGetCounterAvailability)                                                  \
    FUNCTION(cuptiRangeProfilerEnable)                                                             \
    FUNCTION(cuptiRangeProfilerDisable)                                                            \
    FUNCTION(cuptiRangeProfilerGetCounterDataSize)                                                 \
    FUNCTION(cuptiRangeProfilerCounterDataImageInitialize)                                         \
    FUNCTION(cuptiRangeProfilerSetConfig)                                                          \
    FUNCTION(cuptiRangeProfilerStart)                                                              \
    FUNCTION(cuptiRangeProfilerStop)                                                               \
    FUNCTION(cuptiRangeProfilerPushRange)                                                          \
    FUNCTION(cuptiRangeProfilerPopRange)                                                           \
    FUNCTION(cuptiRangeProfilerDecodeData)                                                         \
    FUNCTION(cuptiRangeProfilerGetCounterDataInfo)                                                 \
    FUNCTION(cuptiRangeProfilerCounterDataGetRangeInfo)                                            \
    FUNCTION(cuptiPmSamplingGetCounterAvailability)                                                \
    FUNCTION(cuptiPmSamplingEnable)                                                                \
    FUNCTION(cuptiPmSamplingDisable)                                                               \
    FUNCTION(cuptiPmSamplingSetConfig)                                                             \
    FUNCTION(cuptiPmSamplingGetCounterDataSize)                                                    \
    FUNCTION(cuptiPmSamplingCounterDataImageInitialize)                                            \
    FUNCTION(cuptiPmSamplingStart)                                                                 \
    FUNCTION(cuptiPmSamplingStop)                                                                  \
    FUNCTION(cuptiPmSamplingDecodeData)                                                            \
    FUNCTION(cuptiPmSamplingGetCounterDataInfo)                                                    \
    FUNCTION(cuptiPmSamplingCounterDataGetSampleInfo)                                              \
    FUNCTION(cuptiPCSamplingEnable)                                                                \
    FUNCTION(cuptiPCSamplingDisable)                                                               \
    FUNCTION(cuptiPCSamplingSetConfigurationAttribute)                                             \
    FUNCTION(cuptiPCSamplingGetNumStallReasons)                                                    \
    FUNCTION(cuptiPCSamplingGetStallReasons)                                                       \
    FUNCTION(cuptiPCSamplingStart)                                                                 \
    FUNCTION(cuptiPCSamplingStop)                                                                  \
    FUNCTION(cuptiPCSamplingGetData)                                                               \
    FUNCTION(cuptiRegisterComputeCrcCallback)

/* Every function under its own name; NULL: a function of a profiler that the library lacks. */
typedef struct prof_cupti_library {
    void *handle;        /* of dlopen */
    const char *missing; /* a library that counting needs and that was not found; NULL: none */
#define PROF_CUPTI_FUNCTION(name) __typeof__(&(name)) name;
    PROF_CUPTI_FUNCTION_LIST(PROF_CUPTI_FUNCTION)
    PROF_CUPTI_PROFILER_LIST(PROF_CUPTI_FUNCTION)
#undef PROF_CUPTI_FUNCTION
} prof_cupti_library;

/* Load CUPTI for a purpose ("GPU trace"), which the warning names if this fails: false. CUPTI runs
 * its own threads and is never unloaded. */
bool prof_cupti_library_open(prof_cupti_library *library, const char *purpose, swe_log *log);

/* Load the libraries that CUPTI's counters need and that CUPTI opens by bare name: from CUPTI's own
 * folder, else from the system's search path. library->missing names one that was not found. */
void prof_cupti_library_open_counting(prof_cupti_library *library);

/* Subscribe; a process allows one subscriber. False after a warning, which names the other one. */
bool prof_cupti_subscribe(const prof_cupti_library *library, const char *purpose,
                          CUpti_CallbackFunc callback, void *data,
                          CUpti_SubscriberHandle *subscriber, swe_log *log);

/* Description of a result, for a warning. */
const char *prof_cupti_error(const prof_cupti_library *library, CUptiResult result);

#endif
