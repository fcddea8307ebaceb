#include "trace/gpu_time.h"

#include <stdlib.h>

int64_t prof_gpu_busy(const prof_trace *trace)
{
    int64_t busy = 0, until = trace->start;
    for (int64_t k = 0; k < trace->op_count; k++) { /* by their start */
        const prof_op *op = &trace->ops[k];
        const int64_t start = op->start > until ? op->start : until;
        const int64_t end = op->end < trace->end ? op->end : trace->end;
        if (end > start) {
            busy += end - start;
            until = end;
        }
    }
    return busy;
}

/* A launching call or an operation, matched by correlation id. */
typedef struct event {
    uint32_t correlation;
    bool is_op;
    int64_t start, end;
} event;

/* Calls before operations, in order of their start. Equal calls (a runtime call and the driver call
 * within it have one correlation): the longer, outer one first. */
static int compare_events(const void *a, const void *b)
{
    const event *x = a, *y = b;
    if (x->correlation != y->correlation)
        return x->correlation < y->correlation ? -1 : 1;
    if (x->is_op != y->is_op)
        return y->is_op ? -1 : 1;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end < y->end) - (x->end > y->end);
}

/* All calls and operations with a correlation id, sorted. NULL without memory. */
static event *events_of(const prof_trace *trace, int64_t *count)
{
    int64_t n = 0;
    event *events = malloc((size_t)(trace->op_count + trace->call_count + 1) * sizeof *events);
    if (events == NULL)
        return NULL;
    for (int64_t k = 0; k < trace->call_count; k++) {
        const prof_call *c = &trace->calls[k];
        const bool may_launch = c->kind == PROF_CALL_RUNTIME || c->kind == PROF_CALL_DRIVER;
        if (may_launch && c->correlation != 0)
            events[n++] = (event){c->correlation, false, c->start, c->end};
    }
    for (int64_t k = 0; k < trace->op_count; k++) {
        const prof_op *op = &trace->ops[k];
        if (op->correlation != 0)
            events[n++] = (event){op->correlation, true, op->start, op->end};
    }
    qsort(events, (size_t)n, sizeof *events, compare_events);
    *count = n;
    return events;
}

/* Use the first call and the first operation of every correlation id: a graph launch has many
 * operations, and the later ones wait for each other. */
static void add_delays(const event *events, int64_t count, const prof_launch_delays *delays)
{
    const event *call = NULL;
    for (int64_t k = 0; k < count; k++) {
        const event *e = &events[k];
        const bool first = k == 0 || e->correlation != e[-1].correlation;
        if (first)
            call = e->is_op ? NULL : e;
        if (!e->is_op || call == NULL)
            continue;
        prof_groups_add(delays->latency, NULL, e->start - call->start);
        prof_groups_add(delays->queue, NULL, e->start > call->end ? e->start - call->end : 0);
        call = NULL;
    }
}

bool prof_launch_delays_of(const prof_trace *trace, prof_launch_delays *delays)
{
    int64_t count = 0;
    event *events = events_of(trace, &count);
    delays->latency = prof_groups_create(trace->op_count, NULL);
    delays->queue = prof_groups_create(trace->op_count, NULL);
    if (events != NULL && delays->latency != NULL && delays->queue != NULL) {
        add_delays(events, count, delays);
        delays->latency = prof_groups_finish(delays->latency);
        delays->queue = prof_groups_finish(delays->queue);
    }
    free(events);
    if (events != NULL && delays->latency != NULL && delays->queue != NULL)
        return true;
    prof_launch_delays_destroy(delays);
    return false;
}

void prof_launch_delays_destroy(prof_launch_delays *delays)
{
    prof_groups_destroy(&delays->latency);
    prof_groups_destroy(&delays->queue);
}
