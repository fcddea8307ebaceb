#include "sources/counters/counters_results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The stage's element; a new one if it has none yet. There is room for all stages and one more. */
static prof_counted_stage *stage_of(prof_counted *counted, const char *stage)
{
    prof_counted_stage *found = counted->stages;
    while (found->stage != NULL && strcmp(found->stage, stage) != 0)
        found++;
    counted->stage_count += found->stage == NULL;
    found->stage = stage;
    return found;
}

/* A sum is known if all of it is. */
static void add_values(prof_counted_stage *stage, const double *values)
{
    stage->calls++;
    for (int k = 0; k < PROF_METRIC_COUNT; k++) {
        const bool known = isfinite(values[k]) && values[k] >= 0.0 && stage->value[k] >= 0.0;
        stage->value[k] = known ? stage->value[k] + values[k] : -1.0;
    }
}

static bool add_range(prof_counters_results *results, size_t range, prof_counted *counted,
                      prof_counters_failure *failure)
{
    const prof_counters_device *device = results->device;
    const char *name = NULL;
    double values[PROF_METRIC_COUNT];
    if (!prof_counters_device_name(device, range, &name, failure) ||
        !prof_counters_host_evaluate(results->host, device->data, device->bytes, range, values,
                                     failure))
        return false;
    const char *stage = prof_counters_ranges_stage(results->ranges, name);
    if (stage == NULL)
        return true;
    add_values(stage_of(counted, stage), values);
    results->missing--;
    return true;
}

static bool add_ranges(prof_counters_results *results, prof_counted *counted,
                       prof_counters_failure *failure)
{
    size_t count = 0;
    results->missing = results->ranges->count;
    if (!prof_counters_device_decode(results->device, &count, failure))
        return false;
    for (size_t k = 0; k < count; k++)
        if (!add_range(results, k, counted, failure))
            return false;
    return true;
}

static void add_kernels(const prof_counters_results *results, prof_trace *trace)
{
    prof_counted *counted = &trace->counted;
    for (int k = 0; k < results->ranges->launch_count; k++) {
        const prof_counters_launch *launch = &results->ranges->launch[k];
        counted->kernels[counted->kernel_count++] = (prof_counted_kernel){
            launch->stage, prof_cupti_demangled_name(results->demangle, launch->kernel, trace),
            launch->count};
    }
}

bool prof_counters_collect(prof_counters_results *results, prof_trace *trace,
                           prof_counters_failure *failure)
{
    prof_counted *counted = &trace->counted;
    counted->stages = calloc((size_t)results->ranges->count + 1, sizeof *counted->stages);
    counted->kernels = calloc((size_t)results->ranges->launch_count + 1, sizeof *counted->kernels);
    if (counted->stages == NULL || counted->kernels == NULL) {
        *failure = (prof_counters_failure){"calloc", CUPTI_ERROR_OUT_OF_MEMORY};
        return false;
    }
    if (!add_ranges(results, counted, failure)) {
        counted->stage_count = 0;
        return false;
    }
    add_kernels(results, trace);
    return true;
}
