#include "sources/sampling/sampling_device.h"

#include <stdlib.h>
#include <string.h>

#include "sources/counters/counters_failure.h"

enum { SAMPLES_AT_ONCE = 1024 }; /* that are decoded */

/* Call a function of the library, and note it if it fails. */
#define CALL(device, failure, name, parameters)                                                    \
    prof_counters_check(failure, #name, (device)->library.name(parameters))

bool prof_sampling_device_open(prof_sampling_device *device, const prof_cupti_library *library,
                               prof_counters_failure *failure)
{
#define PROF_SAMPLING_LOOK_UP(name)                                                                \
    if (!prof_cupti_library_find(library, #name, &device->library.name))                           \
        return prof_counters_check(failure, #name, CUPTI_ERROR_API_NOT_IMPLEMENTED);
    PROF_SAMPLING_FUNCTION_LIST(PROF_SAMPLING_LOOK_UP)
#undef PROF_SAMPLING_LOOK_UP
    return true;
}

uint8_t *prof_sampling_device_availability(const prof_sampling_device *device, int32_t number,
                                           prof_counters_failure *failure)
{
    CUpti_PmSampling_GetCounterAvailability_Params p = {
        .structSize = CUpti_PmSampling_GetCounterAvailability_Params_STRUCT_SIZE,
        .deviceIndex = (size_t)number};
    if (!CALL(device, failure, cuptiPmSamplingGetCounterAvailability, &p)) /* its size */
        return NULL;
    p.pCounterAvailabilityImage = calloc(p.counterAvailabilityImageSize + 1, 1);
    if (p.pCounterAvailabilityImage == NULL)
        prof_counters_check(failure, "calloc", CUPTI_ERROR_OUT_OF_MEMORY);
    else if (CALL(device, failure, cuptiPmSamplingGetCounterAvailability, &p))
        return p.pCounterAvailabilityImage;
    free(p.pCounterAvailabilityImage);
    return NULL;
}

/* Turing and GA100 have no timer for it: there the period is in clocks of the system, whose
 * frequency varies, about one in a nanosecond. Samples tell their times in both cases. */
static CUpti_PmSampling_TriggerMode trigger_of(const char *chip)
{
    return strncmp(chip, "TU", 2) == 0 || strcmp(chip, "GA100") == 0
               ? CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL
               : CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
}

static bool configure(prof_sampling_device *device, const char *chip,
                      const prof_sampling_plan *plan, int64_t period,
                      prof_counters_failure *failure)
{
    CUpti_PmSampling_SetConfig_Params p = {
        .structSize = CUpti_PmSampling_SetConfig_Params_STRUCT_SIZE,
        .pPmSamplingObject = device->object,
        .hardwareBufferSize = (size_t)PROF_SAMPLING_BUFFER_MIB << 20,
        .samplingInterval = (uint64_t)period,
        .triggerMode = trigger_of(chip),
        .hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST};
    p.pConfig = prof_counters_host_image(plan->host, &p.configSize);
    return CALL(device, failure, cuptiPmSamplingSetConfig, &p);
}

/* Empty the samples that were decoded. */
static bool clear(prof_sampling_device *device, prof_counters_failure *failure)
{
    CUpti_PmSampling_CounterDataImage_Initialize_Params p = {
        .structSize = CUpti_PmSampling_CounterDataImage_Initialize_Params_STRUCT_SIZE,
        .pPmSamplingObject = device->object,
        .counterDataSize = device->bytes,
        .pCounterData = device->data};
    return CALL(device, failure, cuptiPmSamplingCounterDataImageInitialize, &p);
}

/* Room for the samples of one step of reading. */
static bool allocate_data(prof_sampling_device *device, const prof_sampling_plan *plan,
                          prof_counters_failure *failure)
{
    CUpti_PmSampling_GetCounterDataSize_Params p = {
        .structSize = CUpti_PmSampling_GetCounterDataSize_Params_STRUCT_SIZE,
        .pPmSamplingObject = device->object,
        .maxSamples = SAMPLES_AT_ONCE};
    p.pMetricNames = prof_counters_host_names(plan->host, &p.numMetrics);
    if (!CALL(device, failure, cuptiPmSamplingGetCounterDataSize, &p))
        return false;
    device->bytes = p.counterDataSize;
    device->data = calloc(device->bytes, 1);
    return device->data != NULL ||
           prof_counters_check(failure, "calloc", CUPTI_ERROR_OUT_OF_MEMORY);
}

bool prof_sampling_device_start(prof_sampling_device *device, int32_t number, const char *chip,
                                const prof_sampling_plan *plan, int64_t period,
                                prof_counters_failure *failure)
{
    CUpti_PmSampling_Enable_Params enable = {
        .structSize = CUpti_PmSampling_Enable_Params_STRUCT_SIZE, .deviceIndex = (size_t)number};
    CUpti_PmSampling_Start_Params start = {.structSize = CUpti_PmSampling_Start_Params_STRUCT_SIZE};
    if (!CALL(device, failure, cuptiPmSamplingEnable, &enable))
        return false;
    device->object = start.pPmSamplingObject = enable.pPmSamplingObject;
    if (configure(device, chip, plan, period, failure) && allocate_data(device, plan, failure) &&
        CALL(device, failure, cuptiPmSamplingStart, &start))
        return true;
    prof_sampling_device_disable(device);
    return false;
}

bool prof_sampling_device_stop(prof_sampling_device *device, prof_counters_failure *failure)
{
    CUpti_PmSampling_Stop_Params p = {.structSize = CUpti_PmSampling_Stop_Params_STRUCT_SIZE,
                                      .pPmSamplingObject = device->object};
    return CALL(device, failure, cuptiPmSamplingStop, &p);
}

void prof_sampling_device_disable(prof_sampling_device *device)
{
    CUpti_PmSampling_Disable_Params p = {.structSize = CUpti_PmSampling_Disable_Params_STRUCT_SIZE,
                                         .pPmSamplingObject = device->object};
    if (device->object != NULL)
        device->library.cuptiPmSamplingDisable(&p);
    device->object = NULL;
    free(device->data);
    device->data = NULL;
}

/* That the GPU's buffer was full is told by a member or, as the header says, by the result. */
static bool decode(prof_sampling_device *device, prof_sampling_read *read,
                   prof_counters_failure *failure)
{
    CUpti_PmSampling_DecodeData_Params p = {.structSize =
                                                CUpti_PmSampling_DecodeData_Params_STRUCT_SIZE,
                                            .pPmSamplingObject = device->object,
                                            .pCounterDataImage = device->data,
                                            .counterDataImageSize = device->bytes};
    const CUptiResult result = device->library.cuptiPmSamplingDecodeData(&p);
    read->full = p.overflow != 0 || result == CUPTI_ERROR_OUT_OF_MEMORY;
    read->more = result == CUPTI_SUCCESS &&
                 p.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;
    read->cut = !read->full && result == CUPTI_SUCCESS && !read->more &&
                p.decodeStopReason != CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
    return read->full || prof_counters_check(failure, "cuptiPmSamplingDecodeData", result);
}

bool prof_sampling_device_read(prof_sampling_device *device, prof_sampling_read *read,
                               prof_counters_failure *failure)
{
    CUpti_PmSampling_GetCounterDataInfo_Params p = {
        .structSize = CUpti_PmSampling_GetCounterDataInfo_Params_STRUCT_SIZE,
        .pCounterDataImage = device->data,
        .counterDataImageSize = device->bytes};
    if (!clear(device, failure) || !decode(device, read, failure) ||
        !CALL(device, failure, cuptiPmSamplingGetCounterDataInfo, &p))
        return false;
    read->count = p.numCompletedSamples;
    return true;
}

bool prof_sampling_device_times(const prof_sampling_device *device, size_t sample,
                                prof_sampled_interval *interval, prof_counters_failure *failure)
{
    CUpti_PmSampling_CounterData_GetSampleInfo_Params p = {
        .structSize = CUpti_PmSampling_CounterData_GetSampleInfo_Params_STRUCT_SIZE,
        .pPmSamplingObject = device->object,
        .pCounterDataImage = device->data,
        .counterDataImageSize = device->bytes,
        .sampleIndex = sample};
    if (!CALL(device, failure, cuptiPmSamplingCounterDataGetSampleInfo, &p))
        return false;
    interval->start = (int64_t)p.startTimestamp;
    interval->end = (int64_t)p.endTimestamp;
    return true;
}
