/* Whether two runs differ: known answers, and synthetic runs: of equal programs (how often
 * is a difference reported that is none) and of one that is 10 % slower (how often is it found). */
#include "support/check.h"

#include <math.h>

#include "compare/significance.h"
#include "support/random.h"

/* ---- known answers ------------------------------------------------------------------------- */

static void quantiles_of_student_are_those_of_tables(void **state)
{
    (void)state;
    CHECK_CLOSE(prof_student_quantile(0.05, 1), 12.70620, 1e-5);
    CHECK_CLOSE(prof_student_quantile(0.05, 2), 4.30265, 1e-5);
    CHECK_CLOSE(prof_student_quantile(0.01, 5), 4.03214, 1e-5);
    CHECK_CLOSE(prof_student_quantile(0.05, 10), 2.22814, 1e-5);
    CHECK_CLOSE(prof_student_quantile(0.001, 15), 4.07277, 1e-5);
    CHECK_CLOSE(prof_student_quantile(0.05, 999), 1.96234, 1e-5);
}

/* Medians exp(value). */
static prof_medians run_of(double *values, int count)
{
    for (int k = 0; k < count; k++)
        values[k] = exp(values[k]);
    return (prof_medians){values, count, 0.05, 100};
}

/* By hand: of 5 values one is trimmed at each end; pulled in they are {-s, -s, 0, s, s} with sum of
 * squares 4 s^2, over h (h - 1) = 6, and doubled; of both runs 4/3 s^2, with 2 (h - 1) = 4 degrees
 * of freedom.
 */
static void the_interval_is_that_of_yuen_and_the_floor(void **state)
{
    (void)state;
    const double s = 0.03;
    double a[] = {9.0 + s, 9.0, 9.0 + 9.0, 9.0 - s, 9.0 - 5.0};
    double b[] = {9.2 - s, 9.2 - 1.0, 9.2 + s, 9.2 + 2.0, 9.2};
    const prof_medians run_a = run_of(a, 5), run_b = run_of(b, 5);
    const prof_difference d = prof_difference_of(&run_a, &run_b, 0.05);
    const double floor = 0.04 + 0.1 / exp(9.0);
    const double half = hypot(2.77645 * sqrt(2.0 * 4.0 / 3.0) * s, floor);
    CHECK_CLOSE(d.a, exp(9.0), 1e-9);
    CHECK_CLOSE(d.b, exp(9.2), 1e-9);
    CHECK_CLOSE(d.change, expm1(0.2), 1e-12);
    CHECK_CLOSE(d.low, expm1(0.2 - half), 1e-6);
    CHECK_CLOSE(d.high, expm1(0.2 + half), 1e-6);
    CHECK_CLOSE(d.detectable, expm1(half), 1e-6);
    assert_true(d.between_windows && d.verdict == PROF_SLOWER);
}

static void verdicts_go_both_ways(void **state)
{
    (void)state;
    double a[] = {6.0, 6.0, 6.0, 6.0}, b[] = {6.1, 6.1, 6.1, 6.1}, c[] = {6.03, 6.03, 6.03, 6.03};
    const prof_medians run_a = run_of(a, 4), run_b = run_of(b, 4), run_c = run_of(c, 4);
    assert_int_equal(prof_difference_of(&run_a, &run_b, 0.001).verdict, PROF_SLOWER);
    assert_int_equal(prof_difference_of(&run_b, &run_a, 0.001).verdict, PROF_FASTER);
    assert_int_equal(prof_difference_of(&run_a, &run_c, 0.001).verdict, PROF_NO_DIFFERENCE);
    assert_int_equal(prof_difference_of(&run_a, &run_a, 0.001).verdict, PROF_NO_DIFFERENCE);
}

static void one_window_is_as_uncertain_as_a_sample(void **state)
{
    (void)state;
    double a[] = {5.0}, b[] = {5.1};
    prof_medians run_a = run_of(a, 1), run_b = run_of(b, 1);
    run_a.samples = run_b.samples = 11;
    const prof_difference d = prof_difference_of(&run_a, &run_b, 0.05);
    const double half = hypot(2.22814 * hypot(0.05, 0.05), 0.10 + 0.1 / exp(5.0));
    CHECK_CLOSE(d.low, expm1(0.1 - half), 1e-6);
    CHECK_CLOSE(d.high, expm1(0.1 + half), 1e-6);
    assert_true(!d.between_windows && d.verdict == PROF_NO_DIFFERENCE);
    run_b.samples = PROF_SAMPLES_MIN - 1;
    assert_int_equal(prof_difference_of(&run_a, &run_b, 0.05).verdict, PROF_NOT_JUDGED);
    run_b.samples = 11;
    run_b.spread = 1e3; /* a damaged file: the interval is beyond all numbers */
    const prof_difference none = prof_difference_of(&run_a, &run_b, 0.05);
    assert_true(none.verdict == PROF_NOT_JUDGED && none.low == 0.0 && none.high == 0.0);
}

/* A time near the resolution of the clock does not become slower by that. */
static void little_counts_little(void **state)
{
    (void)state;
    double a[] = {1.0, 1.0, 1.0}, b[] = {1.1, 1.1, 1.1};
    const prof_medians run_a = {a, 3, 0.0, 100}, run_b = {b, 3, 0.0, 100};
    assert_int_equal(prof_difference_of(&run_a, &run_b, 0.01).verdict, PROF_NO_DIFFERENCE);
}

static void a_minority_of_disturbed_windows_changes_little(void **state)
{
    (void)state;
    double a[40], b[40];
    for (int k = 0; k < 40; k++) {
        a[k] = 4.0 + 0.002 * (k % 5);
        b[k] = a[k] + (k < 8 ? 0.5 : 0.0); /* the first fifth of the run */
    }
    const prof_medians run_a = run_of(a, 40), run_b = run_of(b, 40);
    const prof_difference d = prof_difference_of(&run_a, &run_b, 0.001);
    assert_int_equal(d.verdict, PROF_NO_DIFFERENCE);
    CHECK_WITHIN(d.change, -0.002, 0.005);
}

static void thousands_of_windows_are_no_trouble(void **state)
{
    (void)state;
    static double a[20000], b[20000];
    for (int k = 0; k < 20000; k++) {
        a[k] = 4.0 + 1e-3 * (k % 7);
        b[k] = a[k] + 0.1;
    }
    const prof_medians run_a = run_of(a, 20000), run_b = run_of(b, 20000);
    const prof_difference d = prof_difference_of(&run_a, &run_b, 0.001);
    CHECK_CLOSE(d.change, expm1(0.1), 1e-3);
    assert_int_equal(d.verdict, PROF_SLOWER);
}

/* ---- synthetic runs ----------------------------------------------------------------------- */

enum { QUANTITIES = 8, PAIRS = 600, WINDOWS_MOST = 40 };

/* How times vary, as standard deviations of logarithms. */
typedef struct noise {
    double run;    /* from run to run, of a quantity alone */
    double window; /* from window to window */
    double memory; /* correlation of neighbouring windows */
    double bursts; /* share of windows that something else slows by half, all quantities */
} noise;

/* Nearly normal, of variance 1. */
static double normal(random_source *random)
{
    double sum = 0.0;
    for (int k = 0; k < 12; k++)
        sum += random_next(random);
    return 0.5 * sum;
}

/* A run of all quantities; the first is slower by a factor. */
static void make_run(random_source *random, const noise *n, int windows, double slower,
                     double medians[QUANTITIES][WINDOWS_MOST])
{
    double burst[WINDOWS_MOST];
    for (int k = 0; k < windows; k++)
        burst[k] = 0.5 * (random_next(random) + 1.0) < n->bursts ? log(1.5) : 0.0;
    for (int q = 0; q < QUANTITIES; q++) {
        const double level = log(100.0) + n->run * normal(random) + (q == 0 ? log(slower) : 0.0);
        double drift = normal(random);
        for (int k = 0; k < windows; k++) {
            medians[q][k] = exp(level + n->window * drift + burst[k]);
            drift = n->memory * drift + sqrt(1.0 - n->memory * n->memory) * normal(random);
        }
    }
}

/* PAIRS pairs, B's first quantity slower by a factor: share in which any other is reported
 * to differ, and share in which that one is found. */
static void simulate(const noise *n, int windows, double slower, double *alarms, double *found)
{
    static double a[QUANTITIES][WINDOWS_MOST], b[QUANTITIES][WINDOWS_MOST];
    random_source random = {(uint64_t)windows};
    *alarms = *found = 0.0;
    for (int pair = 0; pair < PAIRS; pair++) {
        bool is_alarm = false;
        make_run(&random, n, windows, 1.0, a);
        make_run(&random, n, windows, slower, b);
        for (int q = 0; q < QUANTITIES; q++) {
            const prof_medians run_a = {a[q], windows, 0.05, 100},
                               run_b = {b[q], windows, 0.05, 100};
            const prof_verdict verdict =
                prof_difference_of(&run_a, &run_b, 0.01 / QUANTITIES).verdict;
            if (q == 0)
                *found += verdict == PROF_SLOWER ? 1.0 / PAIRS : 0.0;
            if (q > 0 || slower == 1.0)
                is_alarm |= verdict != PROF_NO_DIFFERENCE;
        }
        *alarms += is_alarm ? 1.0 / PAIRS : 0.0;
    }
    print_message("%2d windows, %.0f %% bursts: false alarms %.1f %% of pairs, found %.1f %%\n",
                  windows, 100.0 * n->bursts, 100.0 * *alarms, 100.0 * *found);
}

static const int window_counts[] = {4, 8, 15, 40};
enum { COUNTS = sizeof window_counts / sizeof *window_counts };

/* Drift whose correlation falls to 1/e after one and a half windows, as strong as all of the
 * spread, and runs that differ by 1 %: at most 3 % of the pairs have a false alarm in any of 8
 * quantities. */
static void equal_runs_stay_quiet(void **state)
{
    (void)state;
    const noise drifting = {0.01, 0.02, 0.5, 0.0}, disturbed = {0.01, 0.02, 0.5, 0.15};
    for (int k = 0; k < COUNTS; k++) {
        double alarms, found;
        simulate(&drifting, window_counts[k], 1.0, &alarms, &found);
        CHECK_WITHIN(alarms, 0.0, 0.03);
        simulate(&disturbed, window_counts[k], 1.0, &alarms, &found);
        CHECK_WITHIN(alarms, 0.0, 0.03);
    }
}

static void a_tenth_more_is_found(void **state)
{
    (void)state;
    const noise quiet = {0.01, 0.01, 0.5, 0.0};
    for (int k = 1; k < COUNTS; k++) {
        double alarms, found;
        simulate(&quiet, window_counts[k], 1.1, &alarms, &found);
        CHECK_WITHIN(found, 0.95, 1.0);
        CHECK_WITHIN(alarms, 0.0, 0.03);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_of_student_are_those_of_tables),
        cmocka_unit_test(the_interval_is_that_of_yuen_and_the_floor),
        cmocka_unit_test(verdicts_go_both_ways),
        cmocka_unit_test(one_window_is_as_uncertain_as_a_sample),
        cmocka_unit_test(little_counts_little),
        cmocka_unit_test(a_minority_of_disturbed_windows_changes_little),
        cmocka_unit_test(thousands_of_windows_are_no_trouble),
        cmocka_unit_test(equal_runs_stay_quiet),
        cmocka_unit_test(a_tenth_more_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
