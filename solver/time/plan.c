#include "time/plan.h"

static const swe_planned staged[] = {
    {SWE_STAGE_projection, SWE_PROJECTS_H, SWE_IN_ALL_FLOWS, true},
    {SWE_STAGE_contravariant, SWE_PROJECTS_NONE, SWE_IN_ALL_FLOWS, true},
    {SWE_STAGE_bernoulli, SWE_PROJECTS_NONE, SWE_IN_NONLINEAR, true},
    {SWE_STAGE_projection, SWE_PROJECTS_HEAD, SWE_IN_NONLINEAR, true},
    {SWE_STAGE_vorticity, SWE_PROJECTS_NONE, SWE_IN_NONLINEAR, true},
    {SWE_STAGE_projection, SWE_PROJECTS_VORTICITY, SWE_IN_NONLINEAR, true},
    {SWE_STAGE_gradient, SWE_PROJECTS_NONE, SWE_IN_ALL_FLOWS, true},
    {SWE_STAGE_divergence, SWE_PROJECTS_NONE, SWE_IN_ALL_FLOWS, true},
    {SWE_STAGE_sat, SWE_PROJECTS_NONE, SWE_IN_ALL_FLOWS, true},
    {SWE_STAGE_projection, SWE_PROJECTS_DH, SWE_IN_ALL_FLOWS, true},
    {SWE_STAGE_coriolis, SWE_PROJECTS_NONE, SWE_IN_ROTATIONAL, true},
    {SWE_STAGE_rk4, SWE_PROJECTS_NONE, SWE_IN_ALL_FLOWS, false},
    {SWE_STAGE_COUNT, SWE_PROJECTS_NONE, 0, false}};

static const swe_planned fused[] = {
    {SWE_STAGE_fused, SWE_PROJECTS_NONE, SWE_IN_NONROTATING, false},
    {SWE_STAGE_projection, SWE_PROJECTS_RESULT, SWE_IN_NONROTATING, false},
    {SWE_STAGE_transport, SWE_PROJECTS_NONE, SWE_IN_ROTATIONAL, false},
    {SWE_STAGE_flux_projection, SWE_PROJECTS_NONE, SWE_IN_ROTATIONAL, false},
    {SWE_STAGE_momentum, SWE_PROJECTS_NONE, SWE_IN_ROTATIONAL, false},
    {SWE_STAGE_COUNT, SWE_PROJECTS_NONE, 0, false}};

const swe_planned swe_plan_end[] = {
    {SWE_STAGE_damping, SWE_PROJECTS_NONE, SWE_IN_ALL_FLOWS, false},
    {SWE_STAGE_dissipation, SWE_PROJECTS_NONE, SWE_IN_ALL_FLOWS, false},
    {SWE_STAGE_COUNT, SWE_PROJECTS_NONE, 0, false}};

const swe_planned *swe_plan_substep(swe_pipeline pipeline)
{
    return pipeline == SWE_PIPELINE_STAGED ? staged : fused;
}

swe_step_plan swe_step_plan_of(const swe_physics *physics, swe_pipeline pipeline)
{
    return (swe_step_plan){swe_physics_flow(physics), pipeline, physics->edge_damping > 0.0,
                           physics->dissipation > 0.0};
}

bool swe_plan_has(const swe_step_plan *plan, const swe_planned *call)
{
    return (call->flows & 1 << plan->flow) != 0 &&
           (call->stage != SWE_STAGE_damping || plan->damps) &&
           (call->stage != SWE_STAGE_dissipation || plan->dissipates);
}

static int count(const swe_step_plan *plan, const swe_planned *call, int stage)
{
    int calls = 0;
    for (; call->stage != SWE_STAGE_COUNT; call++)
        calls += call->stage == stage && swe_plan_has(plan, call);
    return calls;
}

int swe_plan_calls(const swe_step_plan *plan, int stage)
{
    return SWE_SUBSTEPS * count(plan, swe_plan_substep(plan->pipeline), stage) +
           count(plan, swe_plan_end, stage);
}

bool swe_stage_is_active(int stage, swe_flow flow)
{
    bool is_active = stage == SWE_STAGE_integrals;
    for (int pipeline = 0; pipeline < SWE_PIPELINES; pipeline++) {
        const swe_step_plan plan = {flow, (swe_pipeline)pipeline, true, true};
        is_active = is_active || swe_plan_calls(&plan, stage) > 0;
    }
    return is_active;
}
