/* Repeated measurements: their quartiles, that thinning keeps them spread over the run, and their
 * grade. */
#include "support/check.h"

#include <string.h>

#include "base/clock.h"
#include "base/samples.h"

static void add_all(swe_samples *samples, const double *values, int count)
{
    for (int i = 0; i < count; i++)
        swe_samples_add(samples, values[i]);
}

static void check_quartiles(const double *values, int count, double low, double median, double high)
{
    static swe_samples samples;
    samples = (swe_samples){0};
    add_all(&samples, values, count);
    const swe_quartiles found = swe_samples_quartiles(&samples);
    assert_int_equal(found.count, count);
    CHECK_CLOSE(found.low, low, 1e-15);
    CHECK_CLOSE(found.median, median, 1e-15);
    CHECK_CLOSE(found.high, high, 1e-15);
}

static void quartiles_of_known_lists(void **state)
{
    (void)state;
    check_quartiles((double[]){7.0}, 1, 7.0, 7.0, 7.0);
    check_quartiles((double[]){3.0, 1.0}, 2, 1.5, 2.0, 2.5);
    check_quartiles((double[]){4.0, 1.0, 3.0, 2.0}, 4, 1.75, 2.5, 3.25);
    check_quartiles((double[]){5.0, 4.0, 3.0, 2.0, 1.0}, 5, 2.0, 3.0, 4.0);
    check_quartiles((double[]){-1.0, -1.0, 8.0, -1.0, -1.0}, 5, -1.0, -1.0, -1.0);
}

static void quartiles_of_nothing_are_zero(void **state)
{
    (void)state;
    static swe_samples samples;
    samples = (swe_samples){0};
    const swe_quartiles found = swe_samples_quartiles(&samples);
    assert_int_equal(found.count, 0);
    assert_true(found.low == 0.0 && found.median == 0.0 && found.high == 0.0);
}

static void up_to_the_bound_every_sample_is_kept(void **state)
{
    (void)state;
    static swe_samples samples;
    samples = (swe_samples){0};
    for (int i = 0; i < SWE_SAMPLES_MOST; i++)
        swe_samples_add(&samples, i);
    assert_int_equal(samples.count, SWE_SAMPLES_MOST);
    for (int i = 0; i < SWE_SAMPLES_MOST; i++)
        assert_true(samples.value[i] == i);
}

/* The samples kept of 0, 1, 2, ... are every stride-th number, from the first to the last. */
static void check_spread(const swe_samples *samples, long offered)
{
    assert_in_range(samples->count, SWE_SAMPLES_MOST / 2, SWE_SAMPLES_MOST);
    for (int i = 0; i < samples->count; i++)
        assert_true(samples->value[i] == (double)(i * samples->stride));
    assert_true(samples->count * samples->stride >= offered);
}

static void thinning_keeps_the_count_bounded_and_the_samples_spread(void **state)
{
    (void)state;
    static swe_samples samples;
    samples = (swe_samples){0};
    const long most = 20L * SWE_SAMPLES_MOST;
    for (long i = 0; i < most; i++) {
        swe_samples_add(&samples, (double)i);
        if (i >= SWE_SAMPLES_MOST && i % 777 == 0)
            check_spread(&samples, i + 1);
    }
    const swe_quartiles found = swe_samples_quartiles(&samples);
    CHECK_CLOSE(found.low, 0.25 * (double)most, 0.01 * (double)most);
    CHECK_CLOSE(found.median, 0.50 * (double)most, 0.01 * (double)most);
    CHECK_CLOSE(found.high, 0.75 * (double)most, 0.01 * (double)most);
}

static void made_up_samples_are_graded(void **state)
{
    (void)state;
    assert_null(swe_doubt_of(&(swe_quartiles){90.0, 100.0, 110.0, 30, 0.04}));
    assert_non_null(strstr(swe_doubt_of(&(swe_quartiles){90.0, 100.0, 110.0, 30, 0.06}), "cores"));
    assert_non_null(
        strstr(swe_doubt_of(&(swe_quartiles){70.0, 100.0, 110.0, 30, 0.0}), "quartiles"));
    assert_null(swe_doubt_of_waits(0.04));
    assert_non_null(swe_doubt_of_waits(0.06));
}

static void a_watch_counts_waits(void **state)
{
    (void)state;
    const swe_watch watch = swe_watch_start();
    while (swe_clock_seconds() < watch.start + 0.05)
        ;
    const double waited = swe_watch_waited(&watch);
    assert_true(waited >= 0.0 && waited <= 1.0);
}

static void the_clock_is_monotonic_and_advances(void **state)
{
    (void)state;
    const double start = swe_clock_seconds();
    double last = start;
    for (int i = 0; i < 100000; i++) {
        const double now = swe_clock_seconds();
        assert_true(now >= last);
        last = now;
    }
    assert_true(last > start);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quartiles_of_known_lists),
        cmocka_unit_test(quartiles_of_nothing_are_zero),
        cmocka_unit_test(up_to_the_bound_every_sample_is_kept),
        cmocka_unit_test(thinning_keeps_the_count_bounded_and_the_samples_spread),
        cmocka_unit_test(made_up_samples_are_graded),
        cmocka_unit_test(a_watch_counts_waits),
        cmocka_unit_test(the_clock_is_monotonic_and_advances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
