/* Clocks of all measurements. */
#ifndef SWE_BASE_CLOCK_H
#define SWE_BASE_CLOCK_H

#include <stdint.h>

/* Seconds, and nanoseconds, of CLOCK_MONOTONIC, which cannot be set: for all differences of times.
 * Processes of one machine have the same clock. */
double swe_clock_seconds(void);
int64_t swe_clock_ns(void);

/* Nanoseconds since the epoch, which may be set at any time; the clock of CUPTI's records. */
int64_t swe_clock_wall_ns(void);

#endif
