#include "outputs/perfetto/tracks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outputs/perfetto/internal.h"

static void emit_note(const prof_emitter *emitter, const prof_track *process, prof_slice *note)
{
    note->start = note->end = emitter->trace->start;
    emitter->sink->note(emitter->sink->self, process, note);
}

/* Notes: the window, dropped records and warnings. */
static void emit_notes(const prof_emitter *emitter, const prof_track *process)
{
    const prof_trace *trace = emitter->trace;
    const prof_drops *drops = &trace->drops;
    prof_slice window = {.name = "window", .category = "window"};
    prof_argument_text(&window, "case", trace->case_name);
    prof_argument_text(&window, "version", trace->version);
    prof_argument_text(&window, "host", trace->host);
    prof_argument_text(&window, "device", trace->device.name);
    prof_argument_count(&window, "first_step", (uint64_t)trace->first_step);
    prof_argument_count(&window, "steps", (uint64_t)trace->steps);
    emit_note(emitter, process, &window);
    if (drops->spans + drops->ops + drops->records + drops->rejected + drops->unknown > 0) {
        prof_slice dropped = {.name = "dropped", .category = "warning"};
        prof_argument_count(&dropped, "spans", (uint64_t)drops->spans);
        prof_argument_count(&dropped, "ops", (uint64_t)drops->ops);
        prof_argument_count(&dropped, "records", (uint64_t)drops->records);
        prof_argument_count(&dropped, "rejected", (uint64_t)drops->rejected);
        prof_argument_count(&dropped, "unknown", (uint64_t)drops->unknown);
        emit_note(emitter, process, &dropped);
    }
    for (int32_t k = 0; k < trace->warning_count; k++) {
        prof_slice warning = {.name = trace->warnings[k], .category = "warning"};
        emit_note(emitter, process, &warning);
    }
}

static bool emit_threads(prof_emitter *emitter, const prof_track *process)
{
    const prof_trace *trace = emitter->trace;
    int64_t all = 0, done = 0;
    prof_item *items = prof_items_of_spans(trace, &all);
    bool ok = items != NULL;
    for (int32_t k = 0; ok && k < trace->thread_count; k++) {
        prof_track track = {.kind = PROF_TRACK_THREAD,
                            .parent = process->id,
                            .group = process->group,
                            .process = process->process,
                            .thread = trace->threads[k].id + emitter->added};
        snprintf(track.name, sizeof track.name, "%s", trace->threads[k].name);
        const int64_t count =
            prof_emit_row(emitter, &track, k, items + done, all - done, prof_slice_of_span, true);
        ok = count >= 0;
        done += count;
    }
    free(items);
    return ok;
}

static bool emit_calls(prof_emitter *emitter, const prof_track *process)
{
    const prof_trace *trace = emitter->trace;
    prof_item *items = prof_items_of_calls(trace);
    bool ok = items != NULL;
    for (int64_t done = 0; ok && done < trace->call_count;) {
        prof_track track = {.kind = PROF_TRACK_ROW, .parent = process->id, .group = process->group};
        const int64_t row = items[done].row;
        snprintf(track.name, sizeof track.name, "CUDA calls (thread %d)", (int32_t)row);
        for (int32_t k = 0; k < trace->thread_count; k++)
            if (trace->threads[k].id == (int32_t)row)
                snprintf(track.name, sizeof track.name, "CUDA calls (%s)", trace->threads[k].name);
        const int64_t count = prof_emit_row(emitter, &track, row, items + done,
                                            trace->call_count - done, prof_slice_of_call, true);
        ok = count >= 0;
        done += count;
    }
    free(items);
    return ok;
}

/* Slices of a stream do not nest: overlapping operations are independent. */
static bool emit_streams(prof_emitter *emitter, const prof_track *gpu, int32_t device,
                         const prof_item *items)
{
    const prof_trace *trace = emitter->trace;
    int64_t done = 0;
    while (done < trace->op_count && prof_row_device(items[done].row) < device)
        done++;
    while (done < trace->op_count && prof_row_device(items[done].row) == device) {
        prof_track track = {.kind = PROF_TRACK_ROW, .parent = gpu->id, .group = gpu->group};
        const int64_t row = items[done].row;
        snprintf(track.name, sizeof track.name, "Stream %d", prof_row_stream(row));
        const int64_t count = prof_emit_row(emitter, &track, row, items + done,
                                            trace->op_count - done, prof_slice_of_op, false);
        if (count < 0)
            return false;
        done += count;
    }
    return true;
}

static prof_track emit_counter(prof_emitter *emitter, const prof_track *parent, const char *name,
                               const char *unit)
{
    prof_track counter = {
        .kind = PROF_TRACK_COUNTER, .parent = parent->id, .group = parent->group, .unit = unit};
    snprintf(counter.name, sizeof counter.name, "%s", name);
    prof_emit_track(emitter, &counter);
    return counter;
}

/* Samples of a GPU's state; a counter without any known value has no track. */
static void emit_samples(prof_emitter *emitter, const prof_track *gpu, int32_t device)
{
    static const struct {
        const char *name, *unit;
        size_t offset;
    } counters[] = {
#define STATE(key, member, title, unit) {title, unit, offsetof(prof_gpu_sample, member)},
        PROF_STATE_LIST(STATE)
#undef STATE
    };
    const prof_trace *trace = emitter->trace;
    for (size_t c = 0; c < sizeof counters / sizeof *counters; c++) {
        prof_track track = {0};
        for (int64_t k = 0; k < trace->sample_count; k++) {
            const prof_gpu_sample *sample = &trace->samples[k];
            double value;
            memcpy(&value, (const char *)sample + counters[c].offset, sizeof value);
            if (sample->device != device || !(value >= 0.0))
                continue;
            if (track.id == 0)
                track = emit_counter(emitter, gpu, counters[c].name, counters[c].unit);
            emitter->sink->point(emitter->sink->self, &track, sample->time, value);
        }
    }
}

/* Hardware counters over time; a point is the mean until the next one. */
static void emit_sampled(prof_emitter *emitter, const prof_track *gpu)
{
    static const struct {
        const char *name, *unit;
    } counters[] = {
#define PROF_SAMPLED_TRACK(name, title, unit, meaning) {title, unit},
        PROF_SAMPLED_LIST(PROF_SAMPLED_TRACK)
#undef PROF_SAMPLED_TRACK
    };
    const prof_sampled *sampled = &emitter->trace->sampled;
    for (int c = 0; c < PROF_SAMPLED_COUNT; c++) {
        prof_track track = {0};
        for (int64_t k = 0; k < sampled->count; k++) {
            const prof_sampled_interval *interval = &sampled->intervals[k];
            if (!(interval->value[c] >= 0.0))
                continue;
            if (track.id == 0)
                track = emit_counter(emitter, gpu, counters[c].name, counters[c].unit);
            emitter->sink->point(emitter->sink->self, &track, interval->start, interval->value[c]);
        }
    }
}

/* Device memory in use, if the window recorded its blocks. */
static void emit_memory(prof_emitter *emitter, const prof_track *parent)
{
    const prof_trace *trace = emitter->trace;
    const prof_sink *sink = emitter->sink;
    if (trace->before.time <= 0)
        return;
    const prof_track track = emit_counter(emitter, parent, "device memory in use", "B");
    sink->point(sink->self, &track, trace->before.time, (double)trace->before.in_use);
    for (int64_t k = 0; k < trace->memory_event_count; k++)
        sink->point(sink->self, &track, trace->memory_events[k].time,
                    (double)trace->memory_events[k].in_use);
    if (trace->after.time > 0)
        sink->point(sink->self, &track, trace->after.time, (double)trace->after.in_use);
}

/* The next GPU of the trace after `last`; INT32_MAX: none. */
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

static bool emit_gpus(prof_emitter *emitter)
{
    const prof_trace *trace = emitter->trace;
    prof_item *items = prof_items_of_ops(trace);
    bool ok = items != NULL;
    int32_t device = next_gpu(trace, -1);
    for (; ok && device < INT32_MAX; device = next_gpu(trace, device)) {
        const bool ours = trace->device.is_gpu && trace->device.index == device;
        prof_track gpu = {.kind = PROF_TRACK_GPU};
        if (ours)
            snprintf(gpu.name, sizeof gpu.name, "%s%s (GPU %d)", emitter->prefix,
                     trace->device.name, device);
        else
            snprintf(gpu.name, sizeof gpu.name, "%sGPU %d", emitter->prefix, device);
        prof_emit_track(emitter, &gpu);
        ok = emit_streams(emitter, &gpu, device, items);
        emit_samples(emitter, &gpu, device);
        if (ours) {
            emit_sampled(emitter, &gpu);
            emit_memory(emitter, &gpu);
        }
    }
    free(items);
    return ok;
}

/* Emit the tracks of a rank. */
static bool emit_rank(prof_emitter *emitter)
{
    const prof_trace *trace = emitter->trace;
    prof_track process = {.kind = PROF_TRACK_PROCESS, .process = trace->process + emitter->added};
    bool ok = prof_flows_create(&emitter->flows, trace, emitter->ranks);
    if (ok) {
        snprintf(process.name, sizeof process.name, "%s%s on %s", emitter->prefix, trace->case_name,
                 trace->host);
        prof_emit_track(emitter, &process);
        emit_notes(emitter, &process);
        ok = emit_threads(emitter, &process) && emit_calls(emitter, &process);
        if (!trace->device.is_gpu)
            emit_memory(emitter, &process);
        ok = ok && emit_gpus(emitter);
    }
    prof_flows_destroy(&emitter->flows);
    return ok;
}

bool prof_tracks_emit(const prof_trace *trace, const prof_sink *sink)
{
    prof_emitter emitter = {.trace = trace, .sink = sink, .ranks = prof_trace_shown(trace)};
    bool ok = true;
    for (int32_t rank = 0; rank < emitter.ranks && ok; rank++) {
        emitter.trace = prof_trace_of_rank(trace, rank);
        if (trace->rank_count > 0)
            snprintf(emitter.prefix, sizeof emitter.prefix, "rank %d: ", rank);
        emitter.added =
            strcmp(emitter.trace->host, trace->host) != 0 ? rank * PROF_IDS_OF_MACHINE : 0;
        ok = emit_rank(&emitter);
    }
    return ok;
}
