/* A model: grid, operators, backend and state, ready to step. Owns all of them. */
#ifndef SWE_STATE_MODEL_H
#define SWE_STATE_MODEL_H

#include <stdbool.h>

#include "base/tuning.h"
#include "state/stepper.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct swe_model_options {
    int n;
    int order;
    swe_closure closure;
    swe_physics physics;
    swe_pipeline pipeline;   /* of a step */
    swe_precision precision; /* of the state and of all that a step computes */
    bool all_arrays;         /* room for the stages of both pipelines */
    const char *backend;     /* name as in swe_backend_find */
    int threads;             /* CPU threads; 0: as many as pay off */
    prof_profiler *profiler; /* of stages and memory; NULL: off. Outlives the model */
} swe_model_options;

typedef struct swe_model {
    swe_grid *grid;
    const swe_sbp *sbp;
    const swe_backend *backend;
    int device_index;
    swe_device *device;
    swe_physics physics;
    swe_closure closure;
    swe_pipeline pipeline;
    swe_precision precision;
    swe_execution execution;
    const swe_stepper_functions *functions; /* of the precision */
    swe_stepper *stepper;                   /* the state, and all else that is on the device */
    double *integrals;                      /* of rows, in host memory */
    swe_graph *captured;     /* as many steps of captured_dt as the knob graph_steps; NULL: none */
    swe_graph *captured_two; /* two steps, for strides and their ends; NULL: none */
    double captured_dt;
    swe_pipeline captured_pipeline;
    bool captured_swapped; /* both go back through the states first (time/step.h) */
} swe_model;

/* Build a model whose state is zero.
 * Errors: SWE_CONFIG (n, order, closure), SWE_UNAVAILABLE, SWE_USAGE (backend), SWE_NO_MEMORY. */
swe_status swe_model_create(swe_context *ctx, const swe_model_options *options, swe_model **out);

/* Release a model and null the pointer; NULL is fine. */
void swe_model_destroy(swe_model **model);

/* Doubles in a whole state (h, v1, v2 one after the other, in grid->layout). */
size_t swe_model_state_size(const swe_model *model);

/* Copy the state from and to host memory of swe_model_state_size doubles. Setting it also makes h
 * single-valued. Errors: SWE_INTERNAL. */
swe_status swe_model_set_state(swe_context *ctx, swe_model *model, const double *host);
swe_status swe_model_get_state(swe_context *ctx, swe_model *model, double *host);

/* Copy the bottom b [m] from host memory of a field; it is made single-valued, and is 0 until then.
 * Errors: SWE_INTERNAL (the linear equations have none). */
swe_status swe_model_set_bottom(swe_context *ctx, swe_model *model, const double *host);

/* The integrals of every row of the state (stages/integrals/integrals.h), in host memory of the
 * model's until the next call. Errors: SWE_INTERNAL. */
swe_status swe_model_get_integrals(swe_context *ctx, swe_model *model, const double **rows);

/* Start one step of dt [s]; within backend->share. */
void swe_model_step(const swe_model *model, double dt);

/* Steps to start at once at least, so that all but the first of them are one long graph; 1 where
 * the backend does not record. */
long swe_model_least_stride(const swe_model *model);

/* Start `steps` steps of dt [s]; on the CPU they are done then. Three and more are started
 * as captured sequences, unless somebody wants to hear of their stages (prof_records_regions).
 * Errors: SWE_INTERNAL, SWE_NO_MEMORY. */
swe_status swe_model_start(swe_context *ctx, swe_model *model, double dt, long steps);

/* Wait for what was started. Errors: SWE_INTERNAL. */
swe_status swe_model_wait(swe_context *ctx, swe_model *model);

/* Start steps and wait for them. Errors: SWE_INTERNAL. */
swe_status swe_model_advance(swe_context *ctx, swe_model *model, double dt, long steps);

/* Courant number c dt / (a D). */
double swe_model_courant(const swe_physics *physics, int n, double dt);

/* Bytes of device memory that a model of n cells a side takes, but for the scratch of the
 * threads. */
size_t swe_model_bytes(int n, swe_flow flow, swe_pipeline pipeline, swe_precision precision);

#ifdef __cplusplus
}
#endif
#endif
