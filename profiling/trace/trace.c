#include "trace/trace.h"

#include <stdlib.h>
#include <string.h>

/* Interned texts: a hash table with open addressing. */
typedef struct prof_strings {
    char **text; /* `size` slots; NULL: free */
    size_t size, count;
} prof_strings;

enum { FIRST_SIZE = 256 };

prof_trace *prof_trace_create(void)
{
    prof_trace *trace = calloc(1, sizeof *trace);
    if (trace == NULL)
        return NULL;
    trace->strings = calloc(1, sizeof *trace->strings);
    if (trace->strings != NULL)
        trace->strings->text = calloc(FIRST_SIZE, sizeof *trace->strings->text);
    if (trace->strings == NULL || trace->strings->text == NULL) {
        prof_trace_destroy(&trace);
        return NULL;
    }
    trace->strings->size = FIRST_SIZE;
    return trace;
}

static void destroy_strings(prof_strings *strings)
{
    if (strings == NULL)
        return;
    for (size_t k = 0; k < strings->size; k++)
        free(strings->text[k]);
    free(strings->text);
    free(strings);
}

void prof_trace_destroy(prof_trace **pointer)
{
    prof_trace *trace = *pointer;
    if (trace == NULL)
        return;
    destroy_strings(trace->strings);
    free(trace->threads);
    free(trace->spans);
    free(trace->ops);
    free(trace->calls);
    free(trace->samples);
    free(trace->counted.stages);
    free(trace->counted.kernels);
    free(trace->sampled.intervals);
    free(trace->sites);
    free(trace->memory_events);
    free(trace->before.block);
    free(trace->after.block);
    free(trace->phases);
    free(trace->warnings);
    free(trace);
    *pointer = NULL;
}

/* FNV-1a. */
static size_t hash_of(const char *text)
{
    uint64_t hash = 14695981039346656037u;
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return (size_t)hash;
}

/* Slot of a text, or the free slot for it. */
static char **slot_of(const prof_strings *strings, const char *text)
{
    size_t k = hash_of(text) & (strings->size - 1);
    while (strings->text[k] != NULL && strcmp(strings->text[k], text) != 0)
        k = (k + 1) & (strings->size - 1);
    return &strings->text[k];
}

static bool grow(prof_strings *strings)
{
    prof_strings larger = {calloc(2 * strings->size, sizeof(char *)), 2 * strings->size,
                           strings->count};
    if (larger.text == NULL)
        return false;
    for (size_t k = 0; k < strings->size; k++)
        if (strings->text[k] != NULL)
            *slot_of(&larger, strings->text[k]) = strings->text[k];
    free(strings->text);
    *strings = larger;
    return true;
}

const char *prof_trace_intern(prof_trace *trace, const char *text)
{
    static const char none[] = "(no memory for its name)";
    prof_strings *strings = trace->strings;
    if (2 * strings->count >= strings->size && !grow(strings))
        return none;
    char **slot = slot_of(strings, text);
    if (*slot != NULL)
        return *slot;
    *slot = strdup(text);
    if (*slot == NULL)
        return none;
    strings->count++;
    return *slot;
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

void prof_trace_finish(prof_trace *trace)
{
    if (trace->op_count > 0)
        qsort(trace->ops, (size_t)trace->op_count, sizeof *trace->ops, compare_ops);
    if (trace->call_count > 0)
        qsort(trace->calls, (size_t)trace->call_count, sizeof *trace->calls, compare_calls);
    for (int64_t k = 0; k < trace->op_count; k++)
        if (trace->ops[k].stage == NULL && trace->ops[k].span >= 0)
            trace->ops[k].stage = trace->spans[trace->ops[k].span].name;
}

int32_t prof_trace_step_of(const prof_trace *trace, int32_t span)
{
    while (span >= 0 && trace->spans[span].kind != PROF_STEP)
        span = trace->spans[span].parent;
    return span;
}

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
