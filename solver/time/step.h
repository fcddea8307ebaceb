/* A step of the classical Runge-Kutta method, or of leapfrog: runs the calls of its plan (plan.h)
 * on the arrays of a model. Arrays are in the backend's memory.
 *
 * Call the functions within backend->share. On a CPU every thread of the team calls them, with the
 * same arguments. On a GPU one thread does, and they return when the stages are started. SWE_POINT:
 * inlined, for host and device (base/point.h). */
#ifndef SWE_TIME_STEP_H
#define SWE_TIME_STEP_H

#include "fields/fields.h"
#include "time/plan.h"

/* Advance the state by `count` steps of dt [s], of which the first begins at `clock`. Before the
 * first step, apply the stage projection to h and to each advected field of y. After a step they
 * are projected.
 *
 * `lags`: v lags behind h by a step of dt (fused/fused_point.h) when the call begins. After the
 * call v lags if swe_plan_lags(plan). Call swe_complete before reading v between steps. */
void swe_steps(const swe_stage_table *stages, const swe_execution *execution,
               const swe_params *params, const swe_step_plan *plan, const swe_step_fields *fields,
               swe_clock clock, double dt, long count, bool lags) REAL_SYMBOL(swe_steps);

/* Complete v, which lags behind h by a step of dt [s]. */
void swe_complete(const swe_stage_table *stages, const swe_execution *execution,
                  const swe_params *params, const swe_step_fields *fields, double dt)
    REAL_SYMBOL(swe_complete);

/* Leapfrog: swe_leapfrog_begin replaces v at the time of h by the mean of v over the previous step
 * of dt [s], from which steps continue. swe_leapfrog_complete computes v at the time of h from this
 * mean. Both omit terms of dt^6. */
void swe_leapfrog_begin(const swe_stage_table *stages, const swe_execution *execution,
                        const swe_params *params, const swe_step_fields *fields, double dt)
    REAL_SYMBOL(swe_leapfrog_begin);
void swe_leapfrog_complete(const swe_stage_table *stages, const swe_execution *execution,
                           const swe_params *params, const swe_step_fields *fields, double dt)
    REAL_SYMBOL(swe_leapfrog_complete);

/* One substep of a step of dt [s] that begins at `clock`, `number` from 0 on, or with number
 * SWE_SUBSTEPS the end of the step. Not for two sweeps. After substep 0 swe_step_scratch has the
 * state plus swe_plan_weight(plan, 0, dt) times its tendency, with forcing and viscosity; the last
 * substep changes the state. */
void swe_substep(const swe_stage_table *stages, const swe_execution *execution,
                 const swe_params *params, const swe_step_plan *plan, const swe_step_fields *fields,
                 swe_clock clock, int number, double dt) REAL_SYMBOL(swe_substep);

/* dy = f(P y), the flow's right-hand side by the staged pipeline, without advected fields, damping
 * and dissipation. P gives all copies of a shared point their mean of h (stage projection). The
 * call overwrites y.h by P y.h; if y.h was projected before, no bit changes. y.v1 and y.v2 are only
 * read. dy.h is projected, too. y, dy and `work` must not overlap. Do not use the contents of
 * `work` afterwards. */
void swe_rhs(const swe_stage_table *stages, const swe_execution *execution,
             const swe_params *params, swe_fields y, swe_work work, swe_fields dy)
    REAL_SYMBOL(swe_rhs);

/* For timing: run only those calls of a step's plan that call `stage` (SWE_STAGE_...). The state is
 * meaningless afterwards. */
void swe_step_stage(const swe_stage_table *stages, const swe_execution *execution,
                    const swe_params *params, const swe_step_plan *plan,
                    const swe_step_fields *fields, int stage, double dt)
    REAL_SYMBOL(swe_step_stage);

/* The memory that holds Y1, Y2 and Y3. Between steps it is scratch of three states with their
 * advected fields, 3 params->next values. */
SWE_POINT real *swe_step_scratch(const swe_step_fields *fields)
{
    return fields->next.h;
}

/* Address in this scratch for the vorticity. The four fields before it are mean1, mean2, shear1 and
 * shear2 of the stage vorticity. The divergence begins the scratch and needs nine fields, all of
 * them where no field is advected (state/stepper.c). */
SWE_POINT real *swe_step_vorticity(const swe_params *params, const swe_step_fields *fields)
{
    return swe_step_scratch(fields) + 4 * params->layout.field;
}

#endif
