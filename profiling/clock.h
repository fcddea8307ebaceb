/* The clocks of all measurements. */
#ifndef PROFILING_CLOCK_H
#define PROFILING_CLOCK_H

#include <stdint.h>

/* Seconds since some fixed moment; never goes back. */
double prof_clock_seconds(void);

/* Nanoseconds since the epoch: CUPTI stamps its records with this clock. */
int64_t prof_clock_ns(void);

#endif
