/* A clock that is set while a run goes on: each look finds it a year before or after the last. */
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
    static atomic_int looks;
    const time_t year = 365L * 24 * 3600;
    const int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && clock == CLOCK_REALTIME && getenv("FAULTS_CLOCK") != NULL)
        now->tv_sec += atomic_fetch_add(&looks, 1) % 2 == 0 ? year : -year;
    return result;
}
