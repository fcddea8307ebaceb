// CUPTI's PM sampling, as far as the profiler calls it. Sample k, of the k-th period since the
// start, has the value 10 + k % 10 of the first sampled metric, 20 + k % 10 of the second metric,
// and so on.
#include <cupti_pmsampling.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>

#include "cupti_emulation_profilers.hpp"

using namespace emulation;

struct CUpti_PmSampling_Object {
    Image image;
    uint64_t period, start, end;
    bool started, stopped;
    size_t read; // samples that were decoded
};

static CUpti_PmSampling_Object *sampler = nullptr;

static uint64_t now()
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return static_cast<uint64_t>(time.tv_sec) * 1000000000U + static_cast<uint64_t>(time.tv_nsec);
}

CUptiResult cuptiPmSamplingGetCounterAvailability(CUpti_PmSampling_GetCounterAvailability_Params *p)
{
    BEGIN(p, CUpti_PmSampling_GetCounterAvailability_Params);
    if (!initialized)
        return CUPTI_ERROR_NOT_INITIALIZED;
    return give_availability(p);
}

/// The range profiler uses the same hardware.
CUptiResult cuptiPmSamplingEnable(CUpti_PmSampling_Enable_Params *p)
{
    BEGIN(p, CUpti_PmSampling_Enable_Params);
    if (!initialized || sampler || cupti_emulation.state.profilers > 0)
        return CUPTI_ERROR_INVALID_OPERATION;
    sampler = p->pPmSamplingObject = new CUpti_PmSampling_Object{};
    cupti_emulation.state.samplers++;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingDisable(CUpti_PmSampling_Disable_Params *p)
{
    BEGIN(p, CUpti_PmSampling_Disable_Params);
    if (!sampler || p->pPmSamplingObject != sampler)
        return CUPTI_ERROR_INVALID_PARAMETER;
    delete sampler;
    sampler = nullptr;
    cupti_emulation.state.samplers--;
    return CUPTI_SUCCESS;
}

/// GA100 has no timer.
CUptiResult cuptiPmSamplingSetConfig(CUpti_PmSampling_SetConfig_Params *p)
{
    BEGIN(p, CUpti_PmSampling_SetConfig_Params);
    Image image;
    if (p->pPmSamplingObject != sampler || p->configSize != sizeof image ||
        p->samplingInterval == 0 || p->hardwareBufferSize == 0)
        return CUPTI_ERROR_INVALID_PARAMETER;
    std::memcpy(&image, p->pConfig, sizeof image);
    const bool timed = p->triggerMode == CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
    if (image.profiler != CUPTI_PROFILER_TYPE_PM_SAMPLING || image.passes != 1 ||
        timed == (chip() == "GA100"))
        return CUPTI_ERROR_NOT_SUPPORTED;
    sampler->image = image;
    sampler->period = p->samplingInterval;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingGetCounterDataSize(CUpti_PmSampling_GetCounterDataSize_Params *p)
{
    BEGIN(p, CUpti_PmSampling_GetCounterDataSize_Params);
    if (p->pPmSamplingObject != sampler || p->numMetrics == 0)
        return CUPTI_ERROR_INVALID_PARAMETER;
    p->counterDataSize = sizeof(Data) + p->maxSamples * sizeof(Range);
    return CUPTI_SUCCESS;
}

CUptiResult
cuptiPmSamplingCounterDataImageInitialize(CUpti_PmSampling_CounterDataImage_Initialize_Params *p)
{
    BEGIN(p, CUpti_PmSampling_CounterDataImage_Initialize_Params);
    Data *data = reinterpret_cast<Data *>(p->pCounterData);
    *data = Data{(p->counterDataSize - sizeof(Data)) / sizeof(Range), 0};
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingStart(CUpti_PmSampling_Start_Params *p)
{
    BEGIN(p, CUpti_PmSampling_Start_Params);
    if (p->pPmSamplingObject != sampler || sampler->period == 0 || sampler->started)
        return CUPTI_ERROR_INVALID_OPERATION;
    sampler->started = true;
    sampler->start = now();
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingStop(CUpti_PmSampling_Stop_Params *p)
{
    BEGIN(p, CUpti_PmSampling_Stop_Params);
    if (p->pPmSamplingObject != sampler || !sampler->started || sampler->stopped)
        return CUPTI_ERROR_INVALID_OPERATION;
    sampler->stopped = true;
    sampler->end = now();
    return CUPTI_SUCCESS;
}

/// CUPTI_EMULATION_CLOCK: the clock of samples is ahead by this number of ns.
static Range sample(size_t number)
{
    const uint64_t prefetch =
        static_cast<uint64_t>(std::atoll(setting("CUPTI_EMULATION_CLOCK").c_str()));
    Range sample = {};
    sample.start = sampler->start + prefetch + number * sampler->period;
    sample.end = sample.start + sampler->period;
    for (int k = 0; k < METRICS; k++)
        sample.value[k] = (sampler->image.metrics >> k & 1U) != 0
                              ? 10.0 * (k - COUNTED + 1) + static_cast<double>(number % 10)
                              : NAN;
    return sample;
}

/// CUPTI_EMULATION_SAMPLES_MOST: samples in the GPU's buffer, the oldest ones.
/// CUPTI_EMULATION_DECODE_STOPS: decoding stops without a reason.
CUptiResult cuptiPmSamplingDecodeData(CUpti_PmSampling_DecodeData_Params *p)
{
    BEGIN(p, CUpti_PmSampling_DecodeData_Params);
    if (p->pPmSamplingObject != sampler || !sampler->stopped)
        return CUPTI_ERROR_INVALID_OPERATION;
    const std::string most = setting("CUPTI_EMULATION_SAMPLES_MOST");
    const size_t taken = (sampler->end - sampler->start) / sampler->period;
    const size_t kept = most.empty() ? taken : std::min(taken, std::stoul(most));
    Data *data = reinterpret_cast<Data *>(p->pCounterDataImage);
    while (data->count < data->room && sampler->read < kept)
        data->ranges()[data->count++] = sample(sampler->read++);
    p->overflow = kept < taken;
    p->decodeStopReason = sampler->read < kept
                              ? CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL
                              : CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
    if (!setting("CUPTI_EMULATION_DECODE_STOPS").empty())
        p->decodeStopReason = CUPTI_PM_SAMPLING_DECODE_STOP_REASON_OTHER;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiPmSamplingGetCounterDataInfo(CUpti_PmSampling_GetCounterDataInfo_Params *p)
{
    BEGIN(p, CUpti_PmSampling_GetCounterDataInfo_Params);
    const Data *data = reinterpret_cast<const Data *>(p->pCounterDataImage);
    p->numTotalSamples = data->room;
    p->numPopulatedSamples = p->numCompletedSamples = data->count;
    return CUPTI_SUCCESS;
}

CUptiResult
cuptiPmSamplingCounterDataGetSampleInfo(CUpti_PmSampling_CounterData_GetSampleInfo_Params *p)
{
    BEGIN(p, CUpti_PmSampling_CounterData_GetSampleInfo_Params);
    const Data *data = reinterpret_cast<const Data *>(p->pCounterDataImage);
    if (p->pPmSamplingObject != sampler || p->sampleIndex >= data->count)
        return CUPTI_ERROR_INVALID_PARAMETER;
    p->startTimestamp = data->ranges()[p->sampleIndex].start;
    p->endTimestamp = data->ranges()[p->sampleIndex].end;
    return CUPTI_SUCCESS;
}
