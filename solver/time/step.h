/* A step of classical Runge-Kutta: runs the calls of its plan (plan.h) on the arrays of a model. */
#ifndef SWE_TIME_STEP_H
#define SWE_TIME_STEP_H

#include "fields/arrays.h"
#include "time/plan.h"

/* y(t) -> y(t + dt). Four states are stored one after the other: y at one end, then Y1, Y2 and Y3.
 * With alternating buffers (params->swaps_buffers) a step leaves its result in the buffer of Y1 and
 * swaps the buffers in `params` and `fields`; threads must not share these then. Within
 * backend->share. */
void swe_step(const swe_stage_table *stages, const swe_execution *execution, swe_params *params,
              const swe_step_plan *plan, swe_step_fields *fields, double dt);

/* dy = f(P y) with the work arrays and the projection P: the right-hand side of the staged
 * pipeline. Makes y.h single-valued in place; no bit of y changes where it already is. */
void swe_rhs(const swe_stage_table *stages, const swe_execution *execution,
             const swe_params *params, swe_fields y, swe_work work, swe_fields dy);

/* Run the calls of one stage that a step of a plan makes, on the step's arrays. */
void swe_step_stage(const swe_stage_table *stages, const swe_execution *execution,
                    const swe_params *params, const swe_step_plan *plan,
                    const swe_step_fields *fields, int stage, double dt);

/* Scratch of three states, one after the other: Y1 to Y3, which are free between steps. */
SWE_POINT real *swe_step_scratch(const swe_params *params, const swe_step_fields *fields)
{
    return params->next > 0 ? fields->next.h : fields->next.h + 2 * params->next;
}

#endif
