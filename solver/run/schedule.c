#include "run/schedule.h"

#include <math.h>

#include "config/internal.h"

/* Steps from an event to the next: dt divides every interval. */
static long steps_between(long every, double interval, double dt)
{
    return interval > 0.0 ? lround(fmin(interval / dt, 1e18)) : every;
}

swe_schedule swe_schedule_of(const swe_config *config, bool has_reference)
{
    swe_schedule s = {.config = config, .has_reference = has_reference};
    s.dt = swe_config_schedule(config, &s.steps);
    s.last = swe_config_count(config->time.end, s.dt) > 0.0
                 ? s.dt
                 : config->time.end - (double)(s.steps - 1) * s.dt;
    s.rows = steps_between(config->diagnostics.every, config->diagnostics.interval, s.dt);
    s.fields = steps_between(config->output.every, config->output.interval, s.dt);
    s.checkpoints = steps_between(config->checkpoint.every, config->checkpoint.interval, s.dt);
    s.stirring = steps_between(0, config->forcing.stirring.interval, s.dt);
    s.records = steps_between(0, config->forcing.interval, s.dt);
    return s;
}

double swe_schedule_time(const swe_schedule *s, long step)
{
    return step == s->steps ? s->config->time.end : (double)step * s->dt;
}

static double time_of_multiple(const swe_schedule *s, long step, double interval, long steps)
{
    if (interval <= 0.0 || step == s->steps || step % steps != 0)
        return swe_schedule_time(s, step);
    const long multiple = step / steps;
    return (double)multiple * interval;
}

double swe_schedule_row_time(const swe_schedule *s, long step)
{
    return time_of_multiple(s, step, s->config->diagnostics.interval, s->rows);
}

double swe_schedule_fields_time(const swe_schedule *s, long step)
{
    return time_of_multiple(s, step, s->config->output.interval, s->fields);
}

/* Step nearest to a model time. */
static long step_at(const swe_schedule *s, double time)
{
    return lround(time / s->dt);
}

bool swe_schedule_row(const swe_schedule *s, long step)
{
    return step == s->steps || swe_is_every(step, s->rows);
}

bool swe_schedule_fields(const swe_schedule *s, long step)
{
    return step == s->steps || swe_is_every(step, s->fields);
}

bool swe_schedule_check(const swe_schedule *s, long step)
{
    return swe_is_every(step, s->config->diagnostics.check_every);
}

/* The last step after which a longer run may continue: the last but one if the last step is
 * shorter. */
static long final_step(const swe_schedule *s)
{
    return s->last == s->dt ? s->steps : s->steps - 1;
}

bool swe_schedule_checkpoint(const swe_schedule *s, long step)
{
    return step <= final_step(s) &&
           (swe_is_every(step, s->checkpoints) ||
            (step == final_step(s) && s->config->checkpoint.final == SWE_YES));
}

static bool is_sample(const swe_schedule *s, long step)
{
    const double interval = s->config->diagnostics.sample_interval;
    if (step == s->steps)
        return true;
    if (interval > 0.0 &&
        step == step_at(s, floor(swe_schedule_time(s, step) / interval + 0.5) * interval))
        return true;
    for (unsigned k = 0; k < s->config->diagnostics.sample_times.count; k++)
        if (step == step_at(s, s->config->diagnostics.sample_times.value[k]))
            return true;
    return false;
}

bool swe_schedule_errors(const swe_schedule *s, long step)
{
    return s->has_reference && is_sample(s, step);
}

bool swe_schedule_changes(const swe_schedule *s, long step)
{
    return step < s->steps && (swe_is_every(step, s->stirring) || swe_is_every(step, s->records));
}

bool swe_schedule_any(const swe_schedule *s, long step)
{
    return step == final_step(s) || swe_schedule_check(s, step) ||
           swe_schedule_checkpoint(s, step) || swe_schedule_fields(s, step) ||
           swe_schedule_row(s, step) || swe_schedule_errors(s, step) ||
           swe_schedule_changes(s, step);
}
