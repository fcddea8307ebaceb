/* Samples of code: they are in the functions that ran, in proportion to their time, for the stages
 * and the threads that ran them. */
#define _GNU_SOURCE /* barriers */
#include <pthread.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "sources/sources.h"

enum { MOST = 10000, FIRST = 0, SECOND = 1 };

static const prof_region regions[] = {{"first", PROF_STAGE}, {"second", PROF_STAGE}};
/* The parts of `inner` precede those of the function that it is inlined in. */
static const prof_part parts[] = {{"first", "inlined", "inner"},
                                  {"first", "long", "nothing_of_this_name spin_long"},
                                  {"first", "short", "spin_short"},
                                  {"second", "long", "spin_long"}};

/* Work of so many units, each some 0.4 to 2 ms. */
static inline __attribute__((always_inline)) void spin(int64_t units)
{
    for (volatile int64_t k = 0; k < 1000000 * units; k++)
        ;
}

static inline __attribute__((always_inline)) void inner(int64_t units)
{
    spin(units);
}

static __attribute__((noinline)) void spin_long(int64_t units)
{
    spin(units);
}

static __attribute__((noinline)) void spin_short(int64_t units)
{
    spin(units);
}

static __attribute__((noinline)) void outer(int64_t units)
{
    inner(units);
}

static __attribute__((noinline)) void unknown(int64_t units)
{
    spin(units);
}

static int64_t samples_in(const prof_parts *found, const char *stage, const char *name)
{
    for (int k = 0; k < found->count; k++)
        if (strcmp(found->part[k].stage, stage) == 0 &&
            (name == NULL ? found->part[k].name == NULL
                          : found->part[k].name != NULL && strcmp(found->part[k].name, name) == 0))
            return found->part[k].samples;
    return 0;
}

static int64_t all_samples(const prof_parts *found)
{
    int64_t all = 0;
    for (int k = 0; k < found->count; k++)
        all += found->part[k].samples;
    return all;
}

static prof_code *create(int threads, int64_t most, swe_log *log)
{
    return prof_code_create(regions, parts, 4, threads, most, log);
}

/* Work in a stage. */
static void run(prof_code *code, int thread, int region, void (*work)(int64_t units), int64_t units)
{
    prof_code_enter(code, thread, region);
    work(units);
    prof_code_leave(code, thread);
}

/* Whether the share of some samples is within four of its standard errors. A busy machine makes
 * samples fewer, for all parts alike. */
static void assert_share(const prof_parts *found, const char *stage, const char *name, double share)
{
    const double all = (double)all_samples(found);
    const double of = (double)samples_in(found, stage, name) / all;
    const double most = 0.03 + 4.0 * sqrt(share * (1.0 - share) / all);
    if (of < share - most || of > share + most)
        fail_msg("%s, %s: %.3f of the samples, not %.3f", stage, name != NULL ? name : "other", of,
                 share);
}

static void parts_have_their_time(void **state)
{
    (void)state;
    swe_log log = {0};
    prof_parts found;
    prof_code *code = create(1, MOST, &log);
    for (int window = 0; window < 2; window++) { /* the second knows nothing of the first */
        prof_code_start(code);
        for (int k = 0; k < 20; k++) { /* evenly: the machine may be busy for a while */
            run(code, 0, FIRST, spin_long, 16);
            run(code, 0, FIRST, spin_short, 4);
            run(code, 0, FIRST, outer, 8);
            run(code, 0, FIRST, unknown, 4);
            run(code, 0, SECOND, spin_long, 8);
            spin_long(8); /* in no stage */
        }
        prof_code_stop(code, &found, &log);
        assert_int_equal(log.count, 0);
        assert_true(found.period > 0);
        assert_true(all_samples(&found) > 20);
        assert_share(&found, "first", "long", 0.4);
        assert_share(&found, "first", "short", 0.1);
        assert_share(&found, "first", "inlined", 0.2);
        assert_share(&found, "first", NULL, 0.1);
        assert_share(&found, "second", "long", 0.2);
        free(found.part);
    }
    prof_code_destroy(&code);
    assert_null(code);
}

/* A thread that works, and one that waits. */
typedef struct shared {
    prof_code *code;
    pthread_barrier_t begin, end;
} shared;

static void *work_beside(void *argument)
{
    shared *s = argument;
    pthread_barrier_wait(&s->begin);
    run(s->code, 1, FIRST, spin_short, 300);
    pthread_barrier_wait(&s->end);
    return NULL;
}

static void every_thread_is_sampled(void **state)
{
    (void)state;
    swe_log log = {0};
    prof_parts found;
    pthread_t thread;
    shared s = {.code = create(2, MOST, &log)};
    pthread_barrier_init(&s.begin, NULL, 2);
    pthread_barrier_init(&s.end, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, work_beside, &s), 0);
    prof_code_start(s.code);
    run(s.code, 0, SECOND, spin_long, 0); /* has a timer */
    pthread_barrier_wait(&s.begin);
    pthread_barrier_wait(&s.end);
    prof_code_stop(s.code, &found, &log);
    pthread_join(thread, NULL);
    assert_true(samples_in(&found, "first", "short") > 10);
    assert_true(samples_in(&found, "second", "long") <= 2);
    free(found.part);
    prof_code_destroy(&s.code);
}

static void samples_beyond_the_most_are_counted(void **state)
{
    (void)state;
    swe_log log = {0};
    prof_parts found;
    prof_code *code = create(1, 3, &log);
    prof_code_start(code);
    run(code, 0, FIRST, spin_long, 200);
    prof_code_stop(code, &found, &log);
    assert_int_equal(all_samples(&found), 3);
    assert_int_equal(log.count, 1);
    assert_non_null(strstr(log.line[0], "beyond profile.max_events"));
    free(found.part);
    prof_code_destroy(&code);
}

static void without_a_start_there_are_none(void **state)
{
    (void)state;
    swe_log log = {0};
    prof_parts found = {.count = 7};
    prof_code *code = create(1, MOST, &log);
    run(code, 0, FIRST, spin_long, 1);
    prof_code_stop(code, &found, &log);
    assert_int_equal(found.count, 0);
    assert_null(found.part);
    assert_int_equal(log.count, 0);
    prof_code_start(NULL);
    prof_code_stop(NULL, &found, &log);
    prof_code_destroy(&code);
}

/* As one of a timer that was just deleted: the source is stopped, is gone, is another one. */
static void send_late_signal(void)
{
    siginfo_t info = {.si_signo = SIGPROF, .si_code = SI_TIMER};
    assert_int_equal(syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), SIGPROF, &info), 0);
}

static void late_signals_do_nothing(void **state)
{
    (void)state;
    swe_log log = {0};
    prof_parts found;
    prof_code *code = create(1, MOST, &log);
    prof_code_start(code);
    run(code, 0, FIRST, spin_long, 50);
    prof_code_enter(code, 0, FIRST);
    send_late_signal(); /* not late yet */
    prof_code_leave(code, 0);
    prof_code_stop(code, &found, &log);
    assert_true(samples_in(&found, "first", NULL) >= 1);
    free(found.part);
    send_late_signal();
    prof_code_destroy(&code);
    send_late_signal();
    code = create(1, MOST, &log);
    prof_code_start(code);
    send_late_signal(); /* this thread is in no stage of it */
    prof_code_stop(code, &found, &log);
    assert_int_equal(found.count, 0);
    assert_non_null(strstr(log.line[log.count - 1], "the stages ran for less than a period"));
    free(found.part);
    prof_code_destroy(&code);
}

static void other_profiler(int number)
{
    (void)number;
}

static void another_profiler_keeps_its_signal(void **state)
{
    (void)state;
    swe_log log = {0};
    struct sigaction ours, theirs = {.sa_handler = other_profiler}, now;
    assert_int_equal(sigaction(SIGPROF, &theirs, &ours), 0);
    assert_null(create(1, MOST, &log));
    assert_int_equal(log.count, 1);
    assert_non_null(strstr(log.line[0], "SIGPROF"));
    assert_int_equal(sigaction(SIGPROF, &ours, &now), 0);
    assert_true(now.sa_handler == other_profiler);
}

static void names_are_of_the_functions_around(void **state)
{
    (void)state;
    char around[200], little[8] = "x";
    prof_code_names *names = prof_code_names_open();
    assert_non_null(names);
    prof_code_names_at(names, (uint64_t)(uintptr_t)spin_long, around, sizeof around);
    assert_non_null(strstr(around, "spin_long"));
    assert_int_equal(strncmp(around + strlen(around) - strlen("spin_long"), "spin_long", 9), 0);
    prof_code_names_at(names, (uint64_t)(uintptr_t)spin_long, little, sizeof little);
    assert_true(strlen(little) < sizeof little && strstr(little, "spin_l") == NULL);
    prof_code_names_at(names, (uint64_t)(uintptr_t)&names, around, sizeof around);
    assert_string_equal(around, "");
    prof_code_names_close(&names);
    assert_null(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_have_their_time),
        cmocka_unit_test(every_thread_is_sampled),
        cmocka_unit_test(samples_beyond_the_most_are_counted),
        cmocka_unit_test(without_a_start_there_are_none),
        cmocka_unit_test(late_signals_do_nothing),
        cmocka_unit_test(another_profiler_keeps_its_signal),
        cmocka_unit_test(names_are_of_the_functions_around),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
