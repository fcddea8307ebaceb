#include "outputs/perfetto/flows.h"

#include <stdlib.h>

typedef struct launch {
    uint32_t correlation;
    int64_t call;
} launch;

static int compare_launches(const void *a, const void *b)
{
    const launch *x = a, *y = b;
    if (x->correlation != y->correlation)
        return x->correlation < y->correlation ? -1 : 1;
    return (x->call > y->call) - (x->call < y->call);
}

/* The calls that can launch, sorted by correlation, the outermost of equal ones first. */
static int64_t list_launches(const prof_trace *trace, launch *launches)
{
    int64_t count = 0;
    for (int64_t k = 0; k < trace->call_count; k++) {
        const prof_call *call = &trace->calls[k];
        const bool launches_work =
            call->kind == PROF_CALL_RUNTIME || call->kind == PROF_CALL_DRIVER;
        if (launches_work && call->correlation != 0)
            launches[count++] = (launch){call->correlation, k};
    }
    qsort(launches, (size_t)count, sizeof *launches, compare_launches);
    return count;
}

/* The first call with this correlation; -1 if there is none. */
static int64_t find_call(const launch *launches, int64_t count, uint32_t correlation)
{
    int64_t low = 0, high = count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (launches[middle].correlation < correlation)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && launches[low].correlation == correlation ? launches[low].call : -1;
}

/* What starts before its cause, by an error of a clock, has no flow: viewers cannot show it. */
static int64_t source_of(const prof_trace *trace, const prof_op *op, const launch *launches,
                         int64_t count)
{
    const int64_t call = find_call(launches, count, op->correlation);
    if (call >= 0)
        return trace->calls[call].start <= op->start ? call : -1;
    if (op->span >= 0 && trace->spans[op->span].start <= op->start)
        return trace->call_count + op->span;
    return -1;
}

/* Put the flows of one source behind those of the one before. */
static void arrange(prof_flows *flows, int64_t sources, int64_t ops)
{
    for (int64_t k = 0; k < ops; k++)
        if (flows->source[k] >= 0)
            flows->first[flows->source[k] + 1]++;
    for (int64_t s = 0; s < sources; s++)
        flows->first[s + 1] += flows->first[s];
    /* `first` moves on as its flows are placed, which leaves it one source behind */
    for (int64_t k = 0; k < ops; k++)
        if (flows->source[k] >= 0)
            flows->flow[flows->first[flows->source[k]]++] = (uint64_t)k + 1;
    for (int64_t s = sources; s > 0; s--)
        flows->first[s] = flows->first[s - 1];
    flows->first[0] = 0;
}

bool prof_flows_create(prof_flows *flows, const prof_trace *trace)
{
    const int64_t sources = trace->call_count + trace->span_count, ops = trace->op_count;
    launch *launches = calloc((size_t)trace->call_count + 1, sizeof *launches);
    flows->source = calloc((size_t)ops + 1, sizeof *flows->source);
    flows->first = calloc((size_t)sources + 1, sizeof *flows->first);
    flows->flow = calloc((size_t)ops + 1, sizeof *flows->flow);
    const bool ok =
        launches != NULL && flows->source != NULL && flows->first != NULL && flows->flow != NULL;
    if (ok) {
        const int64_t count = list_launches(trace, launches);
        for (int64_t k = 0; k < ops; k++)
            flows->source[k] = source_of(trace, &trace->ops[k], launches, count);
        arrange(flows, sources, ops);
    }
    free(launches);
    return ok;
}

void prof_flows_destroy(prof_flows *flows)
{
    free(flows->source);
    free(flows->first);
    free(flows->flow);
}
