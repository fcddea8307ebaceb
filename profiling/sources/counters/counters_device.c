#include "sources/counters/counters_device.h"

#include <stdlib.h>

#include "sources/counters/counters_failure.h"

/* Call a function of the library and store its failure. */
#define CALL(device, failure, name, parameters)                                                    \
    prof_counters_check(failure, #name, (device)->library.name(parameters))

bool prof_counters_device_open(prof_counters_device *device, const prof_cupti_library *library,
                               prof_counters_failure *failure)
{
#define PROF_COUNTERS_LOOK_UP(name)                                                                \
    if (!prof_cupti_library_find(library, #name, &device->library.name))                           \
        return prof_counters_check(failure, #name, CUPTI_ERROR_API_NOT_IMPLEMENTED);
    PROF_COUNTERS_FUNCTION_LIST(PROF_COUNTERS_LOOK_UP)
#undef PROF_COUNTERS_LOOK_UP
    return true;
}

uint8_t *prof_counters_device_availability(const prof_counters_device *device, CUcontext context,
                                           prof_counters_failure *failure)
{
    CUpti_Profiler_GetCounterAvailability_Params p = {
        .structSize = CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE, .ctx = context};
    if (!CALL(device, failure, cuptiProfilerGetCounterAvailability, &p)) /* its size */
        return NULL;
    p.pCounterAvailabilityImage = calloc(p.counterAvailabilityImageSize + 1, 1);
    if (p.pCounterAvailabilityImage == NULL)
        prof_counters_check(failure, "calloc", CUPTI_ERROR_OUT_OF_MEMORY);
    else if (CALL(device, failure, cuptiProfilerGetCounterAvailability, &p))
        return p.pCounterAvailabilityImage;
    free(p.pCounterAvailabilityImage);
    return NULL;
}

/* Allocate the counter data of the ranges. */
static bool allocate_data(prof_counters_device *device, const prof_counters_host *host,
                          size_t ranges, prof_counters_failure *failure)
{
    CUpti_RangeProfiler_GetCounterDataSize_Params size = {
        .structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE,
        .pRangeProfilerObject = device->object,
        .maxNumOfRanges = ranges,
        .maxNumRangeTreeNodes = (uint32_t)ranges};
    size.pMetricNames = prof_counters_host_names(host, &size.numMetrics);
    if (!CALL(device, failure, cuptiRangeProfilerGetCounterDataSize, &size))
        return false;
    device->bytes = size.counterDataSize;
    device->data = calloc(device->bytes, 1);
    if (device->data == NULL)
        return prof_counters_check(failure, "calloc", CUPTI_ERROR_OUT_OF_MEMORY);
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params p = {
        .structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE,
        .pRangeProfilerObject = device->object,
        .counterDataSize = device->bytes,
        .pCounterData = device->data};
    return CALL(device, failure, cuptiRangeProfilerCounterDataImageInitialize, &p);
}

static bool configure(prof_counters_device *device, const prof_counters_host *host, size_t ranges,
                      prof_counters_failure *failure)
{
    CUpti_RangeProfiler_SetConfig_Params p = {.structSize =
                                                  CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE,
                                              .pRangeProfilerObject = device->object,
                                              .counterDataImageSize = device->bytes,
                                              .pCounterDataImage = device->data,
                                              .range = CUPTI_UserRange,
                                              .replayMode = CUPTI_UserReplay,
                                              .maxRangesPerPass = ranges,
                                              .numNestingLevels = 1, /* ranges do not nest */
                                              .minNestingLevel = 1,
                                              .passIndex = 0,
                                              .targetNestingLevel = 1};
    p.pConfig = prof_counters_host_image(host, &p.configSize);
    return CALL(device, failure, cuptiRangeProfilerSetConfig, &p);
}

bool prof_counters_device_enable(prof_counters_device *device, CUcontext context,
                                 const prof_counters_host *host, size_t ranges,
                                 prof_counters_failure *failure)
{
    CUpti_RangeProfiler_Enable_Params p = {
        .structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE, .ctx = context};
    if (!CALL(device, failure, cuptiRangeProfilerEnable, &p))
        return false;
    device->object = p.pRangeProfilerObject;
    if (allocate_data(device, host, ranges, failure) && configure(device, host, ranges, failure))
        return true;
    prof_counters_device_disable(device);
    return false;
}

void prof_counters_device_disable(prof_counters_device *device)
{
    CUpti_RangeProfiler_Disable_Params p = {.structSize =
                                                CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE,
                                            .pRangeProfilerObject = device->object};
    if (device->object != NULL)
        device->library.cuptiRangeProfilerDisable(&p);
    device->object = NULL;
    free(device->data);
    device->data = NULL;
}

bool prof_counters_device_start(prof_counters_device *device, prof_counters_failure *failure)
{
    CUpti_RangeProfiler_Start_Params p = {.structSize =
                                              CUpti_RangeProfiler_Start_Params_STRUCT_SIZE,
                                          .pRangeProfilerObject = device->object};
    return CALL(device, failure, cuptiRangeProfilerStart, &p);
}

bool prof_counters_device_stop(prof_counters_device *device, bool *was_last,
                               prof_counters_failure *failure)
{
    CUpti_RangeProfiler_Stop_Params p = {.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE,
                                         .pRangeProfilerObject = device->object};
    if (!CALL(device, failure, cuptiRangeProfilerStop, &p))
        return false;
    *was_last = p.isAllPassSubmitted != 0;
    return true;
}

bool prof_counters_device_push(prof_counters_device *device, const char *name,
                               prof_counters_failure *failure)
{
    CUpti_RangeProfiler_PushRange_Params p = {.structSize =
                                                  CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE,
                                              .pRangeProfilerObject = device->object,
                                              .pRangeName = name};
    return CALL(device, failure, cuptiRangeProfilerPushRange, &p);
}

bool prof_counters_device_pop(prof_counters_device *device, prof_counters_failure *failure)
{
    CUpti_RangeProfiler_PopRange_Params p = {.structSize =
                                                 CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE,
                                             .pRangeProfilerObject = device->object};
    return CALL(device, failure, cuptiRangeProfilerPopRange, &p);
}

bool prof_counters_device_decode(prof_counters_device *device, size_t *ranges,
                                 prof_counters_failure *failure)
{
    CUpti_RangeProfiler_DecodeData_Params p = {
        .structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE,
        .pRangeProfilerObject = device->object};
    CUpti_RangeProfiler_GetCounterDataInfo_Params info = {
        .structSize = CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE,
        .pCounterDataImage = device->data,
        .counterDataImageSize = device->bytes};
    if (!CALL(device, failure, cuptiRangeProfilerDecodeData, &p) ||
        !CALL(device, failure, cuptiRangeProfilerGetCounterDataInfo, &info))
        return false;
    *ranges = info.numTotalRanges;
    return true;
}

bool prof_counters_device_name(const prof_counters_device *device, size_t range, const char **name,
                               prof_counters_failure *failure)
{
    CUpti_RangeProfiler_CounterData_GetRangeInfo_Params p = {
        .structSize = CUpti_RangeProfiler_CounterData_GetRangeInfo_Params_STRUCT_SIZE,
        .pCounterDataImage = device->data,
        .counterDataImageSize = device->bytes,
        .rangeIndex = range,
        .rangeDelimiter = "/"};
    if (!CALL(device, failure, cuptiRangeProfilerCounterDataGetRangeInfo, &p))
        return false;
    *name = p.rangeName;
    return true;
}
