/* Whole sessions over the stand-in for CUPTI, in which sample k since the start of sampling has of
 * the n-th metric 10 n + k % 10. */
#include <time.h>

#include "base/clock.h"
#include "profiling/cupti_session.h"
#include "sources/sources.h"

enum { PERIOD = 100000, MOST = 100000 };

/* Place in the stand-in's list of the metrics that GH100 uses for each quantity. */
static const int place[PROF_SAMPLED_COUNT] = {
    [PROF_SAMPLED_sm_active_percent] = 1,     [PROF_SAMPLED_warps_active_percent] = 2,
    [PROF_SAMPLED_dram_read_bytes_per_s] = 3, [PROF_SAMPLED_dram_written_bytes_per_s] = 4,
    [PROF_SAMPLED_fp64_active_percent] = 5,   [PROF_SAMPLED_l2_hit_percent] = 8};

typedef struct fixture {
    swe_log log;
    prof_gpu_sampling *sampling;
    prof_trace *trace;
    int64_t opened;  /* the window */
    int64_t started; /* sampling */
} fixture;

static int begin(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (f == NULL)
        return -1;
    f->sampling = prof_gpu_sampling_create(0, PERIOD, MOST, &f->log);
    *state = f;
    return f->sampling != NULL && f->log.count == 0 ? 0 : -1;
}

static int end(void **state)
{
    fixture *f = *state;
    prof_gpu_sampling_destroy(&f->sampling);
    prof_gpu_sampling_destroy(&f->sampling);
    prof_trace_destroy(&f->trace);
    free(f);
    return session_left();
}

static void start(fixture *f)
{
    prof_gpu_sampling_start(f->sampling, &f->log);
    f->opened = f->started = swe_clock_wall_ns();
}

/* Let some periods pass, and close the window. */
static const prof_sampled *stop(fixture *f, int periods)
{
    while (swe_clock_wall_ns() < f->started + (int64_t)periods * PERIOD)
        nanosleep(&(struct timespec){.tv_nsec = PERIOD}, NULL);
    session_trace(&f->trace)->start = f->opened;
    f->trace->end = swe_clock_wall_ns();
    prof_gpu_sampling_stop(f->sampling, f->trace, &f->log);
    assert_int_equal(cupti_emulation_look().samplers, 0);
    return &f->trace->sampled;
}

/* One sample after the other, all within the window, with what the stand-in gives them. */
static void check_samples(const fixture *f, const prof_sampled *sampled)
{
    assert_string_equal(sampled->chip, "GH100");
    assert_int_equal(sampled->period, PERIOD);
    assert_true(sampled->intervals[0].start >= f->trace->start);
    assert_true(sampled->intervals[sampled->count - 1].end <= f->trace->end);
    const int first = (int)(sampled->intervals[0].value[0] - 10.0);
    for (int64_t k = 0; k < sampled->count; k++) {
        const prof_sampled_interval *s = &sampled->intervals[k];
        assert_int_equal(s->end - s->start, PERIOD);
        if (k > 0)
            assert_int_equal(s->start, s[-1].end);
        for (int q = 0; q < PROF_SAMPLED_COUNT; q++)
            assert_true(s->value[q] == 10.0 * place[q] + (double)((first + k) % 10));
    }
}

static void windows_get_the_samples_of_their_time(void **state)
{
    fixture *f = *state;
    for (int window = 0; window < 3; window++) {
        assert_int_equal(cupti_emulation_look().samplers, 0);
        start(f);
        assert_int_equal(cupti_emulation_look().samplers, 1);
        const prof_sampled *sampled = stop(f, 20);
        assert_true(sampled->count >= 18); /* without those at the edges */
        check_samples(f, sampled);
    }
    assert_int_equal(f->log.count, 0);
}

/* More than are decoded at once. */
static void long_windows_are_read_step_by_step(void **state)
{
    fixture *f = *state;
    start(f);
    const prof_sampled *sampled = stop(f, 2500);
    assert_true(sampled->count >= 2498);
    check_samples(f, sampled);
    assert_int_equal(f->log.count, 0);
}

static void activity_records_go_with_it(void **state)
{
    fixture *f = *state;
    prof_cupti *cupti = prof_cupti_create(1000, &f->log);
    assert_non_null(cupti);
    start(f);
    assert_true(prof_cupti_start(cupti, &f->log));
    session_launch("_Z1av", 7, 1, 32);
    const prof_sampled *sampled = stop(f, 5);
    assert_true(sampled->count > 0);
    prof_cupti_stop(cupti, f->trace, &f->log);
    assert_int_equal(f->trace->op_count, 1);
    prof_cupti_destroy(&cupti);
    assert_int_equal(f->log.count, 0);
}

static void check_nothing(fixture *f, const prof_sampled *sampled, const char *reason)
{
    assert_null(sampled->chip);
    assert_int_equal(sampled->count, 0);
    session_warned(&f->log, "no counter samples", reason);
}

static void a_window_that_is_too_short_says_so(void **state)
{
    fixture *f = *state;
    prof_gpu_sampling_destroy(&f->sampling);
    f->sampling = prof_gpu_sampling_create(0, INT64_C(3600) * 1000000000, MOST, &f->log);
    start(f);
    check_nothing(f, stop(f, 1), "profile.sampling");
}

static void a_full_buffer_is_reported_and_its_samples_are_kept(void **state)
{
    fixture *f = *state;
    const int64_t before = swe_clock_wall_ns();
    start(f);
    f->opened = before;
    setenv("CUPTI_EMULATION_SAMPLES_MOST", "10", 1);
    const prof_sampled *sampled = stop(f, 20);
    unsetenv("CUPTI_EMULATION_SAMPLES_MOST");
    assert_int_equal(sampled->count, 10);
    check_samples(f, sampled);
    session_warned(&f->log, "buffer of 512 MiB was full", "profile.sampling");
    f->log = (swe_log){0};
    start(f);
    session_refuse("cuptiPmSamplingDecodeData", 8); /* the other way to report it */
    sampled = stop(f, 3);
    session_allow();
    assert_null(sampled->chip);
    session_warned(&f->log, "buffer of 512 MiB was full", "profile.sampling");
}

static void samples_that_are_not_decoded_are_reported(void **state)
{
    fixture *f = *state;
    start(f);
    setenv("CUPTI_EMULATION_DECODE_STOPS", "1", 1);
    const prof_sampled *sampled = stop(f, 2500);
    unsetenv("CUPTI_EMULATION_DECODE_STOPS");
    assert_true(sampled->count < 2400); /* those of one step */
    check_samples(f, sampled);
    session_warned(&f->log, "counter samples are incomplete", "does not decode");
}

static void samples_beyond_the_most_are_reported(void **state)
{
    fixture *f = *state;
    prof_gpu_sampling_destroy(&f->sampling);
    f->sampling = prof_gpu_sampling_create(0, PERIOD, 7, &f->log);
    start(f);
    const prof_sampled *sampled = stop(f, 20);
    assert_int_equal(sampled->count, 7);
    check_samples(f, sampled);
    session_warned(&f->log, "counter samples are beyond", "profile.max_events");
}

static void another_clock_is_reported(void **state)
{
    fixture *f = *state;
    start(f);
    setenv("CUPTI_EMULATION_CLOCK", "1000000000000", 1);
    check_nothing(f, stop(f, 10), "clock");
    f->log = (swe_log){0};
    start(f);
    setenv("CUPTI_EMULATION_CLOCK", "-4000000000000000000", 1); /* before the epoch */
    const prof_sampled *sampled = stop(f, 10);
    unsetenv("CUPTI_EMULATION_CLOCK");
    assert_null(sampled->chip);
    session_warned(&f->log, "counter samples", "no valid times");
}

/* Whatever call is refused in a window ends its samples, with one line; the next one may do. */
static void calls_that_fail_in_a_window_end_its_samples(void **state)
{
    fixture *f = *state;
    static const char *const calls[] = {"cuptiPmSamplingEnable",
                                        "cuptiPmSamplingSetConfig",
                                        "cuptiPmSamplingGetCounterDataSize",
                                        "cuptiPmSamplingStart",
                                        "cuptiPmSamplingStop",
                                        "cuptiPmSamplingCounterDataImageInitialize",
                                        "cuptiPmSamplingDecodeData",
                                        "cuptiPmSamplingGetCounterDataInfo",
                                        "cuptiPmSamplingCounterDataGetSampleInfo",
                                        "cuptiProfilerHostEvaluateToGpuValues"};
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
        f->log = (swe_log){0};
        const char *refused = session_refuse(calls[k], 9);
        start(f);
        check_nothing(f, stop(f, 3), refused);
        session_allow();
    }
    f->log = (swe_log){0};
    start(f);
    check_samples(f, stop(f, 5));
    assert_int_equal(f->log.count, 0);
}

static void a_source_may_be_destroyed_in_a_window(void **state)
{
    fixture *f = *state;
    start(f);
    prof_gpu_sampling_destroy(&f->sampling);
    assert_int_equal(cupti_emulation_look().samplers, 0);
    assert_int_equal(stop(f, 1)->count, 0);
    assert_int_equal(f->log.count, 0);
}

/* No source, and one line with each of the texts. */
static void check_refused(const char *variable, const char *value, const char *first,
                          const char *second)
{
    static swe_log log;
    log = (swe_log){0};
    setenv(variable, value, 1);
    assert_null(prof_gpu_sampling_create(0, PERIOD, MOST, &log));
    unsetenv(variable);
    session_warned(&log, first, second);
    assert_int_equal(strncmp(log.line[0], "no counter samples: ", 20), 0);
    assert_int_equal(session_left(), 0);
}

static void a_machine_that_cannot_sample_is_reported_with_the_reason(void **state)
{
    (void)state;
    static const char supported[] = "CUPTI_EMULATION_UNSUPPORTED",
                      refused[] = "CUPTI_EMULATION_REFUSED_CALL";
    check_refused(supported, "vgpu", "virtualised", ": 33)");
    check_refused(supported, "vgpu-disabled", "virtualised", ": 40)");
    check_refused(supported, "confidential", "confidential", ": 41)");
    check_refused(supported, "architecture", "compute capability 7.5", ": 27)");
    check_refused("CUPTI_EMULATION_CHIP", "ZZ100", "does not know the chip", ": 46)");
    check_refused(refused, "cuptiPmSamplingGetCounterAvailability:35", "ERR_NVGPUCTRPERM", ": 35)");
    check_refused(refused, "cuptiPmSamplingGetCounterAvailability:43", "MIG", ": 43)");
    check_refused(refused, "cuptiPmSamplingGetCounterAvailability:26", "dcgmi profile --pause",
                  ": 26)");
    check_refused(refused, "cuptiProfilerInitialize:999", "perhaps there is no NVIDIA driver",
                  "cuptiProfilerInitialize");
}

static void a_library_that_is_missing_is_named(void **state)
{
    (void)state;
    char library[1024];
    snprintf(library, sizeof library, "%s", getenv("CUBESWE_CUPTI_LIBRARY"));
    check_refused("CUBESWE_CUPTI_LIBRARY", "/nowhere/libcupti.so", "CUPTI cannot be loaded",
                  "/nowhere/libcupti.so");
    setenv("CUBESWE_CUPTI_LIBRARY", library, 1);
}

static void metrics_that_a_chip_cannot_sample_are_reported_and_omitted(void **state)
{
    fixture *f = *state;
    prof_gpu_sampling_destroy(&f->sampling);
    setenv("CUPTI_EMULATION_CHIP", "GA100", 1); /* which has no timer for it, either */
    f->sampling = prof_gpu_sampling_create(0, PERIOD, MOST, &f->log);
    session_warned(&f->log, "chip GA100 cannot sample L2 hits", "together with the rest");
    start(f);
    const prof_sampled *sampled = stop(f, 5);
    unsetenv("CUPTI_EMULATION_CHIP");
    assert_true(sampled->count > 0);
    assert_true(sampled->intervals[0].value[PROF_SAMPLED_l2_hit_percent] == -1.0);
    assert_true(sampled->intervals[0].value[PROF_SAMPLED_fp64_active_percent] >= 60.0);
    assert_int_equal(f->log.count, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(windows_get_the_samples_of_their_time),
        TEST(long_windows_are_read_step_by_step),
        TEST(activity_records_go_with_it),
        TEST(a_window_that_is_too_short_says_so),
        TEST(a_full_buffer_is_reported_and_its_samples_are_kept),
        TEST(samples_that_are_not_decoded_are_reported),
        TEST(samples_beyond_the_most_are_reported),
        TEST(another_clock_is_reported),
        TEST(calls_that_fail_in_a_window_end_its_samples),
        TEST(a_source_may_be_destroyed_in_a_window),
        cmocka_unit_test(a_machine_that_cannot_sample_is_reported_with_the_reason),
        cmocka_unit_test(a_library_that_is_missing_is_named),
        TEST(metrics_that_a_chip_cannot_sample_are_reported_and_omitted)};
    return cmocka_run_group_tests_name("sampling: sessions", tests, NULL, NULL);
}
