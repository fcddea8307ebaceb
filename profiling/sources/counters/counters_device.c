#include "sources/counters/counters_device.h"

#include <stdlib.h>

#include "sources/counters/counters_library.h"

uint8_t *prof_counters_device_availability(prof_counters_device *device, CUcontext context)
{
    PROF_CUPTI_PARAMETERS(p, Profiler_GetCounterAvailability, .ctx = context);
    if (PROF_CUPTI_CALL(&device->calls, cuptiProfilerGetCounterAvailability, &p) && /* its size */
        prof_counters_allocate(&device->calls, p.counterAvailabilityImageSize + 1,
                               &p.pCounterAvailabilityImage) &&
        PROF_CUPTI_CALL(&device->calls, cuptiProfilerGetCounterAvailability, &p))
        return p.pCounterAvailabilityImage;
    free(p.pCounterAvailabilityImage);
    return NULL;
}

/* Allocate the counter data of the ranges. */
static bool allocate_data(prof_counters_device *device, const prof_counters_host *host,
                          size_t ranges)
{
    PROF_CUPTI_PARAMETERS(size, RangeProfiler_GetCounterDataSize,
                          .pRangeProfilerObject = device->object, .maxNumOfRanges = ranges,
                          .maxNumRangeTreeNodes = (uint32_t)ranges);
    size.pMetricNames = prof_counters_host_names(host, &size.numMetrics);
    if (!PROF_CUPTI_CALL(&device->calls, cuptiRangeProfilerGetCounterDataSize, &size))
        return false;
    device->bytes = size.counterDataSize;
    if (!prof_counters_allocate(&device->calls, device->bytes, &device->data))
        return false;
    PROF_CUPTI_PARAMETERS(p, RangeProfiler_CounterDataImage_Initialize,
                          .pRangeProfilerObject = device->object, .counterDataSize = device->bytes,
                          .pCounterData = device->data);
    return PROF_CUPTI_CALL(&device->calls, cuptiRangeProfilerCounterDataImageInitialize, &p);
}

static bool configure(prof_counters_device *device, const prof_counters_host *host, size_t ranges)
{
    PROF_CUPTI_PARAMETERS(p, RangeProfiler_SetConfig, .pRangeProfilerObject = device->object,
                          .counterDataImageSize = device->bytes, .pCounterDataImage = device->data,
                          .range = CUPTI_UserRange, .replayMode = CUPTI_UserReplay,
                          .maxRangesPerPass = ranges, .numNestingLevels = 1, .minNestingLevel = 1,
                          .passIndex = 0, .targetNestingLevel = 1);
    p.pConfig = prof_counters_host_image(host, &p.configSize);
    return PROF_CUPTI_CALL(&device->calls, cuptiRangeProfilerSetConfig, &p);
}

bool prof_counters_device_enable(prof_counters_device *device, CUcontext context,
                                 const prof_counters_host *host, size_t ranges)
{
    PROF_CUPTI_PARAMETERS(p, RangeProfiler_Enable, .ctx = context);
    if (!PROF_CUPTI_CALL(&device->calls, cuptiRangeProfilerEnable, &p))
        return false;
    device->object = p.pRangeProfilerObject;
    if (allocate_data(device, host, ranges) && configure(device, host, ranges))
        return true;
    prof_counters_device_disable(device);
    return false;
}

void prof_counters_device_disable(prof_counters_device *device)
{
    PROF_CUPTI_PARAMETERS(p, RangeProfiler_Disable, .pRangeProfilerObject = device->object);
    if (device->object != NULL)
        device->calls.library->cuptiRangeProfilerDisable(&p);
    device->object = NULL;
    free(device->data);
    device->data = NULL;
}

bool prof_counters_device_start(prof_counters_device *device)
{
    PROF_CUPTI_PARAMETERS(p, RangeProfiler_Start, .pRangeProfilerObject = device->object);
    return PROF_CUPTI_CALL(&device->calls, cuptiRangeProfilerStart, &p);
}

bool prof_counters_device_stop(prof_counters_device *device, bool *was_last)
{
    PROF_CUPTI_PARAMETERS(p, RangeProfiler_Stop, .pRangeProfilerObject = device->object);
    if (!PROF_CUPTI_CALL(&device->calls, cuptiRangeProfilerStop, &p))
        return false;
    *was_last = p.isAllPassSubmitted != 0;
    return true;
}

bool prof_counters_device_push(prof_counters_device *device, const char *name)
{
    PROF_CUPTI_PARAMETERS(p, RangeProfiler_PushRange, .pRangeProfilerObject = device->object,
                          .pRangeName = name);
    return PROF_CUPTI_CALL(&device->calls, cuptiRangeProfilerPushRange, &p);
}

bool prof_counters_device_pop(prof_counters_device *device)
{
    PROF_CUPTI_PARAMETERS(p, RangeProfiler_PopRange, .pRangeProfilerObject = device->object);
    return PROF_CUPTI_CALL(&device->calls, cuptiRangeProfilerPopRange, &p);
}

bool prof_counters_device_decode(prof_counters_device *device, size_t *ranges)
{
    PROF_CUPTI_PARAMETERS(p, RangeProfiler_DecodeData, .pRangeProfilerObject = device->object);
    PROF_CUPTI_PARAMETERS(info, RangeProfiler_GetCounterDataInfo, .pCounterDataImage = device->data,
                          .counterDataImageSize = device->bytes);
    if (!PROF_CUPTI_CALL(&device->calls, cuptiRangeProfilerDecodeData, &p) ||
        !PROF_CUPTI_CALL(&device->calls, cuptiRangeProfilerGetCounterDataInfo, &info))
        return false;
    *ranges = info.numTotalRanges;
    return true;
}

bool prof_counters_device_name(prof_counters_device *device, size_t range, const char **name)
{
    PROF_CUPTI_PARAMETERS(p, RangeProfiler_CounterData_GetRangeInfo,
                          .pCounterDataImage = device->data, .counterDataImageSize = device->bytes,
                          .rangeIndex = range, .rangeDelimiter = "/");
    if (!PROF_CUPTI_CALL(&device->calls, cuptiRangeProfilerCounterDataGetRangeInfo, &p))
        return false;
    *name = p.rangeName;
    return true;
}
