/* The source of counter samples: planned once, and sampling while a window is open.
 *
 * Samples and activity records have times of CUPTI's clock, which is the clock of the trace. A
 * sample that is partly outside of the window is omitted, because its values are means over the
 * whole sample. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sources/counters/counters_library.h"
#include "sources/sources.h"
#include "sources/sampling/sampling_device.h"

struct prof_gpu_sampling {
    prof_cupti_library library;
    prof_sampling_device device;
    prof_sampling_plan plan;
    const char *chip;
    int32_t number;
    int64_t period, most;
};

/* The samples of one window. */
typedef struct collection {
    prof_gpu_sampling *sampling;
    prof_trace *trace;
    int64_t room;     /* elements that the trace has room for */
    int64_t outside;  /* samples that are not within the window */
    int64_t rejected; /* that end before they start */
    int64_t dropped;  /* beyond the most */
    bool full, cut;   /* see prof_sampling_read */
} collection;

static const char nothing[] = "no counter samples";

/* Warn of quantities that this chip cannot sample; the others are sampled. */
static void warn_missing_metrics(const prof_gpu_sampling *s, swe_log *log)
{
    static const char *const names[] = {
#define TITLE(name, title, unit, meaning) title,
        PROF_SAMPLED_LIST(TITLE)
#undef TITLE
    };
    char missing[256] = "";
    for (int k = 0; k < PROF_SAMPLED_COUNT; k++)
        if (!prof_sampling_plan_has(&s->plan, k)) {
            const size_t length = strlen(missing);
            snprintf(missing + length, sizeof missing - length, "%s%s", length > 0 ? ", " : "",
                     names[k]);
        }
    if (missing[0] != '\0')
        swe_warn(log, "counter samples: chip %s cannot sample %s together with the rest", s->chip,
                 missing);
}

static bool plan(prof_gpu_sampling *s)
{
    prof_cupti_library_open_counting(&s->library);
    s->device.calls.library = &s->library;
    if (!prof_counters_chip(&s->device.calls, CUPTI_PROFILER_PM_SAMPLING, s->number, &s->chip))
        return false;
    uint8_t *availability = prof_sampling_device_availability(&s->device, s->number);
    const bool created =
        availability != NULL && prof_sampling_plan_create(&s->plan, s->library.handle, s->chip,
                                                          availability, &s->device.calls.failure);
    free(availability);
    return created;
}

prof_gpu_sampling *prof_gpu_sampling_create(int32_t device, int64_t period, int64_t most,
                                            swe_log *log)
{
    prof_gpu_sampling *s = calloc(1, sizeof *s);
    if (s == NULL) {
        swe_warn(log, "%s: out of memory", nothing);
        return NULL;
    }
    s->number = device;
    s->period = period;
    s->most = most;
    if (!prof_cupti_library_open(&s->library, "counter samples", log)) {
        free(s);
        return NULL;
    }
    if (!plan(s)) {
        prof_counters_warn(log, &s->device.calls, nothing);
        prof_gpu_sampling_destroy(&s);
        return NULL;
    }
    warn_missing_metrics(s, log);
    return s;
}

void prof_gpu_sampling_start(prof_gpu_sampling *s, swe_log *log)
{
    if (s == NULL)
        return;
    if (!prof_sampling_device_start(&s->device, s->number, s->chip, &s->plan, s->period))
        prof_counters_warn(log, &s->device.calls, nothing);
}

static bool add_sample(collection *c, size_t sample)
{
    prof_gpu_sampling *s = c->sampling;
    prof_sampled *sampled = &c->trace->sampled;
    prof_sampled_interval interval;
    if (!prof_sampling_device_times(&s->device, sample, &interval))
        return false;
    const bool valid = interval.start > 0 && interval.end > interval.start;
    const bool within = interval.start >= c->trace->start && interval.end <= c->trace->end;
    c->rejected += !valid;
    c->outside += valid && !within;
    c->dropped += valid && within && sampled->count == s->most;
    if (!valid || !within || sampled->count == s->most)
        return true;
    if (!prof_sampling_plan_evaluate(&s->plan, s->device.data, s->device.bytes, sample,
                                     interval.value, &s->device.calls.failure))
        return false;
    prof_sampled_interval *intervals =
        prof_grow(sampled->intervals, sampled->count, &c->room, sizeof *intervals);
    if (intervals == NULL)
        return prof_counters_check(&s->device.calls.failure, "realloc", CUPTI_ERROR_OUT_OF_MEMORY);
    sampled->intervals = intervals;
    intervals[sampled->count++] = interval;
    return true;
}

/* Read all that the GPU's buffer holds. A step that finds nothing is the last one, too. */
static bool collect(collection *c)
{
    prof_gpu_sampling *s = c->sampling;
    for (prof_sampling_read read = {.count = 1, .more = true}; read.more && read.count > 0;) {
        if (!prof_sampling_device_read(&s->device, &read))
            return false;
        c->full = c->full || read.full;
        c->cut = c->cut || read.cut;
        for (size_t k = 0; k < read.count; k++)
            if (!add_sample(c, k))
                return false;
    }
    return true;
}

static void warn_no_samples(const collection *c, swe_log *log)
{
    const prof_trace *trace = c->trace;
    const bool is_short = trace->end - trace->start < 2 * c->sampling->period;
    if (c->outside > 0 && !is_short)
        swe_warn(log,
                 "%s: their times are outside of the window: CUPTI's clock is not the system's",
                 nothing);
    else
        swe_warn(log,
                 "%s of the window at step %lld: it was over before the first one "
                 "(profile.sampling)",
                 nothing, (long long)trace->first_step);
}

static void warn_gaps(const collection *c, swe_log *log)
{
    if (c->full)
        swe_warn(log,
                 "counter samples end before the window at step %lld does: the GPU's buffer of %d "
                 "MiB was full; sample less often (profile.sampling), or fewer steps "
                 "(profile.duration)",
                 (long long)c->trace->first_step, (int)PROF_SAMPLING_BUFFER_MIB);
    if (c->cut)
        swe_warn(log, "counter samples are incomplete: CUPTI does not decode the rest of them");
    if (c->dropped > 0)
        swe_warn(log, "%lld counter samples are beyond profile.max_events and were dropped",
                 (long long)c->dropped);
    if (c->rejected > 0)
        swe_warn(log, "%lld counter samples had no valid times", (long long)c->rejected);
}

void prof_gpu_sampling_stop(prof_gpu_sampling *s, prof_trace *trace, swe_log *log)
{
    if (s == NULL || s->device.object == NULL)
        return;
    collection c = {.sampling = s, .trace = trace};
    const bool complete = prof_sampling_device_stop(&s->device) && collect(&c);
    prof_sampling_device_disable(&s->device);
    if (trace->sampled.count > 0) {
        trace->sampled.chip = prof_trace_intern(trace, s->chip);
        trace->sampled.period = s->period;
    }
    if (!complete)
        prof_counters_warn(log, &s->device.calls,
                           trace->sampled.count > 0 ? "counter samples are incomplete" : nothing);
    else if (trace->sampled.count == 0 && c.rejected == 0 && !c.full && !c.cut)
        warn_no_samples(&c, log);
    warn_gaps(&c, log);
}

void prof_gpu_sampling_destroy(prof_gpu_sampling **pointer)
{
    prof_gpu_sampling *s = *pointer;
    if (s == NULL)
        return;
    prof_sampling_device_disable(&s->device);
    prof_sampling_plan_destroy(&s->plan);
    free(s);
    *pointer = NULL;
}
