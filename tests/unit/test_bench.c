/* Groups of rows that share memory, and fits to the rows of a bench. */
#include "support/check.h"

#include <math.h>
#include <string.h>

#include "cli/bench.h"

enum { MOST = 6 };

static void rows_of(const size_t *bytes, int count, cli_bench_row *rows)
{
    for (int k = 0; k < count; k++)
        rows[k] = (cli_bench_row){.bytes = bytes[k], .group = -1};
}

static void test_rows_that_fit_together_are_one_group(void **state)
{
    (void)state;
    cli_bench_row rows[MOST];
    rows_of((const size_t[]){10, 20, 60}, 3, rows);
    assert_null(cli_bench_form_groups(rows, 3, 100));
    for (int k = 0; k < 3; k++)
        assert_int_equal(rows[k].group, 0);
}

static void test_a_group_leaves_a_tenth_of_the_memory(void **state)
{
    (void)state;
    static const int groups[] = {0, 0, 1, 1, 2, 3};
    cli_bench_row rows[MOST];
    rows_of((const size_t[]){10, 60, 30, 60, 95, 40}, MOST, rows);
    assert_null(cli_bench_form_groups(rows, MOST, 100));
    for (int k = 0; k < MOST; k++)
        assert_int_equal(rows[k].group, groups[k]);
}

static void test_a_row_that_cannot_fit_is_found(void **state)
{
    (void)state;
    cli_bench_row rows[MOST];
    rows_of((const size_t[]){10, 101, 102}, 3, rows);
    assert_ptr_equal(cli_bench_form_groups(rows, 3, 100), &rows[1]);
    assert_null(cli_bench_form_groups(rows, 2, 101));
}

/* Rows of two orders whose times are a + V / b to rounding. */
static void test_a_fit_recovers_latency_and_throughput(void **state)
{
    (void)state;
    static const cli_bench_variant variant = {SWE_PIPELINE_FUSED, SWE_PRECISION_DOUBLE, {NULL}};
    static const double latency[] = {3e-6, 50e-6}, throughput[] = {2e9, 0.5e9};
    double seconds[MOST];
    cli_bench_row rows[MOST];
    const cli_bench_study bench = {.repeats = 1, .rows = rows, .count = MOST};
    for (int k = 0; k < MOST; k++) {
        const double n = 24 << k % 3, dof = 6.0 * (n + 1.0) * (3.0 * n + 1.0);
        seconds[k] = 7.0 * (latency[k / 3] + dof / throughput[k / 3]);
        rows[k] = (cli_bench_row){.variant = &variant,
                                  .order = k / 3,
                                  .n = (int)n,
                                  .batch = 7,
                                  .samples = 1,
                                  .seconds = &seconds[k]};
    }
    for (int order = 0; order < 2; order++) {
        const cli_bench_fit fit = cli_bench_fit_of(&bench, 3 * order);
        assert_int_equal(fit.count, 3);
        assert_true(fabs(fit.latency_us - 1e6 * latency[order]) < 1e-6);
        assert_true(fabs(fit.throughput_gdof - 1e-9 * throughput[order]) < 1e-9);
        assert_true(fit.worst < 1e-9);
    }
}

static void test_peaks_that_are_not_in_order_are_not_reliable(void **state)
{
    (void)state;
    swe_peaks peaks = {.copy_bandwidth = 50e9,
                       .caches = {{"L1", 1.0, 400e9}, {"L2", 2.0, 200e9}, {"L3", 3.0, 180e9}},
                       .cache_count = 3};
    assert_null(swe_peaks_doubt(&peaks, 0.0));
    assert_non_null(strstr(swe_peaks_doubt(&peaks, 0.1), "cores"));
    peaks.copy_bandwidth = 190e9; /* not slower by more than a tenth */
    assert_null(swe_peaks_doubt(&peaks, 0.0));
    peaks.copy_bandwidth = 210e9;
    assert_non_null(strstr(swe_peaks_doubt(&peaks, 0.0), "slower"));
    peaks = (swe_peaks){
        .copy_bandwidth = 50e9, .caches = {{"L1", 1.0, 0.2e9}, {"L2", 2.0, 5e9}}, .cache_count = 2};
    assert_non_null(strstr(swe_peaks_doubt(&peaks, 0.0), "slower"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_that_fit_together_are_one_group),
        cmocka_unit_test(test_a_group_leaves_a_tenth_of_the_memory),
        cmocka_unit_test(test_a_row_that_cannot_fit_is_found),
        cmocka_unit_test(test_a_fit_recovers_latency_and_throughput),
        cmocka_unit_test(test_peaks_that_are_not_in_order_are_not_reliable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
