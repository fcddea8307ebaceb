/* Clocks of all measurements. */
#ifndef SWE_BASE_CLOCK_H
#define SWE_BASE_CLOCK_H

#include <stdint.h>

/* Seconds since an arbitrary moment; monotonic. */
double swe_clock_seconds(void);

/* Nanoseconds since the epoch, the clock of CUPTI's records. */
int64_t swe_clock_ns(void);

#endif
