/* THE PLAN OF A STEP: the stages that a step calls, in their order.
 *
 * A step has substeps (swe_plan_substeps), and then stages that are called once. The flow and the
 * pipeline decide the stages. time/step.c runs the plan; `cubeswe profile`, the cost of a step and
 * `cubeswe info --kernels` count its calls. */
#ifndef SWE_TIME_PLAN_H
#define SWE_TIME_PLAN_H

#include <stdbool.h>

#include "base/physics.h"
#include "fields/fields.h"
#include "stages/stages.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SWE_SUBSTEPS = 4, SWE_SWEEPS = 2 };

/* Properties that decide which stages a step calls. */
typedef struct swe_step_plan {
    swe_flow flow;
    swe_pipeline pipeline;
    bool damps, dissipates; /* edge damping and dissipation at the end of the step */
    int advected;           /* number of advected fields (fields/fields.h) */
    bool drags;             /* the stage forcing has quadratic drag */
    int forcing_fields;     /* of the stage forcing; 0 without `drags`: it is not called */
    int viscous;            /* Laplacians of the stage viscosity; 0: it is not called */
    int viscous_scalars;    /* h and advected fields that it changes */
    int wind_terms;         /* of the stage wind; 0: no velocity is prescribed. The calls of a
                               prescribed flow are the same in both pipelines */
    bool limits;            /* advected fields, at the end of the step */
    bool leaps;             /* leapfrog of order 4: non-rotating flows of the fused pipeline */
} swe_step_plan;

/* Plan of the steps of a model with these prognostic fields. */
swe_step_plan swe_step_plan_of(const swe_physics *physics, const swe_field_set *fields,
                               swe_pipeline pipeline);

/* The field that a call of projection averages over the copies of shared points: h of the substep's
 * state, dh, the call's field of the substep's result (h, or an advected field), or a work array.
 */
typedef enum swe_projected {
    SWE_PROJECTS_NONE,
    SWE_PROJECTS_H,
    SWE_PROJECTS_DH,
    SWE_PROJECTS_RESULT,
    SWE_PROJECTS_HEAD,
    SWE_PROJECTS_VORTICITY
} swe_projected;

/* A call of a stage in a substep or at the end of a step. */
typedef struct swe_planned {
    int stage; /* SWE_STAGE_COUNT: end of the list */
    swe_projected projected;
    int flows;   /* bits SWE_IN_* of the flows with this call (fields/fields.h) */
    bool in_rhs; /* belongs to the right-hand side, a profiling region at the start of the list */
    int (*times)(const swe_step_plan *plan); /* number of calls; NULL: one, for the flow's fields.
                                                Call k is for advected field k */
} swe_planned;

/* Calls of a substep, and calls at the end of a step; SWE_STAGE_COUNT ends a list. */
const swe_planned *swe_plan_substep(const swe_step_plan *plan);
extern const swe_planned swe_plan_end[];

/* Number of substeps of a step: 4, or 2 sweeps (non-rotating flows of the fused pipeline). */
int swe_plan_substeps(const swe_step_plan *plan);

/* Whether the substeps have Horner's form (rk4/rk4_point.h): in rotating linear flows of the fused
 * pipeline. */
bool swe_plan_is_horner(const swe_step_plan *plan);

/* The time of a step: it begins at start + steps dt [s]. A prescribed velocity and records of
 * forcing depend on it. */
typedef struct swe_clock {
    double start; /* [s] */
    long steps;
    double dt; /* [s] */
} swe_clock;

static inline double swe_clock_time(const swe_clock *clock)
{
    return clock->start + (double)clock->steps * clock->dt;
}

/* Time of the state of substep `number` of four, in steps from the begin of the step. In Horner's
 * form it is the time at which terms that are linear in time have the values of RK4. */
double swe_plan_time(const swe_step_plan *plan, int number);

/* Weight of the tendency in substep `number` of a step of dt [s] (stages/rk4/rk4_point.h), or
 * weight of sweep `number` [s, or s2] (sweeps/fused/fused_point.h). */
double swe_plan_weight(const swe_step_plan *plan, int number, double dt);

/* Whether v lags behind h after a step (fused/fused_point.h): in non-rotating flows of the fused
 * pipeline, if no stage at the end of the step needs v. With leapfrog v always lags. */
bool swe_plan_lags(const swe_step_plan *plan);

/* Number of times that a substep, or the end of a step, of this plan runs a call. */
int swe_plan_times(const swe_step_plan *plan, const swe_planned *call);

/* Number of calls of a stage in a step. */
int swe_plan_calls(const swe_step_plan *plan, int stage);

/* Whether the steps of a plan use a work array. */
bool swe_plan_needs(const swe_step_plan *plan, int work);

/* Whether a flow with `advected` advected fields uses a stage, in steps of either pipeline or in
 * diagnostics. */
bool swe_stage_is_active(int stage, swe_flow flow, int advected);

#ifdef __cplusplus
}
#endif

#endif
