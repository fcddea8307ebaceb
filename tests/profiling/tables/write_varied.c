/* write_varied DIR: the sample trace with durations that differ, operations that overlap, repeated
 * copies, a graph, calls within calls, counters of some threads, and unknown values;
 * written as tables and summary to DIR, and itself to DIR/sample.json. */
#include <math.h>
#include <stdio.h>

#include "outputs/output.h"
#include "sample_trace.h"

/* Pseudo-random numbers in [0, most), equal in every run. */
static int64_t any(uint64_t *state, int64_t most)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((*state >> 33) % (uint64_t)most);
}

static void vary_spans(prof_trace *t, uint64_t *state)
{
    for (int64_t k = 0; k < t->span_count; k++) {
        prof_span *s = &t->spans[k];
        s->end -= any(state, 50);
        if (s->kind != PROF_THREAD)
            continue;
        s->end -= any(state, 1500);
        s->counts[PROF_COUNTER_task_clock] = k % 5 == 0 ? -1 : s->end - s->start;
        s->counts[PROF_COUNTER_cycles] = k % 3 == 0 ? -1 : 1 + any(state, 9000);
        s->counts[PROF_COUNTER_cache_misses] = any(state, 20);
    }
}

/* Some kernels overlap their successors; every third has another grid. */
static void vary_ops(prof_trace *t, uint64_t *state)
{
    for (int64_t k = 0; k < t->op_count; k++) {
        t->ops[k].end += any(state, 2500);
        if (t->ops[k].kind == PROF_OP_KERNEL && k % 3 == 0)
            t->ops[k].grid[0] += 1;
    }
}

/* Copies of every kind of operation, launched in a step, and as one graph. */
static void add_ops(prof_trace *t, uint64_t *state)
{
    const int64_t count = t->op_count;
    for (int64_t k = 0; k < count; k++) {
        prof_op op = t->ops[k];
        op.start += any(state, 20000) - 10000;
        op.end = op.start + any(state, 3000);
        op.bytes = op.bytes > 0 ? 1 + (uint64_t)any(state, 90000000) : 0;
        op.correlation = k % 2 == 0 ? 77 : 2000 + (uint32_t)k;
        op.graph = k % 2 == 0 ? 9 : 0;
        op.span = k % 2 == 0 ? 1 : -1;
        t->ops[t->op_count++] = op;
    }
    t->ops[count].end = t->ops[count].start; /* took no time */
    for (int64_t k = count; k < t->op_count; k++)
        if (t->ops[k].kind == PROF_OP_COPY)
            t->ops[k].end = t->ops[k].start;
}

static void vary_calls(prof_trace *t, uint64_t *state)
{
    const int64_t count = t->call_count;
    for (int64_t k = 0; k < count; k++) {
        t->calls[k].end += any(state, 900);
        prof_call within = t->calls[k];
        within.kind = PROF_CALL_DRIVER;
        within.name = k % 2 == 0 ? "cuLaunchKernel" : "cuMemcpyDtoH_v2";
        within.start += 3;
        within.end -= 2;
        if (t->calls[k].kind == PROF_CALL_RUNTIME)
            t->calls[t->call_count++] = within;
    }
    t->calls[0].result = 700;
    t->calls[1].name = "cudaLaunchKernel_v12000";
    t->calls[2].name = "cudaGraphLaunch_v10000";
    t->calls[2].correlation = 77;
}

static void forget(prof_trace *t)
{
    t->version = "0.1 \xff";
    t->device.name = "";
    t->device.index = -1;
    t->device.compute_capability = "";
    t->device.clock = NAN;
    t->device.peak_flops = INFINITY;
    for (int64_t k = 0; k < t->sample_count; k++)
        t->samples[k].temperature = -1.0;
}

int main(int argc, char **argv)
{
    char path[4096];
    uint64_t state = 20261120;
    static swe_log log;
    if (argc != 2)
        return 64;
    prof_trace *trace = sample_trace(true);
    vary_spans(trace, &state);
    vary_ops(trace, &state);
    add_ops(trace, &state);
    vary_calls(trace, &state);
    forget(trace);
    prof_trace_finish(trace);
    snprintf(path, sizeof path, "%s/sample.json", argv[1]);
    json_t *json = sample_trace_json(trace);
    const bool written = json != NULL && json_dump_file(json, path, JSON_INDENT(1)) == 0 &&
                         prof_write_tables(trace, argv[1], &log) &&
                         prof_write_summary(trace, argv[1], &log);
    json_decref(json);
    prof_trace_destroy(&trace);
    return written ? 0 : 1;
}
