#include "profiler.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/output_file.h"
#include "base/samples.h"
#include "outputs/output.h"
#include "record/record.h"
#include "sources/sources.h"

struct prof_profiler {
    prof_options options;
    prof_device device;
    prof_peaks peaks;
    swe_log log;
    prof_schedule schedule;
    prof_recorder *recorder;
    prof_memory_tracker *memory;
    prof_nvtx *nvtx;   /* NULL: no tool attached */
    prof_cupti *cupti; /* this and the sources below: NULL if unavailable */
    prof_gpu_counters *counters;
    prof_trace *counted;    /* mode PROF_FULL: what they counted, for all windows; NULL: nothing */
    int64_t counting_until; /* mode PROF_FULL: step at which they end; -1: they do not count */
    prof_gpu_sampling *sampling;
    prof_nvml *nvml;
    prof_perf *perf;
    prof_code *code; /* NULL: parts of stages are not sampled */
    bool is_started, is_open, is_capturing;
    int64_t window_start, window_step; /* of the window that is open */
    int64_t sampled_from;              /* just before the window opened */
    int windows, written;              /* so far */
    int64_t last_written;              /* first step of the last written window; -1: none */
    int run_lines;                     /* lines of the log before the first window */
    swe_samples before, within, since; /* times of a step [s], by stride (prof_tracing) */
    bool has_stride;  /* one has ended; the first, which is slow, is in none of them */
    bool is_warm;     /* records precede the next window, and will be discarded */
    int64_t warm_up;  /* steps of that kind before the open window */
    int64_t launched; /* steps of the open window that graphs launched */
};

const char *prof_sources(void)
{
    return PROF_SOURCES;
}

/* Whether this program records windows, as opposed to an external profiler. */
static bool records_windows(const prof_profiler *p)
{
    return p->options.mode != PROF_OFF && p->options.mode != PROF_NSYS;
}

prof_profiler *prof_create(const prof_options *options)
{
    prof_profiler *p = calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->options = *options;
    p->last_written = p->counting_until = -1;
    p->log = (swe_log){.warn = options->warn, .warner = options->warner};
    p->nvtx = prof_nvtx_create(options->regions, options->region_count);
    if (options->mode == PROF_OFF && p->nvtx == NULL && options->parts == NULL) {
        prof_destroy(&p);
        return NULL;
    }
    const int64_t windows = options->mode != PROF_OFF ? options->duration : 0;
    p->schedule =
        (prof_schedule){options->start_step, windows, options->interval, options->last_step, 0};
    p->recorder = prof_recorder_create(options->regions, options->region_count,
                                       records_windows(p) ? options->max_events : 1);
    if (p->recorder == NULL) {
        swe_warn(&p->log, "profile: out of memory: nothing will be recorded");
        prof_destroy(&p);
        return NULL;
    }
    return p;
}

/* Log the state of the GPU, from the first step to the end of the run. */
static void start_gpu_log(prof_profiler *p)
{
    char path[SWE_PATH_SIZE];
    const double period = 0.1; /* [s] */
    if (!swe_folder_create(p->options.directory)) {
        swe_warn(&p->log, "%s: cannot be created: %s", p->options.directory, strerror(errno));
        return;
    }
    snprintf(path, sizeof path, "%s/gpu_log.csv", p->options.directory);
    p->nvml = prof_nvml_start(path, p->device.pci, p->device.index, period, &p->log);
}

void prof_attach(prof_profiler *p, const prof_device *device)
{
    if (p == NULL)
        return;
    p->device = *device;
    if (records_windows(p))
        p->memory = prof_memory_tracker_create();
}

/* Whether perf events are used. */
static bool uses_perf(const prof_profiler *p)
{
    return p->options.counters == PROF_COUNTERS_ON ||
           (p->options.mode == PROF_FULL && p->options.counters == PROF_COUNTERS_AUTO) ||
           (p->options.counters == PROF_COUNTERS_AUTO && prof_perf_has_hardware());
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

/* The other sources of the GPU, which counting excludes. */
static void start_gpu_trace(prof_profiler *p)
{
    p->cupti = prof_cupti_create(p->options.max_events, &p->log);
    /* even, as the solver's graphs: they begin with the buffer that holds every second state */
    const int64_t lead = 2;
    p->schedule.lead = p->cupti != NULL ? lead : 0;
    if (p->options.sampling > 0)
        p->sampling = prof_gpu_sampling_create(p->device.index, p->options.sampling,
                                               p->options.max_events, &p->log);
    start_gpu_log(p);
}

/* Mode PROF_FULL counts the first steps of the run: one that tells what a step calls, and one for
 * each pass of the counters. Their number is even, as that of `lead`. */
enum { COUNTED_STEPS = 4 };

static void begin_counting(prof_profiler *p, int64_t first_step)
{
    const int64_t window = prof_schedule_next(&p->schedule, first_step);
    if (window >= 0 && window < first_step + COUNTED_STEPS) {
        swe_warn(&p->log,
                 "no counters: mode full counts the %d steps from step %" PRId64
                 " on, and a window starts after step %" PRId64 " (profile.start_step)",
                 COUNTED_STEPS, first_step, window);
        return;
    }
    p->counters = prof_gpu_counters_create(p->device.index, p->options.max_events, &p->log);
    prof_gpu_counters_start(p->counters);
    p->counting_until = p->counters != NULL ? first_step + COUNTED_STEPS : -1;
}

/* CUPTI has one subscriber at a time: the counters end before the trace begins. */
static void end_counting(prof_profiler *p)
{
    p->counted = prof_trace_create();
    if (p->counted != NULL) {
        p->counted->first_step = p->counting_until - COUNTED_STEPS;
        p->counted->steps = COUNTED_STEPS;
        prof_gpu_counters_stop(p->counters, p->counted, &p->log);
    }
    prof_gpu_counters_destroy(&p->counters);
    p->counting_until = -1;
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

/* Start the sources at the first step, not earlier: a run that is refused prints no other warnings.
 */
static void start_sources(prof_profiler *p, int64_t first_step)
{
    p->is_started = true;
    warn_if_nothing_is_recorded(p, first_step);
    int threads = p->device.threads;
    if (p->options.parts != NULL && !p->device.is_gpu)
        p->code = prof_code_create(p->options.regions, p->options.parts, p->options.part_count,
                                   threads, 1 + p->options.max_events / threads, &p->log);
    if (!records_windows(p))
        return;
    if (p->device.is_gpu) {
        threads = 1; /* the stages are on the GPU */
        start_gpu_sources(p, first_step);
    } else if (uses_perf(p)) {
        p->perf = prof_perf_create(threads, &p->log);
    }
    if (p->options.mode == PROF_COUNTERS && !p->device.is_gpu)
        swe_warn(&p->log, "no counters: mode counters is for GPUs; on the CPU, modes trace and "
                          "summary count what every thread does (profile.counters)");
    if (p->options.sampling > 0 && !p->device.is_gpu)
        swe_warn(&p->log, "no counter samples: profile.sampling is for GPUs");
    if (p->options.parts != NULL && p->device.is_gpu)
        swe_warn(&p->log, "no parts of stages: profile.parts is for CPUs");
    if (p->memory == NULL || !prof_recorder_threads(p->recorder, threads, p->perf))
        swe_warn(&p->log, "profile: out of memory: memory and threads are not recorded");
}

void prof_region_begin(prof_profiler *p, int region)
{
    if (p->is_capturing) {
        prof_cupti_push(p->cupti, p->options.regions[region], -1);
        return;
    }
    const prof_frame *frame = prof_recorder_begin(p->recorder, region);
    if (p->nvtx != NULL)
        prof_nvtx_push(p->nvtx, region, frame != NULL ? frame->step : -1);
    if (p->cupti != NULL)
        prof_cupti_push(p->cupti, p->options.regions[region], frame != NULL ? frame->span : -1);
    prof_gpu_counters_begin(p->counters, p->options.regions[region],
                            frame != NULL ? frame->step : -1);
}

void prof_region_end(prof_profiler *p)
{
    if (p->is_capturing) {
        prof_cupti_pop(p->cupti);
        return;
    }
    prof_gpu_counters_end(p->counters);
    if (p->cupti != NULL)
        prof_cupti_pop(p->cupti);
    if (p->nvtx != NULL)
        prof_nvtx_pop(p->nvtx);
    prof_recorder_end(p->recorder);
}

void prof_thread_begin(prof_profiler *p, int thread)
{
    prof_recorder_thread_begin(p->recorder, thread);
    if (p->code != NULL)
        prof_code_enter(p->code, thread, prof_recorder_region(p->recorder));
}

void prof_thread_end(prof_profiler *p, int thread)
{
    prof_code_leave(p->code, thread);
    prof_recorder_thread_end(p->recorder, thread);
}

void prof_allocated(prof_profiler *p, const void *address, size_t bytes, prof_place place)
{
    if (p != NULL && p->memory != NULL)
        prof_memory_tracker_add(p->memory, (uint64_t)(uintptr_t)address, (int64_t)bytes, place);
}

void prof_released(prof_profiler *p, const void *address)
{
    if (p != NULL && p->memory != NULL)
        prof_memory_tracker_remove(p->memory, (uint64_t)(uintptr_t)address);
}

int64_t prof_warm_up(const prof_profiler *p)
{
    return p != NULL && p->schedule.duration > 0 ? p->schedule.start : 0;
}

int64_t prof_steps_to_edge(const prof_profiler *p, int64_t step, int64_t most)
{
    if (p == NULL)
        return most;
    if (step < p->counting_until && p->counting_until - step < most)
        most = p->counting_until - step;
    return prof_schedule_to_edge(&p->schedule, step, most);
}

bool prof_is_eager(const prof_profiler *p)
{
    if (p == NULL)
        return false;
    /* a graph has no times on the host, so that a window would be empty without CUPTI */
    const bool is_blind = p->device.is_gpu && p->cupti == NULL && records_windows(p);
    return p->counting_until >= 0 || (p->is_open && is_blind) ||
           (p->options.eager && (p->is_open || p->nvtx != NULL));
}

void prof_capture_begin(prof_profiler *p)
{
    if (p == NULL)
        return;
    p->is_capturing = true;
    prof_cupti_capture(p->cupti);
}

void prof_capture_end(prof_profiler *p)
{
    if (p != NULL)
        p->is_capturing = false;
}

void prof_launched_steps(prof_profiler *p, int64_t steps)
{
    if (p == NULL)
        return;
    prof_recorder_at_step(p->recorder, prof_recorder_step(p->recorder) + steps);
    p->launched += steps;
}

void prof_add_stride(prof_profiler *p, int64_t steps, double seconds)
{
    if (p == NULL || steps < 1 || p->counting_until >= 0)
        return;
    swe_samples *samples = p->is_open ? &p->within : p->windows == 0 ? &p->before : &p->since;
    if (p->has_stride && (p->is_open || !p->is_warm))
        swe_samples_add(samples, seconds / (double)steps);
    p->has_stride = true;
}

/* Order matters: everything that costs time precedes the window's start time. */
static void open_window(prof_profiler *p, int64_t step)
{
    p->is_open = true;
    p->window_step = step;
    p->warm_up = p->is_warm ? p->schedule.lead : 0;
    p->is_warm = false;
    p->launched = 0;
    p->within = (swe_samples){.count = 0};
    if (p->windows++ == 0)
        p->run_lines = p->log.count;
    swe_log_truncate(
        &p->log, p->run_lines); /* keep the warnings of the run, drop those of earlier windows */
    prof_nvtx_window(p->nvtx, true, step);
    if (p->options.mode == PROF_NSYS) {
        if (p->device.bracket != NULL)
            p->device.bracket(true);
        return;
    }
    if (p->memory != NULL)
        prof_memory_tracker_open(p->memory);
    prof_gpu_sampling_start(p->sampling,
                            &p->log); /* before CUPTI, so that its calls are not recorded */
    prof_cupti_start(p->cupti, &p->log);
    prof_gpu_counters_start(p->counters);
    prof_code_start(p->code);
    p->sampled_from = swe_clock_ns();
    prof_nvml_sample(p->nvml);
    p->window_start = swe_clock_ns();
    prof_recorder_open(p->recorder);
}

static double median_ns(swe_samples *seconds)
{
    return 1e9 * swe_samples_quartiles(seconds).median;
}

/* The rest is CUPTI's (prof_cupti_stop). */
static void describe_tracing(prof_profiler *p, prof_tracing *tracing)
{
    if (p->device.is_gpu)
        tracing->launch = p->launched > 0 ? "graph" : "eager";
    tracing->launched = p->launched;
    tracing->before = median_ns(&p->before);
    tracing->before_count = p->before.count;
    tracing->within = median_ns(&p->within);
    tracing->since = median_ns(&p->since);
    tracing->warm_up = p->warm_up;
    p->since = (swe_samples){.count = 0};
}

static void describe_window(prof_profiler *p, int64_t end, int64_t steps, prof_trace *trace)
{
    char host[256] = "";
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0')
        snprintf(host, sizeof host, "localhost");
    trace->start = p->window_start;
    trace->end = end;
    trace->first_step = p->window_step;
    trace->steps = steps;
    trace->mode = p->options.mode;
    trace->case_name = p->options.case_name;
    trace->version = p->options.version;
    trace->facts = p->options.facts;
    trace->fact_count = p->options.fact_count;
    trace->costs = p->options.costs;
    trace->cost_count = p->options.cost_count;
    trace->buffers = p->options.buffers;
    trace->buffer_count = p->options.buffer_count;
    trace->peaks = p->peaks;
    describe_tracing(p, &trace->tracing);
    trace->host = prof_trace_intern(trace, host);
    trace->process = (int32_t)getpid();
    snprintf(trace->device.name, sizeof trace->device.name, "%s", p->device.name);
    trace->device.is_gpu = p->device.is_gpu;
    trace->device.index = p->device.index;
    trace->device.threads = p->device.threads;
    if (!p->device.is_gpu) /* CUPTI sets that of a GPU */
        trace->device.memory_size = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

static void warn_drops(prof_profiler *p, const prof_drops *drops)
{
    if (drops->spans + drops->ops > 0)
        swe_warn(&p->log,
                 "profile: %" PRId64 " regions or threads' parts of them and %" PRId64
                 " GPU records of the window at step %" PRId64
                 " are beyond profile.max_events and were dropped",
                 drops->spans, drops->ops, p->window_step);
    if (drops->records + drops->rejected > 0)
        swe_warn(&p->log,
                 "profile: CUPTI dropped %" PRId64 " records of the window at step %" PRId64
                 " and %" PRId64 " had no valid times",
                 drops->records, p->window_step, drops->rejected);
}

static bool copy_warnings(const swe_log *log, prof_trace *trace)
{
    trace->warnings = calloc((size_t)log->count + 1, sizeof *trace->warnings);
    if (trace->warnings == NULL)
        return false;
    for (int k = 0; k < log->count; k++)
        trace->warnings[k] = log->line[k];
    trace->warning_count = log->count;
    return true;
}

/* NVML's means cover up to a second: discard them for a shorter window. */
static void clear_means(prof_gpu_sample *sample)
{
    sample->sm = sample->memory = sample->power = -1.0;
}

/* Add the samples of the GPU's state. Samples at the edges are from just outside of the window,
 * where they cost it no time: clamp their times. */
static void add_gpu_samples(prof_profiler *p, int64_t until, prof_trace *trace)
{
    prof_nvml_collect(p->nvml, trace, p->sampled_from, until, &p->log);
    for (int64_t k = 0; k < trace->sample_count; k++) {
        int64_t *time = &trace->samples[k].time;
        *time = *time < trace->start ? trace->start : *time > trace->end ? trace->end : *time;
        if (trace->end - trace->start < PROF_NVML_MEAN)
            clear_means(&trace->samples[k]);
    }
}

/* Fill the trace from all sources; false without memory. */
static bool fill_trace(prof_profiler *p, int64_t end, int64_t steps, prof_trace *trace)
{
    prof_nvml_sample(p->nvml);
    const int64_t sampled_until = swe_clock_ns();
    describe_window(p, end, steps, trace);
    bool filled = prof_recorder_close(p->recorder, trace);
    if (p->memory != NULL) /* before CUPTI, which reports the untracked memory */
        filled = prof_memory_tracker_close(p->memory, trace) && filled;
    prof_cupti_stop(p->cupti, trace, &p->log);
    prof_gpu_counters_stop(p->counters, trace, &p->log);
    filled = prof_trace_copy_counted(p->counted, trace) && filled;
    prof_gpu_sampling_stop(p->sampling, trace, &p->log);
    prof_code_stop(p->code, &trace->parts, &p->log);
    add_gpu_samples(p, sampled_until, trace);
    warn_drops(p, &trace->drops);
    filled = copy_warnings(&p->log, trace) && filled;
    return filled && prof_trace_finish(trace);
}

/* After a window that cannot be written, stop recording windows; the run continues. */
static void stop_windows(prof_profiler *p, int64_t step)
{
    const bool more = p->schedule.interval > 0 && step < p->schedule.last;
    p->schedule.duration = 0;
    if (more)
        swe_warn(&p->log, "profile: no further windows are recorded");
}

static void write_window(prof_profiler *p, int64_t end, int64_t step)
{
    prof_trace *trace = prof_trace_create();
    bool written = false;
    if (trace != NULL && fill_trace(p, end, step - p->window_step, trace))
        written = prof_window_folder_write(trace, p->options.directory, p->options.files, &p->log);
    else
        swe_warn(&p->log, "profile: out of memory: the window at step %" PRId64 " is lost",
                 p->window_step);
    prof_trace_destroy(&trace);
    p->written += written;
    if (written)
        p->last_written = p->window_step;
    else
        stop_windows(p, step);
}

static void close_window(prof_profiler *p, int64_t step)
{
    const int64_t end = swe_clock_ns();
    p->is_open = false;
    if (step - p->window_step < p->options.duration)
        swe_warn(&p->log,
                 "profile: the window at step %" PRId64 " has %" PRId64 " of %" PRId64
                 " steps: the run ended",
                 p->window_step, step - p->window_step, p->options.duration);
    if (p->options.mode == PROF_NSYS && p->device.bracket != NULL)
        p->device.bracket(false);
    prof_nvtx_window(p->nvtx, false, p->window_step);
    if (records_windows(p))
        write_window(p, end, step);
}

void prof_at_step(prof_profiler *p, int64_t step)
{
    if (p == NULL)
        return;
    if (!p->is_started)
        start_sources(p, step);
    if (p->counting_until >= 0 && step >= p->counting_until)
        end_counting(p);
    if (p->is_open && prof_schedule_closes(&p->schedule, step))
        close_window(p, step);
    if (!p->is_open && prof_schedule_opens(&p->schedule, step))
        open_window(p, step);
    else if (!p->is_open && prof_schedule_leads(&p->schedule, step)) {
        prof_cupti_warm_up(p->cupti);
        p->is_warm = true;
    } else if (!p->is_open && p->is_warm) { /* unless the opening was skipped */
        const int64_t next = prof_schedule_next(&p->schedule, step);
        p->is_warm = next >= 0 && next - step <= p->schedule.lead;
    }
    prof_recorder_at_step(p->recorder, step);
}

void prof_parts_begin(prof_profiler *p)
{
    if (p != NULL)
        prof_code_start(p->code);
}

void prof_parts_end(prof_profiler *p, prof_parts *parts)
{
    *parts = (prof_parts){.count = 0};
    if (p != NULL)
        prof_code_stop(p->code, parts, &p->log);
}

int prof_window_count(const prof_profiler *p)
{
    return p != NULL ? p->written : 0;
}

int64_t prof_last_window(const prof_profiler *p)
{
    return p != NULL ? p->last_written : -1;
}

bool prof_needs_peaks(const prof_profiler *p)
{
    return p != NULL && records_windows(p) && p->options.start_step < p->options.last_step;
}

void prof_set_peaks(prof_profiler *p, prof_peaks peaks)
{
    if (p == NULL)
        return;
    p->peaks = peaks;
    if (p->memory != NULL)
        prof_memory_tracker_reset_peak(p->memory);
}

void prof_add_warning(prof_profiler *p, const char *line)
{
    if (p != NULL)
        swe_warn(&p->log, "profile: %s", line);
}

void prof_finish(prof_profiler *p)
{
    if (p != NULL && p->is_open)
        close_window(p, prof_recorder_step(p->recorder));
}

void prof_destroy(prof_profiler **pointer)
{
    prof_profiler *p = *pointer;
    if (p == NULL)
        return;
    prof_nvml_stop(&p->nvml, &p->log);
    prof_cupti_destroy(&p->cupti);
    prof_gpu_counters_destroy(&p->counters);
    prof_gpu_sampling_destroy(&p->sampling);
    prof_perf_destroy(&p->perf);
    prof_code_destroy(&p->code);
    prof_trace_destroy(&p->counted);
    prof_memory_tracker_destroy(&p->memory);
    prof_recorder_destroy(&p->recorder);
    prof_nvtx_destroy(&p->nvtx);
    free(p);
    *pointer = NULL;
}
