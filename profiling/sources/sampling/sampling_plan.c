#include "sources/sampling/sampling_plan.h"

#include <cupti_result.h>
#include <math.h>

/* Metrics of the quantities by CUPTI's names, those that are preferred first. Hopper and datacentre
 * Blackwell have groups that are made for sampling (TriageCompute), and need more passes than one
 * for the usual metric; consumer GPUs tell instructions of the FP64 pipe instead of its cycles. */
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

/* Add a metric to those of `request`, if the chip has it and all fit into one pass. */
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
