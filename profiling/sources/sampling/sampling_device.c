#include "sources/sampling/sampling_device.h"

#include <cupti_result.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sources/counters/counters_library.h"

/* ---- the plan of metrics ---- */

/* Metrics of the quantities by CUPTI's names, those that are preferred first. Hopper and datacentre
 * Blackwell have groups for sampling (TriageCompute), and need more than one pass for the usual
 * metric; consumer GPUs count instructions of the FP64 pipe instead of its cycles. */
#define SHARE ".avg.pct_of_peak_sustained_elapsed"
static const struct {
    int quantity;
    const char *metric;
} preferences[] = {
    {PROF_SAMPLED_sm_active_percent, "sm__cycles_active" SHARE},
    {PROF_SAMPLED_warps_active_percent, "sm__warps_active" SHARE},
    {PROF_SAMPLED_dram_read_bytes_per_s, "dram__bytes_read.sum.per_second"},
    {PROF_SAMPLED_dram_written_bytes_per_s, "dram__bytes_write.sum.per_second"},
    {PROF_SAMPLED_fp64_active_percent,
     "TPC.TriageCompute.sm__pipe_fp64_cycles_active_realtime" SHARE},
    {PROF_SAMPLED_fp64_active_percent, "sm__pipe_fp64_cycles_active" SHARE},
    {PROF_SAMPLED_fp64_active_percent, "sm__inst_executed_pipe_fp64" SHARE},
    {PROF_SAMPLED_l2_hit_percent, "LTS.TriageCompute.lts__average_t_sector_hit_rate_realtime.pct"},
    {PROF_SAMPLED_l2_hit_percent, "lts__average_t_sector_hit_rate_realtime.pct"}};
enum { PREFERENCES = sizeof preferences / sizeof *preferences };

bool prof_sampling_plan_has(const prof_sampling_plan *plan, int quantity)
{
    for (int k = 0; k < plan->count; k++)
        if (plan->quantity[k] == quantity)
            return true;
    return false;
}

/* Add the next metric of `request` to the plan, if the chip has the metric and all metrics fit into
 * one pass. */
static void try_metric(prof_sampling_plan *plan, void *library, prof_counters_request request,
                       prof_counters_failure *failure)
{
    request.count = plan->count + 1;
    prof_counters_host *host = prof_counters_host_create(library, request, failure);
    if (host == NULL)
        return;
    if (!prof_counters_host_has(host, plan->count) || prof_counters_host_passes(host) != 1) {
        prof_counters_host_destroy(&host);
        return;
    }
    prof_counters_host_destroy(&plan->host);
    plan->host = host;
    plan->count++;
}

bool prof_sampling_plan_create(prof_sampling_plan *plan, void *library, const char *chip,
                               const uint8_t *availability, prof_counters_failure *failure)
{
    const prof_counters_request request = {
        .chip = chip, .metrics = plan->metric, .over_time = true, .availability = availability};
    *plan = (prof_sampling_plan){.host = NULL};
    *failure =
        (prof_counters_failure){"cuptiProfilerHostGetNumOfPasses", CUPTI_ERROR_NOT_SUPPORTED};
    for (int k = 0; k < PREFERENCES; k++) {
        if (prof_sampling_plan_has(plan, preferences[k].quantity))
            continue;
        plan->metric[plan->count] = preferences[k].metric;
        plan->quantity[plan->count] = preferences[k].quantity;
        try_metric(plan, library, request, failure);
    }
    return plan->count > 0;
}

void prof_sampling_plan_destroy(prof_sampling_plan *plan)
{
    prof_counters_host_destroy(&plan->host);
    plan->count = 0;
}

bool prof_sampling_plan_evaluate(const prof_sampling_plan *plan, const uint8_t *data, size_t bytes,
                                 size_t sample, double values[PROF_SAMPLED_COUNT],
                                 prof_counters_failure *failure)
{
    double found[PROF_SAMPLED_COUNT];
    if (!prof_counters_host_evaluate(plan->host, data, bytes, sample, found, failure))
        return false;
    for (int k = 0; k < PROF_SAMPLED_COUNT; k++)
        values[k] = -1.0;
    for (int k = 0; k < plan->count; k++)
        if (isfinite(found[k]))
            values[plan->quantity[k]] = found[k];
    return true;
}

enum { SAMPLES_AT_ONCE = 1024 }; /* that are decoded */

uint8_t *prof_sampling_device_availability(prof_sampling_device *device, int32_t number)
{
    PROF_CUPTI_PARAMETERS(p, PmSampling_GetCounterAvailability, .deviceIndex = (size_t)number);
    if (PROF_CUPTI_CALL(&device->calls, cuptiPmSamplingGetCounterAvailability, &p) && /* its size */
        prof_counters_allocate(&device->calls, p.counterAvailabilityImageSize + 1,
                               &p.pCounterAvailabilityImage) &&
        PROF_CUPTI_CALL(&device->calls, cuptiPmSamplingGetCounterAvailability, &p))
        return p.pCounterAvailabilityImage;
    free(p.pCounterAvailabilityImage);
    return NULL;
}

static bool configure(prof_sampling_device *device, const char *chip,
                      const prof_sampling_plan *plan, int64_t period)
{
    /* Turing and GA100 have no timer for samples: there the period is in clocks of the system,
     * whose frequency varies, about one in a nanosecond. Samples contain their times in both cases.
     */
    const bool has_timer = strncmp(chip, "TU", 2) != 0 && strcmp(chip, "GA100") != 0;
    PROF_CUPTI_PARAMETERS(
        p, PmSampling_SetConfig, .pPmSamplingObject = device->object,
        .hardwareBufferSize = (size_t)PROF_SAMPLING_BUFFER_MIB << 20,
        .samplingInterval = (uint64_t)period,
        .triggerMode = has_timer ? CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL
                                 : CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL,
        .hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST);
    p.pConfig = prof_counters_host_image(plan->host, &p.configSize);
    return PROF_CUPTI_CALL(&device->calls, cuptiPmSamplingSetConfig, &p);
}

/* Allocate the counter data of one read. */
static bool allocate_data(prof_sampling_device *device, const prof_sampling_plan *plan)
{
    PROF_CUPTI_PARAMETERS(p, PmSampling_GetCounterDataSize, .pPmSamplingObject = device->object,
                          .maxSamples = SAMPLES_AT_ONCE);
    p.pMetricNames = prof_counters_host_names(plan->host, &p.numMetrics);
    if (!PROF_CUPTI_CALL(&device->calls, cuptiPmSamplingGetCounterDataSize, &p))
        return false;
    device->bytes = p.counterDataSize;
    return prof_counters_allocate(&device->calls, device->bytes, &device->data);
}

bool prof_sampling_device_start(prof_sampling_device *device, int32_t number, const char *chip,
                                const prof_sampling_plan *plan, int64_t period)
{
    PROF_CUPTI_PARAMETERS(enable, PmSampling_Enable, .deviceIndex = (size_t)number);
    PROF_CUPTI_PARAMETERS(start, PmSampling_Start, .pPriv = NULL);
    if (!PROF_CUPTI_CALL(&device->calls, cuptiPmSamplingEnable, &enable))
        return false;
    device->object = start.pPmSamplingObject = enable.pPmSamplingObject;
    if (configure(device, chip, plan, period) && allocate_data(device, plan) &&
        PROF_CUPTI_CALL(&device->calls, cuptiPmSamplingStart, &start))
        return true;
    prof_sampling_device_disable(device);
    return false;
}

bool prof_sampling_device_stop(prof_sampling_device *device)
{
    PROF_CUPTI_PARAMETERS(p, PmSampling_Stop, .pPmSamplingObject = device->object);
    return PROF_CUPTI_CALL(&device->calls, cuptiPmSamplingStop, &p);
}

void prof_sampling_device_disable(prof_sampling_device *device)
{
    PROF_CUPTI_PARAMETERS(p, PmSampling_Disable, .pPmSamplingObject = device->object);
    if (device->object != NULL)
        device->calls.library->cuptiPmSamplingDisable(&p);
    device->object = NULL;
    free(device->data);
    device->data = NULL;
}

/* A member or, according to the header, the result reports that the GPU's buffer was full. */
static bool decode(prof_sampling_device *device, prof_sampling_read *read)
{
    PROF_CUPTI_PARAMETERS(p, PmSampling_DecodeData, .pPmSamplingObject = device->object,
                          .pCounterDataImage = device->data, .counterDataImageSize = device->bytes);
    const CUptiResult result = device->calls.library->cuptiPmSamplingDecodeData(&p);
    read->full = p.overflow != 0 || result == CUPTI_ERROR_OUT_OF_MEMORY;
    read->more = result == CUPTI_SUCCESS &&
                 p.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL;
    read->cut = !read->full && result == CUPTI_SUCCESS && !read->more &&
                p.decodeStopReason != CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
    return read->full ||
           prof_counters_check(&device->calls.failure, "cuptiPmSamplingDecodeData", result);
}

bool prof_sampling_device_read(prof_sampling_device *device, prof_sampling_read *read)
{
    PROF_CUPTI_PARAMETERS(clear, PmSampling_CounterDataImage_Initialize,
                          .pPmSamplingObject = device->object, .counterDataSize = device->bytes,
                          .pCounterData = device->data);
    PROF_CUPTI_PARAMETERS(p, PmSampling_GetCounterDataInfo, .pCounterDataImage = device->data,
                          .counterDataImageSize = device->bytes);
    if (!PROF_CUPTI_CALL(&device->calls, cuptiPmSamplingCounterDataImageInitialize, &clear) ||
        !decode(device, read) ||
        !PROF_CUPTI_CALL(&device->calls, cuptiPmSamplingGetCounterDataInfo, &p))
        return false;
    read->count = p.numCompletedSamples;
    return true;
}

bool prof_sampling_device_times(prof_sampling_device *device, size_t sample,
                                prof_sampled_interval *interval)
{
    PROF_CUPTI_PARAMETERS(p, PmSampling_CounterData_GetSampleInfo,
                          .pPmSamplingObject = device->object, .pCounterDataImage = device->data,
                          .counterDataImageSize = device->bytes, .sampleIndex = sample);
    if (!PROF_CUPTI_CALL(&device->calls, cuptiPmSamplingCounterDataGetSampleInfo, &p))
        return false;
    interval->start = (int64_t)p.startTimestamp;
    interval->end = (int64_t)p.endTimestamp;
    return true;
}
