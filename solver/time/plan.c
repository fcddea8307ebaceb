#include "time/plan.h"

#include "stages/rk4/rk4_point.h"

/* Numbers of calls of the entries that some plans do not have. */

static int if_damped(const swe_step_plan *plan)
{
    return plan->damps;
}

static int if_dissipated(const swe_step_plan *plan)
{
    return plan->dissipates;
}

static int if_forced(const swe_step_plan *plan)
{
    return plan->forcing_fields > 0 || plan->drags;
}

static int if_viscous(const swe_step_plan *plan)
{
    return plan->viscous > 0;
}

static int if_advected(const swe_step_plan *plan)
{
    return plan->advected > 0;
}

static int each_advected(const swe_step_plan *plan)
{
    return plan->advected;
}

static int each_limited(const swe_step_plan *plan)
{
    return plan->limits ? plan->advected : 0;
}

#define CALLS(name)    .stage = SWE_STAGE_##name
#define PROJECTS(name) .stage = SWE_STAGE_projection, .projected = SWE_PROJECTS_##name
#define IN(of)         .flows = SWE_IN_##of
#define IN_RHS(of)     .flows = SWE_IN_##of, .in_rhs = true

static const swe_planned staged[] = {{PROJECTS(H), IN_RHS(ALL_FLOWS)},
                                     {CALLS(contravariant), IN_RHS(ALL_FLOWS)},
                                     {CALLS(tracer), IN_RHS(NONLINEAR), .times = each_advected},
                                     {PROJECTS(RESULT), IN_RHS(NONLINEAR), .times = each_advected},
                                     {CALLS(bernoulli), IN_RHS(NONLINEAR)},
                                     {PROJECTS(HEAD), IN_RHS(NONLINEAR)},
                                     {CALLS(vorticity), IN_RHS(NONLINEAR)},
                                     {PROJECTS(VORTICITY), IN_RHS(NONLINEAR)},
                                     {CALLS(gradient), IN_RHS(ALL_FLOWS)},
                                     {CALLS(divergence), IN_RHS(ALL_FLOWS)},
                                     {CALLS(sat), IN_RHS(ALL_FLOWS)},
                                     {PROJECTS(DH), IN_RHS(ALL_FLOWS)},
                                     {CALLS(coriolis), IN_RHS(ROTATIONAL)},
                                     {CALLS(rk4), IN(ALL_FLOWS)},
                                     {CALLS(forcing), IN(ROTATIONAL), .times = if_forced},
                                     {CALLS(viscosity), IN(ROTATIONAL), .times = if_viscous},
                                     {.stage = SWE_STAGE_COUNT}};

static const swe_planned fused[] = {{CALLS(fused), IN(NONROTATING)},
                                    {CALLS(contravariant), IN(NONLINEAR), .times = if_advected},
                                    {CALLS(tracer), IN(NONLINEAR), .times = each_advected},
                                    {PROJECTS(RESULT), IN(NONLINEAR), .times = each_advected},
                                    {CALLS(transport), IN(ROTATIONAL)},
                                    {CALLS(flux_projection), IN(ROTATIONAL)},
                                    {CALLS(momentum), IN(ROTATIONAL)},
                                    {CALLS(forcing), IN(ROTATIONAL), .times = if_forced},
                                    {CALLS(viscosity), IN(ROTATIONAL), .times = if_viscous},
                                    {.stage = SWE_STAGE_COUNT}};

static const swe_planned prescribed[] = {{CALLS(wind), IN(NONLINEAR)},
                                         {CALLS(tracer), IN(NONLINEAR), .times = each_advected},
                                         {PROJECTS(RESULT), IN(NONLINEAR), .times = each_advected},
                                         {.stage = SWE_STAGE_COUNT}};

const swe_planned swe_plan_end[] = {{CALLS(limiter), IN(NONLINEAR), .times = each_limited},
                                    {CALLS(damping), IN(ALL_FLOWS), .times = if_damped},
                                    {CALLS(dissipation), IN(ALL_FLOWS), .times = if_dissipated},
                                    {.stage = SWE_STAGE_COUNT}};

#undef CALLS
#undef PROJECTS
#undef IN
#undef IN_RHS

const swe_planned *swe_plan_substep(const swe_step_plan *plan)
{
    return plan->wind_terms > 0                    ? prescribed
           : plan->pipeline == SWE_PIPELINE_STAGED ? staged
                                                   : fused;
}

swe_step_plan swe_step_plan_of(const swe_physics *physics, const swe_field_set *fields,
                               swe_pipeline pipeline)
{
    const int advected = fields->count - SWE_FLOW_FIELDS;
    return (swe_step_plan){
        .flow = swe_physics_flow(physics),
        .pipeline = pipeline,
        .damps = physics->edge_damping > 0.0,
        .dissipates = physics->dissipation > 0.0,
        .drags = physics->drag_coefficient != 0.0,
        .forcing_fields = swe_physics_forcing_fields(physics),
        .viscous = physics->viscosity != 0.0 ? physics->viscosity_order / 2 : 0,
        .viscous_scalars = physics->viscosity_of_h + (physics->viscosity_of_tracers ? advected : 0),
        .advected = advected,
        .wind_terms = physics->wind.terms,
        .limits = physics->limiter != SWE_LIMITER_NONE,
        .leaps = physics->time == SWE_TIME_LEAPFROG4 && pipeline == SWE_PIPELINE_FUSED};
}

int swe_plan_substeps(const swe_step_plan *plan)
{
    return plan->pipeline == SWE_PIPELINE_FUSED && plan->flow == SWE_FLOW_NONROTATING
               ? SWE_SWEEPS
               : SWE_SUBSTEPS;
}

bool swe_plan_is_horner(const swe_step_plan *plan)
{
    return plan->pipeline == SWE_PIPELINE_FUSED && plan->flow == SWE_FLOW_ROTATING;
}

/* Horner's substeps of dt/4, dt/3, dt/2 and dt take y' = A y + S + t S' to the Taylor polynomial of
 * order 4 with S at the end of the substep before. */
double swe_plan_time(const swe_step_plan *plan, int number)
{
    static const double times[SWE_SUBSTEPS] = {0.0, 0.5, 0.5, 1.0},
                        of_horner[SWE_SUBSTEPS] = {0.0, 1.0 / 4.0, 1.0 / 3.0, 0.5};
    return swe_plan_is_horner(plan) ? of_horner[number] : times[number];
}

double swe_plan_weight(const swe_step_plan *plan, int number, double dt)
{
    if (plan->leaps && number == 0)
        return dt * dt / 12.0;
    return swe_plan_substeps(plan) == SWE_SWEEPS ? dt
           : swe_plan_is_horner(plan)            ? rk4_horner_weight(number, dt)
                                                 : rk4_weight(number, dt);
}

bool swe_plan_lags(const swe_step_plan *plan)
{
    return swe_plan_substeps(plan) == SWE_SWEEPS && !plan->damps && !plan->dissipates;
}

int swe_plan_times(const swe_step_plan *plan, const swe_planned *call)
{
    if ((call->flows & 1 << plan->flow) == 0)
        return 0;
    return call->times != NULL ? call->times(plan) : 1;
}

static int count(const swe_step_plan *plan, const swe_planned *call, int stage)
{
    int calls = 0;
    for (; call->stage != SWE_STAGE_COUNT; call++)
        calls += call->stage == stage ? swe_plan_times(plan, call) : 0;
    return calls;
}

int swe_plan_calls(const swe_step_plan *plan, int stage)
{
    return swe_plan_substeps(plan) * count(plan, swe_plan_substep(plan), stage) +
           count(plan, swe_plan_end, stage);
}

bool swe_plan_needs(const swe_step_plan *plan, int work)
{
#define SWE_BY(stage) (1u << SWE_STAGE_##stage)
    static const struct {
        int flows;
        unsigned stages;
    } users[SWE_WORK_COUNT] = {
#define WORK_USERS(name, long_name, units, location, flows, stages) {flows, stages},
        SWE_WORK_LIST(WORK_USERS)
#undef WORK_USERS
    };
#undef SWE_BY
    bool is_needed = false;
    for (int stage = 0; stage < SWE_STAGE_COUNT; stage++)
        is_needed = is_needed ||
                    ((users[work].stages & 1u << stage) != 0 && swe_plan_calls(plan, stage) > 0);
    return is_needed && (users[work].flows & 1 << plan->flow) != 0;
}

bool swe_stage_is_active(int stage, swe_flow flow, int advected)
{
    bool is_active = stage == SWE_STAGE_integrals;
    for (int pipeline = 0; pipeline < SWE_PIPELINES; pipeline++) {
        const swe_step_plan plan = {.flow = flow,
                                    .pipeline = (swe_pipeline)pipeline,
                                    .damps = true,
                                    .dissipates = true,
                                    .forcing_fields = 1,
                                    .viscous = 1,
                                    .limits = true,
                                    .advected = advected};
        swe_step_plan of_wind = plan;
        of_wind.wind_terms = 1;
        is_active =
            is_active || swe_plan_calls(&plan, stage) > 0 || swe_plan_calls(&of_wind, stage) > 0;
    }
    return is_active;
}
