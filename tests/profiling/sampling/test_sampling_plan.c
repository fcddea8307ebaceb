/* Metrics that are sampled on chips, by the library that CUBESWE_CUPTI_LIBRARY names: the stand-in
 * or the real one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>
#include <cupti_result.h>

#include "sources/cupti/cupti_library.h"
#include "sources/sampling/sampling_device.h"

static prof_cupti_library library;

static int open_library(void **state)
{
    (void)state;
    static swe_log log;
    return prof_cupti_library_open(&library, "counter samples", &log) ? 0 : -1;
}

/* Sampling has one pass, and a chip the quantities that its letters stand for: s, w(arps),
 * f(p64), r(ead), W(ritten), h(its). */
static void check(const char *chip, const char *expected)
{
    static const char letters[PROF_SAMPLED_COUNT + 1] = "swfrWh";
    prof_sampling_plan plan;
    prof_counters_failure failure;
    if (!prof_sampling_plan_create(&plan, library.handle, chip, NULL, &failure))
        fail_msg("%s: %s: %d", chip, failure.call, failure.result);
    assert_int_equal(prof_counters_host_passes(plan.host), 1);
    assert_int_equal(plan.count, strlen(expected));
    for (int k = 0; k < PROF_SAMPLED_COUNT; k++)
        if (prof_sampling_plan_has(&plan, k) != (strchr(expected, letters[k]) != NULL))
            fail_msg("%s: quantity %c", chip, letters[k]);
    size_t known = 0, bytes = 0;
    assert_non_null(prof_counters_host_names(plan.host, &known));
    assert_int_equal(known, plan.count);
    assert_non_null(prof_counters_host_image(plan.host, &bytes));
    assert_true(bytes > 0);
    prof_sampling_plan_destroy(&plan);
    assert_null(plan.host);
}

static void hopper_samples_everything_in_one_pass(void **state)
{
    (void)state;
    check("GH100", "swfrWh");
}

static void other_chips_sample_what_fits_into_one_pass(void **state)
{
    (void)state;
    check("GA100", "swfrW");
    check("GB202", "swfh");
}

/* Rates are per second and the rest is in percent, whatever the metric. */
static void metrics_have_the_reported_units(void **state)
{
    (void)state;
    static const char *const chips[] = {"GA100", "GH100", "GB202"};
    static const char *const units[] = {
#define UNIT(name, title, unit, meaning) unit,
        PROF_SAMPLED_LIST(UNIT)};
    for (int c = 0; c < 3; c++) {
        prof_sampling_plan plan;
        prof_counters_failure failure;
        assert_true(prof_sampling_plan_create(&plan, library.handle, chips[c], NULL, &failure));
        for (int k = 0; k < plan.count; k++) {
            const bool is_rate = strcmp(units[plan.quantity[k]], "B/s") == 0;
            assert_string_equal(prof_counters_host_unit(plan.host, plan.metric[k]),
                                is_rate ? "byte/second" : "percent");
        }
        prof_sampling_plan_destroy(&plan);
    }
}

static void an_unknown_chip_is_refused(void **state)
{
    (void)state;
    prof_sampling_plan plan;
    prof_counters_failure failure;
    assert_false(prof_sampling_plan_create(&plan, library.handle, "XX999", NULL, &failure));
    assert_string_equal(failure.call, "cuptiProfilerHostInitialize");
    assert_int_equal(failure.result, CUPTI_ERROR_INVALID_CHIP_NAME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hopper_samples_everything_in_one_pass),
                                       cmocka_unit_test(other_chips_sample_what_fits_into_one_pass),
                                       cmocka_unit_test(metrics_have_the_reported_units),
                                       cmocka_unit_test(an_unknown_chip_is_refused)};
    return cmocka_run_group_tests_name("sampling: plan", tests, open_library, NULL);
}
