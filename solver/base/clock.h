/* Clocks of all measurements. */
#ifndef PROFILING_CLOCK_H
#define PROFILING_CLOCK_H

#include <stdint.h>

/* Seconds since an arbitrary moment; monotonic. */
double prof_clock_seconds(void);

/* Nanoseconds since the epoch, the clock of CUPTI's records. */
int64_t prof_clock_ns(void);

#endif
