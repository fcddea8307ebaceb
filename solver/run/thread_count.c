#include "run/thread_count.h"

static const double window = 0.02;     /* least time between two decisions [s] */
static const double first_pause = 1.0; /* time between two trials [s] */
static const double longest_pause = 60.0;
/* A trial is kept if the time of a step falls below this multiple of the time before: more threads
 * must be clearly faster, fewer threads may be slightly slower. */
static const double worth_more = 0.8, worth_fewer = 1.05;

swe_thread_count swe_thread_count_of(int most, bool is_free)
{
    return (swe_thread_count){
        .most = most, .is_free = is_free, .active = most, .pause = first_pause};
}

static void begin_trial(swe_thread_count *c, double step, int threads)
{
    c->before = c->active;
    c->step_before = step;
    c->active = threads;
}

/* Keep or revert a trial. A reverted trial doubles the pause to the next. */
static void end_trial(swe_thread_count *c, double step)
{
    const double worth = c->active > c->before ? worth_more : worth_fewer;
    const bool is_kept = step < worth * c->step_before;
    if (!is_kept)
        c->active = c->before;
    c->pause = is_kept ? first_pause : 2.0 * c->pause;
    if (c->pause > longest_pause)
        c->pause = longest_pause;
    c->rest = c->pause;
    c->before = 0;
}

static void decide(swe_thread_count *c, double step)
{
    /* Use all threads if doubling gives nearly all: a small last increase would not be kept. */
    const int more = 4 * c->active <= c->most ? 2 * c->active : c->most;
    if (c->before > 0)
        end_trial(c, step);
    else if (c->rest > 0.0)
        return;
    else if (c->active > 1 && c->waiting > SWE_THREADS_WAIT)
        begin_trial(c, step, c->active / 2);
    else if (c->active < c->most)
        begin_trial(c, step, more);
}

int swe_thread_count_next(swe_thread_count *c, long steps, double seconds, double waited)
{
    c->steps += steps;
    c->seconds += seconds;
    c->waited += waited;
    c->rest -= seconds;
    if (c->seconds < window)
        return c->active;
    if (c->before == 0)
        c->waiting = c->waited / (c->seconds * c->active);
    if (c->is_free)
        decide(c, c->seconds / (double)c->steps);
    c->steps = 0;
    c->seconds = c->waited = 0.0;
    return c->active;
}
