/* The source of GPU counters: one subscription to CUPTI, which reports launches, and a range
 * profiler that is enabled while a window is open.
 *
 * A pass is a step. It begins and ends with the step's region, and its ranges are the calls of
 * stages in it. The first step, in a window or before, determines the CUDA context and the number
 * of ranges. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sources/counters/counters_device.h"
#include "sources/counters/counters_host.h"
#include "sources/counters/counters_ranges.h"
#include "sources/sources.h"
#include "sources/cupti/cupti_library.h"
#include "sources/cupti/cupti_names.h"

struct prof_gpu_counters {
    prof_cupti_library library;
    CUpti_SubscriberHandle subscriber;
    prof_cupti_demangle *demangle;
    prof_counters_device device;
    prof_counters_host *host;    /* plan with the free counters */
    prof_counters_host *of_chip; /* plan before that was known; NULL: it is not */
    bool has_warned;             /* of counters that are not free */
    const char *chip;
    int64_t max_ranges;
    pthread_t thread;  /* the main one */
    CUcontext context; /* NULL: nothing was launched yet */
    enum {
        CLOSED,
        WAITING, /* for a step */
        PASS,    /* in a step that is counted */
        COUNTED, /* all passes are done */
        FAILED
    } state;
    prof_counters_ranges ranges; /* of this window */
    int64_t first_step;
    int depth, step_depth, stage_depth; /* regions that are begun; where the outermost step and
                                           stage are, 0 for none */
    const char *stage;                  /* its name */
    bool has_range;                     /* whether CUPTI counts it as a range */
    int64_t calls, calls_per_step;      /* of stages: in this step so far; in the last one */
};

static const char *const metrics[] = {
#define PROF_METRIC_CUPTI(name, cupti, unit, meaning) cupti,
    PROF_METRIC_LIST(PROF_METRIC_CUPTI)
#undef PROF_METRIC_CUPTI
};

/* Driver calls that launch kernels. The runtime launches through them in all its versions. */
static const CUpti_CallbackId launches[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz};
enum { LAUNCHES = sizeof launches / sizeof *launches };

/* A kernel is launched. CUPTI calls this on the thread that launches it. */
static void CUPTIAPI on_launch(void *self, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                               const void *data)
{
    (void)id;
    prof_gpu_counters *c = self;
    const CUpti_CallbackData *call = data;
    if (domain != CUPTI_CB_DOMAIN_DRIVER_API || call->callbackSite != CUPTI_API_ENTER ||
        !pthread_equal(pthread_self(), c->thread))
        return;
    c->context = call->context;
    if (c->state == PASS && c->has_range && c->ranges.pass == 0 && call->symbolName != NULL)
        prof_counters_ranges_launch(&c->ranges, c->stage, call->symbolName);
}

static bool watch_launches(prof_gpu_counters *c)
{
    for (int k = 0; k < LAUNCHES; k++) {
        const CUptiResult result = c->library.cuptiEnableCallback(
            1, c->subscriber, CUPTI_CB_DOMAIN_DRIVER_API, launches[k]);
        if (result == CUPTI_SUCCESS)
            continue;
        c->device.calls.failure = (prof_counters_failure){"cuptiEnableCallback", (int)result};
        return false;
    }
    return true;
}

/* Warn of metrics that are wanted (NULL: all) and not counted: "<why> <metrics>". */
static void warn_missing_metrics(const prof_gpu_counters *c, const prof_counters_host *wanted,
                                 const char *why, swe_log *log)
{
    char missing[512] = "";
    for (int k = 0; k < PROF_METRIC_COUNT; k++)
        if (!prof_counters_host_has(c->host, k) &&
            (wanted == NULL || prof_counters_host_has(wanted, k))) {
            const size_t length = strlen(missing);
            snprintf(missing + length, sizeof missing - length, "%s%s", length > 0 ? ", " : "",
                     metrics[k]);
        }
    if (missing[0] != '\0')
        swe_warn(log, "counters: %s %s: the rest is counted", why, missing);
}

static prof_counters_host *create_host(prof_gpu_counters *c, const uint8_t *availability)
{
    const prof_counters_request request = {.chip = c->chip,
                                           .metrics = metrics,
                                           .count = PROF_METRIC_COUNT,
                                           .availability = availability};
    return prof_counters_host_create(c->library.handle, request, &c->device.calls.failure);
}

static bool plan(prof_gpu_counters *c, int32_t device)
{
    prof_cupti_library_open_counting(&c->library);
    c->device.calls.library = &c->library;
    if (!watch_launches(c) ||
        !prof_counters_chip(&c->device.calls, CUPTI_PROFILER_RANGE_PROFILING, device, &c->chip))
        return false;
    c->host = create_host(c, NULL);
    return c->host != NULL;
}

/* Plan again without the counters that other programs use, which are known once there is a context.
 */
static bool plan_free_counters(prof_gpu_counters *c)
{
    if (c->of_chip != NULL)
        return true;
    uint8_t *availability = prof_counters_device_availability(&c->device, c->context);
    prof_counters_host *host = availability != NULL ? create_host(c, availability) : NULL;
    free(availability);
    if (host == NULL)
        return false;
    c->of_chip = c->host;
    c->host = host;
    return true;
}

prof_gpu_counters *prof_gpu_counters_create(int32_t device, int64_t max_ranges, swe_log *log)
{
    prof_gpu_counters *c = calloc(1, sizeof *c);
    if (c == NULL) {
        swe_warn(log, "no counters: out of memory");
        return NULL;
    }
    c->max_ranges = max_ranges;
    c->thread = pthread_self();
    if (!prof_cupti_library_open(&c->library, "counters", log) ||
        !prof_cupti_subscribe(&c->library, "counters", on_launch, c, &c->subscriber, log)) {
        free(c);
        return NULL;
    }
    if (!plan(c, device)) {
        prof_counters_warn(log, &c->device.calls, "no counters");
        prof_gpu_counters_destroy(&c);
        return NULL;
    }
    c->demangle = prof_cupti_demangle_find();
    char why[80];
    snprintf(why, sizeof why, "chip %.40s has no metric", c->chip);
    warn_missing_metrics(c, NULL, why, log);
    return c;
}

/* Enable the range profiler once the context and the number of ranges are known. */
static void enable(prof_gpu_counters *c)
{
    const int64_t most = c->calls_per_step < c->max_ranges ? c->calls_per_step : c->max_ranges;
    if (c->device.object != NULL || c->context == NULL || most == 0)
        return;
    if (plan_free_counters(c) && !prof_counters_ranges_create(&c->ranges, (int)most))
        c->device.calls.failure = (prof_counters_failure){"calloc", CUPTI_ERROR_OUT_OF_MEMORY};
    else if (c->of_chip != NULL &&
             prof_counters_device_enable(&c->device, c->context, c->host, (size_t)most))
        return;
    c->state = FAILED;
}

void prof_gpu_counters_start(prof_gpu_counters *c)
{
    if (c == NULL)
        return;
    c->state = WAITING;
    c->device.calls.failure = (prof_counters_failure){NULL, 0};
    enable(c);
}

static void begin_step(prof_gpu_counters *c, int64_t step)
{
    c->step_depth = c->depth;
    c->calls = 0;
    if (c->state == WAITING)
        enable(c);
    if (c->state != WAITING || c->device.object == NULL)
        return;
    if (c->ranges.pass == 0)
        c->first_step = step;
    c->state = prof_counters_device_start(&c->device) ? PASS : FAILED;
}

static void end_step(prof_gpu_counters *c)
{
    c->step_depth = 0;
    c->calls_per_step = c->calls;
    if (c->state != PASS)
        return;
    bool was_last = false;
    prof_counters_ranges_end_pass(&c->ranges);
    if (!prof_counters_device_stop(&c->device, &was_last))
        c->state = FAILED;
    else
        c->state = was_last ? COUNTED : WAITING;
}

static void begin_stage(prof_gpu_counters *c, const char *stage)
{
    c->stage_depth = c->depth;
    c->stage = stage;
    c->calls++;
    const char *name = c->state == PASS ? prof_counters_ranges_next(&c->ranges, stage) : NULL;
    if (name == NULL)
        return;
    c->has_range = prof_counters_device_push(&c->device, name);
    if (!c->has_range)
        c->state = FAILED;
}

static void end_stage(prof_gpu_counters *c)
{
    c->stage_depth = 0;
    if (c->has_range && !prof_counters_device_pop(&c->device))
        c->state = FAILED;
    c->has_range = false;
}

void prof_gpu_counters_begin(prof_gpu_counters *c, prof_region region, int64_t step)
{
    if (c == NULL)
        return;
    c->depth++;
    if (region.kind == PROF_STEP && c->step_depth == 0)
        begin_step(c, step);
    else if (region.kind == PROF_STAGE && c->stage_depth == 0)
        begin_stage(c, region.name);
}

void prof_gpu_counters_end(prof_gpu_counters *c)
{
    if (c == NULL || c->depth == 0)
        return;
    if (c->depth == c->stage_depth)
        end_stage(c);
    if (c->depth == c->step_depth)
        end_step(c);
    c->depth--;
}

/* ---- sums of the ranges by stage ---- */

/* The element of a stage, added if it is new; there is room for all stages and one more. */
static prof_counted_stage *stage_of(prof_counted *counted, const char *stage)
{
    prof_counted_stage *found = counted->stages;
    while (found->stage != NULL && strcmp(found->stage, stage) != 0)
        found++;
    counted->stage_count += found->stage == NULL;
    found->stage = stage;
    return found;
}

static bool add_range(prof_gpu_counters *c, size_t range, prof_counted *counted)
{
    prof_counters_device *device = &c->device;
    const char *name = NULL;
    double values[PROF_METRIC_COUNT];
    if (!prof_counters_device_name(device, range, &name) ||
        !prof_counters_host_evaluate(c->host, device->data, device->bytes, range, values,
                                     &device->calls.failure))
        return false;
    const char *stage = prof_counters_ranges_stage(&c->ranges, name);
    if (stage == NULL)
        return true;
    prof_counted_stage *sums = stage_of(counted, stage);
    sums->calls++;
    for (int k = 0; k < PROF_METRIC_COUNT; k++) { /* a sum is known if all its terms are */
        const bool known = isfinite(values[k]) && values[k] >= 0.0 && sums->value[k] >= 0.0;
        sums->value[k] = known ? sums->value[k] + values[k] : -1.0;
    }
    return true;
}

static bool add_ranges(prof_gpu_counters *c, prof_counted *counted)
{
    size_t count = 0;
    if (!prof_counters_device_decode(&c->device, &count))
        return false;
    for (size_t k = 0; k < count; k++)
        if (!add_range(c, k, counted))
            return false;
    return true;
}

/* After the last pass: set the stages and kernels of `trace->counted`. False after a failure, with
 * no stage stored. */
static bool sum_ranges(prof_gpu_counters *c, prof_trace *trace)
{
    prof_counted *counted = &trace->counted;
    counted->stages = calloc((size_t)c->ranges.count + 1, sizeof *counted->stages);
    counted->kernels = calloc((size_t)c->ranges.launch_count + 1, sizeof *counted->kernels);
    if (counted->stages == NULL || counted->kernels == NULL)
        return prof_counters_check(&c->device.calls.failure, "calloc", CUPTI_ERROR_OUT_OF_MEMORY);
    if (!add_ranges(c, counted)) {
        counted->stage_count = 0;
        return false;
    }
    for (int k = 0; k < c->ranges.launch_count; k++) {
        const prof_counters_launch *launch = &c->ranges.launch[k];
        counted->kernels[counted->kernel_count++] = (prof_counted_kernel){
            launch->stage, prof_cupti_demangled_name(c->demangle, launch->kernel, trace),
            launch->count};
    }
    return true;
}

static void warn_gaps(const prof_gpu_counters *c, const prof_counted *counted, swe_log *log)
{
    int64_t missing = c->ranges.count;
    for (int k = 0; k < counted->stage_count; k++)
        missing -= counted->stages[k].calls;
    if (c->ranges.dropped > 0)
        swe_warn(log, "counters: %lld calls of stages are beyond profile.max_events",
                 (long long)c->ranges.dropped);
    if (missing > 0)
        swe_warn(log, "counters: CUPTI reported no values of %lld calls of stages",
                 (long long)missing);
    if (c->ranges.launch_count == 0)
        swe_warn(log, "counters: CUPTI reported no launch: stages have no kernels");
    if (c->ranges.no_memory)
        swe_warn(log, "counters: out of memory: kernels are missing");
}

static void collect(prof_gpu_counters *c, prof_trace *trace, swe_log *log)
{
    if (c->ranges.differs) {
        swe_warn(log, "no counters: the steps of the window called different stages, so that "
                      "passes cannot be combined");
        return;
    }
    if (!sum_ranges(c, trace)) {
        prof_counters_warn(log, &c->device.calls, "no counters");
        return;
    }
    if (!c->has_warned)
        warn_missing_metrics(c, c->of_chip, "another program uses the counters of", log);
    c->has_warned = true;
    trace->counted.chip = prof_trace_intern(trace, c->chip);
    trace->counted.passes = c->ranges.pass;
    trace->counted.first_step = c->first_step;
    warn_gaps(c, &trace->counted, log);
}

void prof_gpu_counters_stop(prof_gpu_counters *c, prof_trace *trace, swe_log *log)
{
    if (c == NULL || c->state == CLOSED)
        return;
    if (c->state == COUNTED)
        collect(c, trace, log);
    else if (c->state == FAILED)
        prof_counters_warn(log, &c->device.calls, "no counters");
    else
        swe_warn(
            log,
            "no counters of the %lld steps from step %lld on: they need %d steps, one for each "
            "pass, and one more if no step comes before (profile.duration)",
            (long long)trace->steps, (long long)trace->first_step,
            prof_counters_host_passes(c->host));
    c->state = CLOSED;
    prof_counters_device_disable(&c->device);
    prof_counters_ranges_destroy(&c->ranges);
}

void prof_gpu_counters_destroy(prof_gpu_counters **pointer)
{
    prof_gpu_counters *c = *pointer;
    if (c == NULL)
        return;
    prof_counters_device_disable(&c->device);
    prof_counters_ranges_destroy(&c->ranges);
    prof_counters_host_destroy(&c->host);
    prof_counters_host_destroy(&c->of_chip);
    c->library.cuptiUnsubscribe(c->subscriber);
    free(c);
    *pointer = NULL;
}
