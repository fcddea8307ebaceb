/* A stepper: the device arrays of a model in one precision, and the operations on them.
 *
 * stepper.c and the sources that it calls are compiled once for each precision (base/real.h); a
 * model uses the function table of its precision. Host arrays are of doubles in both. */
#ifndef SWE_STATE_STEPPER_H
#define SWE_STATE_STEPPER_H

#include <stdbool.h>

#include "backend/backend.h"
#include "base/physics.h"
#include "grid/grid.h"
#include "operators/sbp.h"
#include "ranks/ranks.h"
#include "stages/decomposition.h"
#include "time/plan.h"

/* Device and physics of a stepper. All pointers must outlive it. */
typedef struct swe_stepper_options {
    const swe_backend *backend;
    swe_device *device;
    swe_execution execution;
    const swe_grid *grid;
    const double *norms;         /* (2 n + 1) of vertices, then of cells [rad], for the integrals */
    const swe_field_set *fields; /* of a state */
    swe_physics physics;
    int order;
    swe_closure closure;
    int blocks_1, blocks_2; /* of a panel along xi1 and xi2 (stages/decomposition.h) */
    bool staged;            /* allocate the arrays of the staged pipeline */
    bool fused;             /* allocate the arrays of the fused pipeline */
} swe_stepper_options;

typedef struct swe_stepper swe_stepper;

/* Fields in memory before the state of a model whose steps have this plan: Y1, Y2 and Y3; in two
 * sweeps three fields (sweeps/fused/fused_point.h). Diagnostics and stages at the end of a step use
 * five fields as scratch, of blocks nine. */
static inline int swe_stepper_scratch(const swe_step_plan *plan, bool are_blocks)
{
    return swe_plan_substeps(plan) == SWE_SWEEPS
               ? (are_blocks ? 9 : 5)
               : (SWE_SUBSTEPS - 1) * (SWE_FLOW_FIELDS + plan->advected);
}

/* Fields at vertices that the stages derive from a velocity: the relative vorticity zeta [s-1], as
 * the nonlinear equations use it; the divergence [s-1], as the linear ones use it. Their integrals
 * over the sphere are 0 if both panels of each edge have the same tangential v. */
typedef enum swe_derivative { SWE_VORTICITY, SWE_DIVERGENCE } swe_derivative;

typedef struct swe_stepper_functions {
    /* Errors: SWE_CONFIG (n, order, closure, blocks), SWE_NO_MEMORY, SWE_INTERNAL. */
    swe_status (*create)(swe_context *ctx, const swe_stepper_options *options, swe_stepper **out);
    /* Choose the transport of messages between GPUs. All ranks call it after all ranks have created
     * the stepper. Errors, the same on all ranks: SWE_UNAVAILABLE (NCCL). */
    swe_status (*connect)(swe_context *ctx, swe_stepper *stepper, swe_transport transport);
    /* The name of the transport; NULL: none, or messages are between CPUs. A static string. */
    const char *(*transport)(const swe_stepper *stepper);
    /* Whether the caller waits for messages within a step. It does not wait for messages of
     * NCCL. */
    bool (*waits)(const swe_stepper *stepper);
    /* Release a stepper and null the pointer; NULL is fine. */
    void (*destroy)(swe_stepper **stepper);

    /* Copy the state from and to host memory: this rank's points of all fields of a state, in the
     * layout of the blocks, or of the grid where there are none. set_state also projects fields at
     * vertices. get_state, get_integrals, derive, get_tendency and view read the state that
     * `complete` selected.
     * Errors: SWE_INTERNAL. */
    swe_status (*set_state)(swe_context *ctx, swe_stepper *stepper, const double *host);
    swe_status (*get_state)(swe_context *ctx, swe_stepper *stepper, double *host);
    /* Copy a field that stays from such memory, and project what lies at vertices; it is 0 before.
     * Errors: SWE_INTERNAL (the physics has no such field; non-rotating linear flow has none). */
    swe_status (*set_constant)(swe_context *ctx, swe_stepper *stepper, swe_constant which,
                               const double *host);
    /* Compute the integrals of each row into `host` (stages/integrals/integrals.h): of the state,
     * or with a term other than SWE_TERMS of the state plus `weight` [s] times the tendency of the
     * term. The potential vorticity of the second is not computed. The tendency of the drag -r v is
     * not computed, and the tendency of the stress includes the source; terms are of the time of
     * `clock`. Errors: SWE_INTERNAL. */
    swe_status (*get_integrals)(swe_context *ctx, swe_stepper *stepper, swe_term term,
                                double weight, const swe_clock *clock, double *host);

    /* Compute a derivative of the state into such memory of one field. Errors: SWE_INTERNAL. */
    swe_status (*derive)(swe_context *ctx, swe_stepper *stepper, swe_derivative derivative,
                         double *host);

    /* Compute the tendency of the state at the time of `clock`, without damping and dissipation,
     * into such memory of all fields of a state. Errors: SWE_INTERNAL. */
    swe_status (*get_tendency)(swe_context *ctx, swe_stepper *stepper, swe_pipeline pipeline,
                               const swe_clock *clock, double *host);
    /* The state in device memory. */
    const void *(*view)(const swe_stepper *stepper);

    /* How the panels are cut; NULL: they are whole, and this process has them all. */
    const swe_decomposition *(*blocks)(const swe_stepper *stepper);

    /* Whether v lags behind h after steps of a pipeline (time/step.h). */
    bool (*lags)(const swe_stepper *stepper, swe_pipeline pipeline);
    /* Call it before the state is read: complete v, which lags by a step of `lag` [s] (0: no lag).
     * Returns the lag of the state from which steps continue; leapfrog keeps it. `as_it_steps`: the
     * reader needs that state. */
    double (*complete)(swe_stepper *stepper, double lag, bool as_it_steps);
    /* Call it before steps of dt [s], or with dt = 0 if v must not lag: change the lag of the state
     * to the lag that the steps need. */
    void (*prepare)(swe_stepper *stepper, double lag, double dt);
    /* Start substep `number` of a step of dt [s] that begins at `clock`, from 0 on, or the end of
     * the step (SWE_SUBSTEPS), and read from now on the state at which the next substep computes
     * its tendency; -1 gives a step up before its last substep. Not for two sweeps; between
     * substeps only get_state and set_constant may be called. */
    void (*substep)(swe_stepper *stepper, swe_pipeline pipeline, swe_clock clock, double dt,
                    int number);
    /* Start `count` steps of dt [s] from `clock` on; `lags`: v lags behind h by a step of dt. This
     * and the functions below: call them within backend->share. */
    void (*steps)(swe_stepper *stepper, swe_pipeline pipeline, swe_clock clock, double dt,
                  long count, bool lags);
    /* Start the calls of one stage that a step of a plan has. */
    void (*stage)(const swe_stepper *stepper, const swe_step_plan *plan, int stage, double dt);
    /* Start the right-hand side: k = f(y). */
    void (*rhs)(const swe_stepper *stepper);
    /* Record the regions and the threads' shares of later work with a profiler; NULL: none. */
    void (*set_profiler)(swe_stepper *stepper, prof_profiler *profiler);
} swe_stepper_functions;

/* Functions of the precision of this compilation. */
extern const swe_stepper_functions swe_stepper_table REAL_SYMBOL(swe_stepper_table);

#endif
