/* The wall time of a step within a loop, from batches of steps.
 *
 * A batch is a number of steps that last about 50 ms, started one after another with one wait at
 * the end, so that the clock and the wait contribute little. An untimed step precedes a batch of
 * several steps, so that the caches hold data of this model. */
#ifndef SWE_RUN_STEP_TIMES_H
#define SWE_RUN_STEP_TIMES_H

#include <stdbool.h>

#include "state/model.h"

typedef struct swe_step_times {
    swe_model *model;
    double dt;       /* [s] */
    long batch;      /* steps timed together */
    long host_batch; /* steps of a sample of the host's time */
    double guess;    /* least seconds of a step while warming up */
    long steps;      /* run so far */
} swe_step_times;

/* Target length of a batch [s], by the knob patience (base/tuning.h). */
double swe_step_times_batch(void);

/* Warm up and find the size of a batch. Errors: SWE_INTERNAL. */
swe_status swe_step_times_prepare(swe_context *ctx, swe_model *model, double dt,
                                  swe_step_times *out);

/* Seconds of one batch. Errors: SWE_INTERNAL. */
swe_status swe_step_times_sample(swe_context *ctx, swe_step_times *times, double *seconds);

/* Whether the backend runs asynchronously to the host. */
bool swe_step_times_asynchronous(const swe_model *model);

/* Seconds that the host needs to start `host_batch` steps on an idle device. The queue of the
 * device holds that many, so that no start waits. Errors: SWE_INTERNAL. */
swe_status swe_step_times_sample_host(swe_context *ctx, swe_step_times *times, double *seconds);

#endif
