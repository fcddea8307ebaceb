/* The time of a step within a loop, from batches of steps.
 *
 * A batch is as many steps as take about 50 ms, started one after another and waited for once, so
 * that neither the clock nor the wait is what is measured. Where a batch is several steps, one that
 * is not timed comes first, so that caches hold what they can of this model, whatever ran before.
 */
#ifndef SWE_MODEL_STEP_TIMES_H
#define SWE_MODEL_STEP_TIMES_H

#include <stdbool.h>

#include "state/model.h"

typedef struct swe_step_times {
    swe_model *model;
    double dt;       /* [s] */
    long batch;      /* steps that are timed together */
    long host_batch; /* of them that are started to an idle device, see below */
    double guess;    /* seconds of a step, the least while warming up */
    long steps;      /* taken so far */
} swe_step_times;

/* Length of a batch if a step takes no longer [s]. */
extern const double swe_step_times_batch;

/* Warm up and find the size of a batch. Errors: SWE_INTERNAL. */
swe_status swe_step_times_prepare(swe_context *ctx, swe_model *model, double dt,
                                  swe_step_times *out);

/* Seconds of one batch. Errors: SWE_INTERNAL. */
swe_status swe_step_times_sample(swe_context *ctx, swe_step_times *times, double *seconds);

/* Whether the backend computes while the host goes on. */
bool swe_step_times_asynchronous(const swe_model *model);

/* Seconds that the host takes to start `host_batch` steps: few enough that the queue of a device
 * holds them, since who starts into a full queue waits. Errors: SWE_INTERNAL. */
swe_status swe_step_times_sample_host(swe_context *ctx, swe_step_times *times, double *seconds);

#endif
