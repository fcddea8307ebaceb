/* How many CPU threads compute, chosen while a run goes on.
 *
 * A run begins with all the threads that pay off on an idle machine. Where they wait for one
 * another for a good part of their time, other programs use the cores; the run then tries fewer
 * threads, keeps them where a step takes less time, and tries more again now and then. Results do
 * not depend on the number of threads. Decisions come from times alone, so this is a plain value
 * without memory or a clock of its own. */
#ifndef SWE_MODEL_THREAD_COUNT_H
#define SWE_MODEL_THREAD_COUNT_H

#include <stdbool.h>

/* Share of their time that threads wait on a machine that is busy with other programs, at least.
 * Two threads on one core wait for a quarter: in each stage one of them waits while the other
 * computes. */
#define SWE_THREADS_WAIT 0.15

typedef struct swe_thread_count {
    int most;
    bool is_free; /* false: the number is the user's, and stays */
    int active;
    double waiting; /* share of their time that threads waited, as last measured */
    /* a trial */
    int before;         /* threads that it goes back to; 0: no trial is under way */
    double step_before; /* [s], of a step by them */
    double rest, pause; /* [s] of steps to the next trial, and from that to the one after it */
    /* since the last decision */
    long steps;
    double seconds, waited; /* [s]; of all threads together */
} swe_thread_count;

/* Begin with `most` threads. */
swe_thread_count swe_thread_count_of(int most, bool is_free);

/* Learn what steps took [s], and for how long threads waited in them [s, the sum over threads].
 * Returns how many threads take the next steps, 1 to most. */
int swe_thread_count_next(swe_thread_count *count, long steps, double seconds, double waited);

#endif
