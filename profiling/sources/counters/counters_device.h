/* Device side of CUPTI's range profiler: user ranges and user replay (the caller repeats passes).
 */
#ifndef PROFILING_SOURCES_COUNTERS_COUNTERS_DEVICE_H
#define PROFILING_SOURCES_COUNTERS_COUNTERS_DEVICE_H

#include "sources/counters/counters_library.h"

typedef struct prof_counters_device {
    prof_cupti_calls calls;
    CUpti_RangeProfiler_Object *object; /* NULL: not enabled */
    uint8_t *data;                      /* counter data of the ranges */
    size_t bytes;
} prof_counters_device;

/* A function that fails returns false, and sets the failure of the calls. */

/* CUPTI's image of a context's available counters; the caller frees it. NULL on failure. */
uint8_t *prof_counters_device_availability(prof_counters_device *device, CUcontext context);

/* Enable the profiler in a context for `ranges` ranges. */
bool prof_counters_device_enable(prof_counters_device *device, CUcontext context,
                                 const prof_counters_host *host, size_t ranges);
void prof_counters_device_disable(prof_counters_device *device);

/* Begin and end a pass; `was_last`: all passes are complete. */
bool prof_counters_device_start(prof_counters_device *device);
bool prof_counters_device_stop(prof_counters_device *device, bool *was_last);

/* Begin and end a range; its name must stay valid until the data is decoded. */
bool prof_counters_device_push(prof_counters_device *device, const char *name);
bool prof_counters_device_pop(prof_counters_device *device);

/* After the last pass: decode the data and get the number of counted ranges. */
bool prof_counters_device_decode(prof_counters_device *device, size_t *ranges);
/* Name of a counted range. */
bool prof_counters_device_name(prof_counters_device *device, size_t range, const char **name);

#endif
