#include "time/step.h"

#include "stages/regions.h"
#include "stages/rk4/rk4_point.h"

/* A substep, and the state `at` which it evaluates the tendency. */
typedef struct substep {
    const swe_stage_table *stages;
    const swe_execution *execution;
    const swe_params *params;
    const swe_step_fields *fields;
    swe_fields at;
    int number;
    double dt;
} substep;

static substep substep_of(const swe_stage_table *stages, const swe_execution *execution,
                          const swe_params *params, const swe_step_fields *fields, int number,
                          double dt)
{
    const ptrdiff_t before = (number - 1) * params->next;
    const swe_fields y = fields->y, next = fields->next;
    const swe_fields at =
        number == 0 ? y : (swe_fields){next.h + before, next.v1 + before, next.v2 + before};
    return (substep){stages, execution, params, fields, at, number, dt};
}

/* Linear equations: the head is h. */
static real *head_of(const substep *s)
{
    return s->params->equations == SWE_LINEAR ? s->at.h : s->fields->work.head;
}

static real *projected_by(const substep *s, swe_projected projected)
{
    switch (projected) {
    case SWE_PROJECTS_DH:
        return s->fields->k.h;
    case SWE_PROJECTS_RESULT:
        return rk4_arrays_of(s->params, s->number, s->fields->y.h, s->fields->next.h).out;
    case SWE_PROJECTS_HEAD:
        return s->fields->work.head;
    case SWE_PROJECTS_VORTICITY:
        return s->fields->work.vorticity;
    default:
        return s->at.h;
    }
}

/* ---- the arguments of each stage ------------------------------------------------------------- */

static void run_projection(const substep *s, swe_projected projected)
{
    SWE_RUN(s->stages, projection, s->execution, s->params, projected_by(s, projected));
}

static void run_contravariant(const substep *s)
{
    const swe_work w = s->fields->work;
    SWE_RUN(s->stages, contravariant, s->execution, s->params, s->at.h, s->at.v1, s->at.v2,
            w.cross1, w.cross2, w.f1, w.f2);
}

static void run_bernoulli(const substep *s)
{
    SWE_RUN(s->stages, bernoulli, s->execution, s->params, s->at.h, s->at.v1, s->at.v2,
            s->fields->work.head);
}

/* The tendency of v, which gradient computes later, is scratch for the shears. */
static void run_vorticity(const substep *s)
{
    const swe_work w = s->fields->work;
    SWE_RUN(s->stages, vorticity, s->execution, s->params, s->at.v1, s->at.v2, w.cross1, w.cross2,
            s->fields->k.v1, s->fields->k.v2, w.vorticity);
}

static void run_gradient(const substep *s)
{
    SWE_RUN(s->stages, gradient, s->execution, s->params, head_of(s), s->fields->k.v1,
            s->fields->k.v2);
}

static void run_coriolis(const substep *s)
{
    const swe_work w = s->fields->work;
    SWE_RUN(s->stages, coriolis, s->execution, s->params, s->at.h, w.vorticity, w.f1, w.f2,
            w.cross1, w.cross2, s->fields->k.v1, s->fields->k.v2);
}

static void run_divergence(const substep *s)
{
    SWE_RUN(s->stages, divergence, s->execution, s->params, s->fields->work.f1, s->fields->work.f2,
            s->fields->k.h);
}

static void run_sat(const substep *s)
{
    const swe_work w = s->fields->work;
    SWE_RUN(s->stages, sat, s->execution, s->params, s->at.h, s->at.v1, s->at.v2, w.f1, w.f2,
            w.edge, s->fields->k.h);
}

static void run_rk4(const substep *s)
{
    SWE_RUN(s->stages, rk4, s->execution, s->params, s->number, rk4_weight(s->number, s->dt),
            s->fields->k.h, s->fields->y.h, s->fields->next.h);
}

static void run_fused(const substep *s)
{
    SWE_RUN(s->stages, fused, s->execution, s->params, s->number, rk4_weight(s->number, s->dt),
            rk4_weight(s->number + 1, s->dt), s->fields->y.h, s->fields->next.h);
}

static void run_transport(const substep *s)
{
    const swe_work w = s->fields->work;
    SWE_RUN(s->stages, transport, s->execution, s->params, s->number, rk4_weight(s->number, s->dt),
            s->fields->y.h, s->fields->next.h, head_of(s), w.pv_flux1, w.pv_flux2,
            w.edge_vorticity);
}

static void run_flux_projection(const substep *s)
{
    const swe_work w = s->fields->work;
    SWE_RUN(s->stages, flux_projection, s->execution, s->params, s->number, s->fields->y.h,
            s->fields->next.h, head_of(s), w.pv_flux1, w.pv_flux2, w.edge_vorticity);
}

static void run_momentum(const substep *s)
{
    const swe_work w = s->fields->work;
    SWE_RUN(s->stages, momentum, s->execution, s->params, s->number, rk4_weight(s->number, s->dt),
            head_of(s), w.pv_flux1, w.pv_flux2, s->fields->y.h, s->fields->next.h);
}

static void run_damping(const substep *s)
{
    const swe_fields y = s->fields->y;
    SWE_RUN(s->stages, damping, s->execution, s->params, (real)s->dt * s->params->damping, y.h,
            y.v1, y.v2, swe_step_scratch(s->params, s->fields));
}

static void run_dissipation(const substep *s)
{
    const swe_fields y = s->fields->y;
    SWE_RUN(s->stages, dissipation, s->execution, s->params, (real)s->dt * s->params->dissipation,
            y.h, y.v1, y.v2, swe_step_scratch(s->params, s->fields));
}

static void run(const substep *s, const swe_planned *call)
{
    static void (*const runs[SWE_STAGE_COUNT])(const substep *s) = {
        [SWE_STAGE_contravariant] = run_contravariant,
        [SWE_STAGE_bernoulli] = run_bernoulli,
        [SWE_STAGE_vorticity] = run_vorticity,
        [SWE_STAGE_gradient] = run_gradient,
        [SWE_STAGE_coriolis] = run_coriolis,
        [SWE_STAGE_divergence] = run_divergence,
        [SWE_STAGE_sat] = run_sat,
        [SWE_STAGE_rk4] = run_rk4,
        [SWE_STAGE_fused] = run_fused,
        [SWE_STAGE_transport] = run_transport,
        [SWE_STAGE_flux_projection] = run_flux_projection,
        [SWE_STAGE_momentum] = run_momentum,
        [SWE_STAGE_damping] = run_damping,
        [SWE_STAGE_dissipation] = run_dissipation,
    };
    if (call->stage == SWE_STAGE_projection)
        run_projection(s, call->projected);
    else
        runs[call->stage](s);
}

/* ---- running the plan ------------------------------------------------------------------------ */

/* Run the calls of the right-hand side as a region. Returns the first call after them. */
static const swe_planned *run_rhs(const substep *s, const swe_step_plan *plan,
                                  const swe_planned *call)
{
    swe_region_begin(s->execution, SWE_REGION_rhs);
    for (; call->in_rhs; call++)
        if (swe_plan_has(plan, call))
            run(s, call);
    swe_region_end(s->execution);
    return call;
}

static void run_calls(const substep *s, const swe_step_plan *plan, const swe_planned *call)
{
    if (call->in_rhs)
        call = run_rhs(s, plan, call);
    for (; call->stage != SWE_STAGE_COUNT; call++)
        if (swe_plan_has(plan, call))
            run(s, call);
}

static void run_stage(const substep *s, const swe_step_plan *plan, const swe_planned *call,
                      int stage)
{
    for (; call->stage != SWE_STAGE_COUNT; call++)
        if (call->stage == stage && swe_plan_has(plan, call))
            run(s, call);
}

/* The result is in the buffer of Y1; the buffer of y becomes Y1 of the next step. */
static void swap_buffers(swe_params *params, swe_step_fields *fields)
{
    const swe_fields y = fields->y;
    fields->y = fields->next;
    fields->next = y;
    params->next = -params->next;
}

void swe_step(const swe_stage_table *stages, const swe_execution *execution, swe_params *params,
              const swe_step_plan *plan, swe_step_fields *fields, double dt)
{
    swe_region_begin(execution, SWE_REGION_step);
    for (int number = 0; number < SWE_SUBSTEPS; number++) {
        const substep s = substep_of(stages, execution, params, fields, number, dt);
        run_calls(&s, plan, swe_plan_substep(plan->pipeline));
    }
    if (params->swaps_buffers)
        swap_buffers(params, fields);
    const substep end = substep_of(stages, execution, params, fields, 0, dt);
    run_calls(&end, plan, swe_plan_end);
    swe_region_end(execution);
}

void swe_step_stage(const swe_stage_table *stages, const swe_execution *execution,
                    const swe_params *params, const swe_step_plan *plan,
                    const swe_step_fields *fields, int stage, double dt)
{
    for (int number = 0; number < SWE_SUBSTEPS; number++) {
        const substep s = substep_of(stages, execution, params, fields, number, dt);
        run_stage(&s, plan, swe_plan_substep(plan->pipeline), stage);
    }
    const substep end = substep_of(stages, execution, params, fields, 0, dt);
    run_stage(&end, plan, swe_plan_end, stage);
}

void swe_rhs(const swe_stage_table *stages, const swe_execution *execution,
             const swe_params *params, swe_fields y, swe_work work, swe_fields dy)
{
    const swe_flow flow = params->equations == SWE_NONLINEAR ? SWE_FLOW_NONLINEAR
                          : params->rotational               ? SWE_FLOW_ROTATING
                                                             : SWE_FLOW_NONROTATING;
    const swe_step_plan plan = {flow, SWE_PIPELINE_STAGED, false, false};
    const swe_step_fields fields = {y, y, dy, work};
    const substep s = substep_of(stages, execution, params, &fields, 0, 0.0);
    run_rhs(&s, &plan, swe_plan_substep(plan.pipeline));
}
