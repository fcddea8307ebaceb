/* The team of CPU threads: its barrier, and the number of threads of a run. */
#include "support/check.h"

#include <omp.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "run/thread_count.h"
#include "stages/team_cpu.h"

enum { THREADS = 3, ROUNDS = 2000 };

static void sleep_for(double seconds)
{
    const struct timespec time = {.tv_nsec = (long)(1e9 * seconds)};
    nanosleep(&time, NULL);
}

static double cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static swe_team *team_of(int most)
{
    swe_context ctx = {""};
    swe_team *team = NULL;
    CHECK_OK(&ctx, swe_team_create(&ctx, most, &team));
    return team;
}

/* Every thread sees in every round what all threads wrote before it. */
static int count_rounds_seen(void)
{
    swe_team *team = team_of(THREADS);
    long written[THREADS] = {0};
    int seen = 0;
#pragma omp parallel num_threads(THREADS) reduction(+ : seen)
    for (long round = 1; round <= ROUNDS; round++) {
        written[omp_get_thread_num()] = round;
        swe_team_wait(team);
        bool is_seen = true;
        for (int t = 0; t < THREADS; t++)
            is_seen = is_seen && written[t] == round;
        seen += is_seen;
        swe_team_wait(team);
    }
    swe_team_destroy(&team);
    return seen;
}

static void the_barrier_holds_in_every_wait_policy(void **state)
{
    (void)state;
    static const char *const policies[] = {NULL, "passive", "active"};
    unsetenv("GOMP_SPINCOUNT");
    for (int k = 0; k < 3; k++) {
        if (policies[k] == NULL)
            unsetenv("OMP_WAIT_POLICY");
        else
            setenv("OMP_WAIT_POLICY", policies[k], 1);
        /* spinning without end on fewer cores than threads needs a time slice a round */
        if (k < 2 || omp_get_num_procs() >= THREADS)
            assert_int_equal(count_rounds_seen(), THREADS * ROUNDS);
    }
    setenv("GOMP_SPINCOUNT", "100", 1);
    assert_int_equal(count_rounds_seen(), THREADS * ROUNDS);
    unsetenv("GOMP_SPINCOUNT");
}

/* CPU seconds that a thread uses while it waits for a peer that sleeps. */
static double cpu_of_a_wait(double seconds, double *waited)
{
    swe_team *team = team_of(2);
    double used = 0.0;
    atomic_bool begun = false; /* on a busy machine a thread may begin late */
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) {
        while (!atomic_load(&begun))
            sched_yield();
        sleep_for(seconds);
        swe_team_wait(team);
    } else {
        const double start = cpu_seconds();
        atomic_store(&begun, true);
        swe_team_wait(team);
        used = cpu_seconds() - start;
    }
    *waited = swe_team_waited(team);
    swe_team_destroy(&team);
    return used;
}

static void a_thread_that_waits_gives_its_core_away(void **state)
{
    (void)state;
    double waited = 0.0;
    unsetenv("GOMP_SPINCOUNT");
    unsetenv("OMP_WAIT_POLICY");
    assert_true(cpu_of_a_wait(0.2, &waited) < 0.01);
    assert_true(waited > 0.1);
    setenv("OMP_WAIT_POLICY", "passive", 1);
    assert_true(cpu_of_a_wait(0.2, &waited) < 0.01);
}

static void the_users_policy_wins(void **state)
{
    (void)state;
    double waited = 0.0;
    setenv("OMP_WAIT_POLICY", "active", 1);
    cpu_of_a_wait(0.05, &waited);
    assert_true(waited == 0.0); /* it never slept */
    setenv("GOMP_SPINCOUNT", "infinite", 1);
    setenv("OMP_WAIT_POLICY", "passive", 1);
    cpu_of_a_wait(0.05, &waited);
    assert_true(waited == 0.0);
    setenv("GOMP_SPINCOUNT", "0", 1);
    cpu_of_a_wait(0.05, &waited);
    assert_true(waited > 0.0);
    unsetenv("GOMP_SPINCOUNT");
    unsetenv("OMP_WAIT_POLICY");
}

static void a_team_has_the_threads_that_it_was_created_for(void **state)
{
    (void)state;
    swe_team *team = team_of(4);
    static const int requested[] = {0, 1, 3, 4, 9}, given[] = {1, 1, 3, 4, 4};
    assert_int_equal(swe_team_active(team), 4);
    for (int k = 0; k < 5; k++) {
        swe_team_set_active(team, requested[k]);
        assert_int_equal(swe_team_active(team), given[k]);
    }
    swe_team_destroy(&team);
    assert_null(team);
    swe_team_destroy(&team);
}

/* ---- how many threads ------------------------------------------------------------------------ */

/* A model of a machine: a step needs `work` thread-seconds; if the machine is busy, every thread
 * after the first adds waiting. */
typedef struct machine {
    double work;
    bool is_busy;
} machine;

static double step_of(const machine *m, int threads)
{
    return m->is_busy ? m->work * (1.0 + 0.5 * (threads - 1)) : m->work / threads;
}

/* Run steps for some seconds. Returns the number of threads afterwards. */
static int run_for(swe_thread_count *count, const machine *m, double seconds)
{
    for (double time = 0.0; time < seconds;) {
        const double step = step_of(m, count->active);
        const double waited = step * count->active - m->work;
        swe_thread_count_next(count, 1, step, waited);
        time += step;
    }
    return count->active;
}

static void idle_machines_keep_all_threads(void **state)
{
    (void)state;
    const machine idle = {.work = 0.004};
    for (int most = 1; most <= 64; most *= 4) {
        swe_thread_count count = swe_thread_count_of(most, true);
        for (int k = 0; k < 100; k++) {
            assert_int_equal(run_for(&count, &idle, 0.01), most);
            assert_int_equal(count.before, 0); /* it never tried another number */
        }
    }
}

static void busy_machines_get_fewer_threads_until_they_are_idle(void **state)
{
    (void)state;
    machine m = {.work = 0.004, .is_busy = true};
    for (int most = 2; most <= 16; most++) {
        swe_thread_count count = swe_thread_count_of(most, true);
        m.is_busy = true;
        run_for(&count, &m, 5.0);
        double alone = 0.0;
        for (int k = 0; k < 1000; k++)
            alone += run_for(&count, &m, 0.01) == 1;
        assert_true(alone > 900);
        m.is_busy = false;
        assert_int_equal(run_for(&count, &m, 300.0), most);
    }
}

static void a_number_that_the_user_gave_stays(void **state)
{
    (void)state;
    const machine busy = {.work = 0.004, .is_busy = true};
    swe_thread_count count = swe_thread_count_of(4, false);
    assert_int_equal(run_for(&count, &busy, 10.0), 4);
    assert_true(count.waiting > SWE_THREADS_WAIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_barrier_holds_in_every_wait_policy),
        cmocka_unit_test(a_thread_that_waits_gives_its_core_away),
        cmocka_unit_test(the_users_policy_wins),
        cmocka_unit_test(a_team_has_the_threads_that_it_was_created_for),
        cmocka_unit_test(idle_machines_keep_all_threads),
        cmocka_unit_test(busy_machines_get_fewer_threads_until_they_are_idle),
        cmocka_unit_test(a_number_that_the_user_gave_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
