// CUPTI's range profiler, as far as the profiler calls it: user ranges and user replay. A metric
// counts threads: the first one that is counted 1 for each thread of the kernels in a range, the
// second one 2, and so on, in the pass that it is of only.
#include <cupti_range_profiler.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "cupti_emulation_profilers.hpp"

using namespace emulation;

struct CUpti_RangeProfiler_Object {
    Image image;
    Data *data;
    size_t most, pass, next;
    bool configured, started, pushed;
    std::vector<Range> ranges;
};

static CUpti_RangeProfiler_Object *profiler = nullptr;

/// Activity records and counters do not go together.
CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *p)
{
    BEGIN(p, CUpti_RangeProfiler_Enable_Params);
    if (!initialized || p->ctx != cupti_emulation_context())
        return CUPTI_ERROR_INVALID_CONTEXT;
    if (profiler || cupti_emulation.state.kinds > 0 || cupti_emulation.state.samplers > 0)
        return CUPTI_ERROR_NOT_COMPATIBLE;
    profiler = p->pRangeProfilerObject = new CUpti_RangeProfiler_Object{};
    cupti_emulation.state.profilers++;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *p)
{
    BEGIN(p, CUpti_RangeProfiler_Disable_Params);
    if (!profiler || p->pRangeProfilerObject != profiler)
        return CUPTI_ERROR_INVALID_PARAMETER;
    delete profiler;
    profiler = nullptr;
    cupti_emulation.state.profilers--;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params *p)
{
    BEGIN(p, CUpti_RangeProfiler_GetCounterDataSize_Params);
    if (p->maxNumRangeTreeNodes < p->maxNumOfRanges || p->numMetrics == 0)
        return CUPTI_ERROR_INVALID_PARAMETER;
    p->counterDataSize = sizeof(Data) + p->maxNumOfRanges * sizeof(Range);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params *p)
{
    BEGIN(p, CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
    Data *data = reinterpret_cast<Data *>(p->pCounterData);
    *data = Data{(p->counterDataSize - sizeof(Data)) / sizeof(Range), 0};
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *p)
{
    BEGIN(p, CUpti_RangeProfiler_SetConfig_Params);
    CUpti_RangeProfiler_Object *object = p->pRangeProfilerObject;
    if (p->configSize != sizeof(Image) || p->numNestingLevels != 1 || p->minNestingLevel != 1 ||
        p->passIndex != 0 || p->targetNestingLevel != 1)
        return CUPTI_ERROR_INVALID_PARAMETER;
    if (p->range != CUPTI_UserRange || p->replayMode != CUPTI_UserReplay)
        return CUPTI_ERROR_NOT_SUPPORTED;
    std::memcpy(&object->image, p->pConfig, sizeof object->image);
    object->data = reinterpret_cast<Data *>(p->pCounterDataImage);
    object->most = p->maxRangesPerPass;
    object->configured = true;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *p)
{
    BEGIN(p, CUpti_RangeProfiler_Start_Params);
    CUpti_RangeProfiler_Object *object = p->pRangeProfilerObject;
    if (!object->configured || object->started || object->pass == object->image.passes)
        return CUPTI_ERROR_INVALID_OPERATION;
    object->started = true;
    object->next = 0;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *p)
{
    BEGIN(p, CUpti_RangeProfiler_Stop_Params);
    CUpti_RangeProfiler_Object *object = p->pRangeProfilerObject;
    if (!object->started || object->pushed)
        return CUPTI_ERROR_INVALID_OPERATION;
    object->started = false;
    p->passIndex = ++object->pass;
    p->isAllPassSubmitted = object->pass == object->image.passes;
    return CUPTI_SUCCESS;
}

/// Every pass has the ranges of the first one, in their order.
CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params *p)
{
    BEGIN(p, CUpti_RangeProfiler_PushRange_Params);
    CUpti_RangeProfiler_Object *object = p->pRangeProfilerObject;
    if (!object->started || object->pushed)
        return CUPTI_ERROR_INVALID_OPERATION;
    if (object->pass == 0) {
        Range range = {};
        std::snprintf(range.name, sizeof range.name, "%s", p->pRangeName);
        for (double &value : range.value)
            value = NAN;
        object->ranges.push_back(range);
    }
    if (object->next == object->ranges.size() || object->next == object->most ||
        std::strcmp(object->ranges[object->next].name, p->pRangeName) != 0)
        return CUPTI_ERROR_INVALID_PARAMETER;
    for (int k = 0; k < COUNTED; k++)
        if ((object->image.metrics >> k & 1U) != 0 &&
            static_cast<size_t>(pass_of(k)) == object->pass)
            object->ranges[object->next].value[k] = 0.0;
    object->pushed = true;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params *p)
{
    BEGIN(p, CUpti_RangeProfiler_PopRange_Params);
    CUpti_RangeProfiler_Object *object = p->pRangeProfilerObject;
    if (!object->pushed)
        return CUPTI_ERROR_INVALID_OPERATION;
    object->pushed = false;
    object->next++;
    return CUPTI_SUCCESS;
}

void cupti_emulation_count(int64_t threads)
{
    if (!profiler || !profiler->pushed)
        return;
    Range &range = profiler->ranges[profiler->next];
    for (int k = 0; k < COUNTED; k++)
        if ((profiler->image.metrics >> k & 1U) != 0 &&
            static_cast<size_t>(pass_of(k)) == profiler->pass)
            range.value[k] += static_cast<double>(k + 1) * static_cast<double>(threads);
}

/// CUPTI_EMULATION_LOST_RANGES: number of ranges at the end that are lost.
CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *p)
{
    BEGIN(p, CUpti_RangeProfiler_DecodeData_Params);
    CUpti_RangeProfiler_Object *object = p->pRangeProfilerObject;
    if (object->started || object->pass != object->image.passes)
        return CUPTI_ERROR_INVALID_OPERATION;
    const size_t all = object->ranges.size();
    const size_t lost =
        static_cast<size_t>(std::atoi(setting("CUPTI_EMULATION_LOST_RANGES").c_str()));
    size_t count = all > lost ? all - lost : 0;
    count = count < object->data->room ? count : object->data->room;
    for (size_t k = 0; k < count; k++)
        object->data->ranges()[k] = object->ranges[k];
    object->data->count = count;
    p->numOfRangeDropped = all - count;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params *p)
{
    BEGIN(p, CUpti_RangeProfiler_GetCounterDataInfo_Params);
    p->numTotalRanges = reinterpret_cast<const Data *>(p->pCounterDataImage)->count;
    return CUPTI_SUCCESS;
}

CUptiResult
cuptiRangeProfilerCounterDataGetRangeInfo(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params *p)
{
    BEGIN(p, CUpti_RangeProfiler_CounterData_GetRangeInfo_Params);
    const Data *data = reinterpret_cast<const Data *>(p->pCounterDataImage);
    if (p->rangeIndex >= data->count)
        return CUPTI_ERROR_INVALID_PARAMETER;
    p->rangeName = data->ranges()[p->rangeIndex].name;
    return CUPTI_SUCCESS;
}
