/* A trace as one piece of bytes: the structure, then its arrays, then its texts. A pointer to a
 * text becomes the text's number. All ranks are the same program, so that the bytes of a structure
 * mean the same on all. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "window/trace.h"

enum { MOST_TEXTS = 4, MOST_TIMES = 2, MOST_ELEMENT = 512 };

/* An array of a trace: where its pointer and its number of elements are, and where an element has
 * texts and times. Offsets of members that are not there are -1, after those that are. */
typedef struct array {
    size_t pointer, count, count_size, size;
    ptrdiff_t texts[MOST_TEXTS], times[MOST_TIMES];
} array;

#define ARRAY(member, count)                                                                       \
    offsetof(prof_trace, member), offsetof(prof_trace, count), sizeof(((prof_trace *)0)->count),   \
        sizeof(*((prof_trace *)0)->member)
#define AT(type, member) ((ptrdiff_t)offsetof(type, member))
#define NONE                                                                                       \
    {                                                                                              \
        -1                                                                                         \
    }

static const array arrays[] = {
    {ARRAY(threads, thread_count), {AT(prof_thread, name), -1}, NONE},
    {ARRAY(spans, span_count),
     {AT(prof_span, name), -1},
     {AT(prof_span, start), AT(prof_span, end)}},
    {ARRAY(exchanges, exchange_count), NONE, {AT(prof_exchange, time), -1}},
    {ARRAY(messages, message_count), NONE, NONE},
    {ARRAY(ops, op_count),
     {AT(prof_op, name), AT(prof_op, stage), -1},
     {AT(prof_op, start), AT(prof_op, end)}},
    {ARRAY(replays, replay_count),
     {AT(prof_replay, name), -1},
     {AT(prof_replay, start), AT(prof_replay, end)}},
    {ARRAY(calls, call_count),
     {AT(prof_call, name), -1},
     {AT(prof_call, start), AT(prof_call, end)}},
    {ARRAY(samples, sample_count), NONE, {AT(prof_gpu_sample, time), -1}},
    {ARRAY(counted.stages, counted.stage_count), {AT(prof_counted_stage, stage), -1}, NONE},
    {ARRAY(counted.kernels, counted.kernel_count),
     {AT(prof_counted_kernel, stage), AT(prof_counted_kernel, name), -1},
     NONE},
    {ARRAY(sampled.intervals, sampled.count),
     NONE,
     {AT(prof_sampled_interval, start), AT(prof_sampled_interval, end)}},
    {ARRAY(parts.part, parts.count),
     {AT(prof_part_samples, stage), AT(prof_part_samples, name), -1},
     NONE},
    {ARRAY(parts.line, parts.line_count),
     {AT(prof_part_line, stage), AT(prof_part_line, part), AT(prof_part_line, kernel),
      AT(prof_part_line, file)},
     NONE},
    {ARRAY(sites, site_count),
     {AT(prof_place, label), AT(prof_place, function), AT(prof_place, file), -1},
     NONE},
    {ARRAY(memory_events, memory_event_count), NONE, {AT(prof_memory_event, time), -1}},
    {ARRAY(before.block, before.count), NONE, {AT(prof_block, time), -1}},
    {ARRAY(after.block, after.count), NONE, {AT(prof_block, time), -1}},
    {ARRAY(phases, phase_count), {AT(prof_phase_time, name), -1}, NONE},
    {ARRAY(warnings, warning_count), {0, -1}, NONE},
};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

/* Texts and times of the trace itself. */
static const ptrdiff_t own_texts[] = {AT(prof_trace, host),
                                      AT(prof_trace, tracing.launch),
                                      AT(prof_trace, counted.chip),
                                      AT(prof_trace, sampled.chip),
                                      AT(prof_trace, device.name),
                                      AT(prof_trace, device.vendor),
                                      AT(prof_trace, device.compute_capability)};
static const ptrdiff_t own_times[] = {AT(prof_trace, start), AT(prof_trace, end),
                                      AT(prof_trace, before.time), AT(prof_trace, after.time)};
enum {
    OWN_TEXTS = sizeof own_texts / sizeof *own_texts,
    OWN_TIMES = sizeof own_times / sizeof *own_times
};

static char *elements_of(const prof_trace *trace, const array *a)
{
    char *elements = NULL;
    memcpy(&elements, (const char *)trace + a->pointer, sizeof elements);
    return elements;
}

static int64_t count_of(const prof_trace *trace, const array *a)
{
    const char *at = (const char *)trace + a->count;
    int32_t narrow = 0;
    int64_t wide = 0;
    if (a->count_size == sizeof narrow)
        memcpy(&narrow, at, sizeof narrow);
    else
        memcpy(&wide, at, sizeof wide);
    return narrow + wide;
}

/* ---- times ----------------------------------------------------------------------------------- */

static void shift(char *at, ptrdiff_t offset, int64_t by)
{
    int64_t time = 0;
    memcpy(&time, at + offset, sizeof time);
    if (time != 0)
        time += by;
    memcpy(at + offset, &time, sizeof time);
}

void prof_trace_shift(prof_trace *trace, int64_t by)
{
    for (int k = 0; k < OWN_TIMES; k++)
        shift((char *)trace, own_times[k], by);
    for (int m = 0; m < ARRAYS; m++) {
        const array *a = &arrays[m];
        char *at = elements_of(trace, a);
        for (int64_t k = count_of(trace, a); k > 0; k--, at += a->size)
            for (int t = 0; t < MOST_TIMES && a->times[t] >= 0; t++)
                shift(at, a->times[t], by);
    }
}

/* ---- packing --------------------------------------------------------------------------------- */

/* Replace the pointer to a text by the text's number; 0: no text. */
static bool number_text(char *at, ptrdiff_t offset, prof_texts *texts)
{
    const char *text = NULL;
    uintptr_t number = 0;
    memcpy(&text, at + offset, sizeof text);
    if (text != NULL) {
        const prof_text *found = prof_texts_find(texts, text);
        if (found == NULL)
            return false;
        number = (uintptr_t)found->number;
    }
    memcpy(at + offset, &number, sizeof number);
    return true;
}

static bool pack_array(const prof_trace *trace, const array *a, prof_texts *texts, FILE *out)
{
    char element[MOST_ELEMENT];
    const char *from = elements_of(trace, a);
    bool ok = a->size <= sizeof element;
    for (int64_t k = count_of(trace, a); k > 0 && ok; k--, from += a->size) {
        memcpy(element, from, a->size);
        for (int t = 0; t < MOST_TEXTS && a->texts[t] >= 0; t++)
            ok = number_text(element, a->texts[t], texts) && ok;
        ok = fwrite(element, a->size, 1, out) == 1 && ok;
    }
    return ok;
}

static bool pack(const prof_trace *trace, prof_texts *texts, FILE *out)
{
    prof_trace head = *trace;
    bool ok = true;
    for (int k = 0; k < OWN_TEXTS; k++)
        ok = number_text((char *)&head, own_texts[k], texts) && ok;
    ok = ok && fwrite(&head, sizeof head, 1, out) == 1;
    for (int m = 0; m < ARRAYS && ok; m++)
        ok = pack_array(trace, &arrays[m], texts, out);
    for (int64_t k = 0; k < texts->count && ok; k++)
        ok = fwrite(texts->item[k]->text, strlen(texts->item[k]->text) + 1, 1, out) == 1;
    return ok;
}

void *prof_trace_pack(const prof_trace *trace, size_t *size)
{
    prof_texts texts = {0};
    char *bytes = NULL;
    FILE *out = open_memstream(&bytes, size);
    if (out == NULL)
        return NULL;
    const bool packed = pack(trace, &texts, out);
    prof_texts_destroy(&texts);
    if (fclose(out) == 0 && packed)
        return bytes;
    free(bytes);
    return NULL;
}

/* ---- unpacking ------------------------------------------------------------------------------- */

/* Bytes that are not yet unpacked, and the texts by number less one. */
typedef struct parcel {
    const char *at, *end;
    const char **text;
    int64_t text_count, room;
} parcel;

static bool take(parcel *p, void *to, size_t size)
{
    if ((size_t)(p->end - p->at) < size)
        return false;
    memcpy(to, p->at, size);
    p->at += size;
    return true;
}

static bool find_text(const parcel *p, char *at, ptrdiff_t offset)
{
    uintptr_t number = 0;
    const char *text = NULL;
    memcpy(&number, at + offset, sizeof number);
    if (number > (uintptr_t)p->text_count)
        return false;
    if (number > 0)
        text = p->text[number - 1];
    memcpy(at + offset, &text, sizeof text);
    return true;
}

/* Copy the elements of an array; their texts are still numbers. */
static bool unpack_array(parcel *p, prof_trace *trace, const array *a)
{
    const size_t bytes = (size_t)count_of(trace, a) * a->size;
    char *elements = malloc(bytes + 1);
    memcpy((char *)trace + a->pointer, &elements, sizeof elements);
    return elements != NULL && take(p, elements, bytes);
}

static bool unpack_texts(parcel *p, prof_trace *trace)
{
    while (p->at < p->end) {
        const char **grown = prof_grow(p->text, p->text_count, &p->room, sizeof *grown);
        const char *end = memchr(p->at, '\0', (size_t)(p->end - p->at));
        if (grown == NULL || end == NULL)
            return false;
        p->text = grown;
        p->text[p->text_count++] = prof_trace_intern(trace, p->at);
        p->at = end + 1;
    }
    return true;
}

static bool find_texts(const parcel *p, prof_trace *trace)
{
    bool ok = true;
    for (int k = 0; k < OWN_TEXTS; k++)
        ok = find_text(p, (char *)trace, own_texts[k]) && ok;
    for (int m = 0; m < ARRAYS; m++) {
        const array *a = &arrays[m];
        char *at = elements_of(trace, a);
        for (int64_t k = count_of(trace, a); k > 0; k--, at += a->size)
            for (int t = 0; t < MOST_TEXTS && a->texts[t] >= 0; t++)
                ok = find_text(p, at, a->texts[t]) && ok;
    }
    return ok;
}

/* Take the structure, with null pointers. */
static bool unpack_head(parcel *p, prof_trace *trace)
{
    if (!take(p, trace, sizeof *trace))
        return false;
    for (int m = 0; m < ARRAYS; m++)
        memset((char *)trace + arrays[m].pointer, 0, sizeof(void *));
    trace->case_name = trace->version = NULL;
    trace->facts = NULL;
    trace->costs = NULL;
    trace->own_costs = NULL;
    trace->buffers = NULL;
    trace->fact_count = trace->cost_count = trace->buffer_count = 0;
    trace->ranks = NULL;
    trace->others = NULL;
    trace->rank_count = trace->traced = 0;
    trace->peaks = (prof_peaks){.cache_count = 0}; /* reports show the peaks of rank 0 */
    trace->texts = (prof_texts){.count = 0};
    return true;
}

prof_trace *prof_trace_unpack(const void *bytes, size_t size)
{
    parcel p = {.at = bytes, .end = (const char *)bytes + size};
    prof_trace *trace = prof_trace_create();
    bool ok = trace != NULL && unpack_head(&p, trace);
    for (int m = 0; m < ARRAYS && ok; m++)
        ok = unpack_array(&p, trace, &arrays[m]);
    if (!ok || !unpack_texts(&p, trace) || !find_texts(&p, trace))
        prof_trace_destroy(&trace);
    free(p.text);
    return trace;
}
