#include "profiler_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "outputs/output.h"

/* Order matters: everything that costs time precedes the window's start time. */
void prof_open_window(prof_profiler *p, int64_t step)
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
        &p->log,
        p->run_lines); /* keep the warnings of the run, drop the warnings of earlier windows */
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
    prof_gpu_code_start(p->gpu_code, &p->log);
    p->to_wall = swe_clock_wall_ns() - swe_clock_ns();
    prof_compare_clocks(p);
    p->sampled_from = swe_clock_ns();
    prof_nvml_sample(p->nvml);
    p->watch = swe_watch_start();
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
    tracing->launched_steps = p->launched;
    tracing->untraced = median_ns(&p->before);
    tracing->untraced_strides = p->before.count;
    tracing->traced = median_ns(&p->within);
    tracing->ratio = tracing->untraced > 0.0 ? tracing->traced / tracing->untraced : NAN;
    tracing->later = median_ns(&p->since);
    tracing->discarded_steps = p->warm_up;
    tracing->waited = swe_watch_waited(&p->watch);
    p->since = (swe_samples){.count = 0};
}

bool prof_describe_run(const prof_profiler *p, double share, prof_trace *trace)
{
    const prof_options *options = &p->options;
    trace->case_name = options->case_name;
    trace->version = options->version;
    trace->facts = options->facts;
    trace->fact_count = options->fact_count;
    trace->buffers = options->buffers;
    trace->buffer_count = options->buffer_count;
    trace->peaks = p->peaks;
    trace->costs = options->costs;
    trace->cost_count = options->cost_count;
    trace->share = share;
    if (share == 1.0)
        return true;
    trace->own_costs = prof_costs_of_share(options->costs, options->cost_count, share);
    trace->costs = trace->own_costs;
    return trace->own_costs != NULL;
}

static bool describe_window(prof_profiler *p, int64_t end, int64_t steps, prof_trace *trace)
{
    char host[256] = "";
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0')
        snprintf(host, sizeof host, "localhost");
    trace->start = p->window_start;
    trace->end = end;
    trace->first_step = p->window_step;
    trace->steps = steps;
    trace->mode = p->options.mode;
    describe_tracing(p, &trace->tracing);
    trace->host = prof_trace_intern(trace, host);
    trace->process = (int32_t)getpid();
    trace->device.name = p->device.name;
    trace->device.is_gpu = p->device.is_gpu;
    trace->device.index = p->device.index;
    trace->device.threads = p->device.threads;
    if (!p->device.is_gpu) /* CUPTI sets the memory size of a GPU */
        trace->device.memory_size = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    trace->rank = p->options.ranks != NULL ? p->options.ranks->own : 0;
    return prof_describe_run(p, p->share, trace);
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

/* Add the samples of the GPU's state. Samples at the edges are from just outside of the window,
 * where they cost it no time: clamp their times. */
static void add_gpu_samples(prof_profiler *p, int64_t until, prof_trace *trace)
{
    prof_nvml_collect(p->nvml, trace, p->sampled_from, until, &p->log);
    for (int64_t k = 0; k < trace->sample_count; k++) {
        int64_t *time = &trace->samples[k].time;
        *time = *time < trace->start ? trace->start : *time > trace->end ? trace->end : *time;
        if (trace->end - trace->start < PROF_NVML_MEAN) /* the window is shorter than its means */
            trace->samples[k].sm = trace->samples[k].memory = trace->samples[k].power = -1.0;
    }
}

/* Undo a step of the wall clock within the window, of times outside of it: CUPTI's. */
static void undo_step(prof_trace *trace, int64_t step, int64_t *time)
{
    if (*time < trace->start || *time > trace->end)
        *time -= step;
}

static void undo_steps(const prof_profiler *p, prof_trace *trace)
{
    const int64_t step = swe_clock_wall_ns() - prof_window_clock(p), least = 1000000; /* [ns] */
    for (int64_t k = 0; k < trace->op_count && llabs(step) > least; k++) {
        undo_step(trace, step, &trace->ops[k].start);
        undo_step(trace, step, &trace->ops[k].end);
    }
    for (int64_t k = 0; k < trace->call_count && llabs(step) > least; k++) {
        undo_step(trace, step, &trace->calls[k].start);
        undo_step(trace, step, &trace->calls[k].end);
    }
}

/* Fill the trace from all sources; false without memory. Times of CUPTI are the wall clock's. */
static bool fill_trace(prof_profiler *p, int64_t end, int64_t steps, prof_trace *trace)
{
    prof_nvml_sample(p->nvml);
    const int64_t sampled_until = swe_clock_ns();
    bool filled = describe_window(p, end, steps, trace);
    filled = prof_recorder_close(p->recorder, trace) && filled;
    if (p->memory != NULL) /* before CUPTI, which reports the untracked memory */
        filled = prof_memory_tracker_close(p->memory, trace) && filled;
    add_gpu_samples(p, sampled_until, trace);
    prof_trace_shift(trace, p->to_wall);
    prof_cupti_stop(p->cupti, trace, &p->log);
    undo_steps(p, trace);
    prof_gpu_counters_stop(p->counters, trace, &p->log);
    filled = prof_trace_copy_counted(p->counted, trace) && filled;
    prof_gpu_sampling_stop(p->sampling, trace, &p->log);
    prof_code_stop(p->code, &trace->parts, &p->log);
    prof_gpu_code_stop(p->gpu_code, trace, &p->log); /* by the clock of those samples */
    warn_drops(p, &trace->drops);
    filled = copy_warnings(&p->log, trace) && filled;
    return filled && prof_trace_finish(trace);
}

/* On ranks other than 0 a window is written when rank 0 has it. */
static bool write_window(prof_profiler *p, const prof_ranks *ranks, prof_trace *trace)
{
    if (ranks != NULL && ranks->own > 0)
        return prof_send_trace(trace, ranks);
    bool written = false;
    if (prof_receive_traces(p, trace))
        written = prof_window_folder_write(trace, p->options.directory, p->options.files, &p->log);
    prof_end_traces(ranks, written);
    return written;
}

static void end_window(prof_profiler *p, int64_t end, int64_t step)
{
    prof_trace *trace = prof_trace_create();
    if (trace != NULL && !fill_trace(p, end, step - p->window_step, trace))
        prof_trace_destroy(&trace);
    if (trace == NULL)
        swe_warn(&p->log, "profile: out of memory: the window at step %" PRId64 " is lost",
                 p->window_step);
    const bool written = write_window(p, p->options.ranks, trace);
    prof_trace_destroy(&trace);
    p->written += written;
    if (written) {
        p->last_written = p->window_step;
        return;
    }
    p->schedule.duration = 0; /* no further windows; the run continues */
    if (p->schedule.interval > 0 && step < p->schedule.last)
        swe_warn(&p->log, "profile: no further windows are recorded");
}

void prof_close_window(prof_profiler *p, int64_t step)
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
    if (prof_records_windows(p))
        end_window(p, end, step);
}
