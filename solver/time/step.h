/* A step of classical Runge-Kutta: runs the calls of its plan (plan.h) on the arrays of a model. */
#ifndef SWE_TIME_STEP_H
#define SWE_TIME_STEP_H

#include "fields/arrays.h"
#include "time/plan.h"

/* y(t) -> y(t + dt). The four states are one after the other, y at one end, Y1, Y2 and Y3 from the
 * other end on. A step that may not write to y while others read it leaves its result in the place
 * of Y1, and the next one goes the other way: where params->swaps_buffers, the step swaps the
 * buffers in `params` and `fields`, which threads then may not share. Within backend->share. */
void swe_step(const swe_stage_table *stages, const swe_execution *execution, swe_params *params,
              const swe_step_plan *plan, swe_step_fields *fields, double dt);

/* dy = f(P y) with the work arrays, P the projection: the right-hand side of the staged pipeline.
 * Makes y.h single-valued in place; where it already is, no bit of y changes. */
void swe_rhs(const swe_stage_table *stages, const swe_execution *execution,
             const swe_params *params, swe_fields y, swe_work work, swe_fields dy);

/* The calls of one stage that a step of a plan makes, on the arrays that the step gives it. */
void swe_step_stage(const swe_stage_table *stages, const swe_execution *execution,
                    const swe_params *params, const swe_step_plan *plan,
                    const swe_step_fields *fields, int stage, double dt);

/* Room of three states, one after the other: Y1 to Y3, which no step needs between steps. */
SWE_POINT real *swe_step_scratch(const swe_params *params, const swe_step_fields *fields)
{
    return params->next > 0 ? fields->next.h : fields->next.h + 2 * params->next;
}

#endif
