/* Whole sessions over the stand-in for CUPTI. */
#include <unistd.h>

#include "base/clock.h"
#include "profiling/cupti_session.h"
#include "sources/sources.h"

enum { EVENTS = 1000, STREAM = 7 };

typedef struct fixture {
    swe_log log;
    prof_cupti *cupti;
    prof_trace *trace;
} fixture;

static int begin(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (f == NULL)
        return -1;
    f->cupti = prof_cupti_create(EVENTS, &f->log);
    f->trace = prof_trace_create();
    *state = f;
    return f->cupti != NULL && f->trace != NULL ? 0 : -1;
}

static int end(void **state)
{
    fixture *f = *state;
    prof_cupti_destroy(&f->cupti);
    prof_cupti_destroy(&f->cupti);
    prof_trace_destroy(&f->trace);
    free(f);
    return session_left();
}

static void launch(const char *kernel)
{
    session_launch(kernel, STREAM, 13 * 49 * 6, 256);
}

/* A region with one kernel in it. */
static void stage(fixture *f, const char *name, int32_t span, const char *kernel)
{
    prof_cupti_push(f->cupti, (prof_region){name, PROF_STAGE}, span);
    launch(kernel);
    prof_cupti_pop(f->cupti);
}

/* Stop, into a trace as new. */
static const prof_trace *stop(fixture *f)
{
    prof_cupti_stop(f->cupti, session_trace(&f->trace), &f->log);
    return f->trace;
}

static void windows_get_their_own_work_with_its_spans(void **state)
{
    fixture *f = *state;
    for (int window = 0; window < 3; window++) {
        stage(f, "before", -1, "_Z6beforev"); /* in no window */
        prof_cupti_push(f->cupti, (prof_region){"steps", PROF_PHASE}, -1);
        const int64_t start = swe_clock_wall_ns();
        assert_true(prof_cupti_start(f->cupti, &f->log));
        prof_cupti_push(f->cupti, (prof_region){"step", PROF_STEP}, 0);
        stage(f, "gradient", 1 + window, "_Z15gradient_kernelPd");
        launch("_Z10rk4_kernelPd");
        prof_cupti_pop(f->cupti);
        launch("_Z5otherv");
        const prof_trace *t = stop(f);
        const int64_t end = swe_clock_wall_ns();
        prof_cupti_pop(f->cupti);

        assert_int_equal(t->op_count, 3);
        assert_int_equal(t->call_count, 3);
        const int32_t spans[] = {1 + window, 0, -1};
        const char *const names[] = {"gradient_kernel(double*)", "rk4_kernel(double*)", "other()"};
        for (int k = 0; k < 3; k++) {
            assert_string_equal(t->ops[k].name, names[k]);
            assert_int_equal(t->ops[k].span, spans[k]);
            assert_int_equal(t->ops[k].stream, STREAM);
            assert_true(t->ops[k].start >= start && t->ops[k].end <= end);
            assert_true(t->ops[k].occupancy == 100.0);
            assert_string_equal(t->calls[k].name, "cudaLaunchKernel_v7000");
            assert_int_equal(t->calls[k].span, spans[k]);
            assert_int_equal(t->calls[k].correlation, t->ops[k].correlation);
            assert_int_equal(t->calls[k].thread_id, getpid());
        }
        assert_string_equal(t->device.name, "Emulated GPU");
        assert_int_equal(t->device.multiprocessors, 132);
    }
    assert_int_equal(f->log.count, 0);
}

static void outside_of_windows_nothing_is_recorded(void **state)
{
    fixture *f = *state;
    const int64_t before = cupti_emulation_look().records;
    stage(f, "setup", -1, "_Z5setupv");
    stage(f, "early", 3, "_Z5setupv");
    assert_int_equal(cupti_emulation_look().records, before);
    assert_int_equal(cupti_emulation_look().kinds, 0);
    assert_int_equal(stop(f)->op_count, 0);
    assert_true(prof_cupti_start(f->cupti, &f->log));
    assert_true(cupti_emulation_look().kinds > 0);
    stop(f);
    assert_int_equal(cupti_emulation_look().kinds, 0);
    launch("_Z4latev");
    assert_true(prof_cupti_start(f->cupti, &f->log));
    assert_int_equal(stop(f)->op_count, 0);
    assert_int_equal(f->log.count, 0);
}

/* A step before the window, in which CUPTI gets ready, is not in it. */
static void what_warms_up_is_not_in_the_window(void **state)
{
    fixture *f = *state;
    prof_cupti_warm_up(f->cupti);
    const int kinds = cupti_emulation_look().kinds;
    assert_true(kinds > 0);
    launch("_Z5earlyv");
    assert_true(prof_cupti_start(f->cupti, &f->log));
    assert_int_equal(cupti_emulation_look().kinds, kinds);
    launch("_Z6windowv");
    const prof_trace *t = stop(f);
    assert_int_equal(t->op_count, 1);
    assert_string_equal(t->ops[0].name, "window()");
    assert_int_equal(t->call_count, 1);
    assert_string_equal(t->device.name, "Emulated GPU");
    prof_cupti_warm_up(f->cupti); /* and no window comes */
    assert_int_equal(f->log.count, 0);
}

static void clocks_that_differ_are_reported(void **state)
{
    fixture *f = *state;
    setenv("CUPTI_EMULATION_TIMESTAMP", "5000000", 1);
    assert_true(prof_cupti_start(f->cupti, &f->log));
    unsetenv("CUPTI_EMULATION_TIMESTAMP");
    session_warned(&f->log, "CUPTI's clock is", "ahead of the host's");
    setenv("CUPTI_EMULATION_EARLY", "1000000000", 1);
    launch("_Z1av");
    launch("_Z1bv");
    unsetenv("CUPTI_EMULATION_EARLY");
    launch("_Z1cv");
    f->log.count = 0;
    assert_int_equal(stop(f)->op_count, 3);
    session_warned(&f->log, "2 operations of the GPU begin before the calls", "clocks");
}

/* A region may be open when a window closes: its span means nothing to the next one. */
static void a_region_across_windows_has_no_span_in_the_next(void **state)
{
    fixture *f = *state;
    assert_true(prof_cupti_start(f->cupti, &f->log));
    prof_cupti_push(f->cupti, (prof_region){"long", PROF_PHASE}, 5);
    launch("_Z1av");
    assert_int_equal(stop(f)->ops[0].span, 5);
    assert_true(prof_cupti_start(f->cupti, &f->log));
    launch("_Z1av");
    prof_cupti_pop(f->cupti);
    assert_int_equal(stop(f)->ops[0].span, -1);
}

static void copies_fills_and_waits_are_recorded(void **state)
{
    fixture *f = *state;
    assert_true(prof_cupti_start(f->cupti, &f->log));
    prof_cupti_push(f->cupti, (prof_region){"output", PROF_PHASE}, 2);
    cupti_emulation_call_begin("cudaMemcpyAsync_v3020");
    cupti_emulation_copy(2, 4096);
    cupti_emulation_call_end(0);
    cupti_emulation_call_begin("cudaMemsetAsync_v3020");
    cupti_emulation_fill(256);
    cupti_emulation_call_end(1);
    cupti_emulation_call_begin("cudaStreamSynchronize_v3020");
    cupti_emulation_synchronize();
    cupti_emulation_call_end(0);
    prof_cupti_pop(f->cupti);
    const prof_trace *t = stop(f);
    assert_int_equal(t->op_count, 2);
    assert_string_equal(t->ops[0].name, "[CUDA memcpy Device-to-Host]");
    assert_int_equal(t->ops[0].bytes, 4096);
    assert_string_equal(t->ops[1].name, "[CUDA memset]");
    assert_int_equal(t->ops[1].bytes, 256);
    static const char *const names[] = {"cudaMemcpyAsync_v3020", "cudaMemsetAsync_v3020",
                                        "stream synchronize", "cudaStreamSynchronize_v3020"};
    assert_int_equal(t->call_count, 4);
    for (int k = 0; k < 4; k++) {
        assert_string_equal(t->calls[k].name, names[k]);
        assert_int_equal(t->calls[k].span, 2);
        assert_int_equal(t->calls[k].thread_id, getpid());
        assert_int_equal(t->calls[k].result, k == 1);
    }
}

/* A graph that is captured once, in regions, and launched in every window. */
static void replays_of_a_graph_have_the_stages_of_its_capture(void **state)
{
    fixture *f = *state;
    static const char *const stages[] = {"projection", "gradient"};
    uint64_t node[2];
    for (int k = 0; k < 2; k++) {
        prof_cupti_push(f->cupti, (prof_region){stages[k], PROF_STAGE}, -1);
        node[k] = cupti_emulation_node();
        prof_cupti_pop(f->cupti);
    }
    prof_cupti_push(f->cupti, (prof_region){"setup", PROF_PHASE}, -1);
    for (int k = 0; k < 2; k++)
        node[k] = cupti_emulation_node_copy(node[k]);
    prof_cupti_pop(f->cupti);
    for (int window = 0; window < 2; window++) {
        assert_true(prof_cupti_start(f->cupti, &f->log));
        prof_cupti_push(f->cupti, (prof_region){"step", PROF_STEP}, 1);
        cupti_emulation_call_begin("cudaGraphLaunch_v10000");
        for (int k = 0; k < 2; k++) {
            cupti_emulation_place(STREAM, 3, node[k]);
            cupti_emulation_kernel("_Z1kv", (const int[]){1, 1, 1}, (const int[]){32, 1, 1});
        }
        cupti_emulation_call_end(0);
        prof_cupti_pop(f->cupti);
        const prof_trace *t = stop(f);
        assert_int_equal(t->op_count, 2);
        for (int k = 0; k < 2; k++) {
            assert_string_equal(t->ops[k].stage, stages[k]);
            assert_int_equal(t->ops[k].span, 1);
            assert_int_equal(t->ops[k].graph, 3);
            assert_int_equal(t->ops[k].graph_node, node[k]);
        }
        assert_string_equal(t->calls[0].name, "cudaGraphLaunch_v10000");
    }
}

static void more_work_than_requested_is_counted(void **state)
{
    fixture *f = *state;
    assert_true(prof_cupti_start(f->cupti, &f->log));
    for (int k = 0; k < EVENTS; k++)
        launch("_Z1av");
    const prof_trace *t = stop(f);
    assert_int_equal(t->op_count + t->call_count, EVENTS);
    assert_int_equal(t->drops.ops, EVENTS);
    assert_int_equal(t->drops.records, 0);
}

/* CUPTI itself drops records that have no buffer; the next window has all of them again. */
static void full_buffers_are_reported_and_emptied(void **state)
{
    fixture *f = *state;
    enum { LAUNCHES = 100000 };
    for (int window = 0; window < 2; window++) {
        assert_true(prof_cupti_start(f->cupti, &f->log));
        const int64_t before = cupti_emulation_look().records;
        for (int k = 0; k < LAUNCHES; k++)
            launch("_Z1av");
        const int64_t records = cupti_emulation_look().records - before;
        const prof_trace *t = stop(f);
        assert_true(t->drops.records > 0);
        assert_int_equal(t->drops.records, 2 * LAUNCHES - records);
        assert_int_equal(t->op_count + t->call_count + t->drops.ops, records);
    }
    assert_true(prof_cupti_start(f->cupti, &f->log));
    launch("_Z1av");
    const prof_trace *t = stop(f);
    assert_int_equal(t->op_count, 1);
    assert_int_equal(t->drops.records + t->drops.ops, 0);
}

static void an_empty_window_is_empty(void **state)
{
    fixture *f = *state;
    assert_true(prof_cupti_start(f->cupti, &f->log));
    const prof_trace *t = stop(f);
    assert_int_equal(t->op_count + t->call_count, 0);
    const prof_drops none = {0};
    assert_memory_equal(&t->drops, &none, sizeof none);
    assert_int_equal(f->log.count, 0);
}

static void a_source_may_be_destroyed_in_a_window(void **state)
{
    fixture *f = *state;
    assert_true(prof_cupti_start(f->cupti, &f->log));
    launch("_Z1av");
    prof_cupti_destroy(&f->cupti);
    assert_null(f->cupti);
    launch("_Z1av");
    assert_int_equal(stop(f)->op_count, 0);
}

static void devices_that_are_refused_are_reported(void **state)
{
    fixture *f = *state;
    prof_cupti_warm_up(f->cupti);
    setenv("CUPTI_EMULATION_REFUSED_KIND", "8", 1);
    const bool started = prof_cupti_start(f->cupti, &f->log);
    unsetenv("CUPTI_EMULATION_REFUSED_KIND");
    assert_true(started);
    session_warned(&f->log, "does not describe its devices", "");
    stage(f, "step", 0, "_Z1av");
    assert_int_equal(stop(f)->op_count, 1);
}

static void a_kind_that_is_refused_ends_the_start(void **state)
{
    fixture *f = *state;
    setenv("CUPTI_EMULATION_REFUSED_KIND", "38", 1);
    const bool started = prof_cupti_start(f->cupti, &f->log);
    unsetenv("CUPTI_EMULATION_REFUSED_KIND");
    assert_false(started);
    session_warned(&f->log, "no GPU trace", "kind 38");
    assert_int_equal(cupti_emulation_look().kinds, 0);
    stage(f, "step", 0, "_Z1av");
    assert_int_equal(stop(f)->op_count, 0);
    assert_true(prof_cupti_start(f->cupti, &f->log)); /* the next one may do */
    stage(f, "step", 0, "_Z1av");
    assert_int_equal(stop(f)->op_count, 1);
}

/* No source, and one line with each of the texts. */
static void check_refused(const char *first, const char *second)
{
    static swe_log log;
    log = (swe_log){0};
    assert_null(prof_cupti_create(EVENTS, &log));
    session_warned(&log, first, second);
}

static void a_profiler_that_is_attached_is_named(void **state)
{
    (void)state;
    setenv("CUPTI_EMULATION_SUBSCRIBE", "39", 1);
    check_refused("another profiler", "CUPTI for emulated systems");
    setenv("CUPTI_EMULATION_SUBSCRIBE", "35", 1);
    check_refused("not permitted", "INSUFFICIENT_PRIVILEGES");
    setenv("CUPTI_EMULATION_SUBSCRIBE", "41", 1);
    check_refused("refuses", "emulated error 41");
    unsetenv("CUPTI_EMULATION_SUBSCRIBE");
    static swe_log log;
    prof_cupti *first = prof_cupti_create(EVENTS, &log);
    assert_non_null(first);
    check_refused("another profiler", "emulated systems"); /* us */
    prof_cupti_destroy(&first);
}

static void a_library_that_is_missing_or_another_is_named(void **state)
{
    (void)state;
    char library[1024];
    snprintf(library, sizeof library, "%s", getenv("CUBESWE_CUPTI_LIBRARY"));
    setenv("CUBESWE_CUPTI_LIBRARY", "/nowhere/libcupti.so", 1);
    check_refused("CUBESWE_CUPTI_LIBRARY", "/nowhere/libcupti.so");
    setenv("CUBESWE_CUPTI_LIBRARY", "libm.so.6", 1);
    check_refused("libm.so.6", "has no cupti");
    setenv("CUBESWE_CUPTI_LIBRARY", library, 1);
    setenv("CUPTI_EMULATION_VERSION", "130000", 1);
    check_refused("its version is 130000", "before 130001 (CUDA 13.0 update 1) it may hang");
    unsetenv("CUPTI_EMULATION_VERSION");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(windows_get_their_own_work_with_its_spans),
        TEST(outside_of_windows_nothing_is_recorded),
        TEST(what_warms_up_is_not_in_the_window),
        TEST(clocks_that_differ_are_reported),
        TEST(a_region_across_windows_has_no_span_in_the_next),
        TEST(copies_fills_and_waits_are_recorded),
        TEST(replays_of_a_graph_have_the_stages_of_its_capture),
        TEST(more_work_than_requested_is_counted),
        TEST(full_buffers_are_reported_and_emptied),
        TEST(an_empty_window_is_empty),
        TEST(a_source_may_be_destroyed_in_a_window),
        TEST(devices_that_are_refused_are_reported),
        TEST(a_kind_that_is_refused_ends_the_start),
        cmocka_unit_test(a_profiler_that_is_attached_is_named),
        cmocka_unit_test(a_library_that_is_missing_or_another_is_named)};
    return cmocka_run_group_tests_name("cupti: sessions", tests, NULL, NULL);
}
