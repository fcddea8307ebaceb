/* The one clock of all measurements. */
#ifndef PROFILING_CLOCK_H
#define PROFILING_CLOCK_H

/* Seconds since some fixed moment; never goes back. */
double prof_clock_seconds(void);

#endif
