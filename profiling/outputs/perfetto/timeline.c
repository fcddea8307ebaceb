#include "outputs/perfetto/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outputs/perfetto/rows.h"

static void tell_note(const prof_teller *teller, const prof_track *process, prof_slice *note)
{
    note->start = note->end = teller->trace->start;
    teller->sink->note(teller->sink->self, process, note);
}

/* What the window is, what is missing in it and what went wrong. */
static void tell_notes(const prof_teller *teller, const prof_track *process)
{
    const prof_trace *trace = teller->trace;
    const prof_drops *drops = &trace->drops;
    prof_slice window = {.name = "window", .category = "window"};
    prof_argument_text(&window, "case", trace->case_name);
    prof_argument_text(&window, "version", trace->version);
    prof_argument_text(&window, "host", trace->host);
    prof_argument_text(&window, "device", trace->device.name);
    prof_argument_count(&window, "first_step", (uint64_t)trace->first_step);
    prof_argument_count(&window, "steps", (uint64_t)trace->steps);
    tell_note(teller, process, &window);
    if (drops->spans + drops->ops + drops->records + drops->rejected + drops->unknown > 0) {
        prof_slice dropped = {.name = "dropped", .category = "warning"};
        prof_argument_count(&dropped, "spans", (uint64_t)drops->spans);
        prof_argument_count(&dropped, "ops", (uint64_t)drops->ops);
        prof_argument_count(&dropped, "records", (uint64_t)drops->records);
        prof_argument_count(&dropped, "rejected", (uint64_t)drops->rejected);
        prof_argument_count(&dropped, "unknown", (uint64_t)drops->unknown);
        tell_note(teller, process, &dropped);
    }
    for (int32_t k = 0; k < trace->warning_count; k++) {
        prof_slice warning = {.name = trace->warnings[k], .category = "warning"};
        tell_note(teller, process, &warning);
    }
}

static bool tell_threads(prof_teller *teller, const prof_track *process)
{
    const prof_trace *trace = teller->trace;
    prof_item *items = prof_items_of_spans(trace);
    bool ok = items != NULL;
    int64_t told = 0;
    for (int32_t k = 0; ok && k < trace->thread_count; k++) {
        prof_track track = {.kind = PROF_TRACK_THREAD,
                            .parent = process->id,
                            .group = process->group,
                            .process = trace->process,
                            .thread = trace->threads[k].id};
        snprintf(track.name, sizeof track.name, "%s", trace->threads[k].name);
        const int64_t count = prof_tell_row(teller, &track, k, items + told,
                                            trace->span_count - told, prof_slice_of_span, true);
        ok = count >= 0;
        told += count;
    }
    free(items);
    return ok;
}

static void name_calls(prof_track *track, const prof_trace *trace, int32_t thread)
{
    snprintf(track->name, sizeof track->name, "CUDA calls (thread %d)", thread);
    for (int32_t k = 0; k < trace->thread_count; k++)
        if (trace->threads[k].id == thread)
            snprintf(track->name, sizeof track->name, "CUDA calls (%s)", trace->threads[k].name);
}

static bool tell_calls(prof_teller *teller, const prof_track *process)
{
    const prof_trace *trace = teller->trace;
    prof_item *items = prof_items_of_calls(trace);
    bool ok = items != NULL;
    for (int64_t told = 0; ok && told < trace->call_count;) {
        prof_track track = {.kind = PROF_TRACK_ROW, .parent = process->id, .group = process->group};
        const int64_t row = items[told].row;
        name_calls(&track, trace, (int32_t)row);
        const int64_t count = prof_tell_row(teller, &track, row, items + told,
                                            trace->call_count - told, prof_slice_of_call, true);
        ok = count >= 0;
        told += count;
    }
    free(items);
    return ok;
}

/* Nothing nests on a stream: two operations that overlap are both operations of their own. */
static bool tell_streams(prof_teller *teller, const prof_track *gpu, int32_t device,
                         const prof_item *items)
{
    const prof_trace *trace = teller->trace;
    int64_t told = 0;
    while (told < trace->op_count && prof_row_device(items[told].row) < device)
        told++;
    while (told < trace->op_count && prof_row_device(items[told].row) == device) {
        prof_track track = {.kind = PROF_TRACK_ROW, .parent = gpu->id, .group = gpu->group};
        const int64_t row = items[told].row;
        snprintf(track.name, sizeof track.name, "Stream %d", prof_row_stream(row));
        const int64_t count = prof_tell_row(teller, &track, row, items + told,
                                            trace->op_count - told, prof_slice_of_op, false);
        if (count < 0)
            return false;
        told += count;
    }
    return true;
}

static prof_track tell_counter(prof_teller *teller, const prof_track *parent, const char *name,
                               const char *unit)
{
    prof_track counter = {
        .kind = PROF_TRACK_COUNTER, .parent = parent->id, .group = parent->group, .unit = unit};
    snprintf(counter.name, sizeof counter.name, "%s", name);
    prof_tell_track(teller, &counter);
    return counter;
}

/* What samples of a GPU hold; a counter that was never known gets no track. */
static void tell_samples(prof_teller *teller, const prof_track *gpu, int32_t device)
{
    static const struct {
        const char *name, *unit;
        size_t offset;
    } counters[] = {
        {"SM utilisation", "%", offsetof(prof_gpu_sample, sm)},
        {"memory utilisation", "%", offsetof(prof_gpu_sample, memory)},
        {"memory used", "B", offsetof(prof_gpu_sample, memory_used)},
        {"SM clock", "MHz", offsetof(prof_gpu_sample, sm_clock)},
        {"memory clock", "MHz", offsetof(prof_gpu_sample, memory_clock)},
        {"power", "W", offsetof(prof_gpu_sample, power)},
        {"temperature", "\u00b0C", offsetof(prof_gpu_sample, temperature)},
    };
    const prof_trace *trace = teller->trace;
    for (size_t c = 0; c < sizeof counters / sizeof *counters; c++) {
        prof_track track = {0};
        for (int64_t k = 0; k < trace->sample_count; k++) {
            const prof_gpu_sample *sample = &trace->samples[k];
            double value;
            memcpy(&value, (const char *)sample + counters[c].offset, sizeof value);
            if (sample->device != device || !(value >= 0.0))
                continue;
            if (track.id == 0)
                track = tell_counter(teller, gpu, counters[c].name, counters[c].unit);
            teller->sink->point(teller->sink->self, &track, sample->time, value);
        }
    }
}

/* What the hardware counted over time; a point is the mean from then to the next one. */
static void tell_sampled(prof_teller *teller, const prof_track *gpu)
{
    static const struct {
        const char *name, *unit;
    } counters[] = {
#define PROF_SAMPLED_TRACK(name, title, unit, meaning) {title, unit},
        PROF_SAMPLED_LIST(PROF_SAMPLED_TRACK)
#undef PROF_SAMPLED_TRACK
    };
    const prof_sampled *sampled = &teller->trace->sampled;
    for (int c = 0; c < PROF_SAMPLED_COUNT; c++) {
        prof_track track = {0};
        for (int64_t k = 0; k < sampled->count; k++) {
            const prof_sampled_interval *interval = &sampled->intervals[k];
            if (!(interval->value[c] >= 0.0))
                continue;
            if (track.id == 0)
                track = tell_counter(teller, gpu, counters[c].name, counters[c].unit);
            teller->sink->point(teller->sink->self, &track, interval->start, interval->value[c]);
        }
    }
}

/* Device memory in use, where the window's blocks were taken. */
static void tell_memory(prof_teller *teller, const prof_track *parent)
{
    const prof_trace *trace = teller->trace;
    const prof_sink *sink = teller->sink;
    if (trace->before.time <= 0)
        return;
    const prof_track track = tell_counter(teller, parent, "device memory in use", "B");
    sink->point(sink->self, &track, trace->before.time, (double)trace->before.in_use);
    for (int64_t k = 0; k < trace->memory_event_count; k++)
        sink->point(sink->self, &track, trace->memory_events[k].time,
                    (double)trace->memory_events[k].in_use);
    if (trace->after.time > 0)
        sink->point(sink->self, &track, trace->after.time, (double)trace->after.in_use);
}

/* The first GPU after another that the trace knows of; INT32_MAX if there is none. */
static int32_t next_gpu(const prof_trace *trace, int32_t last)
{
    int32_t next = INT32_MAX;
    if (trace->device.is_gpu && trace->device.index > last)
        next = trace->device.index;
    for (int64_t k = 0; k < trace->op_count; k++)
        if (trace->ops[k].device > last && trace->ops[k].device < next)
            next = trace->ops[k].device;
    for (int64_t k = 0; k < trace->sample_count; k++)
        if (trace->samples[k].device > last && trace->samples[k].device < next)
            next = trace->samples[k].device;
    return next;
}

static bool tell_gpus(prof_teller *teller)
{
    const prof_trace *trace = teller->trace;
    prof_item *items = prof_items_of_ops(trace);
    bool ok = items != NULL;
    int32_t device = next_gpu(trace, -1);
    for (; ok && device < INT32_MAX; device = next_gpu(trace, device)) {
        const bool ours = trace->device.is_gpu && trace->device.index == device;
        prof_track gpu = {.kind = PROF_TRACK_GPU};
        if (ours)
            snprintf(gpu.name, sizeof gpu.name, "%s (GPU %d)", trace->device.name, device);
        else
            snprintf(gpu.name, sizeof gpu.name, "GPU %d", device);
        prof_tell_track(teller, &gpu);
        ok = tell_streams(teller, &gpu, device, items);
        tell_samples(teller, &gpu, device);
        if (ours) {
            tell_sampled(teller, &gpu);
            tell_memory(teller, &gpu);
        }
    }
    free(items);
    return ok;
}

bool prof_timeline_tell(const prof_trace *trace, const prof_sink *sink)
{
    prof_teller teller = {.trace = trace, .sink = sink};
    prof_track process = {.kind = PROF_TRACK_PROCESS, .process = trace->process};
    bool ok = prof_flows_create(&teller.flows, trace);
    if (ok) {
        snprintf(process.name, sizeof process.name, "%s on %s", trace->case_name, trace->host);
        prof_tell_track(&teller, &process);
        tell_notes(&teller, &process);
        ok = tell_threads(&teller, &process) && tell_calls(&teller, &process);
        if (!trace->device.is_gpu)
            tell_memory(&teller, &process);
        ok = ok && tell_gpus(&teller);
    }
    prof_flows_destroy(&teller.flows);
    return ok;
}
