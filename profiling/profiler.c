#include "profiler_internal.h"

#include <stdlib.h>

const char *prof_sources(void)
{
    return PROF_SOURCES;
}

prof_profiler *prof_create(const prof_options *options)
{
    prof_profiler *p = calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->options = *options;
    p->share = 1.0;
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
                                       prof_records_windows(p) ? options->max_events : 1);
    if (p->recorder == NULL ||
        (options->ranks != NULL && prof_records_windows(p) && !prof_recorder_ranks(p->recorder))) {
        swe_warn(&p->log, "profile: out of memory: nothing will be recorded");
        prof_destroy(&p);
        return NULL;
    }
    return p;
}

void prof_attach(prof_profiler *p, const prof_device *device)
{
    if (p == NULL)
        return;
    p->device = *device;
    if (prof_records_windows(p))
        p->memory = prof_memory_tracker_create();
    if (device->is_gpu && p->options.parts != NULL)
        prof_start_gpu_code(p);
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

bool prof_exchange_begin(prof_profiler *p)
{
    return p != NULL && !p->is_capturing && prof_recorder_exchange(p->recorder);
}

void prof_exchange_add(prof_profiler *p, int rank, size_t bytes, bool is_sent)
{
    prof_recorder_message(p->recorder, (prof_message){rank, (int64_t)bytes}, is_sent);
}

const prof_options *prof_get_options(const prof_profiler *p)
{
    return &p->options;
}

void prof_leave_ranks(prof_profiler *p)
{
    p->options.ranks = NULL;
    swe_warn(&p->log, "profile: a rank has no memory for a profiler: windows are of rank 0 alone");
}

void prof_set_share(prof_profiler *p, double share)
{
    if (p != NULL)
        p->share = share;
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
    /* a graph has no times on the host, so that a window would be empty without a source, and no
     * exchanges */
    const bool is_blind = p->device.is_gpu && p->cupti == NULL && p->gpu_code == NULL;
    const bool needs_stages = is_blind || p->options.ranks != NULL;
    return p->counting_until >= 0 || (needs_stages && p->is_open && prof_records_windows(p)) ||
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

/* Whether other ranks do as this one: windows open and close on all at the same steps. */
static bool leads_ranks(const prof_profiler *p)
{
    return p->options.mode != PROF_OFF && p->options.ranks != NULL && p->options.ranks->own == 0;
}

/* Whether prof_at_step does something at a step. */
static bool is_due(const prof_profiler *p, int64_t step)
{
    return !p->is_started || p->is_warm || (p->counting_until >= 0 && step >= p->counting_until) ||
           (p->is_open && prof_schedule_closes(&p->schedule, step)) ||
           (!p->is_open &&
            (prof_schedule_opens(&p->schedule, step) || prof_schedule_leads(&p->schedule, step)));
}

void prof_at_step(prof_profiler *p, int64_t step)
{
    if (p == NULL)
        return;
    if (leads_ranks(p) && is_due(p, step))
        p->options.ranks->at_step(step);
    if (!p->is_started)
        prof_start_sources(p, step);
    if (p->counting_until >= 0 && step >= p->counting_until)
        prof_begin_trace(p);
    if (p->is_open && prof_schedule_closes(&p->schedule, step))
        prof_close_window(p, step);
    if (!p->is_open && prof_schedule_opens(&p->schedule, step))
        prof_open_window(p, step);
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
    return p != NULL && prof_records_windows(p) && p->options.start_step < p->options.last_step;
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
    if (p == NULL)
        return;
    if ((p->is_open || p->counting_until >= 0) && leads_ranks(p))
        p->options.ranks->finish();
    if (p->is_open)
        prof_close_window(p, prof_recorder_step(p->recorder));
    if (p->counting_until >= 0)
        prof_end_counting(p); /* the run ended within the counted steps */
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
    prof_gpu_code_destroy(&p->gpu_code);
    prof_trace_destroy(&p->counted);
    prof_memory_tracker_destroy(&p->memory);
    prof_recorder_destroy(&p->recorder);
    prof_nvtx_destroy(&p->nvtx);
    free(p->clocks);
    free(p);
    *pointer = NULL;
}
