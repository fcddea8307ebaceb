#include "base/clock.h"

#include <time.h>

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

double swe_clock_seconds(void)
{
    return 1e-9 * (double)swe_clock_ns();
}

int64_t swe_clock_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t swe_clock_wall_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}
