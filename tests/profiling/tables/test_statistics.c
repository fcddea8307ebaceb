/* Statistics of groups: known small cases, ties, and as many values as a window may hold. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "window/statistics.h"

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* One group of a few values. */
static prof_groups *group_all(const int64_t *values, int64_t count)
{
    prof_groups *groups = prof_groups_create(count, NULL);
    for (int64_t k = 0; k < count; k++)
        prof_groups_add(groups, NULL, values[k]);
    return prof_groups_finish(groups);
}

static void check_close(double value, double expected)
{
    if (!(fabs(value - expected) <= 1e-12 * fabs(expected)))
        fail_msg("%.17g, expected %.17g", value, expected);
}

static void no_values_form_no_groups(void **state)
{
    (void)state;
    prof_groups *groups = group_all(NULL, 0);
    assert_int_equal(groups->count, 0);
    assert_int_equal(groups->total, 0);
    assert_null(prof_groups_find(groups, NULL));
    prof_groups_destroy(&groups);
    assert_null(groups);
    prof_groups_destroy(&groups);
}

static void one_value_is_every_statistic(void **state)
{
    (void)state;
    prof_groups *groups = group_all((int64_t[]){7}, 1);
    const prof_group *g = &groups->group[0];
    assert_int_equal(groups->count, 1);
    assert_true(g->count == 1 && g->total == 7 && g->min == 7 && g->max == 7);
    assert_true(g->mean == 7.0 && g->median == 7.0 && g->low == 7.0 && g->high == 7.0);
    assert_true(g->deviation == 0.0);
    prof_groups_destroy(&groups);
}

static void an_even_number_of_values_has_its_median_between_two(void **state)
{
    (void)state;
    prof_groups *groups = group_all((int64_t[]){9, 1, 4, 2}, 4);
    const prof_group *g = &groups->group[0];
    assert_true(g->total == 16 && g->min == 1 && g->max == 9);
    assert_true(g->mean == 4.0 && g->median == 3.0 && g->low == 1.75 && g->high == 5.25);
    check_close(g->deviation, sqrt((25.0 + 9.0 + 0.0 + 4.0) / 3.0));
    prof_groups_destroy(&groups);
}

static void an_odd_number_of_values_has_its_median_in_the_middle(void **state)
{
    (void)state;
    prof_groups *groups = group_all((int64_t[]){5, -3, 10, 0, 8}, 5);
    const prof_group *g = &groups->group[0];
    assert_true(g->total == 20 && g->min == -3 && g->max == 10);
    assert_true(g->mean == 4.0 && g->median == 5.0 && g->low == 0.0 && g->high == 8.0);
    check_close(g->deviation, sqrt((1.0 + 49.0 + 36.0 + 16.0 + 16.0) / 4.0));
    prof_groups_destroy(&groups);
}

static void totals_are_exact_beyond_the_precision_of_a_double(void **state)
{
    (void)state;
    const int64_t large = INT64_C(1) << 60;
    prof_groups *groups = group_all((int64_t[]){large + 1, large + 3, large + 5}, 3);
    assert_true(groups->group[0].total == 3 * large + 9);
    assert_true(groups->total == 3 * large + 9);
    prof_groups_destroy(&groups);
}

/* Equal texts at different addresses form one group. */
static void groups_are_sorted_by_total_then_by_item(void **state)
{
    (void)state;
    char b[] = "b", other_b[] = "b", a[] = "a", c[] = "c";
    prof_groups *groups = prof_groups_create(6, by_text);
    prof_groups_add(groups, c, 5);
    prof_groups_add(groups, b, 3);
    prof_groups_add(groups, a, 2);
    prof_groups_add(groups, other_b, 9);
    prof_groups_add(groups, a, 3);
    groups = prof_groups_finish(groups);
    assert_int_equal(groups->count, 3);
    assert_int_equal(groups->total, 22);
    assert_string_equal(groups->group[0].item, "b");
    assert_string_equal(groups->group[1].item, "a");
    assert_string_equal(groups->group[2].item, "c");
    assert_int_equal(groups->group[0].values[0].value, 3);
    assert_int_equal(groups->group[0].values[1].value, 9);
    assert_ptr_equal(groups->group[0].values[1].item, other_b);
    assert_ptr_equal(prof_groups_find(groups, "c"), &groups->group[2]);
    assert_null(prof_groups_find(groups, "d"));
    prof_groups_destroy(&groups);
}

/* Items of 16 groups, and the number of comparisons. */
enum { MANY = 1000000, GROUPS = 16 };
static int64_t comparisons;

static int by_number(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    comparisons++;
    return (x > y) - (x < y);
}

/* One sort and two passes: at most n (log2 n + 2) comparisons. */
static void a_million_values_take_n_log_n_comparisons(void **state)
{
    (void)state;
    int *items = malloc(MANY * sizeof *items);
    prof_groups *groups = prof_groups_create(MANY, by_number);
    uint64_t random = 12345;
    int64_t total = 0, counted = 0;
    for (int64_t k = 0; k < MANY; k++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const int64_t value = (int64_t)(random >> 44);
        items[k] = (int)((random >> 33) % GROUPS);
        prof_groups_add(groups, &items[k], value);
        total += value;
    }
    comparisons = 0;
    groups = prof_groups_finish(groups);
    assert_true(comparisons <= MANY * INT64_C(22));
    assert_int_equal(groups->count, GROUPS);
    assert_true(groups->total == total);
    for (int64_t g = 0; g < groups->count; g++) {
        const prof_group *group = &groups->group[g];
        counted += group->count;
        for (int64_t k = 1; k < group->count; k++)
            assert_true(group->values[k - 1].value <= group->values[k].value);
    }
    assert_int_equal(counted, MANY);
    prof_groups_destroy(&groups);
    free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_values_form_no_groups),
        cmocka_unit_test(one_value_is_every_statistic),
        cmocka_unit_test(an_even_number_of_values_has_its_median_between_two),
        cmocka_unit_test(an_odd_number_of_values_has_its_median_in_the_middle),
        cmocka_unit_test(totals_are_exact_beyond_the_precision_of_a_double),
        cmocka_unit_test(groups_are_sorted_by_total_then_by_item),
        cmocka_unit_test(a_million_values_take_n_log_n_comparisons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
