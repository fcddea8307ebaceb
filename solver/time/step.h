/* A step of the classical Runge-Kutta method: runs the calls of its plan (plan.h) on the arrays of
 * a model. Arrays are in the backend's memory; all functions are called within backend->share. */
#ifndef SWE_TIME_STEP_H
#define SWE_TIME_STEP_H

#include "fields/fields.h"
#include "time/plan.h"

/* Advance the state from t to t + dt [s].
 *
 * Alternating buffers: the states Y1, Y2, Y3, y are contiguous in memory. A two-substep sweep on a
 * GPU must not write y while other blocks read it, so it stores the result in the buffer of Y1. If
 * params->swaps_buffers, the step then exchanges y and Y1 in `fields` and negates params->next, so
 * that Y2 and Y3 lie before Y1 in memory. Only one thread may then call it, since each call swaps.
 */
void swe_step(const swe_stage_table *stages, const swe_execution *execution, swe_params *params,
              const swe_step_plan *plan, swe_step_fields *fields, double dt) REAL_SYMBOL(swe_step);

/* dy = f(P y), the flow's right-hand side by the staged pipeline. P gives all copies of a shared
 * point their mean of h (stage projection). P y.h overwrites y.h; a projected y.h keeps every bit.
 */
void swe_rhs(const swe_stage_table *stages, const swe_execution *execution,
             const swe_params *params, swe_fields y, swe_work work, swe_fields dy)
    REAL_SYMBOL(swe_rhs);

/* For timing: run only those calls of a step's plan that call `stage` (SWE_STAGE_...). The state is
 * meaningless afterwards. */
void swe_step_stage(const swe_stage_table *stages, const swe_execution *execution,
                    const swe_params *params, const swe_step_plan *plan,
                    const swe_step_fields *fields, int stage, double dt)
    REAL_SYMBOL(swe_step_stage);

/* Start of the memory of Y1 to Y3, also with swapped buffers: between steps it is scratch for three
 * states. */
SWE_POINT real *swe_step_scratch(const swe_params *params, const swe_step_fields *fields)
{
    return params->next > 0 ? fields->next.h : fields->next.h + 2 * params->next;
}

/* Place in this scratch for the vorticity of a nonlinear flow. The stage vorticity writes it before
 * the stage integrals runs, with the four fields before it as scratch (state/stepper.c). */
SWE_POINT real *swe_step_vorticity(const swe_params *params, const swe_step_fields *fields)
{
    return swe_step_scratch(params, fields) + 4 * params->layout.field;
}

#endif
