/* The device side of CUPTI's PM sampling. */
#ifndef PROFILING_SOURCES_SAMPLING_SAMPLING_DEVICE_H
#define PROFILING_SOURCES_SAMPLING_SAMPLING_DEVICE_H

#include <cupti_pmsampling.h>

#include "sources/cupti/cupti_library.h"
#include "sources/sampling/sampling_plan.h"

#define PROF_SAMPLING_FUNCTION_LIST(FUNCTION)                                                      \
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
    FUNCTION(cuptiPmSamplingCounterDataGetSampleInfo)

/* Every function under its own name. */
typedef struct prof_sampling_library {
#define PROF_SAMPLING_FUNCTION(name) __typeof__(&(name)) name;
    PROF_SAMPLING_FUNCTION_LIST(PROF_SAMPLING_FUNCTION)
#undef PROF_SAMPLING_FUNCTION
} prof_sampling_library;

/* Where the GPU writes until a window closes; NVIDIA's own tools take as much. */
enum { PROF_SAMPLING_BUFFER_MIB = 512 };

typedef struct prof_sampling_device {
    prof_sampling_library library;
    CUpti_PmSampling_Object *object; /* NULL: not enabled */
    uint8_t *data;                   /* samples that were decoded */
    size_t bytes;
} prof_sampling_device;

/* A step of reading the GPU's buffer. */
typedef struct prof_sampling_read {
    size_t count; /* samples that were decoded */
    bool more;    /* there may be further ones in the buffer */
    bool full;    /* the buffer was full: samples are lost */
    bool cut;     /* CUPTI did not decode the rest, for no reason that it tells */
} prof_sampling_read;

/* All functions note what failed, and return false then. */

/* Look the functions up in a library that is open. */
bool prof_sampling_device_open(prof_sampling_device *device, const prof_cupti_library *library,
                               prof_counters_failure *failure);

/* CUPTI's description of the counters of a device that are free, to be freed; NULL if that fails.
 */
uint8_t *prof_sampling_device_availability(const prof_sampling_device *device, int32_t number,
                                           prof_counters_failure *failure);

/* Begin to sample every `period` ns, and end it; what was sampled can be read until it is disabled.
 */
bool prof_sampling_device_start(prof_sampling_device *device, int32_t number, const char *chip,
                                const prof_sampling_plan *plan, int64_t period,
                                prof_counters_failure *failure);
bool prof_sampling_device_stop(prof_sampling_device *device, prof_counters_failure *failure);
void prof_sampling_device_disable(prof_sampling_device *device);

/* Decode further samples, in place of those before. */
bool prof_sampling_device_read(prof_sampling_device *device, prof_sampling_read *read,
                               prof_counters_failure *failure);
/* From when to when a sample was taken, by CUPTI's clock. */
bool prof_sampling_device_times(const prof_sampling_device *device, size_t sample,
                                prof_sampled_interval *interval, prof_counters_failure *failure);

#endif
