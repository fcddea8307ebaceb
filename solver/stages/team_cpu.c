#include "stages/team_cpu.h"

#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"

enum { CACHE_LINE = 64, ROUNDS_BETWEEN_LOOKS = 16 };

/* Times of the barrier [ns]. Within SPIN all threads arrive on an idle machine at n = 384; waking a
 * thread costs a quarter of it. A wait longer than LONG_WAIT means that another program runs on a
 * peer's core. Both threads may then share a core, where a spinning thread delays the other; so for
 * BUSY after a long wait threads sleep almost at once. */
enum { SPIN = 200000, SPIN_WHILE_BUSY = 1000, LONG_WAIT = 300000, BUSY = 50000000 };

/* Rounds of spinning that the environment sets. */
typedef struct patience {
    long rounds; /* negative: not set, the times above apply */
    bool is_endless;
} patience;

struct swe_team {
    int most, active;
    patience patience;
    pthread_mutex_t mutex;
    pthread_cond_t last_came;
    int64_t waited;     /* [ns] of threads that slept; under the mutex */
    int64_t busy_until; /* [ns] */
    /* on separate cache lines: all threads write the first and read the second */
    _Alignas(CACHE_LINE) unsigned arrived;
    _Alignas(CACHE_LINE) unsigned round; /* grows when the last thread arrives */
    unsigned sleepers;
};

/* Monotonic time [ns]. */
static int64_t now(void)
{
    return (int64_t)(1e9 * swe_clock_seconds());
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static patience patience_of_environment(void)
{
    const char *count = getenv("GOMP_SPINCOUNT"), *policy = getenv("OMP_WAIT_POLICY");
    patience out = {.rounds = -1};
    if (count != NULL) {
        char *end = NULL;
        const long rounds = strtol(count, &end, 10);
        out.is_endless = strcasecmp(count, "infinite") == 0 || strcasecmp(count, "infinity") == 0;
        if (end != count && *end == '\0' && rounds >= 0)
            out.rounds = rounds;
    }
    if (out.rounds < 0 && !out.is_endless && policy != NULL) {
        out.is_endless = strcasecmp(policy, "active") == 0;
        if (strcasecmp(policy, "passive") == 0)
            out.rounds = 0;
    }
    return out;
}

swe_status swe_team_create(swe_context *ctx, int most, swe_team **out)
{
    swe_team *team = *out = aligned_alloc(CACHE_LINE, sizeof *team);
    if (team == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for a team of threads");
    memset(team, 0, sizeof *team);
    team->most = team->active = most;
    team->patience = patience_of_environment();
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->last_came, NULL);
    return SWE_OK;
}

void swe_team_destroy(swe_team **pointer)
{
    swe_team *team = *pointer;
    if (team == NULL)
        return;
    pthread_cond_destroy(&team->last_came);
    pthread_mutex_destroy(&team->mutex);
    free(team);
    *pointer = NULL;
}

int swe_team_active(const swe_team *team)
{
    return team->active;
}

void swe_team_set_active(swe_team *team, int active)
{
    team->active = active < 1 ? 1 : active > team->most ? team->most : active;
}

double swe_team_waited(const swe_team *team)
{
    return 1e-9 * (double)team->waited;
}

static bool is_over(const swe_team *team, unsigned round)
{
    return __atomic_load_n(&team->round, __ATOMIC_SEQ_CST) != round;
}

/* Spin until the round is over, at most patience.rounds times. Returns whether it is over. */
static bool spin_rounds(const swe_team *team, unsigned round)
{
    for (long k = 0; !is_over(team, round); k++) {
        if (!team->patience.is_endless && k >= team->patience.rounds)
            return false;
        relax();
    }
    return true;
}

/* Spin until the round is over, at most until time `end`. Returns whether it is over. */
static bool spin_until(const swe_team *team, unsigned round, int64_t end)
{
    for (long k = 1; !is_over(team, round); k++) {
        relax();
        if (k % ROUNDS_BETWEEN_LOOKS == 0 && now() >= end)
            return is_over(team, round);
    }
    return true;
}

static bool spin(const swe_team *team, unsigned round, int64_t start)
{
    if (team->patience.is_endless || team->patience.rounds >= 0)
        return spin_rounds(team, round);
    const bool is_busy = start < __atomic_load_n(&team->busy_until, __ATOMIC_RELAXED);
    return spin_until(team, round, start + (is_busy ? SPIN_WHILE_BUSY : SPIN));
}

static void sleep_until_over(swe_team *team, unsigned round, int64_t start)
{
    pthread_mutex_lock(&team->mutex);
    __atomic_add_fetch(&team->sleepers, 1, __ATOMIC_SEQ_CST);
    while (!is_over(team, round))
        pthread_cond_wait(&team->last_came, &team->mutex);
    __atomic_sub_fetch(&team->sleepers, 1, __ATOMIC_SEQ_CST);
    const int64_t end = now();
    if (end - start > LONG_WAIT)
        __atomic_store_n(&team->busy_until, end + BUSY, __ATOMIC_RELAXED);
    team->waited += end - start;
    pthread_mutex_unlock(&team->mutex);
}

/* No wake-up is lost: the last thread checks for sleepers after it ends the round, and a sleeper
 * counts itself before it checks for the end of the round. */
static void end_round(swe_team *team)
{
    __atomic_store_n(&team->arrived, 0, __ATOMIC_RELAXED);
    __atomic_add_fetch(&team->round, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&team->sleepers, __ATOMIC_SEQ_CST) == 0)
        return;
    pthread_mutex_lock(&team->mutex);
    pthread_cond_broadcast(&team->last_came);
    pthread_mutex_unlock(&team->mutex);
}

void swe_team_wait(swe_team *team)
{
    const unsigned threads = (unsigned)omp_get_num_threads();
    const unsigned round = __atomic_load_n(&team->round, __ATOMIC_RELAXED);
    if (__atomic_add_fetch(&team->arrived, 1, __ATOMIC_ACQ_REL) == threads)
        end_round(team);
    else {
        const int64_t start = now();
        if (!spin(team, round, start))
            sleep_until_over(team, round, start);
    }
}
