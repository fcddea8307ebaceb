/* The device side of CUPTI's range profiler: user ranges, and passes that their user repeats. */
#ifndef PROFILING_SOURCES_COUNTERS_COUNTERS_DEVICE_H
#define PROFILING_SOURCES_COUNTERS_COUNTERS_DEVICE_H

#include <cupti_range_profiler.h>

#include "sources/counters/counters_host.h"
#include "sources/cupti/cupti_library.h"

#define PROF_COUNTERS_FUNCTION_LIST(FUNCTION)                                                      \
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
    FUNCTION(cuptiRangeProfilerCounterDataGetRangeInfo)

/* Every function under its own name. */
typedef struct prof_counters_library {
#define PROF_COUNTERS_FUNCTION(name) __typeof__(&(name)) name;
    PROF_COUNTERS_FUNCTION_LIST(PROF_COUNTERS_FUNCTION)
#undef PROF_COUNTERS_FUNCTION
} prof_counters_library;

typedef struct prof_counters_device {
    prof_counters_library library;
    CUpti_RangeProfiler_Object *object; /* NULL: not enabled */
    uint8_t *data;                      /* of the ranges */
    size_t bytes;
} prof_counters_device;

/* All functions note what failed, and return false then. */

/* Look the functions up in a library that is open. */
bool prof_counters_device_open(prof_counters_device *device, const prof_cupti_library *library,
                               prof_counters_failure *failure);

/* CUPTI's description of the counters of a context that are free, to be freed; NULL on failure. */
uint8_t *prof_counters_device_availability(const prof_counters_device *device, CUcontext context,
                                           prof_counters_failure *failure);

/* Get ready to count `ranges` ranges in a context. */
bool prof_counters_device_enable(prof_counters_device *device, CUcontext context,
                                 const prof_counters_host *host, size_t ranges,
                                 prof_counters_failure *failure);
void prof_counters_device_disable(prof_counters_device *device);

/* A pass begins, or ends; whether it was the last one. */
bool prof_counters_device_start(prof_counters_device *device, prof_counters_failure *failure);
bool prof_counters_device_stop(prof_counters_device *device, bool *was_last,
                               prof_counters_failure *failure);

/* A range of a pass begins, or ends; the name has to stay until the data is decoded. */
bool prof_counters_device_push(prof_counters_device *device, const char *name,
                               prof_counters_failure *failure);
bool prof_counters_device_pop(prof_counters_device *device, prof_counters_failure *failure);

/* After the last pass: the number of ranges that were counted. */
bool prof_counters_device_decode(prof_counters_device *device, size_t *ranges,
                                 prof_counters_failure *failure);
/* The name of a range that was counted. */
bool prof_counters_device_name(const prof_counters_device *device, size_t range, const char **name,
                               prof_counters_failure *failure);

#endif
