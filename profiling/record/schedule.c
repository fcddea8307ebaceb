#include "record/schedule.h"

/* Steps since the latest start of a window at or before `step`; -1 if there was none. */
static int64_t since_start(const prof_schedule *s, int64_t step)
{
    if (s->duration == 0 || step < s->start)
        return -1;
    return s->interval > 0 ? (step - s->start) % s->interval : step - s->start;
}

bool prof_schedule_covers(const prof_schedule *s, int64_t step)
{
    const int64_t since = since_start(s, step);
    return since >= 0 && since < s->duration && step < s->last;
}

bool prof_schedule_opens(const prof_schedule *s, int64_t step)
{
    return since_start(s, step) == 0 && step < s->last;
}

bool prof_schedule_leads(const prof_schedule *s, int64_t step)
{
    return s->lead > 0 && prof_schedule_opens(s, step + s->lead);
}

bool prof_schedule_closes(const prof_schedule *s, int64_t step)
{
    return step > 0 && prof_schedule_covers(s, step - 1) &&
           (!prof_schedule_covers(s, step) || prof_schedule_opens(s, step));
}

int64_t prof_schedule_to_edge(const prof_schedule *s, int64_t step, int64_t most)
{
    if (s->duration == 0)
        return most;
    int64_t edge = s->start;
    const int64_t since = since_start(s, step);
    const bool is_open = since >= 0 && since < s->duration;
    if (is_open)
        edge = step - since + s->duration;
    else if (since >= 0 && s->interval > 0)
        edge = step - since + s->interval;
    if (!is_open && step < edge - s->lead)
        edge -= s->lead;
    const int64_t count = edge - step;
    return count > 0 && count < most ? count : most;
}
