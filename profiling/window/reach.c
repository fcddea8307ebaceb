#include "window/reach.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A call of a step that a graph ran. */
typedef struct replayed {
    int32_t captured; /* its place in the capture */
    const char *name;
} replayed;

static int by_captured(const void *a, const void *b)
{
    const replayed *x = a, *y = b;
    return (x->captured > y->captured) - (x->captured < y->captured);
}

/* The calls of the first step that a graph ran, in the order of its capture. */
static bool find_replayed_calls(const prof_trace *trace, const char **names, int32_t *count)
{
    replayed *calls = malloc(((size_t)trace->replay_count + 1) * sizeof *calls);
    if (calls == NULL)
        return false;
    int64_t step = -1;
    for (int64_t k = 0; k < trace->replay_count; k++) {
        const prof_replay *call = &trace->replays[k];
        if (call->kind != PROF_STAGE || call->step < 0 || (step >= 0 && call->step != step))
            continue;
        step = call->step;
        calls[(*count)++] = (replayed){call->captured, call->name};
    }
    qsort(calls, (size_t)*count, sizeof *calls, by_captured);
    for (int32_t k = 0; k < *count; k++)
        names[k] = calls[k].name;
    free(calls);
    return true;
}

bool prof_step_calls(const prof_trace *trace, const char ***names, int32_t *count)
{
    int64_t step = -1;
    *count = 0;
    *names = malloc((size_t)(trace->span_count + trace->replay_count + 1) * sizeof **names);
    if (*names == NULL)
        return false;
    for (int64_t k = 0; k < trace->span_count; k++) {
        const prof_span *call = &trace->spans[k];
        if (call->kind != PROF_STAGE || call->step < 0 || (step >= 0 && call->step != step))
            continue;
        step = call->step;
        (*names)[(*count)++] = call->name;
    }
    if (*count > 0 || find_replayed_calls(trace, *names, count))
        return true;
    free(*names);
    return false;
}

/* ---- the reach ---- */

/* Buffers that some calls access; beyond the limit (the solver has 38) they count nothing. */
enum { MOST_BUFFERS = 256 };
typedef struct touched {
    const char *buffer[MOST_BUFFERS];
    double bytes[MOST_BUFFERS];
    int count;
} touched;

/* The calls of a step, which repeat; a stage without a cost is NULL. */
typedef struct sequence {
    const prof_trace *trace;
    const prof_cost **costs;
    int32_t count;
} sequence;

/* Bytes of a call and their reach. */
typedef struct portion {
    double bytes, reach;
} portion;

static int by_reach(const void *a, const void *b)
{
    const portion *x = a, *y = b;
    return (x->reach > y->reach) - (x->reach < y->reach);
}

static const prof_cost *cost_of(const prof_trace *trace, const char *stage)
{
    for (int32_t k = 0; k < trace->cost_count; k++)
        if (strcmp(trace->costs[k].stage, stage) == 0)
            return &trace->costs[k];
    return NULL;
}

/* The size of a buffer in a call: all that it reads and writes, at most the buffer. Where the
 * shape is not known, both may be the same values. */
static double size_in(const prof_trace *trace, const prof_cost *cost, const char *buffer)
{
    double sum = 0.0, most = 0.0;
    for (int k = 0; cost != NULL && k < cost->access_count; k++)
        if (strcmp(cost->accesses[k].buffer, buffer) == 0) {
            sum += cost->accesses[k].bytes;
            most = fmax(most, cost->accesses[k].bytes);
        }
    const prof_buffer *array = prof_buffer_named(trace, buffer);
    return array != NULL ? fmin(sum, prof_buffer_bytes(array)) : most;
}

/* Add the buffers of a call. Of a buffer that several calls access the largest size counts. */
static void touch(touched *all, const prof_trace *trace, const prof_cost *cost)
{
    for (int a = 0; cost != NULL && a < cost->access_count; a++) {
        const char *buffer = cost->accesses[a].buffer;
        int k = 0;
        while (k < all->count && strcmp(all->buffer[k], buffer) != 0)
            k++;
        if (k == MOST_BUFFERS)
            continue;
        if (k == all->count) {
            all->buffer[all->count++] = buffer;
            all->bytes[k] = 0.0;
        }
        all->bytes[k] = fmax(all->bytes[k], size_in(trace, cost, buffer));
    }
}

static double bytes_of(const touched *all)
{
    double bytes = 0.0;
    for (int k = 0; k < all->count; k++)
        bytes += all->bytes[k];
    return bytes;
}

static const double least_part = 0.25;

/* Reach of a buffer in call `at` of a sequence of calls that repeats. */
static double reach_of(const sequence *calls, int32_t at, const char *buffer)
{
    const int32_t count = calls->count;
    const double size = size_in(calls->trace, calls->costs[at], buffer);
    touched to_here = {.count = 0}, from_there = {.count = 0};
    touch(&to_here, calls->trace, calls->costs[at]);
    for (int32_t back = 1; back <= count; back++) {
        const prof_cost *earlier = calls->costs[(at + count - back) % count];
        touch(&from_there, calls->trace, earlier);
        if (size_in(calls->trace, earlier, buffer) >= least_part * size)
            break;
        touch(&to_here, calls->trace, earlier);
    }
    return 0.5 * (bytes_of(&to_here) + bytes_of(&from_there));
}

/* The reach of half of the bytes of a stage's calls; `portions` has room for all accesses. */
static double reach_of_stage(const sequence *calls, const prof_cost *stage, portion *portions)
{
    size_t found = 0;
    double bytes = 0.0, below = 0.0;
    for (int32_t at = 0; at < calls->count; at++)
        for (int a = 0; calls->costs[at] == stage && a < stage->access_count; a++) {
            const prof_access *access = &stage->accesses[a];
            portions[found++] = (portion){access->bytes, reach_of(calls, at, access->buffer)};
            bytes += access->bytes;
        }
    qsort(portions, found, sizeof *portions, by_reach);
    for (size_t k = 0; k < found; k++) {
        below += portions[k].bytes;
        if (below >= 0.5 * bytes)
            return portions[k].reach;
    }
    return NAN;
}

static bool find_reaches(const sequence *calls, double *reaches)
{
    size_t accesses = 0;
    for (int32_t k = 0; k < calls->count; k++)
        accesses += calls->costs[k] != NULL ? (size_t)calls->costs[k]->access_count : 0;
    portion *portions = malloc((accesses + 1) * sizeof *portions);
    for (int32_t k = 0; portions != NULL && k < calls->trace->cost_count; k++)
        reaches[k] = reach_of_stage(calls, &calls->trace->costs[k], portions);
    free(portions);
    return portions != NULL;
}

double *prof_reaches(const prof_trace *trace)
{
    const char **names = NULL;
    sequence calls = {.trace = trace};
    if (!prof_step_calls(trace, &names, &calls.count))
        return NULL;
    calls.costs = calloc((size_t)calls.count + 1, sizeof(prof_cost *));
    double *reaches = malloc(((size_t)trace->cost_count + 1) * sizeof *reaches);
    for (int32_t k = 0; calls.costs != NULL && k < calls.count; k++)
        calls.costs[k] = cost_of(trace, names[k]);
    if (calls.costs == NULL || reaches == NULL || !find_reaches(&calls, reaches)) {
        free(reaches);
        reaches = NULL;
    }
    free(calls.costs);
    free(names);
    return reaches;
}
