/* The schedule of windows, in steps: pure functions of the step number. */
#ifndef PROFILING_RECORD_SCHEDULE_H
#define PROFILING_RECORD_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct prof_schedule {
    int64_t start;    /* steps before the first window */
    int64_t duration; /* steps of a window; 0: no windows */
    int64_t interval; /* steps from one window's start to the next; 0: one window */
    int64_t last;     /* steps of the run; windows end here at the latest */
    int64_t lead;     /* steps before a window at which sources prepare */
} prof_schedule;

/* Whether the step that follows `step` steps is in a window. */
bool prof_schedule_covers(const prof_schedule *schedule, int64_t step);

/* Whether a window opens after `step` steps. */
bool prof_schedule_opens(const prof_schedule *schedule, int64_t step);

/* Whether sources prepare after `step` steps for the window that opens `lead` steps later. */
bool prof_schedule_leads(const prof_schedule *schedule, int64_t step);

/* Whether a window closes after `step` steps; with adjacent windows the next one then opens. */
bool prof_schedule_closes(const prof_schedule *schedule, int64_t step);

/* Steps from `step` to the next preparation, opening or closing, at most `most`. */
int64_t prof_schedule_to_edge(const prof_schedule *schedule, int64_t step, int64_t most);

#endif
