/* A stepper: a model's arrays on its backend in one precision, and what is done with them.
 *
 * stepper.c is compiled for both precisions, and so is all that computes below it (base/real.h); a
 * model has the functions of its own. Host arrays are of doubles, whatever the precision. */
#ifndef SWE_STATE_STEPPER_H
#define SWE_STATE_STEPPER_H

#include <stdbool.h>

#include "backend/backend.h"
#include "base/physics.h"
#include "grid/grid.h"
#include "operators/sbp.h"
#include "time/plan.h"

/* Where a stepper is, and what it computes; all of it outlives the stepper. */
typedef struct swe_stepper_options {
    const swe_backend *backend;
    swe_device *device;
    swe_execution execution;
    const swe_grid *grid;
    const double *norm_vertex, *norm_cell; /* (n + 1), (n) norm weights [rad], for the integrals */
    swe_physics physics;
    int order;
    swe_closure closure;
    bool staged; /* has room for the stages of the right-hand side */
    bool swept;  /* and for those of the fused pipeline where the flow rotational */
} swe_stepper_options;

typedef struct swe_stepper swe_stepper;

typedef struct swe_stepper_functions {
    /* Errors: SWE_CONFIG (n, order, closure), SWE_NO_MEMORY, SWE_INTERNAL. */
    swe_status (*create)(swe_context *ctx, const swe_stepper_options *options, swe_stepper **out);
    /* Release a stepper and null the pointer; NULL is fine. */
    void (*destroy)(swe_stepper **stepper);

    /* Copy the state from and to host memory of 3 fields; setting it also makes h single-valued.
     * Errors: SWE_INTERNAL. */
    swe_status (*set_state)(swe_context *ctx, swe_stepper *stepper, const double *host);
    swe_status (*get_state)(swe_context *ctx, swe_stepper *stepper, double *host);
    /* Copy the bottom b [m] from host memory of a field, and make it single-valued; it is 0 until
     * then. Of nonlinear equations. Errors: SWE_INTERNAL. */
    swe_status (*set_bottom)(swe_context *ctx, swe_stepper *stepper, const double *host);
    /* Compute the integrals of the state; `host` gets those of every row
     * (stages/integrals/integrals.h). Errors: SWE_INTERNAL. */
    swe_status (*get_integrals)(swe_context *ctx, swe_stepper *stepper, double *host);

    /* Start a step of dt [s]; whether the next one goes back through the four states
     * (time/step.h), which a captured one does or does not; the calls of a stage that a
     * step of a plan makes; the right-hand side. Within backend->share. */
    void (*step)(swe_stepper *stepper, swe_pipeline pipeline, double dt);
    bool (*is_swapped)(const swe_stepper *stepper);
    void (*stage)(const swe_stepper *stepper, const swe_step_plan *plan, int stage, double dt);
    void (*rhs)(const swe_stepper *stepper);
} swe_stepper_functions;

/* In single precision swe_stepper_single, as base/real.h names it. */
extern const swe_stepper_functions swe_stepper_double;

#endif
