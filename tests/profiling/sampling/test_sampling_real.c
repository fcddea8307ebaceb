/* Tests that need the real library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sources/cupti/cupti_library.h"
#include "sources/sources.h"
#include "sources/sampling/sampling_device.h"

static int passes(void *library, const char *metric)
{
    prof_counters_failure failure = {NULL, 0};
    const prof_counters_request wish = {
        .chip = "GH100", .metrics = &metric, .count = 1, .over_time = true};
    prof_counters_host *host = prof_counters_host_create(library, wish, &failure);
    assert_non_null(host);
    const int found = prof_counters_host_passes(host);
    prof_counters_host_destroy(&host);
    return found;
}

/* Why the metric groups for sampling are preferred. */
static void the_usual_metrics_would_take_hopper_two_passes(void **state)
{
    (void)state;
    static swe_log log;
    prof_cupti_library library;
    assert_true(prof_cupti_library_open(&library, "counter samples", &log));
    assert_int_equal(
        passes(library.handle, "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_elapsed"), 2);
    assert_int_equal(passes(library.handle, "lts__t_sector_hit_rate.pct"), 2);
}

/* Chips that the stand-in does not know. */
static void further_chips_can_be_sampled(void **state)
{
    (void)state;
    static swe_log log;
    static const struct {
        const char *chip;
        int quantities;
    } chips[] = {{"TU102", 5}, {"GA102", 6}, {"AD102", 6}, {"GB100", 6}};
    prof_cupti_library library;
    assert_true(prof_cupti_library_open(&library, "counter samples", &log));
    for (int k = 0; k < 4; k++) {
        prof_sampling_plan plan;
        prof_counters_failure failure;
        assert_true(
            prof_sampling_plan_create(&plan, library.handle, chips[k].chip, NULL, &failure));
        if (plan.count != chips[k].quantities)
            fail_msg("%s: %d quantities", chips[k].chip, plan.count);
        assert_int_equal(prof_counters_host_passes(plan.host), 1);
        prof_sampling_plan_destroy(&plan);
    }
}

static void a_machine_without_a_gpu_gets_one_warning(void **state)
{
    (void)state;
    static swe_log log;
    prof_gpu_sampling *sampling = prof_gpu_sampling_create(0, 100000, 1000, &log);
    if (sampling == NULL) {
        assert_int_equal(log.count, 1);
        assert_non_null(strstr(log.line[0], "no counter samples: "));
    }
    prof_gpu_sampling_destroy(&sampling);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_usual_metrics_would_take_hopper_two_passes),
        cmocka_unit_test(further_chips_can_be_sampled),
        cmocka_unit_test(a_machine_without_a_gpu_gets_one_warning)};
    return cmocka_run_group_tests_name("sampling: real library", tests, NULL, NULL);
}
