// CUPTI's profilers, as far as the profiler calls them: the host side, and the range profiler with
// user ranges and user replay. A metric counts threads: the first one of the list below 1 for each
// thread of the kernels in a range, the second one 2, and so on, in the pass that it is of only.
#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "cupti_emulation_state.h"

namespace
{

struct Metric {
    const char *name, *unit;
};
const Metric metrics[] = {{"gpu__time_duration.sum", "nanosecond"},
                          {"dram__bytes_read.sum", "byte"},
                          {"dram__bytes_write.sum", "byte"},
                          {"lts__t_bytes.sum", "byte"},
                          {"l1tex__t_bytes.sum", "byte"},
                          {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", "instruction"},
                          {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", "instruction"},
                          {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "instruction"}};
constexpr int METRICS = sizeof metrics / sizeof *metrics, FIRST_OF_SECOND_PASS = 5;

int pass_of(int metric)
{
    return metric < FIRST_OF_SECOND_PASS ? 0 : 1;
}

std::string setting(const char *name)
{
    const char *text = std::getenv(name);
    return text ? text : "";
}

/// The result that CUPTI_EMULATION_REFUSED_CALL ("cuptiRangeProfilerEnable:35") gives to a call.
CUptiResult refusal(const char *call)
{
    const std::string text = setting("CUPTI_EMULATION_REFUSED_CALL"),
                      name = std::string(call) + ":";
    if (text.compare(0, name.size(), name) != 0)
        return CUPTI_SUCCESS;
    return static_cast<CUptiResult>(std::atoi(text.c_str() + name.size()));
}

/// Begin a function of CUPTI: it may be refused, and its parameters have their size.
#define BEGIN(parameters, type)                                                                    \
    if (const CUptiResult refused = refusal(__func__))                                             \
        return refused;                                                                            \
    if ((parameters)->structSize != type##_STRUCT_SIZE || (parameters)->pPriv)                     \
    return CUPTI_ERROR_INVALID_PARAMETER

/// Which metrics are counted.
struct Image {
    uint32_t metrics;
    size_t passes() const
    {
        return (metrics >> FIRST_OF_SECOND_PASS ? 1 : 0) +
               (metrics & ((1U << FIRST_OF_SECOND_PASS) - 1) ? 1 : 0);
    }
};

struct Range {
    char name[32];
    double value[METRICS]; // NaN: not counted
};

/// Data that was decoded: this, and ranges behind it.
struct Data {
    size_t room, count;
    Range *ranges()
    {
        return reinterpret_cast<Range *>(this + 1);
    }
    const Range *ranges() const
    {
        return reinterpret_cast<const Range *>(this + 1);
    }
};

bool initialized = false;

} // namespace

struct CUpti_Profiler_Host_Object {
    std::string chip;
    uint32_t chosen;
};

struct CUpti_RangeProfiler_Object {
    Image image;
    Data *data;
    size_t most, pass, next;
    bool configured, started, pushed;
    std::vector<Range> ranges;
};

static CUpti_RangeProfiler_Object *profiler = nullptr;

static int metric_of(const std::string &chip, const char *name)
{
    const bool has_dram = chip != "GB202";
    for (int k = 0; k < METRICS; k++)
        if (std::strcmp(metrics[k].name, name) == 0)
            return has_dram || std::strncmp(name, "dram", 4) != 0 ? k : -1;
    return -1;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *p)
{
    BEGIN(p, CUpti_Profiler_Initialize_Params);
    initialized = true;
    return CUPTI_SUCCESS;
}

/// CUPTI_EMULATION_UNSUPPORTED: architecture, vgpu, vgpu-disabled or confidential.
CUptiResult cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params *p)
{
    BEGIN(p, CUpti_Profiler_DeviceSupported_Params);
    const std::string what = setting("CUPTI_EMULATION_UNSUPPORTED");
    const auto level = [&](bool unsupported) {
        return unsupported ? CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED
                           : CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
    };
    p->architecture = level(what == "architecture");
    p->vGpu =
        what == "vgpu-disabled" ? CUPTI_PROFILER_CONFIGURATION_DISABLED : level(what == "vgpu");
    p->confidentialCompute = level(what == "confidential");
    p->sli = p->cmp = p->wsl = level(false);
    p->isSupported = level(!what.empty());
    return p->api == CUPTI_PROFILER_RANGE_PROFILING ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

/// The real one crashes where there is no driver: it comes after what finds that out.
CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *p)
{
    static std::string chip;
    BEGIN(p, CUpti_Device_GetChipName_Params);
    if (!initialized)
        std::abort();
    chip = setting("CUPTI_EMULATION_CHIP");
    p->pChipName = chip.empty() ? "GH100" : chip.c_str();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *p)
{
    BEGIN(p, CUpti_Profiler_Host_Initialize_Params);
    const std::string chip = p->pChipName;
    if (chip != "GH100" && chip != "GA100" && chip != "GB202")
        return CUPTI_ERROR_INVALID_CHIP_NAME;
    p->pHostObject = new CUpti_Profiler_Host_Object{chip, 0};
    cupti_emulation.state.hosts++;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params *p)
{
    BEGIN(p, CUpti_Profiler_Host_Deinitialize_Params);
    delete p->pHostObject;
    cupti_emulation.state.hosts--;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetMetricProperties(CUpti_Profiler_Host_GetMetricProperties_Params *p)
{
    BEGIN(p, CUpti_Profiler_Host_GetMetricProperties_Params);
    const int metric = metric_of(p->pHostObject->chip, p->pMetricName);
    if (metric < 0)
        return CUPTI_ERROR_INVALID_METRIC_NAME;
    p->pDimUnit = metrics[metric].unit;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *p)
{
    BEGIN(p, CUpti_Profiler_Host_ConfigAddMetrics_Params);
    for (size_t k = 0; k < p->numMetrics; k++) {
        const int metric = metric_of(p->pHostObject->chip, p->ppMetricNames[k]);
        if (metric < 0)
            return CUPTI_ERROR_INVALID_METRIC_NAME;
        p->pHostObject->chosen |= 1U << metric;
    }
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params *p)
{
    BEGIN(p, CUpti_Profiler_Host_GetConfigImageSize_Params);
    p->configImageSize = sizeof(Image);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *p)
{
    BEGIN(p, CUpti_Profiler_Host_GetConfigImage_Params);
    const Image image = {p->pHostObject->chosen};
    if (p->configImageSize != sizeof image)
        return CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
    std::memcpy(p->pConfigImage, &image, sizeof image);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *p)
{
    BEGIN(p, CUpti_Profiler_Host_GetNumOfPasses_Params);
    Image image;
    std::memcpy(&image, p->pConfigImage, sizeof image);
    p->numOfPasses = image.passes();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params *p)
{
    BEGIN(p, CUpti_Profiler_Host_EvaluateToGpuValues_Params);
    const Data *data = reinterpret_cast<const Data *>(p->pCounterDataImage);
    for (size_t k = 0; k < p->numMetrics; k++) {
        const int metric = metric_of(p->pHostObject->chip, p->ppMetricNames[k]);
        if (p->rangeIndex >= data->count || metric < 0)
            return CUPTI_ERROR_INVALID_PARAMETER;
        p->pMetricValues[k] = data->ranges()[p->rangeIndex].value[metric];
    }
    return CUPTI_SUCCESS;
}

/// Activity records and counters do not go together.
CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *p)
{
    BEGIN(p, CUpti_RangeProfiler_Enable_Params);
    if (!initialized || p->ctx != cupti_emulation_context())
        return CUPTI_ERROR_INVALID_CONTEXT;
    if (profiler || cupti_emulation.state.kinds > 0)
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
    if (!object->configured || object->started || object->pass == object->image.passes())
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
    p->isAllPassSubmitted = object->pass == object->image.passes();
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
    for (int k = 0; k < METRICS; k++)
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
    for (int k = 0; k < METRICS; k++)
        if ((profiler->image.metrics >> k & 1U) != 0 &&
            static_cast<size_t>(pass_of(k)) == profiler->pass)
            range.value[k] += static_cast<double>(k + 1) * static_cast<double>(threads);
}

/// CUPTI_EMULATION_LOST_RANGES: so many of the last ones are lost.
CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *p)
{
    BEGIN(p, CUpti_RangeProfiler_DecodeData_Params);
    CUpti_RangeProfiler_Object *object = p->pRangeProfilerObject;
    if (object->started || object->pass != object->image.passes())
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
