/* Adaptive number of CPU threads of a run.
 *
 * A run begins with the best number of threads for an idle machine. If threads wait for one another
 * for a large part of their time, other programs use the cores; the run then tries fewer threads,
 * keeps them if a step needs no more time, and tries more again from time to time. Results do not
 * depend on the number of threads. Decisions depend only on the times passed in: no clock, no
 * memory. */
#ifndef SWE_RUN_THREAD_COUNT_H
#define SWE_RUN_THREAD_COUNT_H

#include <stdbool.h>

/* Share of waiting time above which the machine counts as busy. Two threads on one core wait a
 * quarter of their time: in each stage one waits while the other computes. */
#define SWE_THREADS_WAIT 0.15

typedef struct swe_thread_count {
    int most;
    bool is_free; /* false: the user fixed the number */
    int active;
    double waiting; /* last measured share of waiting time */
    /* a trial of another number */
    int before;         /* threads before the trial; 0: no trial in progress */
    double step_before; /* time of a step with them [s] */
    double rest, pause; /* time to the next trial, and pause after a trial [s] */
    /* since the last decision */
    long steps;
    double seconds, waited; /* of steps, and of waiting summed over threads [s] */
} swe_thread_count;

/* Begin with `most` threads. */
swe_thread_count swe_thread_count_of(int most, bool is_free);

/* Record `steps` steps that lasted `seconds` [s], with `waited` [s] of waiting summed over threads.
 * Returns the number of threads for the next steps, 1 to most. */
int swe_thread_count_next(swe_thread_count *count, long steps, double seconds, double waited);

#endif
