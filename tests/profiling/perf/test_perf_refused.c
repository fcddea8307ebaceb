/* CPU counters that the machine does not have, does not allow, or cannot count together. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "perf_support.h"

#include <fcntl.h>

static int start(int leader)
{
    return prof_perf_linux.start(leader);
}

static void missing_counters_are_reported_once_and_read_as_unknown(void **state)
{
    (void)state;
    skip_without_software_events();
    warning_log *t = new_log();
    prof_perf_event events[COUNTERS];
    memcpy(events, software, sizeof events);
    events[INSTRUCTIONS].type = events[CACHE_MISSES].type = no_such_type;
    int64_t before[COUNTERS], counts[COUNTERS];
    prof_perf *perf = prof_perf_create_from(events, &prof_perf_linux, 2, &t->log);
    assert_non_null(perf);
    for (int k = 0; k < 3; k++) {
        prof_perf_read(perf, 0, before);
        touch_new_pages(3000);
        prof_perf_since(perf, 0, before, counts);
        assert_true(counts[TASK_CLOCK] > 0 && counts[CYCLES] > 0 && counts[SWITCHES] >= 0);
        assert_int_equal(before[INSTRUCTIONS], -1);
        assert_int_equal(counts[INSTRUCTIONS], -1);
        assert_int_equal(counts[CACHE_MISSES], -1);
    }
    prof_perf_destroy(&perf);
    assert_warned(t, 1, "instructions (not on this machine), cache_misses (not on this machine)");
    assert_null(strstr(t->last, "cycles"));
}

static int open_denied(struct perf_event_attr *attributes, int leader)
{
    (void)attributes, (void)leader;
    errno = EACCES;
    return -1;
}

static const prof_perf_kernel denied = {open_denied, start};

static void without_permission_there_are_no_counters(void **state)
{
    (void)state;
    warning_log *t = new_log();
    assert_null(prof_perf_create_from(software, &denied, 1, &t->log));
    assert_warned(t, 1, "task_clock (not allowed; perf_event_paranoid is ");
    assert_non_null(strstr(t->last, "cache_misses"));
}

/* As an unprivileged process with perf_event_paranoid 2. */
static int open_in_user_space(struct perf_event_attr *attributes, int leader)
{
    if (attributes->exclude_kernel)
        return prof_perf_linux.open(attributes, leader);
    errno = EACCES;
    return -1;
}

static const prof_perf_kernel user_space = {open_in_user_space, start};

static void user_space_is_counted_if_the_kernel_may_not_be(void **state)
{
    (void)state;
    skip_without_software_events();
    warning_log *t = new_log();
    int64_t before[COUNTERS], counts[COUNTERS];
    prof_perf *perf = prof_perf_create_from(software, &user_space, 1, &t->log);
    assert_non_null(perf);
    assert_warned(t, 1, "context_switches (not allowed");
    prof_perf_read(perf, 0, before);
    work(a_while);
    touch_new_pages(3000);
    prof_perf_since(perf, 0, before, counts);
    assert_true(counts[TASK_CLOCK] > 0 && counts[INSTRUCTIONS] > 0);
    /* the kernel would give it, and it would always be 0 */
    assert_int_equal(counts[SWITCHES], -1);
    prof_perf_destroy(&perf);
}

/* Opened events: how many, and how many of them lead a group. */
static int opened, leaders;

static int open_and_count(struct perf_event_attr *attributes, int leader)
{
    opened++;
    leaders += leader == -1;
    return prof_perf_linux.open(attributes, leader);
}

static const prof_perf_kernel counting = {open_and_count, start};

/* A processor that cannot count page faults together with other events. */
static int open_apart(struct perf_event_attr *attributes, int leader)
{
    if (leader == -1 || attributes->config != PERF_COUNT_SW_PAGE_FAULTS)
        return open_and_count(attributes, leader);
    errno = EINVAL;
    return -1;
}

static const prof_perf_kernel apart = {open_apart, start};

static void check_groups(const prof_perf_kernel *kernel, int expected_leaders)
{
    warning_log *t = new_log();
    int64_t before[COUNTERS], counts[COUNTERS];
    prof_perf *perf = prof_perf_create_from(software, kernel, 1, &t->log);
    assert_non_null(perf);
    opened = leaders = 0;
    prof_perf_read(perf, 0, before);
    assert_int_equal(opened, COUNTERS);
    assert_int_equal(leaders, expected_leaders);
    touch_new_pages(3000);
    prof_perf_since(perf, 0, before, counts);
    assert_int_equal(opened, COUNTERS);
    for (int c = 0; c < COUNTERS; c++)
        assert_true(c == SWITCHES ? counts[c] >= 0 : counts[c] > 0);
    prof_perf_destroy(&perf);
    assert_int_equal(t->count, 0);
}

static void counters_are_one_group_where_that_is_possible(void **state)
{
    (void)state;
    skip_without_software_events();
    check_groups(&counting, 1);
    check_groups(&apart, 3);
}

static int start_refused(int leader)
{
    (void)leader;
    errno = EINVAL;
    return -1;
}

static const prof_perf_kernel never_started = {open_and_count, start_refused};

static void counters_that_do_not_start_are_none(void **state)
{
    (void)state;
    skip_without_software_events();
    warning_log *t = new_log();
    assert_null(prof_perf_create_from(software, &never_started, 1, &t->log));
    assert_warned(t, 1, "task_clock (Invalid argument), context_switches (Invalid argument)");
}

static int left; /* descriptors that may still be opened */

static int open_while_any_are_left(struct perf_event_attr *attributes, int leader)
{
    if (left > 0) {
        left--;
        return prof_perf_linux.open(attributes, leader);
    }
    errno = EMFILE;
    return -1;
}

static const prof_perf_kernel limited = {open_while_any_are_left, start};

static void a_thread_without_descriptors_is_reported_at_the_end(void **state)
{
    (void)state;
    skip_without_software_events();
    warning_log *t = new_log();
    left = 2 * COUNTERS;
    int64_t counts[COUNTERS];
    prof_perf *perf = prof_perf_create_from(software, &limited, 2, &t->log);
    assert_non_null(perf);
    prof_perf_read(perf, 0, counts);
    assert_true(counts[TASK_CLOCK] >= 0);
    prof_perf_read(perf, 1, counts);
    for (int c = 0; c < COUNTERS; c++)
        assert_int_equal(counts[c], -1);
    assert_int_equal(t->count, 0);
    prof_perf_destroy(&perf);
    assert_warned(t, 1, "1 of 2 threads could not open all of theirs: Too many open files");
}

/* A pipe in the place of the leader, and what the test writes to it. */
static int scripted[2];

static int open_script(struct perf_event_attr *attributes, int leader)
{
    (void)attributes;
    return leader == -1 ? dup(scripted[0]) : open("/dev/null", O_RDONLY);
}

static int start_script(int leader)
{
    (void)leader;
    return 0;
}

static const prof_perf_kernel script = {open_script, start_script};

static void write_script(uint64_t enabled, uint64_t running, uint64_t value)
{
    const uint64_t reading[3 + COUNTERS] = {COUNTERS,  enabled,   running,   value,
                                            value + 1, value + 2, value + 3, value + 4};
    assert_int_equal(write(scripted[1], reading, sizeof reading), sizeof reading);
}

static void counters_that_ran_for_a_part_of_the_time_are_scaled(void **state)
{
    (void)state;
    assert_int_equal(pipe(scripted), 0);
    warning_log *t = new_log();
    int64_t before[COUNTERS], counts[COUNTERS];
    prof_perf *perf = prof_perf_create_from(software, &script, 1, &t->log);
    assert_non_null(perf);
    write_script(1000, 1000, 500);
    prof_perf_read(perf, 0, before);
    for (int c = 0; c < COUNTERS; c++)
        assert_int_equal(before[c], 500 + c);
    write_script(4000, 1000, 600);
    prof_perf_since(perf, 0, before, counts);
    for (int c = 0; c < COUNTERS; c++)
        assert_int_equal(counts[c], 4 * (600 + c) - (500 + c));
    /* a scaled count that goes back is not known, nor is one that never ran */
    write_script(1000, 1000, 100);
    prof_perf_since(perf, 0, before, counts);
    assert_int_equal(counts[TASK_CLOCK], -1);
    write_script(1000, 0, 0);
    prof_perf_read(perf, 0, counts);
    assert_int_equal(counts[TASK_CLOCK], -1);
    /* nothing comes */
    close(scripted[1]);
    prof_perf_read(perf, 0, counts);
    for (int c = 0; c < COUNTERS; c++)
        assert_int_equal(counts[c], -1);
    prof_perf_destroy(&perf);
    close(scripted[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_counters_are_reported_once_and_read_as_unknown),
        cmocka_unit_test(without_permission_there_are_no_counters),
        cmocka_unit_test(user_space_is_counted_if_the_kernel_may_not_be),
        cmocka_unit_test(counters_are_one_group_where_that_is_possible),
        cmocka_unit_test(counters_that_do_not_start_are_none),
        cmocka_unit_test(a_thread_without_descriptors_is_reported_at_the_end),
        cmocka_unit_test(counters_that_ran_for_a_part_of_the_time_are_scaled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
