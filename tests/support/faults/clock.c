/* A clock that is set while a run goes on: each look finds it a year before or after the last; or
 * it is set back once. */
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
    const char *wish = getenv("FAULTS_CLOCK");
    const int once = wish != NULL ? atoi(wish) : 0;
    const int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (result != 0 || clock != CLOCK_REALTIME || wish == NULL)
        return result;
    const int look = atomic_fetch_add(&looks, 1);
    if (once > 1)
        now->tv_sec -= look < once ? 0 : 2;
    else
        now->tv_sec += look % 2 == 0 ? year : -year;
    return result;
}
