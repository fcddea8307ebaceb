/* THE PLAN OF A STEP: the stages that a step calls, in their order.
 *
 * A step of a flow by a pipeline has four substeps and an end. The plan runs the step (time/step.c)
 * and gives the number of calls of each stage to `cubeswe profile`, to the cost of a step and to
 * `cubeswe info --kernels`. */
#ifndef SWE_TIME_PLAN_H
#define SWE_TIME_PLAN_H

#include <stdbool.h>

#include "base/physics.h"
#include "fields/fields.h"
#include "stages/stages.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SWE_SUBSTEPS = 4 };

/* Decides which stages a step has. */
typedef struct swe_step_plan {
    swe_flow flow;
    swe_pipeline pipeline;
    bool damps, dissipates; /* at its end */
} swe_step_plan;

swe_step_plan swe_step_plan_of(const swe_physics *physics, swe_pipeline pipeline);

/* The field that a call of projection averages: the substep's state, a tendency, the substep's
 * result, or a work array. */
typedef enum swe_projected {
    SWE_PROJECTS_NONE,
    SWE_PROJECTS_H,
    SWE_PROJECTS_DH,
    SWE_PROJECTS_RESULT,
    SWE_PROJECTS_HEAD,
    SWE_PROJECTS_VORTICITY
} swe_projected;

/* A call of a substep, or of the end of a step, in the flows of its bits (fields/fields.h). */
typedef struct swe_planned {
    int stage; /* SWE_STAGE_COUNT: end of the list */
    swe_projected projected;
    int flows;
    bool in_rhs; /* part of the right-hand side, a region that comes first in its list */
} swe_planned;

/* The calls of a substep of a pipeline, and of the end of any step. */
const swe_planned *swe_plan_substep(swe_pipeline pipeline);
extern const swe_planned swe_plan_end[];

/* Whether a step makes a call. */
bool swe_plan_has(const swe_step_plan *plan, const swe_planned *call);

/* How many times a step calls a stage. */
int swe_plan_calls(const swe_step_plan *plan, int stage);

/* Whether a step of a flow by any pipeline, or its diagnostics, may call a stage. */
bool swe_stage_is_active(int stage, swe_flow flow);

#ifdef __cplusplus
}
#endif

#endif
