/* write_flows dataflow VARIANT DIR: the sample trace with a pipeline of stages that share buffers,
 * as its dataflow in DIR, and the trace itself in DIR/sample.json. VARIANT is one of
 *     gpu, cpu  every kind of stage, two buffers of known shape, copies of every direction and size
 *     blind     no peaks             shapeless  no facts n and order
 *     bare      no costs             no_ops     a GPU whose operations were not recorded
 *     late      the first call of the first stage lies outside of steps
 *     awkward   texts that graphviz and JSON must escape; not in sample.json
 *     empty     an empty trace; no sample.json */
#include <stdio.h>
#include <string.h>

#include "outputs/output.h"
#include "sample_trace.h"

static const double field = 385.0 * 385.0 * 6.0 * 8.0, edges = 12.0 * 385.0 * 8.0;

/* Accesses of the sample's stages, and of one that does not run. */
enum { PROJECTION = 2, GRADIENT = 3, DIVERGENCE = 3, RK4 = 8, SAT = 3, COSTS = 5 };

typedef struct pipeline {
    prof_access projection[PROJECTION], gradient[GRADIENT], divergence[DIVERGENCE], rk4[RK4],
        sat[SAT];
    prof_cost costs[COSTS];
} pipeline;

static void fill(pipeline *p)
{
    *p = (pipeline){{{"y.h", edges, false}, {"y.h", edges, true}},
                    {{"y.h", field, false}, {"dy.v1", field, true}, {"dy.v2", field, true}},
                    {{"y.v1", field, false}, {"y.v2", field, false}, {"dy.h", field, true}},
                    {{"dy.h", field, false},
                     {"dy.v1", field, false},
                     {"dy.v2", field, false},
                     {"y.h", field, false},
                     {"sum", 3.0 * field, false},
                     {"sum", 1.5 * field, true},
                     {"y.h", 2.0 * field, true},
                     {"y.v1", field, true}},
                    {{"y.v1", edges, false}, {"dy.h", edges, false}, {"dy.h", edges, true}},
                    {{NULL, NULL, 0.0, NULL, 0, 0}}};
    /* not in the order in which they run */
    const prof_cost costs[COSTS] = {{"rk4", NULL, 4.5e6, p->rk4, RK4, 0},
                                    {"sat", NULL, 1e5, p->sat, SAT, 0},
                                    {"divergence", NULL, 2e8, p->divergence, DIVERGENCE, 0},
                                    {"gradient", NULL, 8.9e6, p->gradient, GRADIENT, 0},
                                    {"projection", NULL, 2e4, p->projection, PROJECTION, 0}};
    memcpy(p->costs, costs, sizeof costs);
}

/* Multiply all times by `factor`, and make the times of calls differ. */
static void stretch(prof_trace *t, int64_t factor)
{
    for (int64_t k = 0; k < t->span_count; k++) {
        t->spans[k].start = t->start + factor * (t->spans[k].start - t->start);
        t->spans[k].end = t->start + factor * (t->spans[k].end - t->start) + 31 * (k * k % 7);
    }
    for (int64_t k = 0; k < t->op_count; k++) {
        t->ops[k].start = t->start + factor * (t->ops[k].start - t->start);
        t->ops[k].end = t->start + factor * (t->ops[k].end - t->start) + 170 * (k * k % 5);
    }
}

/* Copies of sizes on both sides of every limit, and one with a time of zero. */
static void add_copies(prof_trace *t)
{
    static const struct {
        const char *name;
        prof_memory_kind from, to;
    } kinds[] = {{"[CUDA memcpy Host-to-Device]", PROF_MEMORY_PAGEABLE, PROF_MEMORY_DEVICE},
                 {"[CUDA memcpy Device-to-Host]", PROF_MEMORY_DEVICE, PROF_MEMORY_PINNED},
                 {"[CUDA memcpy Device-to-Device]", PROF_MEMORY_DEVICE, PROF_MEMORY_DEVICE},
                 {"[CUDA memcpy Peer-to-Peer]", PROF_MEMORY_DEVICE, PROF_MEMORY_DEVICE}};
    prof_op copy = {.kind = PROF_OP_COPY, .context = 1, .stream = 7, .span = -1};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (int size = 9; size < 29; size += 1 + (int)kind) {
            copy.name = kinds[kind].name;
            copy.from = kinds[kind].from;
            copy.to = kinds[kind].to;
            copy.bytes = (UINT64_C(1) << size) - (uint64_t)(size % 3 == 0);
            copy.start = t->end + size;
            copy.end = copy.start + (size == 9 ? 0 : 900 + (int64_t)(copy.bytes / 40));
            t->ops[t->op_count++] = copy;
        }
}

static void move_call_outside_steps(prof_trace *t, const char *stage)
{
    for (int64_t k = 0; k < t->span_count; k++)
        if (strcmp(t->spans[k].name, stage) == 0) {
            t->spans[k].step = -1;
            return;
        }
}

/* Whether the variant is one of `names`, a text of names between spaces. */
static bool is(const char *variant, const char *names)
{
    char name[32];
    snprintf(name, sizeof name, " %s ", variant);
    return strstr(names, name) != NULL;
}

static void vary(prof_trace *t, const pipeline *p, const char *variant)
{
    static const prof_fact facts[] = {{"n", NULL, 384.0}, {"order", NULL, 4.0}};
    t->facts = facts;
    t->fact_count = is(variant, " shapeless ") ? 0 : 2;
    static const prof_buffer buffers[] = {{"sum", 4, {3, 6, 385, 385}, 8},
                                          {"y.h", 3, {6, 385, 385}, 8}};
    t->buffers = buffers;
    t->buffer_count = 2;
    t->costs = p->costs;
    t->cost_count = is(variant, " bare ") ? 0 : COSTS;
    t->peaks.copy_bandwidth = t->device.is_gpu ? 4.3e12 : 2.5e10;
    t->peaks.flops = t->device.is_gpu ? 33.5e12 : 2e11;
    const prof_cache caches[] = {{"L1", 65536.0, 9e12}, {"L2", 3e7, 4.8e12}};
    if (is(variant, " gpu late "))
        memcpy(t->peaks.caches, caches, sizeof caches);
    t->peaks.cache_count = is(variant, " gpu late ") ? 2 : 0;
    if (is(variant, " blind bare "))
        t->peaks.copy_bandwidth = t->peaks.flops = 0.0;
    stretch(t, t->device.is_gpu ? 8 : 1000);
    if (is(variant, " late "))
        move_call_outside_steps(t, "projection");
    if (is(variant, " no_ops "))
        t->op_count = 0;
    else if (t->device.is_gpu)
        add_copies(t);
    prof_trace_finish(t);
}

static void add_awkward_texts(prof_trace *t, pipeline *p)
{
    t->case_name = "a \"case\" \\ & \xc3\xa9 \xff";
    static const char name[] = "rk4 \"&lt;b&gt;\" \\n <i> \xc3";
    for (int64_t k = 0; k < t->span_count; k++)
        if (strcmp(t->spans[k].name, "rk4") == 0)
            t->spans[k].name = name;
    p->costs[0].stage = name;
    p->rk4[0].buffer = p->divergence[2].buffer = "\"];\n}\x01\\";
}

static bool dump(const prof_trace *t, const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/sample.json", folder);
    json_t *json = sample_trace_json(t);
    const bool dumped = json != NULL && json_dump_file(json, path, JSON_INDENT(1)) == 0;
    json_decref(json);
    return dumped;
}

static int write_empty(const char *folder)
{
    static swe_log log;
    prof_trace *trace = prof_trace_create();
    const bool written = trace != NULL && prof_write_dataflow(trace, folder, &log);
    prof_trace_destroy(&trace);
    return written ? 0 : 1;
}

int main(int argc, char **argv)
{
    static swe_log log;
    pipeline p;
    if (argc == 4 && is(argv[2], " empty "))
        return write_empty(argv[3]);
    if (argc != 4 || strcmp(argv[1], "dataflow") != 0 ||
        !is(argv[2], " gpu cpu blind shapeless bare no_ops late awkward "))
        return 64;
    prof_trace *trace = sample_trace(!is(argv[2], " cpu bare late "));
    if (trace == NULL)
        return 70;
    fill(&p);
    vary(trace, &p, argv[2]);
    const bool dumped = dump(trace, argv[3]);
    if (is(argv[2], " awkward "))
        add_awkward_texts(trace, &p);
    const bool written = dumped && prof_write_dataflow(trace, argv[3], &log);
    prof_trace_destroy(&trace);
    return written ? 0 : 1;
}
