/* write_crossed OUTPUT DIR: write a trace with one output to DIR, and the trace itself to
 * DIR/sample.json. The trace has cases that are hard for a timeline: operations, calls and regions
 * that overlap without nesting, a graph whose nodes share one call, an operation before its call,
 * two GPUs, calls of an unknown thread, texts that are not UTF-8, and many operations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outputs/output.h"
#include "sample_trace.h"

#define START INT64_C(1795190400123456789)

enum { MANY = 5000, ROOM = MANY + 32 };

static void print_line(void *nobody, const char *line)
{
    (void)nobody;
    fprintf(stderr, "%s\n", line);
}

static void add_span(prof_trace *t, const char *name, int64_t start, int64_t end, int32_t parent,
                     int32_t thread)
{
    prof_span *span = &t->spans[t->span_count++];
    *span = (prof_span){.name = name,
                        .kind = thread > 0 ? PROF_THREAD : PROF_STAGE,
                        .start = START + start,
                        .end = START + end,
                        .step = -1,
                        .parent = parent,
                        .depth = parent + 1,
                        .thread = thread};
    for (int k = 0; k < PROF_COUNTER_COUNT; k++)
        span->counts[k] = k == PROF_COUNTER_cycles && thread > 0 ? 0 : -1;
}

static void add_spans(prof_trace *t)
{
    add_span(t, "outer", 0, 1000, -1, 0);
    add_span(t, "first", 100, 400, 0, 0);
    add_span(t, "crossing", 300, 500, 0, 0);
    add_span(t, "twin", 600, 700, 0, 0);
    add_span(t, "twin inside", 600, 700, 3, 0);
    add_span(t, "instant", 800, 800, 0, 0);
    add_span(t, "first", 120, 380, 1, 1);
}

static void add_call(prof_trace *t, prof_call_kind kind, const char *name, int64_t start,
                     int64_t end, int32_t thread, uint32_t correlation)
{
    t->calls[t->call_count++] = (prof_call){.kind = kind,
                                            .name = name,
                                            .start = START + start,
                                            .end = START + end,
                                            .thread_id = thread,
                                            .correlation = correlation,
                                            .span = -1};
}

static void add_calls(prof_trace *t)
{
    add_call(t, PROF_CALL_RUNTIME, "cudaLaunchKernel", 480, 530, 100, 1);
    add_call(t, PROF_CALL_DRIVER, "cuLaunchKernel", 490, 510, 100, 1);
    add_call(t, PROF_CALL_OVERHEAD, "overhead", 520, 560, 100, 0);
    add_call(t, PROF_CALL_RUNTIME, "cudaGraphLaunch", 2000, 2040, 555, 77);
    add_call(t, PROF_CALL_SYNCHRONIZE, "synchronize", 2020, 2030, 555, 78);
    add_call(t, PROF_CALL_RUNTIME, "cudaMemsetAsync", 3000, 3010, 555, 5);
    t->calls[t->call_count - 1].result = 700;
}

static void add_op(prof_trace *t, const char *name, int64_t start, int64_t end, int32_t device,
                   int32_t stream, uint32_t correlation, int32_t span)
{
    t->ops[t->op_count++] = (prof_op){.kind = PROF_OP_KERNEL,
                                      .name = name,
                                      .start = START + start,
                                      .end = START + end,
                                      .device = device,
                                      .stream = stream,
                                      .correlation = correlation,
                                      .span = span,
                                      .occupancy = -1.0};
}

static void add_ops(prof_trace *t)
{
    add_op(t, "a", 500, 900, 0, 7, 1, -1);
    add_op(t, "across a", 600, 1000, 0, 7, 2, 1);
    add_op(t, "within both", 650, 700, 0, 7, 3, -1);
    add_op(t, "after a", 900, 1100, 0, 7, 78, -1);
    add_op(t, "before its call", 2990, 3005, 0, 7, 5, 1);
    add_op(t, "on the other GPU", 700, 800, 1, 7, 6, 0);
    for (int k = 0; k < MANY; k++) {
        add_op(t, k % 2 == 0 ? "node" : "other node", 2100 + 10 * (int64_t)k,
               2105 + 10 * (int64_t)k + k % 7, 0, 14, 77, -1);
        t->ops[t->op_count - 1].graph = 9;
        t->ops[t->op_count - 1].graph_node = UINT64_C(1) << 40 | (unsigned)k;
    }
}

static bool allocate(prof_trace *t)
{
    t->threads = calloc(3, sizeof *t->threads);
    t->spans = calloc(ROOM, sizeof *t->spans);
    t->ops = calloc(ROOM, sizeof *t->ops);
    t->calls = calloc(ROOM, sizeof *t->calls);
    t->samples = calloc(2, sizeof *t->samples);
    t->warnings = calloc(2, sizeof *t->warnings);
    return t->threads && t->spans && t->ops && t->calls && t->samples && t->warnings;
}

static prof_trace *crossed_trace(void)
{
    prof_trace *t = prof_trace_create();
    if (t == NULL || !allocate(t))
        return NULL;
    t->start = START + 50; /* the outermost region began before the window */
    t->end = START + 100000;
    t->case_name = "crossed";
    t->version = "bad \xff\xc3( text\n\t\x01\\ \xed\xa0\x80.";
    t->host = "node";
    t->process = 100;
    t->device = (prof_device_info){
        .name = "Other GPU", .vendor = "", .is_gpu = true, .index = 1, .compute_capability = ""};
    t->threads[0] = (prof_thread){"main", 100};
    t->threads[1] = (prof_thread){"worker 1", 101};
    t->threads[2] = (prof_thread){"idle", 102};
    t->thread_count = 3;
    t->samples[0] = (prof_gpu_sample){START + 10, 1, -1, -1, -1, -1, -1, -1, -1};
    t->samples[1] = (prof_gpu_sample){START + 20, 1, -1, -1, -1, -1, -1, -1, 0.0};
    t->sample_count = 2;
    add_spans(t);
    add_calls(t);
    add_ops(t);
    prof_trace_finish(t);
    return t;
}

static bool write_itself(const prof_trace *trace, const char *directory)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/sample.json", directory);
    json_t *json = sample_trace_json(trace);
    const bool ok = json != NULL && json_dump_file(json, path, 0) == 0;
    json_decref(json);
    return ok;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 64;
    swe_log log = {.warn = print_line};
    prof_trace *trace = crossed_trace();
    if (trace == NULL)
        return 70;
    prof_output *const write =
        strcmp(argv[1], "perfetto") == 0 ? prof_write_perfetto : prof_write_json;
    int code = write(trace, argv[2], &log) ? 0 : 1;
    if (code == 0 && !write_itself(trace, argv[2]))
        code = 70;
    prof_trace_destroy(&trace);
    return code;
}
