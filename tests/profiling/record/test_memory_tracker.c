/* Device memory: what is allocated when a window opens and closes, and what happens within. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "record/record.h"

static prof_place place(const char *label, int line)
{
    return (prof_place){label, "allocate", "model.c", line};
}

static void test_window(void **state)
{
    (void)state;
    prof_memory_tracker *t = prof_memory_tracker_create();
    prof_trace *trace = prof_trace_create();
    assert_non_null(t);
    assert_non_null(trace);
    prof_memory_tracker_add(t, 0x1000, 100, place("state", 1));
    prof_memory_tracker_add(t, 0x2000, 200, place("state", 1));
    prof_memory_tracker_add(t, 0x3000, 50, place("metric", 2));
    prof_memory_tracker_remove(t, 0x2000);
    prof_memory_tracker_remove(t, 0x9999); /* not ours */

    prof_memory_tracker_open(t);
    prof_memory_tracker_add(t, 0x4000, 1000, place("work", 3));
    prof_memory_tracker_remove(t, 0x1000);
    assert_true(prof_memory_tracker_close(t, trace));
    prof_memory_tracker_add(t, 0x5000, 7, place("late", 4));

    assert_int_equal(trace->before.count, 2);
    assert_int_equal(trace->before.in_use, 150);
    assert_int_equal(trace->before.peak, 350);
    assert_int_equal(trace->before.block[0].address, 0x1000);
    assert_int_equal(trace->before.block[1].address, 0x3000);
    assert_int_equal(trace->after.count, 2);
    assert_int_equal(trace->after.in_use, 1050);
    assert_int_equal(trace->after.peak, 1150);
    assert_int_equal(trace->after.block[1].address, 0x4000);
    assert_int_equal(trace->memory_event_count, 2);
    assert_int_equal(trace->memory_events[0].bytes, 1000);
    assert_int_equal(trace->memory_events[0].in_use, 1150);
    assert_int_equal(trace->memory_events[1].bytes, -100);
    assert_int_equal(trace->memory_events[1].in_use, 1050);
    assert_string_equal(trace->sites[trace->memory_events[1].site].label, "state");
    assert_int_equal(trace->site_count, 3); /* one for each place, not for each block */
    prof_trace_destroy(&trace);
    prof_memory_tracker_destroy(&t);
    assert_null(t);
}

static void test_many_blocks_and_two_windows(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    prof_memory_tracker *t = prof_memory_tracker_create();
    for (int k = 0; k < MANY; k++)
        prof_memory_tracker_add(t, 0x1000u + (uint64_t)k, k, place("block", k % 200));
    for (int window = 0; window < 2; window++) {
        prof_trace *trace = prof_trace_create();
        prof_memory_tracker_open(t);
        prof_memory_tracker_remove(t, 0x1000u + (uint64_t)window);
        assert_true(prof_memory_tracker_close(t, trace));
        assert_int_equal(trace->before.count, MANY - window);
        assert_int_equal(trace->after.count, MANY - window - 1);
        assert_int_equal(trace->memory_event_count, 1);
        assert_int_equal(trace->after.in_use, (int64_t)MANY * (MANY - 1) / 2 - window);
        prof_trace_destroy(&trace);
    }
    prof_memory_tracker_destroy(&t);
}

static void test_forgotten_peak(void **state)
{
    (void)state;
    prof_memory_tracker *t = prof_memory_tracker_create();
    prof_trace *trace = prof_trace_create();
    prof_memory_tracker_add(t, 0x1000, 100, place("state", 1));
    prof_memory_tracker_add(t, 0x2000, 900, place("measuring", 2));
    prof_memory_tracker_remove(t, 0x2000);
    prof_memory_tracker_reset_peak(t);
    prof_memory_tracker_open(t);
    prof_memory_tracker_add(t, 0x3000, 30, place("work", 3));
    prof_memory_tracker_remove(t, 0x3000);
    assert_true(prof_memory_tracker_close(t, trace));
    assert_int_equal(trace->before.peak, 100);
    assert_int_equal(trace->after.peak, 130);
    prof_trace_destroy(&trace);
    prof_memory_tracker_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_many_blocks_and_two_windows),
        cmocka_unit_test(test_forgotten_peak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
