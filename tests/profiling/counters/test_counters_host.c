/* Metrics of chips and the passes that they need, by the library that CUBESWE_CUPTI_LIBRARY names:
 * the stand-in or the real one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sources/counters/counters_host.h"
#include "sources/cupti/cupti_library.h"
#include "window/trace.h"

static const char *const names[] = {
#define NAME(name, cupti, unit, meaning) cupti,
    PROF_METRIC_LIST(NAME)};
static const char *const units[] = {
#define UNIT(name, cupti, unit, meaning) unit,
    PROF_METRIC_LIST(UNIT)};

static prof_cupti_library library;

static int open_library(void **state)
{
    (void)state;
    static swe_log log;
    return prof_cupti_library_open(&library, "counters", &log) ? 0 : -1;
}

static prof_counters_host *plan(const char *chip, const char *const *metrics, int count)
{
    prof_counters_failure failure = {NULL, 0};
    prof_counters_host *host = prof_counters_host_create(
        library.handle, (prof_counters_request){.chip = chip, .metrics = metrics, .count = count},
        &failure);
    if (host == NULL)
        fail_msg("%s: %s: %d", chip, failure.call, failure.result);
    return host;
}

/* Passes for some metrics of a chip, which has all of them. */
static int passes(const char *chip, const char *const *metrics, int count)
{
    prof_counters_host *host = plan(chip, metrics, count);
    for (int k = 0; k < count; k++)
        assert_true(prof_counters_host_has(host, k));
    size_t known = 0, bytes = 0;
    assert_non_null(prof_counters_host_names(host, &known));
    assert_int_equal(known, count);
    assert_non_null(prof_counters_host_image(host, &bytes));
    assert_true(bytes > 0);
    const int found = prof_counters_host_passes(host);
    prof_counters_host_destroy(&host);
    assert_null(host);
    return found;
}

static void traffic_takes_one_pass_and_operations_another(void **state)
{
    (void)state;
    static const char *const chips[] = {"GA100", "GH100"};
    const int traffic = PROF_METRIC_fp64_adds;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(passes(chips[k], names, traffic), 1);
        assert_int_equal(passes(chips[k], names + traffic, PROF_METRIC_COUNT - traffic), 1);
        assert_int_equal(passes(chips[k], names, PROF_METRIC_COUNT), 2);
    }
}

static void metrics_have_the_reported_units(void **state)
{
    (void)state;
    prof_counters_host *host = plan("GH100", names, PROF_METRIC_COUNT);
    for (int k = 0; k < PROF_METRIC_COUNT; k++) {
        assert_non_null(prof_counters_host_unit(host, names[k]));
        assert_string_equal(prof_counters_host_unit(host, names[k]), units[k]);
    }
    assert_null(prof_counters_host_unit(host, "dram__bytes_imagined.sum"));
    prof_counters_host_destroy(&host);
}

/* GB202's memory has other counters. */
static void what_a_chip_does_not_have_is_left_out(void **state)
{
    (void)state;
    prof_counters_host *host = plan("GB202", names, PROF_METRIC_COUNT);
    size_t known = 0;
    prof_counters_host_names(host, &known);
    assert_int_equal(known, PROF_METRIC_COUNT - 2);
    for (int k = 0; k < PROF_METRIC_COUNT; k++)
        assert_int_equal(prof_counters_host_has(host, k),
                         k != PROF_METRIC_dram_read_bytes && k != PROF_METRIC_dram_written_bytes);
    assert_int_equal(prof_counters_host_passes(host), 2);
    prof_counters_host_destroy(&host);
}

static void check_refused(const char *chip, const char *metric, const char *call, int result)
{
    prof_counters_failure failure = {NULL, 0};
    assert_null(prof_counters_host_create(
        library.handle, (prof_counters_request){.chip = chip, .metrics = &metric, .count = 1},
        &failure));
    assert_string_equal(failure.call, call);
    assert_int_equal(failure.result, result);
}

static void unknown_chips_and_metrics_are_refused(void **state)
{
    (void)state;
    check_refused("XX999", names[0], "cuptiProfilerHostInitialize", CUPTI_ERROR_INVALID_CHIP_NAME);
    check_refused("GH100", "dram__bytes_imagined.sum", "cuptiProfilerHostGetMetricProperties",
                  CUPTI_ERROR_INVALID_METRIC_NAME);
}

static void flops_need_all_their_terms(void **state)
{
    (void)state;
    prof_counted_stage stage = {.value[PROF_METRIC_fp64_adds] = 1.0,
                                .value[PROF_METRIC_fp64_multiplies] = 10.0,
                                .value[PROF_METRIC_fp64_fmas] = 100.0};
    assert_true(prof_counted_flops(&stage) == 211.0);
    for (int k = PROF_METRIC_fp64_adds; k <= PROF_METRIC_fp64_fmas; k++) {
        prof_counted_stage part = stage;
        part.value[k] = -1.0;
        assert_true(prof_counted_flops(&part) < 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traffic_takes_one_pass_and_operations_another),
        cmocka_unit_test(metrics_have_the_reported_units),
        cmocka_unit_test(what_a_chip_does_not_have_is_left_out),
        cmocka_unit_test(unknown_chips_and_metrics_are_refused),
        cmocka_unit_test(flops_need_all_their_terms)};
    return cmocka_run_group_tests_name("counters: host", tests, open_library, NULL);
}
