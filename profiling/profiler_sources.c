#include "profiler_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/output_file.h"

/* Sample the state of the GPU, from the first step to the end of the run; rank 0 writes a log. */
static void start_gpu_log(prof_profiler *p)
{
    char path[SWE_PATH_SIZE];
    const double period = 0.1; /* [s] */
    if (p->options.directory == NULL) {
        p->nvml = prof_nvml_start(NULL, p->device.pci, p->device.index, period, &p->log);
        return;
    }
    if (!swe_folder_create(p->options.directory)) {
        swe_warn(&p->log, "%s: cannot be created: %s", p->options.directory, strerror(errno));
        return;
    }
    snprintf(path, sizeof path, "%s/gpu_log.csv", p->options.directory);
    p->nvml = prof_nvml_start(path, p->device.pci, p->device.index, period, &p->log);
}

/* Warn at the first step of a run whose options lead to no window. */
static void warn_if_nothing_is_recorded(prof_profiler *p, int64_t first_step)
{
    if (p->options.mode == PROF_OFF)
        return;
    if (p->options.start_step < p->options.last_step &&
        prof_schedule_next(&p->schedule, first_step) < 0)
        swe_warn(&p->log,
                 "profile: nothing will be recorded: the run goes on after step %" PRId64
                 ", and no window starts there or later (profile.start_step, profile.interval)",
                 first_step);
    if (p->options.start_step >= p->options.last_step)
        swe_warn(&p->log,
                 "profile: nothing will be recorded: the run has %" PRId64
                 " steps, and the first window would start after step %" PRId64
                 " (profile.start_step)",
                 p->options.last_step, p->options.start_step);
    if (p->options.mode == PROF_NSYS && p->nvtx == NULL && p->device.bracket == NULL)
        swe_warn(&p->log, "profile: nothing will be recorded: no tool is attached (mode nsys is "
                          "for runs under nsys or ncu)");
}

/* The other sources of the GPU, which counting excludes. CUPTI does not record kernels while it may
 * sample code. */
static void start_gpu_trace(prof_profiler *p)
{
    if (p->gpu_code != NULL) {
        start_gpu_log(p);
        return;
    }
    p->cupti = prof_cupti_create(p->options.max_events, &p->log);
    /* even, as the solver's graphs: they begin with the buffer that holds every second state */
    const int64_t lead = 2;
    p->schedule.lead = p->cupti != NULL ? lead : 0;
    if (p->options.sampling > 0)
        p->sampling = prof_gpu_sampling_create(p->device.index, p->options.sampling,
                                               p->options.max_events, &p->log);
    start_gpu_log(p);
}

/* Mode PROF_FULL counts the first steps of the run: one step that records the calls of a step, one
 * step for each pass of the counters (two passes on the chips tested), and one more step that makes
 * their number even, as `lead` is. A run captures its graphs between the counted steps and the
 * first window. */
enum { COUNTED_STEPS = 4, STEPS_BEFORE_WINDOW = 10 };

static void begin_counting(prof_profiler *p, int64_t first_step)
{
    const int64_t window = prof_schedule_next(&p->schedule, first_step);
    if (window < 0)
        return; /* none will be recorded */
    if (window < first_step + STEPS_BEFORE_WINDOW) {
        swe_warn(&p->log,
                 "no counters: mode full counts before the first window, which must start %d steps "
                 "or more after step %" PRId64 "; it starts after step %" PRId64
                 " (profile.start_step)",
                 STEPS_BEFORE_WINDOW, first_step, window);
        return;
    }
    p->counters = prof_gpu_counters_create(p->device.index, p->options.max_events, &p->log);
    prof_gpu_counters_start(p->counters);
    p->counting_until = p->counters != NULL ? first_step + COUNTED_STEPS : -1;
}

void prof_end_counting(prof_profiler *p)
{
    p->counted = prof_trace_create();
    if (p->counted == NULL)
        swe_warn(&p->log, "no counters: out of memory");
    else {
        p->counted->first_step = p->counting_until - COUNTED_STEPS;
        p->counted->steps = COUNTED_STEPS;
        prof_gpu_counters_stop(p->counters, p->counted, &p->log);
    }
    prof_gpu_counters_destroy(&p->counters);
    p->counting_until = -1;
}

/* CUPTI has one subscriber at a time: the counters end before the trace begins. */
void prof_begin_trace(prof_profiler *p)
{
    prof_end_counting(p);
    start_gpu_trace(p);
}

static void start_gpu_sources(prof_profiler *p, int64_t first_step)
{
    if (p->options.mode == PROF_FULL)
        begin_counting(p, first_step);
    if (p->options.mode == PROF_COUNTERS) {
        p->counters = prof_gpu_counters_create(p->device.index, p->options.max_events, &p->log);
        if (p->options.sampling > 0)
            swe_warn(&p->log, "no counter samples: mode counters uses all of the GPU's counters "
                              "itself; profile.sampling is for the other modes");
    } else if (p->counters == NULL) {
        start_gpu_trace(p);
    }
}

void prof_start_gpu_code(prof_profiler *p)
{
    if (!prof_records_windows(p))
        return;
    if (p->options.mode == PROF_COUNTERS || p->options.mode == PROF_FULL || p->options.sampling > 0)
        swe_warn(&p->log,
                 "no parts of stages: counters of the GPU exclude them (modes counters and "
                 "full, profile.sampling)");
    else
        p->gpu_code = prof_gpu_code_create(&p->options, &p->log);
}

void prof_start_sources(prof_profiler *p, int64_t first_step)
{
    p->is_started = true;
    warn_if_nothing_is_recorded(p, first_step);
    int threads = p->device.threads;
    if (p->options.parts != NULL && !p->device.is_gpu)
        p->code = prof_code_create(p->options.regions, p->options.parts, p->options.part_count,
                                   threads, 1 + p->options.max_events / threads, &p->log);
    if (!prof_records_windows(p))
        return;
    if (p->device.is_gpu) {
        threads = 1; /* the stages are on the GPU */
        start_gpu_sources(p, first_step);
    } else if (p->options.counters == PROF_COUNTERS_ON ||
               (p->options.counters == PROF_COUNTERS_AUTO &&
                (p->options.mode == PROF_FULL || prof_perf_has_hardware()))) {
        p->perf = prof_perf_create(threads, &p->log);
    }
    if (p->options.mode == PROF_COUNTERS && !p->device.is_gpu)
        swe_warn(&p->log, "no counters: mode counters is for GPUs; on the CPU, modes trace and "
                          "summary count what every thread does (profile.counters)");
    if (p->options.sampling > 0 && !p->device.is_gpu)
        swe_warn(&p->log, "no counter samples: profile.sampling is for GPUs");
    if (p->memory == NULL || !prof_recorder_threads(p->recorder, threads, p->perf))
        swe_warn(&p->log, "profile: out of memory: memory and threads are not recorded");
}
