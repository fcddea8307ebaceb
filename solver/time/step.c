#include "time/step.h"

#include "stages/regions.h"
#include "sweeps/fused/fused_point.h"
#include "stages/rk4/rk4_point.h"

/* A substep, and the arrays that its stages read and write (SWE_STAGE_LIST). */
typedef struct substep {
    const swe_stage_table *stages;
    const swe_execution *execution;
    const swe_params *params;
    int number, sweep; /* sweep, lags: of the fused stage */
    int lags;
    real dt, weight;       /* of the tendency (rk4_point.h), or of a sweep */
    real odd;              /* weight of the odd record of forcing at the time of the state */
    swe_wind_factors wind; /* likewise of a prescribed velocity */
    swe_fields y, at, k;   /* y, the state at which the tendency is evaluated, tendency */
    real *next;            /* Y1 */
    swe_work work;
    real *head; /* linear equations: h of `at` */
    real *scratch, *vorticity;
    double *rows;
    int field; /* of this call: the first of the flow, or an advected field */
    swe_bounds bounds;
    swe_growth growth;
    real *limited; /* fields of a limited field of this call; NULL: none */
    const swe_step_fields *fields;
    real *projected; /* by this call */
} substep;

static substep substep_of(const swe_stage_table *stages, const swe_execution *execution,
                          const swe_params *params, const swe_step_plan *plan,
                          const swe_step_fields *fields, const swe_clock *clock, int number,
                          double dt)
{
    const ptrdiff_t before = (number - 1) * params->next;
    const swe_fields y = fields->y, next = fields->next;
    const swe_fields at =
        number == 0 ? y : (swe_fields){next.h + before, next.v1 + before, next.v2 + before};
    real *scratch = swe_step_scratch(fields);
    const double steps = (double)clock->steps,
                 t = clock->start + (steps + swe_plan_time(plan, number)) * dt,
                 middle = clock->start + (steps + 0.5) * clock->dt;
    double wind[SWE_WIND_TERMS] = {0.0};
    if (params->physics.wind.terms > 0)
        swe_wind_factors_at(&params->physics.wind, t, wind);
    return (substep){.stages = stages,
                     .execution = execution,
                     .params = params,
                     .number = number,
                     .sweep = number + (plan->leaps ? FUSED_LEAP_FIRST : FUSED_FIRST),
                     .dt = (real)dt,
                     .weight = (real)swe_plan_weight(plan, number, dt),
                     .odd = (real)swe_physics_odd_record(&params->physics, t, middle),
                     .wind = {{(real)wind[0], (real)wind[1], (real)wind[2], (real)wind[3]}},
                     .y = y,
                     .at = at,
                     .k = fields->k,
                     .next = next.h,
                     .work = fields->work,
                     .head = params->physics.equations == SWE_LINEAR ? at.h : fields->work.head,
                     .scratch = scratch,
                     .vorticity = swe_step_vorticity(params, fields),
                     .fields = fields,
                     .rows = fields->rows};
}

static real *projected_by(const substep *s, swe_projected projected)
{
    switch (projected) {
    case SWE_PROJECTS_DH:
        return s->k.h;
    case SWE_PROJECTS_RESULT:
        return rk4_arrays_of(s->params, s->number, s->y.h, s->next).out +
               s->field * s->params->layout.field;
    case SWE_PROJECTS_HEAD:
        return s->work.head;
    case SWE_PROJECTS_VORTICITY:
        return s->work.vorticity;
    default:
        return s->at.h;
    }
}

/* run_<stage>, with the arguments of the list. */
#define VALUES(...) __VA_ARGS__
#define RUN_STAGE(name, what, parameters, arguments)                                               \
    static void run_##name(const substep *s)                                                       \
    {                                                                                              \
        SWE_RUN(s->stages, name, s->execution, s->params, VALUES arguments);                       \
    }
SWE_STAGE_LIST(RUN_STAGE)
#undef RUN_STAGE

/* Select advected field k: its constants, and where it is limited its fields. */
static void select_advected(substep *s, int k)
{
    const swe_field *field = &s->fields->prognostic[s->field];
    s->bounds = (swe_bounds){(real)field->least, (real)field->greatest};
    s->growth = (swe_growth){field->decay != 0.0 || field->source != 0.0, (real)field->decay,
                             (real)field->source};
    if (s->fields->limited != NULL)
        s->limited = s->fields->limited + k * SWE_LIMITED_FIELDS * s->params->layout.field;
}

/* Make a call as often as the plan has it. */
static void run(const substep *at, const swe_step_plan *plan, const swe_planned *call)
{
    static void (*const runs[SWE_STAGE_COUNT])(const substep *s) = {
#define RUN_ROW(name, what, parameters, arguments) run_##name,
        SWE_STAGE_LIST(RUN_ROW)
#undef RUN_ROW
    };
    const int times = swe_plan_times(plan, call);
    substep s = *at;
    for (int k = 0; k < times; k++) {
        s.field = call->times != NULL ? SWE_FLOW_FIELDS + k : SWE_FIELD_H;
        s.projected = projected_by(&s, call->projected);
        if (s.field >= SWE_FLOW_FIELDS && k < plan->advected)
            select_advected(&s, k);
        runs[call->stage](&s);
    }
}

/* ---- running the plan ------------------------------------------------------------------------ */

/* Run the calls of the right-hand side as a region. Returns the first call after them. */
static const swe_planned *run_rhs(const substep *s, const swe_step_plan *plan,
                                  const swe_planned *call)
{
    swe_region_begin(s->execution, SWE_REGION_rhs);
    for (; call->in_rhs; call++)
        run(s, plan, call);
    swe_region_end(s->execution);
    return call;
}

static void run_calls(const substep *s, const swe_step_plan *plan, const swe_planned *call)
{
    if (call->in_rhs)
        call = run_rhs(s, plan, call);
    for (; call->stage != SWE_STAGE_COUNT; call++)
        run(s, plan, call);
}

static void run_stage(const substep *s, const swe_step_plan *plan, const swe_planned *call,
                      int stage)
{
    for (; call->stage != SWE_STAGE_COUNT; call++)
        if (call->stage == stage)
            run(s, plan, call);
}

/* before, after: whether v lags behind h (fused_point.h). */
static void step(const swe_stage_table *stages, const swe_execution *execution,
                 const swe_params *params, const swe_step_plan *plan, const swe_step_fields *fields,
                 const swe_clock *clock, double dt, bool before, bool after)
{
    swe_region_begin(execution, SWE_REGION_step);
    for (int number = 0; number < swe_plan_substeps(plan); number++) {
        substep s = substep_of(stages, execution, params, plan, fields, clock, number, dt);
        s.lags = number == 0 ? before : after;
        run_calls(&s, plan, swe_plan_substep(plan));
    }
    const substep end = substep_of(stages, execution, params, plan, fields, clock, 0, dt);
    run_calls(&end, plan, swe_plan_end);
    swe_region_end(execution);
}

void swe_steps(const swe_stage_table *stages, const swe_execution *execution,
               const swe_params *params, const swe_step_plan *plan, const swe_step_fields *fields,
               swe_clock clock, double dt, long count, bool lags)
{
    for (long k = 0; k < count; k++, clock.steps++) {
        step(stages, execution, params, plan, fields, &clock, dt, lags, swe_plan_lags(plan));
        lags = swe_plan_lags(plan);
    }
}

void swe_substep(const swe_stage_table *stages, const swe_execution *execution,
                 const swe_params *params, const swe_step_plan *plan, const swe_step_fields *fields,
                 swe_clock clock, int number, double dt)
{
    const bool is_end = number == SWE_SUBSTEPS;
    const substep s =
        substep_of(stages, execution, params, plan, fields, &clock, is_end ? 0 : number, dt);
    run_calls(&s, plan, is_end ? swe_plan_end : swe_plan_substep(plan));
}

void swe_complete(const swe_stage_table *stages, const swe_execution *execution,
                  const swe_params *params, const swe_step_fields *fields, double dt)
{
    stages->fused(execution, params, FUSED_COMPLETION, (real)dt, false, fields->y.h,
                  fields->next.h);
}

/* ---- the velocity of leapfrog ------------------------------------------------------------------
 *
 * With X^2 = dt^2 B A, the means of v over the steps before and after h are V -+ dt/2 B mean, and
 * their average V is (sinh X)/X v. */

/* v += c dt B mean, mean = h + dt^2/12 A B h */
static void add_kick(const swe_stage_table *stages, const swe_execution *execution,
                     const swe_params *params, const swe_step_fields *fields, double dt, double c)
{
    real *const y = fields->y.h, *const next = fields->next.h;
    stages->fused(execution, params, FUSED_LEAP_FIRST, (real)(dt * dt / 12.0), false, y, next);
    stages->fused(execution, params, FUSED_COMPLETION, (real)(c * dt), false, y, next);
}

/* v += a X^2 (1 + b X^2) v */
static void filter(const swe_stage_table *stages, const swe_execution *execution,
                   const swe_params *params, const swe_step_fields *fields, double dt, double a,
                   double b)
{
    real *const y = fields->y.h, *const next = fields->next.h, *const h1 = next;
    stages->fused(execution, params, FUSED_FIRST, 0, false, y, next);
    stages->fused(execution, params, FUSED_LEAP_FIRST, (real)(b * dt * dt), false, h1, next);
    stages->fused(execution, params, FUSED_COMPLETION, (real)(a * dt * dt), false, y, next);
}

void swe_leapfrog_begin(const swe_stage_table *stages, const swe_execution *execution,
                        const swe_params *params, const swe_step_fields *fields, double dt)
{
    filter(stages, execution, params, fields, dt, 1.0 / 6.0, 1.0 / 20.0);
    add_kick(stages, execution, params, fields, dt, -0.5);
}

void swe_leapfrog_complete(const swe_stage_table *stages, const swe_execution *execution,
                           const swe_params *params, const swe_step_fields *fields, double dt)
{
    add_kick(stages, execution, params, fields, dt, 0.5);
    filter(stages, execution, params, fields, dt, -1.0 / 6.0, -7.0 / 60.0);
}

void swe_step_stage(const swe_stage_table *stages, const swe_execution *execution,
                    const swe_params *params, const swe_step_plan *plan,
                    const swe_step_fields *fields, int stage, double dt)
{
    const swe_clock clock = {0.0, 0, dt};
    for (int number = 0; number < swe_plan_substeps(plan); number++) {
        substep s = substep_of(stages, execution, params, plan, fields, &clock, number, dt);
        s.lags = true;
        run_stage(&s, plan, swe_plan_substep(plan), stage);
    }
    const substep end = substep_of(stages, execution, params, plan, fields, &clock, 0, dt);
    run_stage(&end, plan, swe_plan_end, stage);
}

void swe_rhs(const swe_stage_table *stages, const swe_execution *execution,
             const swe_params *params, swe_fields y, swe_work work, swe_fields dy)
{
    const swe_step_plan plan = {.flow = swe_physics_flow(&params->physics),
                                .pipeline = SWE_PIPELINE_STAGED};
    const swe_step_fields fields = {.y = y, .next = y, .k = dy, .work = work};
    const swe_clock clock = {0.0, 0, 0.0};
    const substep s = substep_of(stages, execution, params, &plan, &fields, &clock, 0, 0.0);
    run_rhs(&s, &plan, swe_plan_substep(&plan));
}
