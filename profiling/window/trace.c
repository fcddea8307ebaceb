#define _GNU_SOURCE /* tdestroy */
#include "window/ranks.h"

#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *prof_grow(void *array, int64_t count, int64_t *room, size_t size)
{
    if (count < *room)
        return array;
    const int64_t larger = *room > 0 ? 2 * *room : 64;
    void *grown = realloc(array, (size_t)larger * size);
    if (grown != NULL)
        *room = larger;
    return grown;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(a, b);
}

prof_text *prof_texts_find(prof_texts *texts, const char *text)
{
    char *const *found = tfind(text, &texts->tree, compare_texts);
    if (found != NULL)
        return (prof_text *)(void *)*found - 1; /* the tree holds the texts of the entries */
    const size_t size = strlen(text) + 1;
    prof_text *added = malloc(sizeof *added + size);
    prof_text **item = prof_grow(texts->item, texts->count, &texts->room, sizeof(prof_text *));
    texts->item = item != NULL ? item : texts->item;
    if (added != NULL && item != NULL) {
        added->number = (int32_t)texts->count + 1;
        added->display = NULL;
        added->text = memcpy(added + 1, text, size);
        if (tsearch(added->text, &texts->tree, compare_texts) != NULL)
            return item[texts->count++] = added;
    }
    free(added);
    return NULL;
}

static void keep(void *text)
{
    (void)text;
}

void prof_texts_destroy(prof_texts *texts)
{
    tdestroy(texts->tree, keep);
    for (int64_t k = 0; k < texts->count; k++)
        free(texts->item[k]);
    free(texts->item);
    *texts = (prof_texts){0};
}

prof_trace *prof_trace_create(void)
{
    prof_trace *trace = calloc(1, sizeof *trace);
    if (trace != NULL) {
        trace->tracing.clock_difference = NAN;
        trace->device.name = trace->device.vendor = trace->device.compute_capability = "";
    }
    return trace;
}

void prof_trace_destroy(prof_trace **pointer)
{
    prof_trace *trace = *pointer;
    if (trace == NULL)
        return;
    prof_texts_destroy(&trace->texts);
    for (int32_t k = 0; k < trace->traced - 1; k++)
        prof_trace_destroy(&trace->others[k]);
    free(trace->others);
    prof_ranks_destroy(trace->ranks, trace->rank_count);
    free(trace->own_costs);
    free(trace->threads);
    free(trace->exchanges);
    free(trace->messages);
    free(trace->spans);
    free(trace->ops);
    free(trace->replays);
    free(trace->calls);
    free(trace->samples);
    free(trace->counted.stages);
    free(trace->counted.kernels);
    free(trace->sampled.intervals);
    free(trace->parts.part);
    free(trace->parts.line);
    free(trace->sites);
    free(trace->memory_events);
    free(trace->before.block);
    free(trace->after.block);
    free(trace->phases);
    free(trace->warnings);
    free(trace);
    *pointer = NULL;
}

const char *prof_trace_intern(prof_trace *trace, const char *text)
{
    const prof_text *entry = prof_texts_find(&trace->texts, text);
    return entry != NULL ? entry->text : "(no memory for its name)";
}

bool prof_counted_work(const prof_trace *trace, const char *stage, double *bytes, double *flops)
{
    for (int32_t k = 0; k < trace->counted.stage_count; k++) {
        const prof_counted_stage *s = &trace->counted.stages[k];
        const double read = s->value[PROF_METRIC_dram_read_bytes],
                     written = s->value[PROF_METRIC_dram_written_bytes];
        if (strcmp(s->stage, stage) != 0)
            continue;
        if (prof_counted_flops(s) >= 0.0 && !prof_is_single(trace))
            *flops = prof_counted_flops(s) / (double)s->calls;
        if (read < 0.0 || written < 0.0)
            return false;
        *bytes = (read + written) / (double)s->calls;
        return true;
    }
    return false;
}

bool prof_trace_copy_counted(const prof_trace *from, prof_trace *to)
{
    if (from == NULL || from->counted.stage_count == 0)
        return true;
    prof_counted *out = &to->counted;
    const prof_counted *counted = &from->counted;
    *out = *counted;
    out->chip = prof_trace_intern(to, counted->chip);
    out->stages = malloc((size_t)counted->stage_count * sizeof *out->stages);
    out->kernels = malloc(((size_t)counted->kernel_count + 1) * sizeof *out->kernels);
    if (out->stages == NULL || out->kernels == NULL) {
        out->stage_count = out->kernel_count = 0;
        return false;
    }
    memcpy(out->stages, counted->stages, (size_t)counted->stage_count * sizeof *out->stages);
    for (int32_t k = 0; k < counted->kernel_count; k++) {
        out->kernels[k] = counted->kernels[k];
        out->kernels[k].name = prof_trace_intern(to, counted->kernels[k].name);
    }
    return true;
}

prof_cost *prof_costs_of_share(const prof_cost *costs, int32_t count, double share)
{
    size_t accesses = 0;
    for (int32_t k = 0; k < count; k++)
        accesses += (size_t)costs[k].access_count;
    /* the accesses lie behind the costs */
    prof_cost *out = malloc((size_t)(count + 1) * sizeof *out + accesses * sizeof(prof_access));
    if (out == NULL)
        return NULL;
    prof_access *to = (prof_access *)(void *)(out + count + 1);
    for (int32_t k = 0; k < count; k++) {
        out[k] = costs[k];
        out[k].flops *= share;
        out[k].accesses = to;
        for (int a = 0; a < costs[k].access_count; a++, to++) {
            *to = costs[k].accesses[a];
            to->bytes *= share;
        }
    }
    return out;
}

const prof_buffer *prof_buffer_named(const prof_trace *trace, const char *name)
{
    for (int32_t k = 0; k < trace->buffer_count; k++)
        if (strcmp(trace->buffers[k].name, name) == 0)
            return &trace->buffers[k];
    return NULL;
}

double prof_buffer_bytes(const prof_buffer *buffer)
{
    double bytes = buffer->value_bytes;
    for (int k = 0; k < buffer->dimensions; k++)
        bytes *= (double)buffer->shape[k];
    return bytes;
}

const prof_fact *prof_fact_named(const prof_trace *trace, const char *name)
{
    for (int32_t k = 0; k < trace->fact_count; k++)
        if (strcmp(trace->facts[k].name, name) == 0)
            return &trace->facts[k];
    return NULL;
}

void prof_program_name(const prof_trace *trace, char name[PROF_PROGRAM_NAME])
{
    const prof_fact *fact = prof_fact_named(trace, "pipeline");
    if (fact != NULL && fact->text != NULL)
        snprintf(name, PROF_PROGRAM_NAME, "cubeswe_%.20s_step", fact->text);
    else
        snprintf(name, PROF_PROGRAM_NAME, "cubeswe_step");
}

bool prof_is_single(const prof_trace *trace)
{
    const prof_fact *fact = prof_fact_named(trace, "precision");
    return fact != NULL && fact->text != NULL && strcmp(fact->text, "single") == 0;
}

static int compare_times(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* By start; of equal starts the longer operation first, because it encloses the other. */
static int compare_ops(const void *a, const void *b)
{
    const prof_op *x = a, *y = b;
    const int start = compare_times(x->start, y->start);
    return start != 0 ? start : compare_times(y->end, x->end);
}

static int compare_calls(const void *a, const void *b)
{
    const prof_call *x = a, *y = b;
    const int start = compare_times(x->start, y->start);
    return start != 0 ? start : compare_times(y->end, x->end);
}

/* The replay of this kind that an operation belongs to: one of the last few, because steps follow
 * each other, and few stages overlap. NULL: none. */
static prof_replay *find_replay(const prof_trace *trace, prof_kind kind, const prof_op *op,
                                int32_t captured)
{
    int seen = 0;
    for (int64_t k = trace->replay_count - 1; k >= 0 && seen < 4; k--) {
        prof_replay *replay = &trace->replays[k];
        if (replay->kind != kind)
            continue;
        if (replay->correlation == op->correlation && replay->captured == captured)
            return replay;
        seen++;
    }
    return NULL;
}

static bool add_to_replay(prof_trace *trace, int64_t *room, prof_kind kind, const prof_op *op,
                          int32_t captured)
{
    prof_replay *replay = find_replay(trace, kind, op, captured);
    if (replay == NULL) {
        prof_replay *grown =
            prof_grow(trace->replays, trace->replay_count, room, sizeof *trace->replays);
        if (grown == NULL)
            return false;
        trace->replays = grown;
        replay = &trace->replays[trace->replay_count++];
        /* The launch has the number of the graph's first step. */
        const int64_t first = op->span >= 0 ? trace->spans[op->span].step : -1;
        *replay = (prof_replay){.kind = kind,
                                .name = kind == PROF_STAGE ? op->stage : NULL,
                                .step = first >= 0 ? first + op->captured_step - 1 : -1,
                                .start = op->start,
                                .end = op->end,
                                .correlation = op->correlation,
                                .captured = captured};
    }
    replay->end = op->end > replay->end ? op->end : replay->end;
    replay->ops++;
    return true;
}

static bool find_replays(prof_trace *trace)
{
    int64_t room = 0;
    for (int64_t k = 0; k < trace->op_count; k++) { /* by their start */
        const prof_op *op = &trace->ops[k];
        if (op->graph == 0 || op->captured_step == 0)
            continue;
        if (!add_to_replay(trace, &room, PROF_STEP, op, op->captured_step) ||
            (op->captured_call > 0 &&
             !add_to_replay(trace, &room, PROF_STAGE, op, op->captured_call)))
            return false;
    }
    return true;
}

bool prof_trace_finish(prof_trace *trace)
{
    if (trace->op_count > 0)
        qsort(trace->ops, (size_t)trace->op_count, sizeof *trace->ops, compare_ops);
    if (trace->call_count > 0)
        qsort(trace->calls, (size_t)trace->call_count, sizeof *trace->calls, compare_calls);
    for (int64_t k = 0; k < trace->op_count; k++)
        if (trace->ops[k].stage == NULL && trace->ops[k].span >= 0)
            trace->ops[k].stage = trace->spans[trace->ops[k].span].name;
    return find_replays(trace);
}

int32_t prof_trace_step_of(const prof_trace *trace, int32_t span)
{
    while (span >= 0 && trace->spans[span].kind != PROF_STEP &&
           trace->spans[span].kind != PROF_LAUNCH)
        span = trace->spans[span].parent;
    return span;
}

const char *const prof_kind_names[PROF_KINDS] = {
#define PROF_KIND_TEXT(name, text, meaning) text,
    PROF_KIND_LIST(PROF_KIND_TEXT)
#undef PROF_KIND_TEXT
};

static const char *const counters[][2] = {
#define PROF_COUNTER_ROW(name, unit, meaning) {#name, unit},
    PROF_COUNTER_LIST(PROF_COUNTER_ROW)
#undef PROF_COUNTER_ROW
};

const char *prof_counter_name(int counter)
{
    return counters[counter][0];
}

const char *prof_counter_unit(int counter)
{
    return counters[counter][1];
}
