/* CUPTI's PM SAMPLING: the plan of metrics, and the device side. A function that returns false has
 * set `failure`, or the failure of the device's calls. */
#ifndef PROFILING_SOURCES_SAMPLING_SAMPLING_DEVICE_H
#define PROFILING_SOURCES_SAMPLING_SAMPLING_DEVICE_H

#include "sources/counters/counters_library.h"
#include "window/trace.h"

/* THE PLAN of metrics on a chip: for each quantity the first metric that the chip has and that fits
 * into the single pass of PM sampling. */
typedef struct prof_sampling_plan {
    prof_counters_host *host; /* knows the metrics */
    const char *metric[PROF_SAMPLED_COUNT];
    int quantity[PROF_SAMPLED_COUNT]; /* quantity of each metric */
    int count;                        /* of metrics */
} prof_sampling_plan;

/* `library` is a handle of dlopen; `availability`: see prof_counters_request. False, with `failure`
 * set, if no metric can be sampled. */
bool prof_sampling_plan_create(prof_sampling_plan *plan, void *library, const char *chip,
                               const uint8_t *availability, prof_counters_failure *failure);
void prof_sampling_plan_destroy(prof_sampling_plan *plan);

/* Whether a quantity is sampled. */
bool prof_sampling_plan_has(const prof_sampling_plan *plan, int quantity);

/* Values of a decoded sample, by quantity; negative: unknown. */
bool prof_sampling_plan_evaluate(const prof_sampling_plan *plan, const uint8_t *data, size_t bytes,
                                 size_t sample, double values[PROF_SAMPLED_COUNT],
                                 prof_counters_failure *failure);

/* THE DEVICE SIDE. */
/* Hardware buffer of a window; the size that NVIDIA's own tools use. */
enum { PROF_SAMPLING_BUFFER_MIB = 512 };

typedef struct prof_sampling_device {
    prof_cupti_calls calls;
    CUpti_PmSampling_Object *object; /* NULL: not enabled */
    uint8_t *data;                   /* samples that were decoded */
    size_t bytes;
} prof_sampling_device;

/* Result of one read of the GPU's buffer. */
typedef struct prof_sampling_read {
    size_t count; /* decoded samples */
    bool more;    /* the buffer may hold further samples */
    bool full;    /* the buffer was full: samples are lost */
    bool cut;     /* CUPTI stopped decoding without a reason */
} prof_sampling_read;

/* CUPTI's image of a device's available counters; the caller frees it. NULL on failure. */
uint8_t *prof_sampling_device_availability(prof_sampling_device *device, int32_t number);

/* Start and stop sampling with a period [ns]; samples can be read until
 * prof_sampling_device_disable.
 */
bool prof_sampling_device_start(prof_sampling_device *device, int32_t number, const char *chip,
                                const prof_sampling_plan *plan, int64_t period);
bool prof_sampling_device_stop(prof_sampling_device *device);
void prof_sampling_device_disable(prof_sampling_device *device);

/* Decode further samples; they replace the previous ones. */
bool prof_sampling_device_read(prof_sampling_device *device, prof_sampling_read *read);
/* Start and end of a sample on CUPTI's clock. */
bool prof_sampling_device_times(prof_sampling_device *device, size_t sample,
                                prof_sampled_interval *interval);

#endif
