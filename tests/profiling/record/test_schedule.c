/* Windows of steps: where they open and close, against walking through a run step by step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record/record.h"

/* Whether step k (the one after k steps) is in a window, by the definition alone. */
static bool is_inside(const prof_schedule *s, int64_t k)
{
    if (s->duration == 0 || k < s->start || k >= s->last)
        return false;
    for (int64_t begin = s->start; begin <= k; begin += s->interval > 0 ? s->interval : s->last)
        if (k < begin + s->duration)
            return true;
    return false;
}

static bool begins(const prof_schedule *s, int64_t k)
{
    if (!is_inside(s, k))
        return false;
    return k == s->start || (s->interval > 0 && (k - s->start) % s->interval == 0);
}

static void check_schedule(prof_schedule s)
{
    for (int64_t step = 0; step <= s.last; step++) {
        const bool closes =
            step > 0 && is_inside(&s, step - 1) && (!is_inside(&s, step) || begins(&s, step));
        assert_int_equal(prof_schedule_covers(&s, step), is_inside(&s, step));
        assert_int_equal(prof_schedule_opens(&s, step), begins(&s, step));
        assert_int_equal(prof_schedule_closes(&s, step), closes);
        int64_t next = step;
        while (next < s.last && !begins(&s, next))
            next++;
        assert_int_equal(prof_schedule_next(&s, step), next < s.last ? next : -1);
        const bool is_free = s.lead < 2 || !is_inside(&s, step + 1);
        assert_int_equal(prof_schedule_leads(&s, step),
                         s.lead > 0 && is_free && begins(&s, step + s.lead));
    }
    /* jumping from edge to edge meets every one of them */
    for (int64_t step = 0; step < s.last;) {
        const int64_t count = prof_schedule_to_edge(&s, step, 7);
        assert_in_range(count, 1, 7);
        for (int64_t k = step + 1; k < step + count; k++)
            assert_false(prof_schedule_opens(&s, k) ||
                         (prof_schedule_closes(&s, k) && k < s.last) ||
                         (prof_schedule_leads(&s, k) && !is_inside(&s, k)));
        step += count;
    }
}

static void test_all_schedules(void **state)
{
    (void)state;
    for (int64_t start = 0; start < 6; start++)
        for (int64_t duration = 0; duration < 5; duration++)
            for (int64_t interval = 0; interval < 8; interval++)
                for (int64_t last = 1; last < 25; last++)
                    for (int64_t lead = 0; lead < 3; lead++)
                        if (interval == 0 || interval >= duration)
                            check_schedule((prof_schedule){start, duration, interval, last, lead});
}

static void test_example(void **state)
{
    (void)state;
    const prof_schedule s = {.start = 100, .duration = 3, .interval = 1000, .last = 1102};
    assert_int_equal(prof_schedule_to_edge(&s, 0, 1000000), 100);
    assert_true(prof_schedule_opens(&s, 100));
    assert_int_equal(prof_schedule_to_edge(&s, 100, 1000000), 3);
    assert_true(prof_schedule_closes(&s, 103));
    assert_int_equal(prof_schedule_to_edge(&s, 103, 1000000), 997);
    assert_true(prof_schedule_closes(&s, 1102)); /* cut short by the end of the run */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_schedules),
        cmocka_unit_test(test_example),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
