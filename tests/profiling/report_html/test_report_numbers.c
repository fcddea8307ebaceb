/* How numbers are told, and where ticks of axes are. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/html/axis.h"
#include "report/html/number.h"

#define SPACE "\xe2\x80\xaf" /* narrow, does not break */
#define NONE  "\xe2\x80\x93"

static void test_quantities(void **state)
{
    (void)state;
    assert_string_equal(number_time(0.0).text, "0" SPACE "ns");
    assert_string_equal(number_time(0.4123).text, "0.41" SPACE "ns");
    assert_string_equal(number_time(999.4).text, "999" SPACE "ns");
    assert_string_equal(number_time(999.7).text, "1.00" SPACE "µs");
    assert_string_equal(number_time(1148183.0).text, "1.15" SPACE "ms");
    assert_string_equal(number_time(99.96e6).text, "100" SPACE "ms");
    assert_string_equal(number_time(3.6e12).text, "3600" SPACE "s");
    assert_string_equal(number_bytes(21344400.0).text, "21.3" SPACE "MB");
    assert_string_equal(number_bandwidth(3.35e12).text, "3.35" SPACE "TB/s");
    assert_string_equal(number_flop_rate(6.7e13).text, "67.0" SPACE "TFLOP/s");
    assert_string_equal(number_time(NAN).text, NONE);
    assert_string_equal(number_bytes(INFINITY).text, NONE);
}

static void test_shares_and_counts(void **state)
{
    (void)state;
    assert_string_equal(number_percent(0.3051).text, "30.5" SPACE "%");
    assert_string_equal(number_percent(0.0).text, "0" SPACE "%");
    assert_string_equal(number_percent(0.0001).text, "< 0.1" SPACE "%");
    assert_string_equal(number_percent(NAN).text, NONE);
    assert_string_equal(number_count(1234).text, "1234");
    assert_string_equal(number_count(2659590).text, "2" SPACE "659" SPACE "590");
    assert_string_equal(number_count(INT64_MAX).text, "9" SPACE "223" SPACE "372" SPACE "036" SPACE
                                                      "854" SPACE "775" SPACE "807");
    assert_string_equal(number_count(-1).text, NONE);
}

static void test_columns(void **state)
{
    (void)state;
    const scale s = scale_time(812000.0);
    assert_string_equal(s.unit, "µs");
    assert_string_equal(number_scaled(s, 31400.0).text, "31");
    assert_string_equal(number_scaled(s, NAN).text, NONE);
    assert_string_equal(number_scaled(scale_bytes(85.2e6), 0.3e6).text, "0.3");
    assert_string_equal(scale_time(NAN).unit, "ns");
}

static void test_linear_axis(void **state)
{
    (void)state;
    double ticks[AXIS_TICKS_MOST];
    const axis a = axis_from_zero(15.2, 100.0, 0.0);
    assert_true(a.high >= 15.2 && a.high <= 20.0);
    assert_true(fabs(axis_at(&a, 0.0) - 100.0) < 1e-9);
    assert_true(fabs(axis_at(&a, a.high)) < 1e-9);
    const int count = axis_ticks(&a, 5, ticks);
    assert_in_range(count, 3, 8);
    assert_true(ticks[0] == 0.0);
    assert_true(ticks[count - 1] <= a.high * (1.0 + 1e-9));
    const axis nothing = axis_from_zero(NAN, 0.0, 1.0);
    assert_true(nothing.high > 0.0);
    const axis far = {3e6, 3e6 + 0.5, 0.0, 1.0, false, false}; /* ticks stay within */
    assert_in_range(axis_ticks(&far, 5, ticks), 1, AXIS_TICKS_MOST);
}

static void test_whole_numbers(void **state)
{
    (void)state;
    double ticks[AXIS_TICKS_MOST];
    const axis steps = {9.5, 12.5, 0.0, 1.0, false, true};
    assert_int_equal(axis_ticks(&steps, 10, ticks), 3);
    assert_true(ticks[0] == 10.0 && ticks[1] == 11.0 && ticks[2] == 12.0);
}

static void test_decades(void **state)
{
    (void)state;
    double ticks[AXIS_TICKS_MOST];
    const axis a = axis_decades(0.11, 30.0, 0.0, 300.0);
    assert_true(a.low == 0.1 && a.high == 100.0);
    assert_int_equal(axis_ticks(&a, 5, ticks), 4);
    assert_true(fabs(axis_at(&a, 1.0) - 100.0) < 1e-9);
    const axis one = axis_decades(10.0, 10.0, 0.0, 1.0); /* not empty */
    assert_true(one.high == 100.0);
    const axis wide = axis_decades(1e-150, 1e150, 0.0, 1.0);
    assert_in_range(axis_ticks(&wide, 5, ticks), 2, AXIS_TICKS_MOST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantities),    cmocka_unit_test(test_shares_and_counts),
        cmocka_unit_test(test_columns),       cmocka_unit_test(test_linear_axis),
        cmocka_unit_test(test_whole_numbers), cmocka_unit_test(test_decades)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
