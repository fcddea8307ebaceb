/* The profiler against work that is known: copies of a number of bytes and chains of a number of
 * operations, as stages of steps that a GPU runs one by one or as a graph. Nothing is dropped, no
 * operation begins before its launch, every kernel is recorded with its stage, and together the
 * kernels take the time that the host waits for. On a GPU that permits counters, these count the
 * bytes and operations.
 *
 * Built twice: over the emulation layer with the stand-in for CUPTI, and for a real GPU (skipped
 * without one). */
#include "support/check.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend/backend.h"
#include "base/clock.h"
#include "profiler.h"

enum { SKIPPED = 77 };
enum { STEP, COPY, CHAINS, LAUNCH, REGIONS };

static const prof_region regions[REGIONS] = {[STEP] = {"step", PROF_STEP},
                                             [COPY] = {"copy", PROF_STAGE},
                                             [CHAINS] = {"chains", PROF_STAGE},
                                             [LAUNCH] = {"graph", PROF_LAUNCH}};

#ifdef SWE_TEST_EMULATED
enum { IS_EMULATED = 1, COPIES = 3, CHAIN_LENGTH = 50 };
#else
enum { IS_EMULATED = 0, COPIES = 40, CHAIN_LENGTH = 1 << 16 };
#endif

enum { FIRST = 10, STEPS = 3, LAST = 14 }; /* steps of the window, and of the run */

typedef enum launch_mode { ONE_BY_ONE, AS_GRAPH } launch_mode;

/* A device with the arrays of the work of a step. */
typedef struct proof {
    const swe_backend *backend;
    swe_device *device;
    swe_execution execution;
    prof_profiler *profiler;
    size_t values; /* of an array to copy */
    size_t groups;
    int width;
    double *from, *to, *last;
} proof;

static double bytes_of_step(const proof *p)
{
    return 2.0 * sizeof(double) * COPIES * (double)p->values;
}

static double flops_of_step(const proof *p)
{
    return 2.0 * CHAIN_LENGTH * (double)p->groups * p->width;
}

static void warn(void *warner, const char *line)
{
    (void)warner;
    fprintf(stderr, "%s\n", line);
}

/* ---- the device ---- */

static const swe_backend *cuda_backend(void)
{
    swe_context ctx = {""};
    for (int k = 0; swe_backend_at(k) != NULL; k++)
        if (strcmp(swe_backend_at(k)->name, "cuda") == 0)
            return swe_backend_at(k)->device_count(&ctx) > 0 ? swe_backend_at(k) : NULL;
    return NULL;
}

static double *array_of(proof *p, size_t count)
{
    swe_context ctx = {""};
    void *array = NULL;
    CHECK_OK(&ctx, p->backend->allocate(&ctx, p->device, count, sizeof(double), PROF_HERE("proof"),
                                        &array));
    return array;
}

static void open_device(proof *p, prof_profiler *profiler)
{
    swe_context ctx = {""};
    swe_benchmark_sizes sizes;
    *p = (proof){.backend = cuda_backend(), .profiler = profiler};
    CHECK_OK(&ctx, p->backend->open(&ctx, 0, 0, &p->device));
    p->backend->bind(p->device, &(swe_layout){.n = 0}, &p->execution);
    p->backend->attach(p->device, &p->execution, profiler);
    p->execution.profiler = profiler;
    CHECK_OK(&ctx, p->backend->copy_benchmark->sizes(&ctx, &p->execution, &sizes));
    p->values = IS_EMULATED ? 16 * SWE_COPY_BLOCK : sizes.values;
    p->groups = IS_EMULATED ? 300 : sizes.groups;
    p->width = p->backend->fma_benchmark[SWE_PRECISION_DOUBLE]->widths[0];
    p->from = array_of(p, p->values);
    p->to = array_of(p, p->values);
    p->last = array_of(p, p->groups * (size_t)p->width);
    p->backend->copy_benchmark->fill(&p->execution, p->values, p->from);
    CHECK_OK(&ctx, p->backend->synchronize(&ctx, p->device));
}

static void close_device(proof *p)
{
    p->backend->release(p->device, p->from);
    p->backend->release(p->device, p->to);
    p->backend->release(p->device, p->last);
    p->backend->close(&p->device);
}

/* ---- the run ---- */

static void start_step(void *argument)
{
    const proof *p = argument;
    prof_begin(p->profiler, STEP);
    prof_begin(p->profiler, COPY);
    for (int k = 0; k < COPIES; k++)
        p->backend->copy_benchmark->copy(&p->execution, p->values, p->from, p->to);
    prof_end(p->profiler);
    prof_begin(p->profiler, CHAINS);
    p->backend->fma_benchmark[SWE_PRECISION_DOUBLE]->run(&p->execution, p->width, p->groups,
                                                         CHAIN_LENGTH, p->last);
    prof_end(p->profiler);
    prof_end(p->profiler);
}

/* Run a step and wait for it. Returns its time [s]. */
static double run_step(proof *p, swe_graph *graph)
{
    swe_context ctx = {""};
    const double start = swe_clock_seconds();
    if (graph == NULL) {
        start_step(p);
    } else {
        prof_begin(p->profiler, LAUNCH);
        p->backend->launch(p->device, graph);
        prof_launched_steps(p->profiler, 1);
        prof_end(p->profiler);
    }
    CHECK_OK(&ctx, p->backend->synchronize(&ctx, p->device));
    return swe_clock_seconds() - start;
}

static prof_options options_of(prof_mode mode, const char *directory)
{
    return (prof_options){.mode = mode,
                          .directory = directory,
                          .start_step = FIRST,
                          .duration = STEPS,
                          .last_step = LAST,
                          .max_events = 100000,
                          .case_name = "proof",
                          .version = "0",
                          .regions = regions,
                          .region_count = REGIONS,
                          .warn = warn};
}

/* Run steps with a window. Returns the time of its steps as the host waited for them [s]. */
static double run(prof_mode mode, launch_mode launches, const char *directory, proof *p)
{
    const prof_options options = options_of(mode, directory);
    swe_context ctx = {""};
    prof_profiler *profiler = prof_create(&options);
    double waited = 0.0;
    assert_non_null(profiler);
    open_device(p, profiler);
    swe_graph *graph = NULL;
    for (int64_t step = 0; step < LAST; step++) {
        prof_at_step(profiler, step);
        if (step >= 1 && graph == NULL && launches == AS_GRAPH &&
            !prof_is_eager(profiler)) { /* the first step loads the kernels */
            prof_capture_begin(profiler);
            CHECK_OK(&ctx, p->backend->capture(&ctx, p->device, start_step, p, &graph));
            prof_capture_end(profiler);
        }
        const double time = run_step(p, prof_is_eager(profiler) ? NULL : graph);
        prof_add_stride(profiler, 1, time);
        waited += step >= FIRST && step < FIRST + STEPS ? time : 0.0;
    }
    prof_at_step(profiler, LAST);
    prof_finish(profiler);
    if (graph != NULL)
        p->backend->destroy_graph(p->device, &graph);
    assert_int_equal(prof_window_count(profiler), 1);
    close_device(p);
    prof_destroy(&profiler);
    return waited;
}

/* ---- what the window has ---- */

static json_t *summary_of(const char *directory)
{
    char path[512];
    json_error_t error;
    snprintf(path, sizeof path, "%s/step_%08d/summary.json", directory, FIRST);
    json_t *summary = json_load_file(path, 0, &error);
    if (summary == NULL)
        fail_msg("%s: %s", path, error.text);
    return summary;
}

static double number_at(const json_t *object, const char *first, const char *second)
{
    const json_t *value = json_object_get(object, first);
    return json_number_value(second != NULL ? json_object_get(value, second) : value);
}

static void remove_folder(const char *directory)
{
    char path[512];
    snprintf(path, sizeof path, "%s/step_%08d", directory, FIRST);
    prof_window_folder_remove(path);
    snprintf(path, sizeof path, "%s/gpu_log.csv", directory);
    unlink(path); /* where there is NVML */
    assert_int_equal(rmdir(directory), 0);
}

static void check_tracing(const json_t *summary, launch_mode launches)
{
    static const char *const drops[] = {"spans", "ops", "records", "rejected"};
    for (size_t k = 0; k < sizeof drops / sizeof *drops; k++)
        if (number_at(summary, "drops", drops[k]) != 0.0)
            fail_msg("%g dropped: %s", number_at(summary, "drops", drops[k]), drops[k]);
    const json_t *tracing = json_object_get(summary, "tracing");
    assert_true(number_at(tracing, "early_ops", NULL) == 0.0);
    assert_string_equal(json_string_value(json_object_get(tracing, "launch")),
                        launches == AS_GRAPH ? "graph" : "eager");
    printf("         traced step %.1f us, untraced %.1f us, ratio %.3f; clock %+.0f ns\n",
           1e-3 * number_at(tracing, "traced_step_ns", NULL),
           1e-3 * number_at(tracing, "untraced_step_ns", NULL), number_at(tracing, "ratio", NULL),
           number_at(tracing, "clock_difference_ns", NULL));
}

/* Launches and time [s] of the kernels of a stage. */
static int kernels_of(const json_t *summary, const char *stage, double *seconds)
{
    const json_t *row;
    size_t k;
    int launches = 0;
    json_array_foreach(json_object_get(summary, "kernels"), k, row)
    {
        const char *of = json_string_value(json_object_get(row, "stage"));
        if (of == NULL || strcmp(of, stage) != 0)
            continue;
        launches += (int)number_at(row, "time_ns", "count");
        *seconds += 1e-9 * number_at(row, "time_ns", "total");
    }
    return launches;
}

/* Check a trace of the known work; `waited` is the time of its steps on the host [s]. */
static void check_trace(const json_t *summary, launch_mode launches, double waited)
{
    double busy = 0.0;
    check_tracing(summary, launches);
    assert_int_equal(kernels_of(summary, "copy", &busy), STEPS * COPIES);
    assert_int_equal(kernels_of(summary, "chains", &busy), STEPS);
    printf("         kernels %.3f ms, host %.3f ms\n", 1e3 * busy, 1e3 * waited);
    assert_true(busy <= 1.02 * waited);
    if (!IS_EMULATED) /* the steps are long, so that launches and the wait are little of them */
        assert_true(busy >= 0.95 * waited);
}

static void trace(launch_mode launches)
{
    char directory[] = "/tmp/cubeswe_proof_XXXXXX";
    proof p;
    assert_non_null(mkdtemp(directory));
    const double waited = run(PROF_SUMMARY, launches, directory, &p);
    json_t *summary = summary_of(directory);
    check_trace(summary, launches, waited);
    json_decref(summary);
    remove_folder(directory);
}

static void kernels_started_one_by_one_are_all_recorded(void **state)
{
    (void)state;
    trace(ONE_BY_ONE);
}

static void kernels_of_a_graph_are_all_recorded(void **state)
{
    (void)state;
    trace(AS_GRAPH);
}

static const json_t *counted(const json_t *summary, const char *stage)
{
    const json_t *row;
    size_t k;
    json_array_foreach(json_object_get(json_object_get(summary, "counters"), "stages"), k, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "stage")), stage) == 0)
            return row;
    }
    fail_msg("no counters of %s", stage);
    return NULL;
}

static void check_counted(const char *what, double found, double expected)
{
    printf("         %s: counted %.6g, known %.6g, ratio %.4f\n", what, found, expected,
           found / expected);
    if (!IS_EMULATED) /* the stand-in counts threads */
        CHECK_CLOSE(found / expected, 1.0, 0.01);
    else
        assert_true(found > 0.0);
}

/* A window with counters; in mode PROF_FULL it is a trace, too. */
static void count(prof_mode mode)
{
    char directory[] = "/tmp/cubeswe_proof_XXXXXX";
    proof p;
    assert_non_null(mkdtemp(directory));
    const double waited = run(mode, AS_GRAPH, directory, &p);
    json_t *summary = summary_of(directory);
    if (mode == PROF_FULL)
        check_trace(summary, AS_GRAPH, waited);
    const bool has_counters = json_is_object(json_object_get(summary, "counters"));
    if (has_counters) {
        const json_t *copies = counted(summary, "copy"), *chains = counted(summary, "chains");
        check_counted("bytes",
                      number_at(copies, "dram_read_bytes", NULL) +
                          number_at(copies, "dram_written_bytes", NULL),
                      bytes_of_step(&p));
        check_counted("FLOPs", number_at(chains, "fp64_flops", NULL), flops_of_step(&p));
    }
    json_decref(summary);
    remove_folder(directory);
    if (!has_counters) /* a warning has given the reason */
        skip();
}

static void counters_count_the_known_work(void **state)
{
    (void)state;
    count(PROF_COUNTERS);
}

static void a_full_window_has_the_counters_and_all_kernels(void **state)
{
    (void)state;
    count(PROF_FULL);
}

/* The counters end with the run, so that the next one has them. */
static void a_run_may_end_within_the_counted_steps(void **state)
{
    (void)state;
    char directory[] = "/tmp/cubeswe_proof_XXXXXX";
    proof p;
    assert_non_null(mkdtemp(directory));
    const prof_options options = options_of(PROF_FULL, directory);
    prof_profiler *profiler = prof_create(&options);
    assert_non_null(profiler);
    open_device(&p, profiler);
    for (int64_t step = 0; step < 2; step++) {
        prof_at_step(profiler, step);
        run_step(&p, NULL);
    }
    prof_finish(profiler);
    assert_int_equal(prof_window_count(profiler), 0);
    close_device(&p);
    prof_destroy(&profiler);
    assert_int_equal(rmdir(directory), 0);
    count(PROF_COUNTERS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_started_one_by_one_are_all_recorded),
        cmocka_unit_test(kernels_of_a_graph_are_all_recorded),
        cmocka_unit_test(counters_count_the_known_work),
        cmocka_unit_test(a_full_window_has_the_counters_and_all_kernels),
        cmocka_unit_test(a_run_may_end_within_the_counted_steps),
    };
    if (cuda_backend() == NULL) {
        fputs("no GPU: skipped\n", stderr);
        return SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
