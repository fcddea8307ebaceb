// The host side of CUPTI's profilers, as far as the profiler calls it.
#include <cupti_profiler_target.h>
#include <cupti_target.h>

#include <algorithm>
#include <cstring>

#include "cupti_emulation_profilers.hpp"

using namespace emulation;

bool emulation::initialized = false;

namespace
{

constexpr const char *CHIPS[] = {"GA100", "GH100", "GB202"};

struct Metric {
    const char *name, *unit;
    size_t passes[3]; // that it needs on each of the chips; 0: they do not have it
};
const Metric metrics[METRICS] = {
    {"gpu__time_duration.sum", "nanosecond", {1, 1, 1}},
    {"dram__bytes_read.sum", "byte", {1, 1, 0}},
    {"dram__bytes_write.sum", "byte", {1, 1, 0}},
    {"lts__t_bytes.sum", "byte", {1, 1, 1}},
    {"l1tex__t_bytes.sum", "byte", {1, 1, 1}},
    {"smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", "instruction", {1, 1, 1}},
    {"smsp__sass_thread_inst_executed_op_dmul_pred_on.sum", "instruction", {1, 1, 1}},
    {"smsp__sass_thread_inst_executed_op_dfma_pred_on.sum", "instruction", {1, 1, 1}},
#define SHARE ".avg.pct_of_peak_sustained_elapsed"
    {"sm__cycles_active" SHARE, "percent", {1, 1, 1}},
    {"sm__warps_active" SHARE, "percent", {1, 1, 1}},
    {"dram__bytes_read.sum.per_second", "byte/second", {1, 1, 0}},
    {"dram__bytes_write.sum.per_second", "byte/second", {1, 1, 0}},
    {"TPC.TriageCompute.sm__pipe_fp64_cycles_active_realtime" SHARE, "percent", {0, 1, 0}},
    {"sm__pipe_fp64_cycles_active" SHARE, "percent", {1, 2, 3}},
    {"sm__inst_executed_pipe_fp64" SHARE, "percent", {0, 0, 1}},
    {"LTS.TriageCompute.lts__average_t_sector_hit_rate_realtime.pct", "percent", {0, 1, 0}},
    {"lts__average_t_sector_hit_rate_realtime.pct", "percent", {0, 0, 1}}};

int place_of(const std::string &chip)
{
    for (int k = 0; k < 3; k++)
        if (chip == CHIPS[k])
            return k;
    return -1;
}

} // namespace

int emulation::metric_of(CUpti_ProfilerType profiler, const std::string &chip, const char *name)
{
    const bool sampled = profiler == CUPTI_PROFILER_TYPE_PM_SAMPLING;
    for (int k = sampled ? COUNTED : 0; k < (sampled ? METRICS : COUNTED); k++)
        if (std::strcmp(metrics[k].name, name) == 0)
            return metrics[k].passes[place_of(chip)] > 0 ? k : -1;
    return -1;
}

struct CUpti_Profiler_Host_Object {
    CUpti_ProfilerType profiler;
    std::string chip;
    uint32_t chosen;
    std::string taken; // a metric whose counters are not free

    int find(const char *name) const
    {
        return taken == name ? -1 : metric_of(profiler, chip, name);
    }

    Image image() const
    {
        size_t most = 0;
        bool in_pass[2] = {false, false};
        for (int k = 0; k < METRICS; k++)
            if ((chosen >> k & 1U) != 0) {
                most = std::max(most, metrics[k].passes[place_of(chip)]);
                in_pass[pass_of(k)] = true;
            }
        const bool both =
            profiler == CUPTI_PROFILER_TYPE_RANGE_PROFILER && in_pass[0] && in_pass[1];
        return {profiler, chosen, both ? 2 : most};
    }
};

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
    const bool known =
        p->api == CUPTI_PROFILER_RANGE_PROFILING || p->api == CUPTI_PROFILER_PM_SAMPLING;
    return known ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

/// The real one crashes where there is no driver: it comes after what finds that out.
CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *p)
{
    static std::string name;
    BEGIN(p, CUpti_Device_GetChipName_Params);
    if (!initialized)
        std::abort();
    name = chip();
    p->pChipName = name.c_str();
    return CUPTI_SUCCESS;
}

/// CUPTI_EMULATION_TAKEN: a metric that is not free in this description.
CUptiResult cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params *p)
{
    BEGIN(p, CUpti_Profiler_GetCounterAvailability_Params);
    if (!initialized || p->ctx != cupti_emulation_context())
        return CUPTI_ERROR_INVALID_CONTEXT;
    return give_availability(p);
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *p)
{
    BEGIN(p, CUpti_Profiler_Host_Initialize_Params);
    if (place_of(p->pChipName) < 0)
        return CUPTI_ERROR_INVALID_CHIP_NAME;
    const char *availability = reinterpret_cast<const char *>(p->pCounterAvailabilityImage);
    if (availability && std::strcmp(availability, AVAILABILITY) != 0)
        return CUPTI_ERROR_INVALID_PARAMETER;
    p->pHostObject = new CUpti_Profiler_Host_Object{
        p->profilerType, p->pChipName, 0, availability ? setting("CUPTI_EMULATION_TAKEN") : ""};
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
    const int metric = p->pHostObject->find(p->pMetricName);
    if (metric < 0)
        return CUPTI_ERROR_INVALID_METRIC_NAME;
    p->pDimUnit = metrics[metric].unit;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *p)
{
    BEGIN(p, CUpti_Profiler_Host_ConfigAddMetrics_Params);
    for (size_t k = 0; k < p->numMetrics; k++) {
        const int metric = p->pHostObject->find(p->ppMetricNames[k]);
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
    const Image image = p->pHostObject->image();
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
    p->numOfPasses = image.passes;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params *p)
{
    BEGIN(p, CUpti_Profiler_Host_EvaluateToGpuValues_Params);
    const Data *data = reinterpret_cast<const Data *>(p->pCounterDataImage);
    for (size_t k = 0; k < p->numMetrics; k++) {
        const int metric = p->pHostObject->find(p->ppMetricNames[k]);
        if (p->rangeIndex >= data->count || metric < 0)
            return CUPTI_ERROR_INVALID_PARAMETER;
        p->pMetricValues[k] = data->ranges()[p->rangeIndex].value[metric];
    }
    return CUPTI_SUCCESS;
}
