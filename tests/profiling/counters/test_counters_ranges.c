/* The ranges of passes, and what is launched in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "sources/counters/counters_ranges.h"

enum { ROOM = 3 };

static prof_counters_ranges ranges;

static int begin(void **state)
{
    (void)state;
    return prof_counters_ranges_create(&ranges, ROOM) ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    prof_counters_ranges_destroy(&ranges);
    return ranges.range == NULL ? 0 : -1;
}

/* A pass of a step that calls the stages, whose first letters are given. */
static void pass(const char *stages)
{
    static const char *const names[] = {"gradient", "divergence", "rk4"};
    for (const char *s = stages; *s != '\0'; s++)
        for (int k = 0; k < 3; k++)
            if (names[k][0] == *s)
                (void)prof_counters_ranges_next(&ranges, names[k]);
    prof_counters_ranges_end_pass(&ranges);
}

static void every_call_is_a_range_with_a_name_of_its_own(void **state)
{
    (void)state;
    const char *first = prof_counters_ranges_next(&ranges, "gradient");
    const char *second = prof_counters_ranges_next(&ranges, "rk4");
    const char *third = prof_counters_ranges_next(&ranges, "gradient");
    assert_string_not_equal(first, third);
    assert_string_equal(prof_counters_ranges_stage(&ranges, first), "gradient");
    assert_string_equal(prof_counters_ranges_stage(&ranges, second), "rk4");
    assert_string_equal(prof_counters_ranges_stage(&ranges, third), "gradient");
    prof_counters_ranges_end_pass(&ranges);
    assert_ptr_equal(prof_counters_ranges_next(&ranges, "gradient"), first);
    assert_ptr_equal(prof_counters_ranges_next(&ranges, "rk4"), second);
    assert_ptr_equal(prof_counters_ranges_next(&ranges, "gradient"), third);
    prof_counters_ranges_end_pass(&ranges);
    assert_false(ranges.differs);
    assert_int_equal(ranges.pass, 2);
}

static void names_that_are_not_ours_have_no_stage(void **state)
{
    (void)state;
    pass("gdr");
    static const char *const names[] = {"3", "-1", "", "gradient", "0/1", "1x"};
    for (int k = 0; k < 6; k++)
        assert_null(prof_counters_ranges_stage(&ranges, names[k]));
}

static void passes_that_differ_are_noticed(void **state)
{
    static const char *const others[] = {"gd", "gr", "g", "", "gdg", "dgr"};
    for (int k = 0; k < 6; k++) {
        pass("gdr");
        pass("gdr");
        assert_false(ranges.differs);
        pass(others[k]);
        assert_true(ranges.differs);
        end(state);
        begin(state);
    }
    pass("gd");
    pass("gdr");
    assert_true(ranges.differs);
}

static void calls_without_room_are_counted_in_the_first_pass(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++)
        pass("gdrgd");
    assert_int_equal(ranges.count, ROOM);
    assert_int_equal(ranges.dropped, 2);
    assert_false(ranges.differs);
}

static void launches_are_counted_by_stage_and_kernel(void **state)
{
    (void)state;
    char name[8] = "_Z1av";
    for (int k = 0; k < 50; k++) {
        prof_counters_ranges_launch(&ranges, "gradient", name);
        prof_counters_ranges_launch(&ranges, "rk4", name);
        prof_counters_ranges_launch(&ranges, "rk4", "_Z1bv");
    }
    strcpy(name, "gone"); /* CUPTI's names need not stay */
    assert_int_equal(ranges.launch_count, 3);
    static const char *const kernels[] = {"_Z1av", "_Z1av", "_Z1bv"};
    for (int k = 0; k < 3; k++) {
        assert_string_equal(ranges.launch[k].stage, k == 0 ? "gradient" : "rk4");
        assert_string_equal(ranges.launch[k].kernel, kernels[k]);
        assert_int_equal(ranges.launch[k].count, 50);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(every_call_is_a_range_with_a_name_of_its_own),
                                       TEST(names_that_are_not_ours_have_no_stage),
                                       TEST(passes_that_differ_are_noticed),
                                       TEST(calls_without_room_are_counted_in_the_first_pass),
                                       TEST(launches_are_counted_by_stage_and_kernel)};
    return cmocka_run_group_tests_name("counters: ranges", tests, NULL, NULL);
}
