#define _GNU_SOURCE /* gettid */
#include "record/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

enum { MOST_DEPTH = 32, CACHE_LINE = 64, MESSAGES_OF_EXCHANGE = 8 };

/* Spans of one thread, in an array of fixed capacity. */
typedef struct span_list {
    prof_span *span;
    int64_t count, room, dropped;
} span_list;

/* The exchanges of a window, and their messages, in arrays of fixed capacity. */
typedef struct exchange_list {
    prof_exchange *exchange;
    prof_message *message;
    int64_t count, room, message_count, message_room, dropped;
} exchange_list;

/* Data that one thread writes, on separate cache lines to avoid false sharing. */
typedef struct thread_record {
    _Alignas(CACHE_LINE) span_list parts;
    prof_span open; /* its share of the stage in progress */
    bool is_open;
    int32_t id;
} thread_record;

/* Whole-run time of a region. */
typedef struct region_time {
    int64_t total, count;
} region_time;

struct prof_recorder {
    const prof_region *regions;
    int region_count;
    region_time *times; /* of phases */
    prof_frame stack[MOST_DEPTH];
    int depth;  /* may exceed MOST_DEPTH; deeper regions are not recorded */
    int shared; /* depth of the innermost region that threads share: it is no wait */
    int64_t next_step;
    bool is_open;
    int64_t max_events;
    span_list main;
    exchange_list exchanges;
    thread_record *threads;
    int thread_count;
    prof_perf *perf;
};

prof_recorder *prof_recorder_create(const prof_region *regions, int count, int64_t max_events)
{
    prof_recorder *r = calloc(1, sizeof *r);
    if (r == NULL)
        return NULL;
    r->regions = regions;
    r->region_count = count;
    r->max_events = max_events;
    r->times = calloc((size_t)count, sizeof *r->times);
    r->main.room = max_events;
    /* untouched pages use address space only */
    r->main.span = malloc((size_t)max_events * sizeof *r->main.span);
    if (r->times == NULL || r->main.span == NULL)
        prof_recorder_destroy(&r);
    return r;
}

void prof_recorder_destroy(prof_recorder **pointer)
{
    prof_recorder *r = *pointer;
    if (r == NULL)
        return;
    for (int k = 0; k < r->thread_count; k++)
        free(r->threads[k].parts.span);
    free(r->threads);
    free(r->exchanges.exchange);
    free(r->exchanges.message);
    free(r->main.span);
    free(r->times);
    free(r);
    *pointer = NULL;
}

bool prof_recorder_ranks(prof_recorder *r)
{
    exchange_list *e = &r->exchanges;
    e->room = r->max_events;
    e->message_room = MESSAGES_OF_EXCHANGE * r->max_events;
    e->exchange = malloc((size_t)e->room * sizeof *e->exchange);
    e->message = malloc((size_t)e->message_room * sizeof *e->message);
    return e->exchange != NULL && e->message != NULL;
}

bool prof_recorder_threads(prof_recorder *r, int threads, prof_perf *perf)
{
    r->threads = aligned_alloc(CACHE_LINE, (size_t)threads * sizeof *r->threads);
    if (r->threads == NULL)
        return false;
    memset(r->threads, 0, (size_t)threads * sizeof *r->threads);
    r->thread_count = threads;
    r->perf = perf;
    bool enough = true;
    for (int k = 0; k < threads; k++) {
        span_list *parts = &r->threads[k].parts;
        const int64_t room = 1 + r->max_events / threads;
        parts->span = malloc((size_t)room * sizeof *parts->span);
        parts->room = parts->span != NULL ? room : 0;
        enough = enough && parts->span != NULL;
    }
    return enough;
}

void prof_recorder_at_step(prof_recorder *r, int64_t step)
{
    r->next_step = step;
}

int64_t prof_recorder_step(const prof_recorder *r)
{
    return r->next_step;
}

/* Frame at a depth; NULL if no region is open or the stack is too deep. */
static prof_frame *frame_at(prof_recorder *r, int depth)
{
    return depth > 0 && depth <= MOST_DEPTH ? &r->stack[depth - 1] : NULL;
}

static prof_frame *innermost(prof_recorder *r)
{
    return frame_at(r, r->depth);
}

int prof_recorder_region(const prof_recorder *r)
{
    return r->shared > 0 && r->shared <= MOST_DEPTH ? r->stack[r->shared - 1].region : -1;
}

/* Add an open span; -1 if the array is full. */
static int32_t add_span(span_list *list, prof_span span)
{
    if (list->count == list->room) {
        list->dropped++;
        return -1;
    }
    for (int k = 0; k < PROF_COUNTER_COUNT; k++)
        span.counts[k] = -1;
    list->span[list->count] = span;
    return (int32_t)list->count++;
}

/* The span of the innermost frame. */
static int32_t add_frame_span(prof_recorder *r, const prof_frame *frame, const prof_frame *outer)
{
    const prof_region *region = &r->regions[frame->region];
    return add_span(&r->main, (prof_span){.name = region->name,
                                          .kind = region->kind,
                                          .start = frame->begin,
                                          .end = frame->begin,
                                          .step = frame->step,
                                          .parent = outer != NULL ? outer->span : -1,
                                          .depth = r->depth - 1});
}

bool prof_recorder_exchange(prof_recorder *r)
{
    exchange_list *e = &r->exchanges;
    const prof_frame *frame = innermost(r);
    if (!r->is_open || e->exchange == NULL)
        return false;
    if (e->count == e->room || e->message_count == e->message_room || e->dropped > 0) {
        e->dropped++;
        return false;
    }
    e->exchange[e->count++] = (prof_exchange){.time = swe_clock_ns(),
                                              .span = frame != NULL ? frame->span : -1,
                                              .wait = -1,
                                              .first = e->message_count};
    return true;
}

void prof_recorder_message(prof_recorder *r, prof_message message, bool is_sent)
{
    exchange_list *e = &r->exchanges;
    prof_exchange *last = &e->exchange[e->count - 1];
    if (e->message_count == e->message_room)
        return; /* the next exchange is dropped */
    e->message[e->message_count++] = message;
    last->received += !is_sent;
    last->sent += is_sent;
}

/* The span of the wait for the last exchange. */
static void wait_for_exchange(exchange_list *e, int32_t span)
{
    if (e->count > 0 && e->dropped == 0 && e->exchange[e->count - 1].wait < 0)
        e->exchange[e->count - 1].wait = span;
}

const prof_frame *prof_recorder_begin(prof_recorder *r, int region)
{
    const prof_frame *outer = innermost(r);
    r->depth++;
    prof_frame *frame = innermost(r);
    if (frame == NULL)
        return NULL;
    const prof_kind kind = r->regions[region].kind;
    if (kind != PROF_WAIT)
        r->shared = r->depth;
    *frame = (prof_frame){.region = region, .step = outer != NULL ? outer->step : -1, .span = -1};
    if (kind == PROF_STEP)
        frame->step = r->next_step++;
    else if (kind == PROF_LAUNCH)
        frame->step = r->next_step;
    if (r->is_open || kind == PROF_PHASE)
        frame->begin = swe_clock_ns();
    if (r->is_open)
        frame->span = add_frame_span(r, frame, outer);
    if (kind == PROF_WAIT && r->is_open)
        wait_for_exchange(&r->exchanges, frame->span);
    return frame;
}

void prof_recorder_end(prof_recorder *r)
{
    const prof_frame *frame = innermost(r);
    r->depth--;
    if (frame == NULL)
        return;
    if (r->regions[frame->region].kind != PROF_WAIT)
        r->shared = r->depth;
    const bool is_phase = r->regions[frame->region].kind == PROF_PHASE;
    if (!is_phase && frame->span < 0)
        return;
    const int64_t now = swe_clock_ns();
    if (frame->span >= 0)
        r->main.span[frame->span].end = now;
    if (is_phase) {
        r->times[frame->region].total += now - frame->begin;
        r->times[frame->region].count++;
    }
}

/* Open a thread's counters and touch the memory of its first spans before a window needs them. */
static void warm_up(prof_recorder *r, int thread)
{
    thread_record *t = &r->threads[thread];
    int64_t counts[PROF_COUNTER_COUNT];
    const int64_t some = t->parts.room < 1024 ? t->parts.room : 1024;
    if (some > 0)
        memset(t->parts.span, 0, (size_t)some * sizeof *t->parts.span);
    if (r->perf != NULL)
        prof_perf_read(r->perf, thread, counts);
    t->id = (int32_t)gettid();
}

void prof_recorder_thread_begin(prof_recorder *r, int thread)
{
    if (thread >= r->thread_count)
        return;
    thread_record *t = &r->threads[thread];
    if (t->id == 0)
        warm_up(r, thread);
    const prof_frame *frame = r->is_open ? frame_at(r, r->shared) : NULL;
    if (frame == NULL || frame->span < 0)
        return;
    const prof_span *whole = &r->main.span[frame->span];
    t->open = (prof_span){.name = whole->name,
                          .kind = PROF_THREAD,
                          .step = whole->step,
                          .parent = frame->span,
                          .depth = thread == 0 ? whole->depth + 1 : 0,
                          .thread = thread};
    t->is_open = true;
    for (int k = 0; k < PROF_COUNTER_COUNT; k++)
        t->open.counts[k] = -1;
    if (r->perf != NULL)
        prof_perf_read(r->perf, thread, t->open.counts);
    t->open.start = swe_clock_ns();
}

void prof_recorder_thread_end(prof_recorder *r, int thread)
{
    if (thread >= r->thread_count || !r->threads[thread].is_open)
        return;
    thread_record *t = &r->threads[thread];
    t->open.end = swe_clock_ns();
    if (r->perf != NULL) {
        int64_t counted[PROF_COUNTER_COUNT];
        prof_perf_since(r->perf, thread, t->open.counts, counted);
        memcpy(t->open.counts, counted, sizeof counted);
    }
    t->is_open = false;
    if (t->parts.count == t->parts.room)
        t->parts.dropped++;
    else
        t->parts.span[t->parts.count++] = t->open;
}

void prof_recorder_open(prof_recorder *r)
{
    r->main.count = r->main.dropped = 0;
    r->exchanges.count = r->exchanges.message_count = r->exchanges.dropped = 0;
    for (int k = 0; k < r->thread_count; k++)
        r->threads[k].parts.count = r->threads[k].parts.dropped = 0;
    r->is_open = true;
}

static bool copy_spans(const prof_recorder *r, prof_trace *trace)
{
    int64_t count = r->main.count;
    trace->drops.spans += r->main.dropped;
    for (int k = 0; k < r->thread_count; k++) {
        count += r->threads[k].parts.count;
        trace->drops.spans += r->threads[k].parts.dropped;
    }
    trace->spans = malloc((size_t)(count + 1) * sizeof *trace->spans);
    if (trace->spans == NULL)
        return false;
    memcpy(trace->spans, r->main.span, (size_t)r->main.count * sizeof *trace->spans);
    trace->span_count = r->main.count;
    for (int k = 0; k < r->thread_count; k++) {
        const span_list *parts = &r->threads[k].parts;
        memcpy(&trace->spans[trace->span_count], parts->span,
               (size_t)parts->count * sizeof *trace->spans);
        trace->span_count += parts->count;
    }
    return true;
}

static bool copy_exchanges(const prof_recorder *r, prof_trace *trace)
{
    const exchange_list *e = &r->exchanges;
    const size_t exchanges = (size_t)e->count * sizeof *e->exchange,
                 messages = (size_t)e->message_count * sizeof *e->message;
    trace->drops.spans += e->dropped;
    trace->exchanges = malloc(exchanges + 1);
    trace->messages = malloc(messages + 1);
    if (trace->exchanges == NULL || trace->messages == NULL)
        return false;
    if (e->count > 0) {
        memcpy(trace->exchanges, e->exchange, exchanges);
        memcpy(trace->messages, e->message, messages);
    }
    trace->exchange_count = e->count;
    trace->message_count = e->message_count;
    return true;
}

static bool copy_threads(const prof_recorder *r, prof_trace *trace)
{
    int count = r->thread_count > 1 ? r->thread_count : 1;
    while (count > 1 && r->threads[count - 1].id == 0)
        count--; /* this thread never recorded a share */
    trace->threads = calloc((size_t)count, sizeof *trace->threads);
    if (trace->threads == NULL)
        return false;
    trace->threads[0] = (prof_thread){"main", (int32_t)gettid()};
    for (int k = 1; k < count; k++) {
        char name[32];
        snprintf(name, sizeof name, "worker %d", k);
        trace->threads[k] = (prof_thread){prof_trace_intern(trace, name), r->threads[k].id};
    }
    trace->thread_count = count;
    return true;
}

static bool copy_phases(const prof_recorder *r, prof_trace *trace)
{
    trace->phases = calloc((size_t)r->region_count, sizeof *trace->phases);
    if (trace->phases == NULL)
        return false;
    for (int region = 0; region < r->region_count; region++)
        if (r->times[region].count > 0)
            trace->phases[trace->phase_count++] =
                (prof_phase_time){.name = r->regions[region].name,
                                  .total = (double)r->times[region].total,
                                  .count = r->times[region].count};
    return true;
}

bool prof_recorder_close(prof_recorder *r, prof_trace *trace)
{
    r->is_open = false;
    return copy_spans(r, trace) && copy_exchanges(r, trace) && copy_threads(r, trace) &&
           copy_phases(r, trace);
}

/* ---- the schedule ---- */

/* Steps since the latest start of a window at or before `step`; -1 if there was none. */
static int64_t since_start(const prof_schedule *s, int64_t step)
{
    if (s->duration == 0 || step < s->start)
        return -1;
    return s->interval > 0 ? (step - s->start) % s->interval : step - s->start;
}

bool prof_schedule_covers(const prof_schedule *s, int64_t step)
{
    const int64_t since = since_start(s, step);
    return since >= 0 && since < s->duration && step < s->last;
}

int64_t prof_schedule_next(const prof_schedule *s, int64_t step)
{
    const int64_t since = since_start(s, step);
    int64_t next = s->start;
    if (since > 0)
        next = s->interval > 0 ? step - since + s->interval : s->last;
    else if (since == 0)
        next = step;
    return s->duration > 0 && next < s->last ? next : -1;
}

bool prof_schedule_opens(const prof_schedule *s, int64_t step)
{
    return since_start(s, step) == 0 && step < s->last;
}

bool prof_schedule_leads(const prof_schedule *s, int64_t step)
{
    for (int64_t k = 1; k < s->lead; k++)
        if (prof_schedule_covers(s, step + k))
            return false;
    return s->lead > 0 && prof_schedule_opens(s, step + s->lead);
}

bool prof_schedule_closes(const prof_schedule *s, int64_t step)
{
    return step > 0 && prof_schedule_covers(s, step - 1) &&
           (!prof_schedule_covers(s, step) || prof_schedule_opens(s, step));
}

int64_t prof_schedule_to_edge(const prof_schedule *s, int64_t step, int64_t most)
{
    if (s->duration == 0)
        return most;
    int64_t edge = s->start;
    const int64_t since = since_start(s, step);
    const bool is_open = since >= 0 && since < s->duration;
    if (is_open)
        edge = step - since + s->duration;
    else if (since >= 0 && s->interval > 0)
        edge = step - since + s->interval;
    if (!is_open && step < edge - s->lead)
        edge -= s->lead;
    const int64_t count = edge - step;
    return count > 0 && count < most ? count : most;
}
