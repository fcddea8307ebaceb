#include "run/step_times.h"

#include <math.h>

#include "base/clock.h"
#include "base/tuning.h"

/* Steps that the queue of an idle device holds: a few graphs, and the plain step before them. */
enum { QUEUED_STEPS = 1 + 4 * SWE_RECORDED_STEPS };

/* Batches before the first sample; several, because a single batch may be disturbed. */
enum { WARM_UPS = 3 };

double swe_step_times_batch(void)
{
    return swe_tuning_patience(0.05);
}

/* Run steps; seconds until all were started, and until all had finished. */
static swe_status run(swe_context *ctx, swe_step_times *times, long steps, double *started,
                      double *done)
{
    const double start = swe_clock_seconds();
    SWE_TRY(swe_model_start(ctx, times->model, times->dt, steps));
    *started = swe_clock_seconds() - start;
    SWE_TRY(swe_model_wait(ctx, times->model));
    *done = fmax(swe_clock_seconds() - start, 1e-9); /* the clock's resolution */
    times->steps += steps;
    return SWE_OK;
}

swe_status swe_step_times_prepare(swe_context *ctx, swe_model *model, double dt,
                                  swe_step_times *out)
{
    double started = 0.0, seconds = 0.0;
    long steps = 1;
    *out = (swe_step_times){.model = model, .dt = dt, .guess = INFINITY};
    SWE_TRY(run(ctx, out, 1, &started, &seconds)); /* the first step is slow */
    for (int long_enough = 0; long_enough < WARM_UPS;) {
        SWE_TRY(run(ctx, out, steps, &started, &seconds));
        out->guess = fmin(out->guess, seconds / (double)steps);
        if (out->guess * (double)steps < 0.5 * swe_step_times_batch())
            steps *= 2;
        else
            long_enough++;
    }
    out->batch = (long)fmax(1.0, ceil(swe_step_times_batch() / out->guess));
    out->host_batch = out->batch < QUEUED_STEPS ? out->batch : QUEUED_STEPS;
    return SWE_OK;
}

swe_status swe_step_times_sample(swe_context *ctx, swe_step_times *times, double *seconds)
{
    double started = 0.0;
    if (times->batch > 1)
        SWE_TRY(run(ctx, times, 1, &started, seconds));
    return run(ctx, times, times->batch, &started, seconds);
}

bool swe_step_times_asynchronous(const swe_model *model)
{
    return model->execution.queue != NULL;
}

swe_status swe_step_times_sample_host(swe_context *ctx, swe_step_times *times, double *seconds)
{
    double done = 0.0;
    return run(ctx, times, times->host_batch, seconds, &done);
}
