#include "sample_trace.h"

#include <stdlib.h>
#include <string.h>

/* A moment near the end of 2026 [ns]: times are as large as they will be. */
#define START INT64_C(1795190400123456789)

enum { STAGES = 4, EVALUATIONS = 2, STEPS = 2, PARTS = 2, MOST = 256 };

static const char *const stage_names[STAGES] = {"projection", "gradient", "divergence", "rk4"};

/* A trace while it grows. */
typedef struct builder {
    prof_trace *trace;
    int64_t now;
    int32_t parent, depth;
    int64_t step;
    uint32_t correlation;
    bool gpu;
} builder;

static int32_t open_span(builder *b, const char *name, prof_kind kind)
{
    const int32_t index = (int32_t)b->trace->span_count++;
    b->trace->spans[index] = (prof_span){.name = name,
                                         .kind = kind,
                                         .start = b->now,
                                         .step = b->step,
                                         .parent = b->parent,
                                         .depth = b->depth++};
    for (int k = 0; k < PROF_COUNTER_COUNT; k++)
        b->trace->spans[index].counts[k] = -1;
    b->parent = index;
    b->now += 100;
    return index;
}

static void close_span(builder *b, int32_t index)
{
    b->now += 50;
    b->trace->spans[index].end = b->now;
    b->parent = b->trace->spans[index].parent;
    b->depth--;
}

static void add_call(builder *b, prof_call_kind kind, const char *name, int64_t start,
                     int64_t length)
{
    b->trace->calls[b->trace->call_count++] =
        (prof_call){.kind = kind,
                    .name = name,
                    .start = start,
                    .end = start + length,
                    .thread_id = 4242,
                    .correlation = kind == PROF_CALL_OVERHEAD ? 0 : b->correlation,
                    .span = b->parent};
}

/* A kernel that starts some time after its launch and may outlive the region of it. */
static void add_kernel(builder *b, const char *name, int stage)
{
    b->correlation++;
    add_call(b, PROF_CALL_RUNTIME, "cudaLaunchKernel_v7000", b->now, 40);
    b->trace->ops[b->trace->op_count++] = (prof_op){.kind = PROF_OP_KERNEL,
                                                    .name = name,
                                                    .start = b->now + 500,
                                                    .end = b->now + 1500 + 200 * stage,
                                                    .context = 1,
                                                    .stream = stage == 2 ? 14 : 7,
                                                    .correlation = b->correlation,
                                                    .span = b->parent,
                                                    .grid = {13, 49, 6},
                                                    .block = {32, 8, 1},
                                                    .registers = 32 + stage,
                                                    .static_shared = 1024 * stage,
                                                    .dynamic_shared = 512,
                                                    .occupancy = 62.5};
}

static void add_stage(builder *b, int stage)
{
    static const char *const kernels[STAGES] = {
        "projection_kernel(swe_params, double *)",
        "void gradient_kernel<(int)4>(swe_params, double *)",
        "void divergence_kernel<(int)4>(swe_params, const double *, double *)",
        "rk4_kernel(int, \"quoted\", double)"};
    const int32_t span = open_span(b, stage_names[stage], PROF_STAGE);
    if (b->gpu)
        add_kernel(b, kernels[stage], stage);
    b->now += 2000 + 300 * stage;
    close_span(b, span);
}

/* The parts that threads do of every stage; they come after the spans of the main thread. */
static void add_parts(prof_trace *trace)
{
    const int64_t main_spans = trace->span_count;
    for (int thread = 0; thread < PARTS; thread++)
        for (int64_t k = 0; k < main_spans; k++) {
            const prof_span *stage = &trace->spans[k];
            if (stage->kind != PROF_STAGE)
                continue;
            prof_span part = *stage;
            part.kind = PROF_THREAD;
            part.start += 20 + 10 * thread;
            part.end -= 30 * (1 + thread);
            part.parent = (int32_t)k;
            part.depth = stage->depth + 1;
            part.thread = thread;
            part.counts[PROF_COUNTER_task_clock] = part.end - part.start;
            part.counts[PROF_COUNTER_instructions] = 3 * (part.end - part.start);
            trace->spans[trace->span_count++] = part;
        }
}

static void add_transfers(builder *b)
{
    const prof_op copy = {.kind = PROF_OP_COPY,
                          .name = "[CUDA memcpy Device-to-Host]",
                          .start = b->now,
                          .end = b->now + 4000,
                          .context = 1,
                          .stream = 7,
                          .correlation = ++b->correlation,
                          .span = b->parent,
                          .bytes = 21344400,
                          .from = PROF_MEMORY_DEVICE,
                          .to = PROF_MEMORY_PAGEABLE,
                          .asynchronous = true};
    add_call(b, PROF_CALL_RUNTIME, "cudaMemcpyAsync_v3020", b->now - 60, 4100);
    b->trace->ops[b->trace->op_count++] = copy;
    b->now += 4200;
    const prof_op fill = {.kind = PROF_OP_FILL,
                          .name = "[CUDA memset]",
                          .start = b->now,
                          .end = b->now + 300,
                          .context = 1,
                          .stream = 7,
                          .correlation = ++b->correlation,
                          .span = b->parent,
                          .bytes = 8192,
                          .to = PROF_MEMORY_DEVICE,
                          .asynchronous = true};
    add_call(b, PROF_CALL_DRIVER, "cuMemsetD8Async", b->now - 20, 30);
    b->trace->ops[b->trace->op_count++] = fill;
    b->now += 400;
    b->correlation++;
    /* from a graph that was captured earlier: known by its node's name, launched by no span */
    b->trace->ops[b->trace->op_count++] = (prof_op){.kind = PROF_OP_KERNEL,
                                                    .name = "sat_kernel(swe_params)",
                                                    .start = b->now,
                                                    .end = b->now + 900,
                                                    .context = 1,
                                                    .stream = 14,
                                                    .correlation = b->correlation,
                                                    .span = -1,
                                                    .stage = "sat",
                                                    .graph = 3,
                                                    .graph_node = 17179869185u,
                                                    .grid = {4, 12, 1},
                                                    .block = {128, 1, 1},
                                                    .registers = 40,
                                                    .local = 16,
                                                    .occupancy = -1.0};
    add_call(b, PROF_CALL_SYNCHRONIZE, "stream synchronize", b->now, 1000);
    add_call(b, PROF_CALL_OVERHEAD, "activity buffer request", b->now + 100, 70);
    b->now += 1200;
}

static void add_samples(builder *b)
{
    for (int k = 0; k < 5; k++)
        b->trace->samples[b->trace->sample_count++] =
            (prof_gpu_sample){.time = START + 10000 * k,
                              .sm = 10.0 * k,
                              .memory = 5.0 * k,
                              .memory_used = 1.5e9,
                              .sm_clock = 1980.0,
                              .memory_clock = 2619.0,
                              .power = 120.5 + k,
                              .temperature = k == 0 ? -1.0 : 41.0};
}

/* Samples of counters, with a gap, of a chip that lacks some. */
static void add_sampled(builder *b)
{
    prof_sampled *sampled = &b->trace->sampled;
    sampled->chip = "GA100";
    sampled->period = 2000;
    for (int64_t k = 0; k < 8; k++)
        sampled->intervals[sampled->count++] = (prof_sampled_interval){
            .start = START + 2000 * k + (k > 4 ? 500 : 0),
            .end = START + 2000 * (k + 1) + (k > 4 ? 500 : 0),
            .value = {10.0 * (double)k, 60.5, k == 3 ? -1.0 : 25.0, 1.5e12 + (double)k, 0.0, -1.0}};
}

static prof_block *copy_blocks(const prof_block *from, int32_t count)
{
    prof_block *to = calloc((size_t)count + 1, sizeof *to);
    memcpy(to, from, (size_t)count * sizeof *to);
    return to;
}

/* Counters of the GPU for two stages of a step; L1 was not counted. */
static void add_counted(prof_trace *t)
{
    const prof_counted_stage stages[] = {
        {"gradient", 4, {4000.0, 28459200.0, 56770560.0, 9e7, -1.0, 4e6, 2e6, 21691356.0}},
        {"rk4", 4, {1500.5, 0.0, 1e6, 2e6, -1.0, -1.0, 3.0, 4.0}}};
    const prof_counted_kernel kernels[] = {{"gradient", "void gradient_kernel<(int)4>(params)", 4},
                                           {"gradient", "edge_kernel(params)", 8}};
    t->counted = (prof_counted){.chip = "GH100", .passes = 2, .first_step = 10};
    t->counted.stages = calloc(2, sizeof *t->counted.stages);
    t->counted.kernels = calloc(2, sizeof *t->counted.kernels);
    if (t->counted.stages == NULL || t->counted.kernels == NULL)
        return;
    memcpy(t->counted.stages, stages, sizeof stages);
    memcpy(t->counted.kernels, kernels, sizeof kernels);
    t->counted.stage_count = t->counted.kernel_count = 2;
}

static void add_memory(builder *b)
{
    prof_trace *t = b->trace;
    static const prof_place sites[] = {{"state y", "allocate_state", "solver/state/model.c", 44},
                                       {"metric", "place", "solver/state/model.c", 60},
                                       {"scratch", "probe", "solver/backend/cuda.cu", 48}};
    memcpy(t->sites, sites, sizeof sites);
    t->site_count = 3;
    const prof_block old[] = {{0x7f0000000000, 21344400, START - 5000000, 0},
                              {0x7f0001600000, 1185800, START - 4000000, 1},
                              {0x7f0001800000, 1185800, START - 3000000, 1}};
    const prof_block fresh = {0x7f0001a00000, 4096, START + 3000, 2};
    t->before = (prof_blocks){START, copy_blocks(old, 3), 3, 23716000, 23716000};
    t->after = (prof_blocks){b->now, copy_blocks(old, 2), 3, 22534296, 23720096};
    t->after.block[2] = fresh;
    t->memory_events[0] =
        (prof_memory_event){START + 3000, fresh.address, 4096, 23720096, 23720096, 2};
    t->memory_events[1] =
        (prof_memory_event){START + 9000, old[2].address, -1185800, 22534296, 23720096, 1};
    t->memory_event_count = 2;
    t->untracked_blocks = b->gpu ? 2 : 0;
    t->untracked_bytes = b->gpu ? 6144 : 0;
}

static const prof_fact facts[] = {{"n", NULL, 384.0}, {"build", "0123abcd, \"Release\"", 0.0}};

static const prof_access gradient_accesses[] = {
    {"h", 7114800.0, false}, {"dv1", 7096320.0, true}, {"dv2", 7096320.0, true}};
static const prof_cost costs[] = {
    {"gradient", "solver/stages/gradient/gradient_cuda.cu", 12345678.0, gradient_accesses, 3, 6},
    {"rk4", NULL, 4e6, NULL, 0, 0}};

static void describe(prof_trace *t, bool gpu)
{
    t->costs = costs;
    t->cost_count = 2;
    t->peaks = (prof_peaks){.copy_bandwidth = gpu ? 4.3e12 : 2.5e10};
    t->facts = facts;
    t->fact_count = 2;
    t->first_step = 10;
    t->steps = STEPS;
    t->mode = PROF_TRACE;
    t->case_name = "gaussian \"<&>\" \xc3\xa9";
    t->version = "0.1.0";
    t->host = "node-1.example";
    t->process = 4200;
    t->device.name = gpu ? "NVIDIA Sample GPU" : "Sample CPU";
    t->device.is_gpu = gpu;
    t->device.threads = PARTS;
    if (gpu) {
        t->device.vendor = "NVIDIA";
        t->device.compute_capability = "9.0";
        t->device.multiprocessors = 132;
        t->device.warps_per_multiprocessor = 64;
        t->device.clock = 1.98e9;
        t->device.memory_bandwidth = 4.8e12;
        t->device.memory_size = 150.0e9;
        t->device.peak_flops = 33.5e12;
    }
    t->threads[0] = (prof_thread){"main", 4242};
    t->threads[1] = (prof_thread){"worker 1", 4243};
    t->thread_count = PARTS;
    t->phases[0] = (prof_phase_time){.name = "setup", .total = 1234567890, .count = 1};
    t->phases[1] = (prof_phase_time){.name = "warm-up", .total = 98765432, .count = 1};
    t->phase_count = 2;
    t->drops = (prof_drops){.spans = 1, .ops = 2, .records = 3, .rejected = 4, .unknown = 5};
    t->warnings[0] = "3 records were dropped, \"full\" buffers";
    t->warning_count = 1;
}

static bool allocate(prof_trace *t)
{
    t->threads = calloc(PARTS, sizeof *t->threads);
    t->spans = calloc(MOST, sizeof *t->spans);
    t->ops = calloc(MOST, sizeof *t->ops);
    t->calls = calloc(MOST, sizeof *t->calls);
    t->samples = calloc(8, sizeof *t->samples);
    t->sampled.intervals = calloc(8, sizeof *t->sampled.intervals);
    t->sites = calloc(4, sizeof *t->sites);
    t->memory_events = calloc(4, sizeof *t->memory_events);
    t->phases = calloc(4, sizeof *t->phases);
    t->warnings = calloc(2, sizeof *t->warnings);
    return t->threads && t->spans && t->ops && t->calls && t->samples && t->sampled.intervals &&
           t->sites && t->memory_events && t->phases && t->warnings;
}

/* Samples of code: of a stage with a part and a rest, and of one with a part alone. */
static void add_code(prof_trace *t)
{
    static const prof_part_samples samples[] = {
        {"gradient", "stencil", 60}, {"gradient", NULL, 20}, {"rk4", "update", 7}};
    t->parts.part = malloc(sizeof samples);
    if (t->parts.part == NULL)
        return;
    memcpy(t->parts.part, samples, sizeof samples);
    t->parts.count = 3;
    t->parts.period = 997000;
}

prof_trace *sample_trace(bool gpu)
{
    builder b = {prof_trace_create(), START, -1, 0, -1, 1000, gpu};
    if (b.trace == NULL || !allocate(b.trace))
        return NULL;
    b.trace->start = START;
    const int32_t phase = open_span(&b, "steps", PROF_PHASE);
    for (int step = 0; step < STEPS; step++) {
        b.step = 10 + step;
        const int32_t whole = open_span(&b, "step", PROF_STEP);
        for (int evaluation = 0; evaluation < EVALUATIONS; evaluation++) {
            const int32_t rhs = open_span(&b, "rhs", PROF_SUBSTEP);
            for (int stage = 0; stage < STAGES - 1; stage++)
                add_stage(&b, stage);
            close_span(&b, rhs);
            add_stage(&b, STAGES - 1);
        }
        close_span(&b, whole);
        b.step = -1;
    }
    const int32_t output = open_span(&b, "output", PROF_PHASE);
    if (gpu)
        add_transfers(&b);
    close_span(&b, output);
    close_span(&b, phase);
    b.now += 5000;
    b.trace->end = b.now;
    add_parts(b.trace);
    describe(b.trace, gpu);
    add_memory(&b);
    if (gpu) {
        add_samples(&b);
        add_sampled(&b);
        add_counted(b.trace);
    } else {
        add_code(b.trace);
    }
    prof_trace_finish(b.trace);
    return b.trace;
}

static json_t *facts_json(const prof_trace *t)
{
    json_t *all = json_object();
    for (int32_t k = 0; k < t->fact_count; k++)
        json_object_set_new(all, t->facts[k].name,
                            t->facts[k].text != NULL ? json_string(t->facts[k].text)
                                                     : json_real(t->facts[k].number));
    return all;
}

static json_t *counts_json(const prof_span *span)
{
    json_t *counts = json_object();
    for (int k = 0; k < PROF_COUNTER_COUNT; k++)
        json_object_set_new(counts, prof_counter_name(k), json_integer(span->counts[k]));
    return counts;
}

static json_t *span_json(const prof_span *s)
{
    return json_pack("{s:s, s:i, s:I, s:I, s:I, s:i, s:i, s:i, s:o}", "name", s->name, "kind",
                     s->kind, "start", (json_int_t)s->start, "end", (json_int_t)s->end, "step",
                     (json_int_t)s->step, "parent", s->parent, "depth", s->depth, "thread",
                     s->thread, "counts", counts_json(s));
}

static json_t *op_json(const prof_op *o)
{
    return json_pack("{s:i, s:s, s:I, s:I, s:i, s:i, s:i, s:i, s:i, s:s?, s:i, s:I, s:[iii], "
                     "s:[iii], s:i, s:i, s:i, s:i, s:f, s:I, s:i, s:i, s:b}",
                     "kind", o->kind, "name", o->name, "start", (json_int_t)o->start, "end",
                     (json_int_t)o->end, "device", o->device, "context", o->context, "stream",
                     o->stream, "correlation", (int)o->correlation, "span", o->span, "stage",
                     o->stage, "graph", (int)o->graph, "graph_node", (json_int_t)o->graph_node,
                     "grid", o->grid[0], o->grid[1], o->grid[2], "block", o->block[0], o->block[1],
                     o->block[2], "registers", o->registers, "static_shared", o->static_shared,
                     "dynamic_shared", o->dynamic_shared, "local", o->local, "occupancy",
                     o->occupancy, "bytes", (json_int_t)o->bytes, "from", o->from, "to", o->to,
                     "asynchronous", o->asynchronous);
}

static json_t *call_json(const prof_call *c)
{
    return json_pack("{s:i, s:s, s:I, s:I, s:i, s:i, s:i, s:i}", "kind", c->kind, "name", c->name,
                     "start", (json_int_t)c->start, "end", (json_int_t)c->end, "thread_id",
                     c->thread_id, "correlation", (int)c->correlation, "span", c->span, "result",
                     c->result);
}

static json_t *sample_json(const prof_gpu_sample *s)
{
    return json_pack("{s:I, s:i, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "time", (json_int_t)s->time,
                     "device", s->device, "sm", s->sm, "memory", s->memory, "memory_used",
                     s->memory_used, "sm_clock", s->sm_clock, "memory_clock", s->memory_clock,
                     "power", s->power, "temperature", s->temperature);
}

static json_t *interval_json(const prof_sampled_interval *s)
{
    return json_pack("{s:I, s:I, s:[f, f, f, f, f, f]}", "start", (json_int_t)s->start, "end",
                     (json_int_t)s->end, "values", s->value[0], s->value[1], s->value[2],
                     s->value[3], s->value[4], s->value[5]);
}

static json_t *blocks_json(const prof_trace *t, const prof_blocks *blocks)
{
    json_t *all = json_array();
    for (int32_t k = 0; k < blocks->count; k++) {
        const prof_block *b = &blocks->block[k];
        const prof_place *site = &t->sites[b->site];
        json_array_append_new(all, json_pack("{s:I, s:I, s:I, s:s, s:s, s:s, s:i}", "address",
                                             (json_int_t)b->address, "bytes", (json_int_t)b->bytes,
                                             "time", (json_int_t)b->time, "label", site->label,
                                             "function", site->function, "file", site->file, "line",
                                             site->line));
    }
    return json_pack("{s:I, s:I, s:I, s:o}", "time", (json_int_t)blocks->time, "in_use",
                     (json_int_t)blocks->in_use, "peak", (json_int_t)blocks->peak, "blocks", all);
}

static json_t *memory_event_json(const prof_memory_event *e)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:i}", "time", (json_int_t)e->time, "address",
                     (json_int_t)e->address, "bytes", (json_int_t)e->bytes, "in_use",
                     (json_int_t)e->in_use, "peak", (json_int_t)e->peak, "site", e->site);
}

static json_t *costs_json(const prof_trace *t)
{
    json_t *all = json_array();
    for (int32_t k = 0; k < t->cost_count; k++) {
        const prof_cost *cost = &t->costs[k];
        json_t *accesses = json_array();
        for (int a = 0; a < cost->access_count; a++) {
            const prof_access *access = &cost->accesses[a];
            json_array_append_new(accesses,
                                  json_pack("{s:s, s:f, s:b}", "buffer", access->buffer, "bytes",
                                            access->bytes, "writes", access->writes));
        }
        json_array_append_new(all, json_pack("{s:s, s:f, s:o}", "stage", cost->stage, "flops",
                                             cost->flops, "accesses", accesses));
    }
    return all;
}

json_t *sample_trace_json(const prof_trace *t)
{
    json_t *spans = json_array(), *ops = json_array(), *calls = json_array();
    json_t *samples = json_array(), *sampled = json_array(), *events = json_array(),
           *threads = json_array();
    for (int64_t k = 0; k < t->span_count; k++)
        json_array_append_new(spans, span_json(&t->spans[k]));
    for (int64_t k = 0; k < t->op_count; k++)
        json_array_append_new(ops, op_json(&t->ops[k]));
    for (int64_t k = 0; k < t->call_count; k++)
        json_array_append_new(calls, call_json(&t->calls[k]));
    for (int64_t k = 0; k < t->sample_count; k++)
        json_array_append_new(samples, sample_json(&t->samples[k]));
    for (int64_t k = 0; k < t->sampled.count; k++)
        json_array_append_new(sampled, interval_json(&t->sampled.intervals[k]));
    for (int64_t k = 0; k < t->memory_event_count; k++)
        json_array_append_new(events, memory_event_json(&t->memory_events[k]));
    for (int32_t k = 0; k < t->thread_count; k++)
        json_array_append_new(
            threads, json_pack("{s:s, s:i}", "name", t->threads[k].name, "id", t->threads[k].id));
    return json_pack("{s:b, s:o, s:{s:f, s:f}, s:o, s:I, s:I, s:I, s:I, s:s, s:s, s:i, s:o, s:o, "
                     "s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "is_gpu", t->device.is_gpu, "costs", costs_json(t), "ceilings",
                     "copy_bandwidth", t->peaks.copy_bandwidth, "flops", t->peaks.flops, "facts",
                     facts_json(t), "start", (json_int_t)t->start, "end", (json_int_t)t->end,
                     "first_step", (json_int_t)t->first_step, "steps", (json_int_t)t->steps, "case",
                     t->case_name, "host", t->host, "process", t->process, "threads", threads,
                     "spans", spans, "ops", ops, "calls", calls, "samples", samples, "sampled",
                     sampled, "memory_events", events, "before", blocks_json(t, &t->before),
                     "after", blocks_json(t, &t->after));
}
