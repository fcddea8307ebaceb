/* Whole sessions over the stand-in for CUPTI, in which a metric counts threads of kernels: the k-th
 * one k for each, in the pass that it is of. */
#include "profiling/cupti_session.h"
#include "sources/sources.h"

enum { MOST_RANGES = 1000 };

static const prof_region step_region = {"step", PROF_STEP}, part = {"rhs", PROF_SUBSTEP};

typedef struct fixture {
    swe_log log;
    prof_gpu_counters *counters;
    prof_trace *trace;
} fixture;

static int begin(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (f == NULL)
        return -1;
    f->counters = prof_gpu_counters_create(0, MOST_RANGES, &f->log);
    *state = f;
    return f->counters != NULL ? 0 : -1;
}

static int end(void **state)
{
    fixture *f = *state;
    prof_gpu_counters_destroy(&f->counters);
    prof_gpu_counters_destroy(&f->counters);
    prof_trace_destroy(&f->trace);
    free(f);
    return session_left();
}

static void launch(const char *kernel, int threads)
{
    session_launch(kernel, 0, threads, 1);
}

static void stage(fixture *f, const char *name, const char *kernel, int threads)
{
    prof_gpu_counters_begin(f->counters, (prof_region){name, PROF_STAGE}, 0);
    launch(kernel, threads);
    prof_gpu_counters_end(f->counters);
}

/* A step of three calls of two stages, which also launches something outside of them. */
static void step(fixture *f, int64_t number)
{
    prof_gpu_counters_begin(f->counters, step_region, number);
    prof_gpu_counters_begin(f->counters, part, number);
    stage(f, "gradient", "_Z15gradient_kernelPd", 100);
    launch("_Z5otherv", 5000);
    stage(f, "rk4", "_Z10rk4_kernelPd", 7);
    prof_gpu_counters_end(f->counters);
    stage(f, "gradient", "_Z15gradient_kernelPd", 10);
    prof_gpu_counters_end(f->counters);
}

static const prof_counted *stop(fixture *f, int64_t steps)
{
    session_trace(&f->trace)->steps = steps;
    prof_gpu_counters_stop(f->counters, f->trace, &f->log);
    assert_int_equal(cupti_emulation_look().profilers, 0);
    return &f->trace->counted;
}

static void check_stage(const prof_counted_stage *found, const char *name, int calls, int threads)
{
    assert_string_equal(found->stage, name);
    assert_int_equal(found->calls, calls);
    for (int k = 0; k < PROF_METRIC_COUNT; k++)
        assert_true(found->value[k] == (k + 1.0) * threads);
}

static void check_step(const prof_counted *counted, int64_t first_step)
{
    assert_string_equal(counted->chip, "GH100");
    assert_int_equal(counted->passes, 2);
    assert_int_equal(counted->first_step, first_step);
    assert_int_equal(counted->stage_count, 2);
    check_stage(&counted->stages[0], "gradient", 2, 110);
    check_stage(&counted->stages[1], "rk4", 1, 7);
    assert_int_equal(counted->kernel_count, 2);
    assert_string_equal(counted->kernels[0].name, "gradient_kernel(double*)");
    assert_string_equal(counted->kernels[0].stage, "gradient");
    assert_int_equal(counted->kernels[0].launches, 2);
    assert_string_equal(counted->kernels[1].name, "rk4_kernel(double*)");
    assert_int_equal(counted->kernels[1].launches, 1);
}

static void windows_count_one_step_in_two(void **state)
{
    fixture *f = *state;
    for (int64_t window = 0; window < 3; window++) {
        step(f, 10 * window);
        prof_gpu_counters_start(f->counters);
        assert_int_equal(cupti_emulation_look().profilers, 1);
        for (int64_t k = 1; k <= 3; k++) /* a third one finds nothing to do */
            step(f, 10 * window + k);
        stage(f, "gradient", "_Z15gradient_kernelPd", 1000); /* in no step */
        check_step(stop(f, 3), 10 * window + 1);
    }
    assert_int_equal(f->log.count, 0);
}

/* A first step determines the number of ranges. */
static void a_window_without_steps_before_it_takes_one_more(void **state)
{
    fixture *f = *state;
    prof_gpu_counters_start(f->counters);
    for (int64_t k = 0; k < 3; k++)
        step(f, k);
    check_step(stop(f, 3), 1);
    assert_int_equal(f->log.count, 0);
}

static void check_nothing(const fixture *f, const prof_counted *counted, const char *reason)
{
    assert_null(counted->chip);
    assert_int_equal(counted->stage_count + counted->kernel_count, 0);
    session_warned(&f->log, "no counters", reason);
}

static void a_window_that_is_too_short_says_so(void **state)
{
    fixture *f = *state;
    step(f, 0);
    prof_gpu_counters_start(f->counters);
    step(f, 1);
    check_nothing(f, stop(f, 1), "they need 2 steps");
    prof_gpu_counters_start(f->counters);
    step(f, 2);
    step(f, 3);
    check_step(stop(f, 2), 2);
}

static void steps_that_differ_are_not_combined(void **state)
{
    fixture *f = *state;
    step(f, 0);
    prof_gpu_counters_start(f->counters);
    step(f, 1);
    prof_gpu_counters_begin(f->counters, step_region, 2);
    stage(f, "gradient", "_Z15gradient_kernelPd", 100);
    prof_gpu_counters_end(f->counters);
    check_nothing(f, stop(f, 2), "different stages");
}

static void calls_beyond_the_most_are_reported(void **state)
{
    fixture *f = *state;
    prof_gpu_counters_destroy(&f->counters);
    f->counters = prof_gpu_counters_create(0, 2, &f->log);
    step(f, 0);
    prof_gpu_counters_start(f->counters);
    step(f, 1);
    step(f, 2);
    const prof_counted *counted = stop(f, 2);
    assert_int_equal(counted->stage_count, 2);
    check_stage(&counted->stages[0], "gradient", 1, 100);
    session_warned(&f->log, "1 calls of stages", "beyond profile.max_events");
}

static void ranges_that_are_lost_are_reported(void **state)
{
    fixture *f = *state;
    step(f, 0);
    prof_gpu_counters_start(f->counters);
    step(f, 1);
    step(f, 2);
    setenv("CUPTI_EMULATION_LOST_RANGES", "2", 1);
    const prof_counted *counted = stop(f, 2);
    unsetenv("CUPTI_EMULATION_LOST_RANGES");
    assert_int_equal(counted->stage_count, 1);
    check_stage(&counted->stages[0], "gradient", 1, 100);
    session_warned(&f->log, "counters: ", "no values of 2 calls");
}

/* Whatever call is refused in a window ends its counting, with one line. */
static void calls_that_fail_in_a_window_end_its_counting(void **state)
{
    fixture *f = *state;
    static const char *const calls[] = {"cuptiRangeProfilerEnable",
                                        "cuptiRangeProfilerGetCounterDataSize",
                                        "cuptiRangeProfilerSetConfig",
                                        "cuptiRangeProfilerCounterDataImageInitialize",
                                        "cuptiRangeProfilerStart",
                                        "cuptiRangeProfilerPushRange",
                                        "cuptiRangeProfilerPopRange",
                                        "cuptiRangeProfilerStop",
                                        "cuptiRangeProfilerDecodeData",
                                        "cuptiRangeProfilerGetCounterDataInfo",
                                        "cuptiRangeProfilerCounterDataGetRangeInfo",
                                        "cuptiProfilerHostEvaluateToGpuValues"};
    step(f, 0);
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        const char *refused = session_refuse(calls[k], 9);
        f->log = (swe_log){0};
        prof_gpu_counters_start(f->counters);
        step(f, 1);
        step(f, 2);
        check_nothing(f, stop(f, 2), refused);
        session_allow();
    }
    f->log = (swe_log){0};
    prof_gpu_counters_start(f->counters);
    step(f, 1);
    step(f, 2);
    check_step(stop(f, 2), 1); /* the next window may do */
    assert_int_equal(f->log.count, 0);
}

static void a_source_may_be_destroyed_in_a_step(void **state)
{
    fixture *f = *state;
    step(f, 0);
    prof_gpu_counters_start(f->counters);
    prof_gpu_counters_begin(f->counters, step_region, 1);
    prof_gpu_counters_begin(f->counters, (prof_region){"gradient", PROF_STAGE}, 1);
    prof_gpu_counters_destroy(&f->counters);
    launch("_Z1av", 1);
    assert_int_equal(cupti_emulation_look().profilers, 0);
}

/* No source, and one line with each of the texts. */
static void check_refused(const char *variable, const char *value, const char *first,
                          const char *second)
{
    static swe_log log;
    log = (swe_log){0};
    setenv(variable, value, 1);
    assert_null(prof_gpu_counters_create(0, MOST_RANGES, &log));
    unsetenv(variable);
    session_warned(&log, first, second);
    assert_int_equal(session_left(), 0);
}

static void a_machine_that_cannot_count_is_reported_with_the_reason(void **state)
{
    (void)state;
    static const char supported[] = "CUPTI_EMULATION_UNSUPPORTED";
    check_refused(supported, "vgpu", "virtualised", ": 33)");
    check_refused(supported, "vgpu-disabled", "virtualised", ": 40)");
    check_refused(supported, "confidential", "confidential", ": 41)");
    check_refused(supported, "architecture", "compute capability", ": 27)");
    check_refused("CUPTI_EMULATION_CHIP", "ZZ100", "does not know the chip", ": 46)");
    check_refused("CUPTI_EMULATION_SUBSCRIBE", "39", "no counters: another profiler",
                  "CUPTI for emulated systems");
    check_refused("CUPTI_EMULATION_REFUSED_CALL", "cuptiProfilerInitialize:999",
                  "perhaps there is no NVIDIA driver", "cuptiProfilerInitialize");
}

/* Privileges are checked when the profiler is enabled, in a window. */
static void refusals_of_the_driver_name_a_remedy(void **state)
{
    fixture *f = *state;
    static const struct {
        int result;
        const char *text;
    } refusals[] = {{35, "https://developer.nvidia.com/ERR_NVGPUCTRPERM"},
                    {33, "passed through"},
                    {40, "administrator"},
                    {41, "confidential"},
                    {43, "MIG"},
                    {26, "dcgmi profile --pause"},
                    {9, "emulated error 9"}};
    step(f, 0);
    for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++) {
        session_refuse("cuptiRangeProfilerEnable", refusals[k].result);
        f->log = (swe_log){0};
        prof_gpu_counters_start(f->counters);
        step(f, 1);
        check_nothing(f, stop(f, 1), refusals[k].text);
        session_allow();
    }
}

static void metrics_that_a_chip_lacks_are_reported_and_omitted(void **state)
{
    fixture *f = *state;
    prof_gpu_counters_destroy(&f->counters);
    setenv("CUPTI_EMULATION_CHIP", "GB202", 1);
    f->counters = prof_gpu_counters_create(0, MOST_RANGES, &f->log);
    unsetenv("CUPTI_EMULATION_CHIP");
    session_warned(&f->log, "chip GB202 has no metric",
                   "dram__bytes_read.sum, dram__bytes_write.sum");
    step(f, 0);
    prof_gpu_counters_start(f->counters);
    step(f, 1);
    step(f, 2);
    const prof_counted_stage *stages = stop(f, 2)->stages;
    assert_true(stages[0].value[PROF_METRIC_dram_read_bytes] == -1.0);
    assert_true(stages[0].value[PROF_METRIC_dram_written_bytes] == -1.0);
    assert_true(stages[0].value[PROF_METRIC_l2_bytes] == 4.0 * 110);
    assert_int_equal(f->log.count, 1);
}

static void counters_that_others_use_are_reported_and_omitted(void **state)
{
    fixture *f = *state;
    setenv("CUPTI_EMULATION_TAKEN", "dram__bytes_read.sum", 1);
    step(f, 0);
    prof_gpu_counters_start(f->counters);
    step(f, 1);
    step(f, 2);
    const prof_counted_stage *stages = stop(f, 2)->stages;
    unsetenv("CUPTI_EMULATION_TAKEN");
    assert_true(stages[0].value[PROF_METRIC_dram_read_bytes] == -1.0);
    assert_true(stages[0].value[PROF_METRIC_dram_written_bytes] > 0.0);
    session_warned(&f->log, "another program uses the counters of",
                   "dram__bytes_read.sum: the rest");
    assert_int_equal(f->log.count, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(windows_count_one_step_in_two),
        TEST(a_window_without_steps_before_it_takes_one_more),
        TEST(a_window_that_is_too_short_says_so),
        TEST(steps_that_differ_are_not_combined),
        TEST(calls_beyond_the_most_are_reported),
        TEST(ranges_that_are_lost_are_reported),
        TEST(calls_that_fail_in_a_window_end_its_counting),
        TEST(a_source_may_be_destroyed_in_a_step),
        cmocka_unit_test(a_machine_that_cannot_count_is_reported_with_the_reason),
        TEST(refusals_of_the_driver_name_a_remedy),
        TEST(metrics_that_a_chip_lacks_are_reported_and_omitted),
        TEST(counters_that_others_use_are_reported_and_omitted)};
    return cmocka_run_group_tests_name("counters: sessions", tests, NULL, NULL);
}
