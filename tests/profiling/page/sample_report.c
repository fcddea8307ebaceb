#include "sample_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"

enum { STAGES = 6, STEPS = 12, EVALUATIONS = 4, MANY_STEPS = 1000, MANY_THREADS = 8 };

const char *const sample_awkward[3] = {"gauß \"seed\" & <b>möre</b>",
                                       "</script><script>x()</script>",
                                       "it's 100 % — 面 \xf0\x9f\x8c\x8d"};

/* Name, time of a call [ns], calls a step, bytes and operations of a call. */
static const struct {
    const char *name;
    double call, calls, bytes, flops;
} stages[STAGES] = {
    {"rk4", 812000.0, 4, 85e6, 9.3e6},       {"contravariant", 640000.0, 4, 71e6, 46e6},
    {"divergence", 510000.0, 4, 43e6, 27e6}, {"gradient", 480000.0, 4, 43e6, 21e6},
    {"sat", 120000.0, 4, 1.9e6, 1.1e6},      {"projection", 31000.0, 8, 0.3e6, 0.0}};

static void *allocate(size_t count, size_t size)
{
    void *room = calloc(count + 1, size);
    if (room == NULL) {
        fprintf(stderr, "no memory\n");
        exit(70);
    }
    return room;
}

static prof_spread spread(int64_t count, double median)
{
    return (prof_spread){.count = count,
                         .total = (double)count * median,
                         .mean = median,
                         .median = median,
                         .low = 0.97 * median,
                         .high = 1.04 * median,
                         .min = 0.9 * median,
                         .max = 1.6 * median,
                         .deviation = 0.05 * median};
}

static prof_spread no_spread(void)
{
    return (prof_spread){0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

static void fill_stages(prof_report_window *w, bool is_gpu)
{
    static prof_report_buffer buffers[] = {
        {"h", 7.1e6, false, "read"}, {"v1", 7.1e6, false, "read"}, {"dh", 7.1e6, true, "write"}};
    const double within = 0.985; /* of a step within stages */
    const double bandwidth = 180e9, flops = 900e9;
    w->stages = allocate(STAGES, sizeof *w->stages);
    w->stage_count = STAGES;
    w->step = 0.0;
    for (int k = 0; k < STAGES; k++)
        w->step += stages[k].call * stages[k].calls / within;
    for (int k = 0; k < STAGES; k++) {
        prof_report_stage *s = &w->stages[k];
        const double intensity = stages[k].flops / stages[k].bytes;
        const double call = stages[k].call;
        const int64_t calls = (int64_t)stages[k].calls * STEPS;
        *s = (prof_report_stage){.name = stages[k].name,
                                 .calls_per_step = stages[k].calls,
                                 .host = spread(calls, is_gpu ? 4000.0 : call),
                                 .gpu = is_gpu ? spread(calls, call) : no_spread(),
                                 .total = call * (double)calls,
                                 .share =
                                     call * stages[k].calls / (w->step * (is_gpu ? within : 1.0)),
                                 .call = call,
                                 .read_bytes = 0.6 * stages[k].bytes,
                                 .written_bytes = 0.4 * stages[k].bytes,
                                 .bytes = stages[k].bytes,
                                 .flops = stages[k].flops,
                                 .reach = 3e7,
                                 .served_by = stages[k].bytes < 2e6 ? "L2" : "memory",
                                 .serving = stages[k].bytes < 2e6 ? 900e9 : bandwidth,
                                 .buffers = buffers,
                                 .buffer_count = 3,
                                 .bandwidth = stages[k].bytes / call * 1e9,
                                 .flop_rate = stages[k].flops / call * 1e9,
                                 .intensity = intensity,
                                 .bound = PROF_BOUND_MEMORY,
                                 .attainable = fmin(flops, bandwidth * intensity)};
        s->fraction = s->flop_rate / s->attainable;
    }
    w->other_share = is_gpu ? NAN : 0.015;
    static prof_cache caches[] = {{"L1", 65536.0, NAN}, {"L2", 2e6, 900e9}};
    w->peaks = (prof_report_peaks){.bandwidth = bandwidth,
                                   .caches = caches,
                                   .cache_count = 2,
                                   .flops = flops,
                                   .flops_of = "FP64",
                                   .bandwidth_is_measured = true,
                                   .flops_are_measured = !is_gpu,
                                   .ridge = flops / bandwidth};
}

static void fill_steps(prof_report_window *w, bool is_gpu)
{
    w->each = allocate(STEPS, sizeof *w->each);
    w->step_count = STEPS;
    for (int k = 0; k < STEPS; k++) {
        const double time = w->step * (1.0 + 0.03 * sin(3.0 * k) + (k == 7 ? 0.4 : 0.0));
        w->each[k] = (prof_report_step){w->first_step + k, time, is_gpu ? 0.97 * time : NAN,
                                        is_gpu ? 40 : 0};
    }
    w->step_host = spread(STEPS, w->step);
    w->step_gpu = is_gpu ? spread(STEPS, w->step) : no_spread();
}

/* Names of a timeline: "steps", "step", the stages from the second on, and operations. */
enum { NAME_STAGES = 2, NAME_KERNEL = NAME_STAGES + STAGES, NAME_OTHER, NAME_COPY };

static int name_of(int stage)
{
    return NAME_STAGES + (stage + STAGES - 1) % STAGES;
}

static json_t *names_of_timeline(void)
{
    json_t *names = json_pack("[s, s]", "steps", "step");
    for (int k = 0; k < STAGES; k++)
        swe_json_append(&names, json_string(stages[(k + 1) % STAGES].name));
    swe_json_append(&names, json_string("void rk4_kernel<(int)4>(swe_params, const double *)"));
    swe_json_append(&names, json_string(sample_awkward[1]));
    swe_json_append(&names, json_string("[CUDA memcpy Device-to-Host]"));
    return names;
}

static json_t *names_of_threads(int threads)
{
    json_t *names = json_pack("[s]", "main");
    for (int k = 1; k < threads; k++)
        swe_json_append(&names, json_sprintf("worker %d", k));
    return names;
}

static int64_t step_length(void)
{
    int64_t length = 0;
    for (int k = 0; k < STAGES; k++)
        length += EVALUATIONS * ((int64_t)stages[k].call + 1000);
    return length;
}

enum { MARGIN = 2000000 }; /* ns, before the first step and after the last */

static int64_t window_length(int steps)
{
    return 2 * MARGIN + steps * step_length();
}

static void add_span(json_t **spans, int name, const char *kind, int64_t start, int64_t length,
                     int64_t step, int depth, int thread)
{
    swe_json_append(spans, json_pack("[i, s, I, I, I, i, i]", name, kind, (json_int_t)start,
                                     (json_int_t)length, (json_int_t)step, depth, thread));
}

static void add_op(json_t **ops, int name, json_t *stage, const char *kind, int64_t start,
                   int64_t length, int stream, int64_t bytes)
{
    swe_json_append(ops, json_pack("[i, o, s, I, I, i, I]", name, stage, kind, (json_int_t)start,
                                   (json_int_t)length, stream, (json_int_t)bytes));
}

/* One step of evaluations of stages, each shared by threads or launched on two streams. */
static void add_step(json_t **spans, json_t **ops, int64_t now, int step, int threads, bool is_gpu)
{
    for (int k = 0; k < EVALUATIONS * STAGES; k++) {
        const int stage = (k + 1) % STAGES;
        const int64_t length = (int64_t)stages[stage].call;
        add_span(spans, name_of(stage), "stage", now, length, step, 2, 0);
        for (int thread = 0; thread < threads && !is_gpu; thread++)
            add_span(spans, name_of(stage), "thread", now + 500,
                     length - length * (thread % 7) / 20 - 500, step, 3, thread);
        if (is_gpu)
            add_op(ops, stage == 0 ? NAME_KERNEL : NAME_OTHER, json_integer(name_of(stage)),
                   "kernel", now + 3000, length - 3000, stage == 4 ? 14 : 7, 0);
        now += length + 1000;
    }
}

static json_t *memory_of(int64_t duration)
{
    return json_pack("[[i, i], [I, i], [I, i], [I, i]]", 0, 43200000, (json_int_t)(duration / 3),
                     51000000, (json_int_t)(duration / 2), 43600000, (json_int_t)duration,
                     43600000);
}

static json_t *samples_of(int64_t duration)
{
    json_t *samples = json_array();
    for (int k = 0; k < 40; k++)
        swe_json_append(&samples,
                        json_pack("[I, o, f, f, f, f, n]", (json_int_t)(duration * k / 39),
                                  swe_json_real(k == 5 ? NAN : 70.0 + 20.0 * sin(k)),
                                  45.0 + 10.0 * cos(k), 1.5e9, 1980.0, 420.0));
    return samples;
}

/* More than a picture has room for; a share that is not known at first; L2 that is not counted. */
static json_t *sampled_of(int64_t duration, double bandwidth)
{
    enum { COUNT = 2000 };
    json_t *sampled = json_array();
    for (int k = 0; k < COUNT; k++) {
        const int64_t start = duration * k / COUNT, end = duration * (k + 1) / COUNT;
        swe_json_append(&sampled,
                        json_pack("[I, I, f, f, o, f, f, n]", (json_int_t)start,
                                  (json_int_t)(end - start), 80.0 + 15.0 * sin(0.02 * k), 60.0,
                                  swe_json_real(k < 200 ? NAN : 30.0 + 20.0 * cos(0.03 * k)),
                                  0.4 * bandwidth, 0.3 * bandwidth));
    }
    return sampled;
}

/* The document of timeline.json. */
static json_t *timeline_of(const prof_report_window *w, int steps, int threads, bool is_gpu)
{
    const int64_t duration = window_length(steps);
    json_t *spans = json_array(), *ops = json_array();
    int64_t now = MARGIN;
    add_span(&spans, 0, "phase", 0, duration - MARGIN, -1, 0, 0);
    for (int step = 0; step < steps; step++, now += step_length()) {
        add_span(&spans, 1, "step", now, step_length() - 500, w->first_step + step, 1, 0);
        add_step(&spans, &ops, now, step, threads, is_gpu);
    }
    if (is_gpu)
        add_op(&ops, NAME_COPY, json_null(), "copy", now, 18000, 7, 21344400);
    return json_pack("{s:s, s:i, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:i, s:i}}",
                     "schema", "cubeswe-timeline", "schema_version", 1, "start_ns",
                     (json_int_t)w->start, "duration_ns", (json_int_t)duration, "names",
                     names_of_timeline(), "threads", names_of_threads(threads), "spans", spans,
                     "ops", ops, "memory", memory_of(duration), "samples",
                     is_gpu ? samples_of(duration) : json_array(), "sampled",
                     is_gpu ? sampled_of(duration, w->peaks.bandwidth) : json_array(), "omitted",
                     "spans", 0, "ops", 0);
}

static void fill_memory(prof_report_window *w)
{
    static prof_report_site sites[] = {
        {"state y", "allocate_state", "solver/state/model.c", 44, {2.1e7, 1}, {2.1e7, 1}},
        {"state k", "allocate_state", "solver/state/model.c", 45, {2.1e7, 1}, {2.1e7, 1}},
        {"metric", "place", "solver/state/model.c", 60, {1.2e6, 1}, {1.2e6, 1}},
        {"scratch", "probe", "solver/backend/cuda.cu", 48, {0.0, 0}, {4e5, 2}}};
    w->memory = (prof_report_memory){.before = 4.32e7,
                                     .after = 4.36e7,
                                     .peak = 5.1e7,
                                     .allocated = {8e6, 3},
                                     .released = {7.6e6, 1},
                                     .untracked = {65536.0, 2},
                                     .sites = sites,
                                     .site_count = 4};
}

static void fill_threads(prof_report_window *w, int threads)
{
    w->threads = allocate((size_t)threads * STAGES, sizeof *w->threads);
    for (int stage = 0; stage < STAGES; stage++)
        for (int k = 0; k < threads; k++) {
            char *name = allocate(32, 1);
            snprintf(name, 32, k == 0 ? "main" : "worker %d", k);
            const double call = stages[stage].call * (1.0 - 0.05 * (k % 7));
            w->threads[w->thread_count++] =
                (prof_report_thread){.stage = stages[stage].name,
                                     .thread = name,
                                     .id = 4242 + k,
                                     .time = spread((int64_t)stages[stage].calls * STEPS, call),
                                     .share_of_stage = call / stages[stage].call,
                                     .imbalance = 1.02 + 0.1 * stage,
                                     .counters = {(int64_t)call * 40, 3, (int64_t)call * 90,
                                                  k == 0 ? -1 : (int64_t)call * 110, -1},
                                     .instructions_per_cycle = k == 0 ? NAN : 0.82};
        }
}

static void fill_parts(prof_report_window *w)
{
    static const prof_report_part parts[] = {{"rk4", "update", 600, 600 * 997e3, 0.75},
                                             {"rk4", "", 200, 200 * 997e3, 0.25}};
    w->parts = allocate(2, sizeof *w->parts);
    memcpy(w->parts, parts, sizeof parts);
    w->part_count = 2;
}

static prof_report_quantity quantity(double mean)
{
    return (prof_report_quantity){40, mean, 0.5 * mean, 1.2 * mean};
}

static void fill_gpu(prof_report_window *w)
{
    static prof_report_kernel kernels[] = {
        {"void rk4_kernel<(int)4>(swe_params, const double *)",
         "rk4",
         {0},
         0.61,
         {13, 49, 6},
         {32, 8, 1},
         40,
         0,
         512,
         0,
         62.5},
        {"sat_kernel(swe_params)", "", {0}, 0.39, {4, 12, 1}, {128, 1, 1}, 255, 2048, 0, 16, NAN}};
    static prof_report_copy copies[] = {{"[CUDA memcpy Device-to-Host]", {0}, {0}, 1.1e10}};
    static prof_report_call calls[] = {{"cudaLaunchKernel", "runtime", {0}, 0},
                                       {"cudaMemcpyAsync", "runtime", {0}, 1}};
    kernels[0].name = sample_awkward[1];
    kernels[0].time = spread(48, 812000.0);
    kernels[1].time = spread(48, 120000.0);
    copies[0].time = spread(3, 18000.0);
    copies[0].bytes = spread(3, 21344400.0);
    calls[0].time = spread(300, 3100.0);
    calls[1].time = spread(3, 18500.0);
    w->kernels = kernels;
    w->kernel_count = 2;
    w->copies = copies;
    w->copy_count = 1;
    w->calls = calls;
    w->call_count = 2;
    w->has_gpu = true;
    w->gpu = (prof_report_gpu){.ops = STEPS * EVALUATIONS * STAGES + 1,
                               .busy = 0.93 * w->duration,
                               .idle_share = 0.07,
                               .launch_latency = spread(288, 6200.0),
                               .queue = spread(288, 2900.0),
                               .sm = quantity(71.0),
                               .memory = quantity(45.0),
                               .memory_used = quantity(1.5e9),
                               .sm_clock = quantity(1600.0),
                               .memory_clock = quantity(2619.0),
                               .power = quantity(380.0)};
    for (int q = 0; q < PROF_SAMPLED_l2_hit_percent; q++)
        w->gpu.sampled.value[q] = quantity(q < PROF_SAMPLED_dram_read_bytes_per_s ? 70.0 : 1.5e12);
}

static void fill_diagnosis(prof_report_window *w, bool is_gpu)
{
    static prof_indicator indicators[] = {
        {"GPU utilisation", 93.0, "%", PROF_GRADE_GOOD, "> 80 %", "50-80 %", "< 50 %",
         "Share of the window in which an operation ran.", ""},
        {"Memory bandwidth", 51.0, "%", PROF_GRADE_WARNING, "> 60 %", "40-60 %", "< 40 %",
         "What the stages must move over what a copy reaches.", ""},
        {"Occupancy", NAN, "%", PROF_GRADE_UNKNOWN, "> 50 %", "25-50 %", "< 25 %",
         "Resident warps over the most there can be.", "no kernel was recorded."}};
    static prof_finding findings[] = {
        {"One stage dominates", PROF_GRADE_BAD, "", "It moves the whole state four times a step.",
         "Fuse the update with the evaluation before it."},
        {"Threads wait for each other", PROF_GRADE_WARNING,
         "In sat the busiest thread works 1.42 times as long as the mean.",
         "Edges are shared unevenly.", "Share by rows of all panels."},
        {"No spills", PROF_GRADE_GOOD, "No kernel uses local memory.", "", ""}};
    static prof_check checks[] = {
        {"What is the bottleneck?", "A stage?", "rk4, with 31 % of the step.", PROF_GRADE_WARNING},
        {"What is the bottleneck?", "Copies?", "None in steps.", PROF_GRADE_GOOD},
        {"Is the GPU busy?", "Idle gaps?", "", PROF_GRADE_UNKNOWN}};
    static const char *warnings[] = {""};
    findings[0].evidence = is_gpu ? sample_awkward[2] : "rk4 takes 31 % of the step.";
    checks[2].answer = is_gpu ? sample_awkward[0] : "No GPU computed.";
    warnings[0] = is_gpu ? sample_awkward[1] : "perf events: permission denied";
    w->indicators = indicators;
    w->indicator_count = 3;
    w->findings = findings;
    w->finding_count = 3;
    w->checks = checks;
    w->check_count = 3;
    w->warnings = warnings;
    w->warning_count = 1;
    w->drops = (prof_drops){.ops = is_gpu ? 1234567 : 0};
    w->tracing = (prof_tracing){.launch = is_gpu ? "graph" : "",
                                .launched_steps = is_gpu ? 18 : 0,
                                .untraced = 9.1e5,
                                .traced = 9.5e5,
                                .untraced_strides = 7,
                                .ratio = 1.044,
                                .later = NAN,
                                .clock_difference = NAN};
}

static int threads_of(sample_kind kind)
{
    return kind == SAMPLE_MANY ? MANY_THREADS : kind == SAMPLE_GPU ? 1 : 2;
}

static void fill_window(prof_report_window *w, sample_kind kind)
{
    static prof_phase_time phases[] = {
        {"setup", 7.6e7, 1, 0.3}, {"warm-up", 1.1e8, 4, 0.44}, {"steps", 6.5e7, 1, 0.26}};
    const bool is_gpu = kind == SAMPLE_GPU;
    w->phases = phases;
    w->phase_count = 3;
    fill_stages(w, kind == SAMPLE_GPU || kind == SAMPLE_COUNTERS);
    if (kind == SAMPLE_COUNTERS) {
        sample_count(w);
        return;
    }
    fill_steps(w, is_gpu);
    w->duration = (double)window_length(kind == SAMPLE_MANY ? MANY_STEPS : STEPS);
    fill_memory(w);
    if (is_gpu)
        fill_gpu(w);
    else
        fill_threads(w, threads_of(kind));
    fill_parts(w);
    fill_diagnosis(w, is_gpu);
}

void sample_report(sample_kind kind, prof_report *report)
{
    static prof_report_fact facts[] = {{"dt", "0.0034"}, {"closure", ""}};
    const int count = kind == SAMPLE_GPU ? 3 : 1;
    const bool is_gpu = kind == SAMPLE_GPU || kind == SAMPLE_BARE || kind == SAMPLE_COUNTERS;
    *report = (prof_report){.directory = "output/it's a case",
                            .case_name = is_gpu ? sample_awkward[0] : "gaussian",
                            .version = "0.1.0",
                            .build = "22a4efcc7b16",
                            .host = "node1",
                            .closure = "default",
                            .precision = "double",
                            .date = "2026-11-20 17:09:15 UTC",
                            .backend = is_gpu ? "cuda" : "cpu",
                            .n = 384,
                            .order = 4,
                            .run_steps = 288,
                            .unknowns = 2659590.0,
                            .dt = 0.0034,
                            .device = {.name = is_gpu ? "Sample GPU" : "Sample CPU",
                                       .is_gpu = is_gpu,
                                       .threads = is_gpu ? -1 : 2,
                                       .compute_capability = is_gpu ? "9.0" : "",
                                       .multiprocessors = is_gpu ? 132 : -1,
                                       .memory_size = is_gpu ? 80e9 : NAN},
                            .facts = facts,
                            .fact_count = 2,
                            .windows = allocate((size_t)count, sizeof *report->windows),
                            .window_count = count};
    for (int k = 0; k < count; k++) {
        prof_report_window *w = &report->windows[k];
        *w = (prof_report_window){
            .folder = "output/case/profile/step_00000010",
            .date = report->date,
            .mode = "trace",
            .first_step = 10 + 100 * k,
            .steps = kind == SAMPLE_BARE ? 0 : STEPS,
            .start = 1795190400e9 + 2e9 * k,
            .duration = 1e6,
            .step = NAN,
            .step_host = no_spread(),
            .step_gpu = no_spread(),
            .other_share = NAN,
            .peaks = {.bandwidth = NAN, .flops = NAN, .flops_of = "FP64", .ridge = NAN},
            .memory = {.before = NAN, .after = NAN, .peak = NAN}};
        if (kind != SAMPLE_BARE)
            fill_window(w, kind);
    }
    if (kind == SAMPLE_GPU)
        sample_log(report);
    report->shown = count / 2;
    if (kind != SAMPLE_BARE && kind != SAMPLE_COUNTERS)
        report->timeline =
            timeline_of(&report->windows[report->shown], kind == SAMPLE_MANY ? MANY_STEPS : STEPS,
                        threads_of(kind), is_gpu);
}
