/* Counters of CPU threads: what they count, and on whose behalf.
 *
 *     test_perf            the tests; they skip where the kernel counts nothing for us
 *     test_perf --bench    ns that a read takes */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "perf_support.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/clock.h"

static void task_clock_counts_work_and_not_sleep(void **state)
{
    (void)state;
    skip_without_software_events();
    warning_log *t = new_log();
    int64_t before[COUNTERS], counts[COUNTERS];
    prof_perf *perf = prof_perf_create_from(software, &prof_perf_linux, 1, &t->log);
    assert_non_null(perf);

    prof_perf_read(perf, 0, before);
    const int64_t start = cpu_ns();
    work(a_while);
    const int64_t worked = cpu_ns() - start;
    prof_perf_since(perf, 0, before, counts);
    assert_in_range(counts[TASK_CLOCK], worked / 2, 2 * worked);

    prof_perf_read(perf, 0, before);
    sleep_ns(5 * a_while);
    prof_perf_since(perf, 0, before, counts);
    assert_in_range(counts[TASK_CLOCK], 0, a_while);
    assert_true(counts[SWITCHES] >= 1);

    assert_int_equal(t->count, 0);
    prof_perf_destroy(&perf);
    assert_null(perf);
    assert_int_equal(t->count, 0);
}

static int64_t page_faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

/* From the first read on, and every counter its own events. */
static void every_event_is_counted(void **state)
{
    (void)state;
    skip_without_software_events();
    warning_log *t = new_log();
    int64_t before[COUNTERS], counts[COUNTERS];
    prof_perf *perf = prof_perf_create_from(software, &prof_perf_linux, 1, &t->log);
    assert_non_null(perf);
    prof_perf_read(perf, 0, before);
    const int64_t start = page_faults();
    touch_new_pages(3000);
    const int64_t faults = page_faults() - start, few = 20;
    prof_perf_since(perf, 0, before, counts);
    assert_true(faults > 0);
    assert_in_range(counts[INSTRUCTIONS], faults, faults + few);
    assert_in_range(counts[CYCLES], faults, faults + few);
    assert_in_range(counts[CACHE_MISSES], faults, faults + few);
    assert_true(counts[TASK_CLOCK] > 10 * faults); /* ns */
    assert_true(counts[SWITCHES] >= 0);
    prof_perf_destroy(&perf);
}

static void counts_never_go_back(void **state)
{
    (void)state;
    skip_without_software_events();
    int64_t last[COUNTERS] = {0}, now[COUNTERS];
    prof_perf *perf = prof_perf_create_from(software, &prof_perf_linux, 1, &new_log()->log);
    assert_non_null(perf);
    for (int k = 0; k < 10000; k++) {
        prof_perf_read(perf, 0, now);
        for (int c = 0; c < COUNTERS; c++)
            assert_true(now[c] >= last[c]);
        memcpy(last, now, sizeof now);
    }
    assert_true(last[TASK_CLOCK] > 0);
    prof_perf_destroy(&perf);
}

/* Work of one thread under a number, and its counts. */
typedef struct job {
    prof_perf *perf;
    int number;
    int64_t ns;
    int64_t counts[COUNTERS];
} job;

static void *do_job(void *argument)
{
    job *j = argument;
    int64_t before[COUNTERS];
    prof_perf_read(j->perf, j->number, before);
    work(j->ns);
    prof_perf_since(j->perf, j->number, before, j->counts);
    return NULL;
}

static void run_jobs(job *jobs, int count)
{
    pthread_t threads[8];
    for (int k = 0; k < count; k++)
        assert_int_equal(pthread_create(&threads[k], NULL, do_job, &jobs[k]), 0);
    for (int k = 0; k < count; k++)
        pthread_join(threads[k], NULL);
}

static void threads_count_for_themselves(void **state)
{
    (void)state;
    skip_without_software_events();
    prof_perf *perf = prof_perf_create_from(software, &prof_perf_linux, 3, &new_log()->log);
    assert_non_null(perf);
    int64_t before[COUNTERS], own[COUNTERS];
    prof_perf_read(perf, 0, before);
    job jobs[] = {{perf, 1, 8 * a_while, {0}}, {perf, 2, a_while, {0}}};
    run_jobs(jobs, 2);
    prof_perf_since(perf, 0, before, own);
    assert_true(jobs[0].counts[TASK_CLOCK] >= 4 * a_while);
    assert_in_range(jobs[1].counts[TASK_CLOCK], a_while / 2, 4 * a_while);
    assert_in_range(own[TASK_CLOCK], 0, 2 * a_while); /* it waited */
    prof_perf_destroy(&perf);
}

/* A number that goes over to another OS thread. */
static void another_os_thread_counts_anew(void **state)
{
    (void)state;
    skip_without_software_events();
    prof_perf *perf = prof_perf_create_from(software, &prof_perf_linux, 1, &new_log()->log);
    assert_non_null(perf);
    int64_t before[COUNTERS], counts[COUNTERS];
    prof_perf_read(perf, 0, before);
    work(8 * a_while);
    prof_perf_since(perf, 0, before, counts);
    assert_true(counts[TASK_CLOCK] >= 4 * a_while);

    job other = {perf, 0, a_while, {0}};
    run_jobs(&other, 1);
    assert_in_range(other.counts[TASK_CLOCK], a_while / 2, 4 * a_while);

    /* back on this thread: what happened in between is not known */
    prof_perf_since(perf, 0, before, counts);
    for (int c = 0; c < COUNTERS; c++)
        assert_int_equal(counts[c], -1);
    prof_perf_read(perf, 0, counts);
    assert_in_range(counts[TASK_CLOCK], 0, a_while);
    prof_perf_destroy(&perf);
}

/* The events that are counted outside of tests, on whatever this machine is. */
static void the_standard_events(void **state)
{
    (void)state;
    warning_log *t = new_log();
    int64_t before[COUNTERS], counts[COUNTERS];
    prof_perf *perf = prof_perf_create(1, &t->log);
    if (perf == NULL) {
        print_message("skipped: %s\n", t->last);
        skip();
    }
    prof_perf_read(perf, 0, before);
    work(a_while);
    prof_perf_since(perf, 0, before, counts);
    assert_true(counts[TASK_CLOCK] > 0);
    bool all = true;
    for (int c = 0; c < COUNTERS; c++) {
        const bool named = strstr(t->last, prof_counter_name(c)) != NULL;
        assert_int_equal(counts[c] == -1, named);
        all = all && !named;
    }
    assert_int_equal(t->count, all ? 0 : 1);
    /* a core takes less than ten cycles a ns, and more than one in ten */
    if (counts[CYCLES] >= 0)
        assert_in_range(counts[CYCLES], counts[TASK_CLOCK] / 10, 10 * counts[TASK_CLOCK]);
    if (counts[INSTRUCTIONS] >= 0)
        assert_true(counts[INSTRUCTIONS] > 1000);
    prof_perf_destroy(&perf);
}

static void bench(void)
{
    warning_log *t = new_log();
    prof_perf *perf = prof_perf_create(1, &t->log);
    int64_t counts[COUNTERS];
    enum { READS = 200000 };
    for (int round = 0; perf != NULL && round < 5; round++) {
        const double start = swe_clock_seconds();
        for (int k = 0; k < READS; k++)
            prof_perf_read(perf, 0, counts);
        printf("%.0f ns a read\n", 1e9 * (swe_clock_seconds() - start) / READS);
    }
    if (t->count > 0)
        puts(t->last);
    prof_perf_destroy(&perf);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--bench") == 0) {
        bench();
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(task_clock_counts_work_and_not_sleep),
        cmocka_unit_test(every_event_is_counted),
        cmocka_unit_test(counts_never_go_back),
        cmocka_unit_test(threads_count_for_themselves),
        cmocka_unit_test(another_os_thread_counts_anew),
        cmocka_unit_test(the_standard_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
