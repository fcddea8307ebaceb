#include "state/stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ranks/ranks.h"
#include "state/stepper_internal.h"

static const swe_precision own_precision = REAL_PRECISION;

/* ---- from and to host memory ----------------------------------------------------------------- */

swe_status stepper_upload(swe_context *ctx, swe_stepper *s, const double *host, real *to,
                          size_t count)
{
    if (own_precision == SWE_PRECISION_DOUBLE)
        return s->backend->upload(ctx, s->device, host, to, count * sizeof(real));
    for (size_t at = 0; at < count; at += STEPPER_CHUNK) {
        const size_t size = count - at < STEPPER_CHUNK ? count - at : STEPPER_CHUNK;
        for (size_t k = 0; k < size; k++)
            s->chunk[k] = (real)host[at + k];
        SWE_TRY(s->backend->upload(ctx, s->device, s->chunk, to + at, size * sizeof(real)));
    }
    return SWE_OK;
}

static swe_status download(swe_context *ctx, swe_stepper *s, const real *from, double *host,
                           size_t count)
{
    if (own_precision == SWE_PRECISION_DOUBLE)
        return s->backend->download(ctx, s->device, from, host, count * sizeof(real));
    for (size_t at = 0; at < count; at += STEPPER_CHUNK) {
        const size_t size = count - at < STEPPER_CHUNK ? count - at : STEPPER_CHUNK;
        SWE_TRY(s->backend->download(ctx, s->device, from + at, s->chunk, size * sizeof(real)));
        for (size_t k = 0; k < size; k++)
            host[at + k] = (double)s->chunk[k];
    }
    return SWE_OK;
}

/* The first failure. A rank that fails continues, because other ranks wait for its messages. */
static swe_status first_of(swe_status status, swe_status next)
{
    return status != SWE_OK ? status : next;
}

/* Fill the ghosts and the foreign copies of a field. */
static void exchange(const swe_stepper *s, real *field)
{
    if (s->decomposition != NULL)
        s->stages->exchange(&s->execution, &s->params, field);
}

/* ---- creation -------------------------------------------------------------------------------- */

static void destroy(swe_stepper **pointer)
{
    swe_stepper *s = *pointer;
    if (s != NULL)
        stepper_peers_disconnect(s);
    for (int i = 0; s != NULL && i < s->memory_count; i++)
        s->backend->release(s->device, s->memory[i]);
    if (s != NULL)
        stepper_blocks_destroy(s);
    free(s);
    *pointer = NULL;
}

static swe_status create(swe_context *ctx, const swe_stepper_options *options, swe_stepper **out)
{
    swe_stepper *s = *out = calloc(1, sizeof *s);
    if (s == NULL) /* the other ranks call swe_ranks_agree next */
        return swe_ranks_agree(ctx, swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the model"));
    s->backend = options->backend;
    s->device = options->device;
    s->execution = options->execution;
    s->stages = options->backend->stages[own_precision];
    s->prognostic = options->fields;
    for (int pipeline = 0; pipeline < SWE_PIPELINES; pipeline++)
        s->plans[pipeline] =
            swe_step_plan_of(&options->physics, options->fields, (swe_pipeline)pipeline);
    swe_status status = stepper_create_params(ctx, options, s);
    if (status == SWE_OK)
        status = stepper_allocate_fields(ctx, s, options);
    if (status != SWE_OK)
        destroy(out);
    return status;
}

/* ---- the state ------------------------------------------------------------------------------- */

typedef struct constant {
    const swe_stepper *stepper;
    real *values;
} constant;

static void project_constant(void *argument)
{
    const constant *c = argument;
    const swe_stepper *s = c->stepper;
    exchange(s, c->values);
    s->stages->projection(&s->execution, &s->params, c->values);
}

static swe_status set_constant(swe_context *ctx, swe_stepper *s, swe_constant which,
                               const double *host)
{
    constant c = {s, s->constant[which]};
    const size_t fields = (size_t)stepper_constant_fields(which);
    if (c.values == NULL)
        return swe_fail(ctx, SWE_INTERNAL, "this flow has no constant field %d", (int)which);
    const swe_status status =
        stepper_upload(ctx, s, host, c.values, fields * (size_t)s->params.layout.field);
    s->backend->share(&s->execution, project_constant, &c);
    return first_of(status, s->backend->synchronize(ctx, s->device));
}

static void project_state(void *argument)
{
    const swe_stepper *s = argument;
    for (int k = 0; k < s->prognostic->count; k++) {
        real *field = s->fields.y.h + k * s->params.layout.field;
        exchange(s, field);
        if (s->prognostic->field[k].location == SWE_AT_VERTICES)
            SWE_RUN(s->stages, projection, &s->execution, &s->params, field);
    }
}

static swe_status set_state(swe_context *ctx, swe_stepper *s, const double *host)
{
    const swe_status status = stepper_upload(ctx, s, host, s->fields.y.h, stepper_state_size(s));
    s->backend->share(&s->execution, project_state, s);
    return first_of(status, s->backend->synchronize(ctx, s->device));
}

static swe_status get_state(swe_context *ctx, swe_stepper *s, double *host)
{
    return download(ctx, s, s->read.h, host, stepper_state_size(s));
}

/* Stages in the scratch between steps. They are not run as regions: diagnostics and output are
 * regions of their own. */

/* Compute the vorticity into swe_step_vorticity. */
static void compute_vorticity(void *argument)
{
    const swe_stepper *s = argument;
    const swe_fields y = s->read;
    const ptrdiff_t field = s->params.layout.field;
    real *scratch = swe_step_scratch(&s->fields),
         *vorticity = swe_step_vorticity(&s->params, &s->fields);
    s->stages->vorticity(&s->execution, &s->params, y.v1, y.v2, scratch, scratch + field,
                         scratch + 2 * field, scratch + 3 * field, vorticity);
    s->stages->projection(&s->execution, &s->params, vorticity);
}

/* Compute the tendency of h by the linear equations with H0 = `depth` into swe_step_scratch: the
 * fluxes of the velocity do not contain h. The edges, at most six fields, overwrite the cross
 * terms.
 */
static void compute_divergence_times(const swe_stepper *s, real depth)
{
    const swe_fields y = s->read;
    const ptrdiff_t field = s->params.layout.field;
    swe_params params = s->params;
    params.physics.equations = SWE_LINEAR;
    params.depth = depth;
    real *divergence = swe_step_scratch(&s->fields), *f1 = divergence + field, *f2 = f1 + field,
         *edge = f2 + field;
    s->stages->contravariant(&s->execution, &params, y.h, y.v1, y.v2, edge, edge + field, f1, f2);
    s->stages->divergence(&s->execution, &params, f1, f2, divergence);
    s->stages->sat(&s->execution, &params, y.h, y.v1, y.v2, f1, f2, edge, divergence);
    s->stages->projection(&s->execution, &params, divergence);
}

static void compute_divergence(void *argument)
{
    compute_divergence_times(argument, -1);
}

static swe_status derive(swe_context *ctx, swe_stepper *s, swe_derivative derivative, double *host)
{
    const bool is_vorticity = derivative == SWE_VORTICITY;
    s->backend->share(&s->execution, is_vorticity ? compute_vorticity : compute_divergence, s);
    return download(ctx, s,
                    is_vorticity ? swe_step_vorticity(&s->params, &s->fields)
                                 : swe_step_scratch(&s->fields),
                    host, (size_t)s->params.layout.field);
}

typedef struct tendency {
    swe_stepper *stepper;
    const swe_step_plan *plan;
    double t; /* of the state [s] */
} tendency;

/* A weight of the first substep that the state is small beside. */
static const double tendency_step = 1e9; /* [s] */

/* Flows in two sweeps: dh is the divergence times -H0, beside dv1 and dv2. Others: the first
 * substep. */
static void compute_tendency(void *argument)
{
    const tendency *t = argument;
    const swe_stepper *s = t->stepper;
    if (swe_plan_substeps(t->plan) != SWE_SWEEPS) {
        swe_substep(s->stages, &s->execution, &s->params, t->plan, &s->fields,
                    (swe_clock){t->t, 0, 0.0}, 0, tendency_step);
        return;
    }
    compute_divergence_times(s, s->params.depth);
    const swe_fields out = swe_fields_at(&s->params.layout, swe_step_scratch(&s->fields));
    s->stages->gradient(&s->execution, &s->params, s->read.h, out.v1, out.v2);
}

static swe_status get_tendency(swe_context *ctx, swe_stepper *s, swe_pipeline pipeline,
                               const swe_clock *clock, double *host)
{
    const swe_step_plan *plan = &s->plans[pipeline];
    const size_t size = stepper_state_size(s);
    double *state = NULL;
    s->backend->share(&s->execution, compute_tendency, &(tendency){s, plan, swe_clock_time(clock)});
    SWE_TRY(download(ctx, s, swe_step_scratch(&s->fields), host, size));
    if (swe_plan_substeps(plan) == SWE_SWEEPS)
        return SWE_OK;
    SWE_TRY(swe_memory_doubles(ctx, size, &state));
    const swe_status status = download(ctx, s, s->read.h, state, size);
    const double weight = swe_plan_weight(plan, 0, tendency_step);
    for (size_t k = 0; k < size && status == SWE_OK; k++)
        host[k] = (host[k] - state[k]) / weight;
    free(state);
    return status;
}

static const void *view(const swe_stepper *s)
{
    return s->read.h;
}

typedef struct integrated {
    swe_stepper *stepper;
    swe_term term;
    real weight, odd;
} integrated;

/* The state plus `weight` times the tendency of a term, in the memory of Y3. */
static swe_fields perturbed_state(const swe_stepper *s, swe_term term, real weight, real odd)
{
    const swe_stage_table *stages = s->stages;
    const swe_execution *execution = &s->execution;
    swe_params params = s->params;
    real *const y = s->fields.y.h;
    const swe_fields out = swe_fields_at(&params.layout, s->fields.next.h + 2 * params.next);
    stages->rk4(execution, &params, 0, 0, y, y, out.h); /* a copy of h, v1 and v2 */
    params.physics.viscosity_of_tracers = false;
    if (term == SWE_TERM_viscosity)
        stages->viscosity(execution, &params, 0, weight, &s->fields.work, y, out.h);
    if (term == SWE_TERM_dissipation && params.damping > 0)
        stages->damping(execution, &params, weight * params.damping, out.h, out.v1, out.v2,
                        swe_step_scratch(&s->fields));
    if (term == SWE_TERM_dissipation && params.dissipation > 0)
        stages->dissipation(execution, &params, weight * params.dissipation, out.h, out.v1, out.v2,
                            swe_step_scratch(&s->fields));
    bool is_forcing = false;
#define KEEP_OF_TERM(name, NAME, count, has, varies, of)                                           \
    if (!(of))                                                                                     \
        params.name = NULL;                                                                        \
    is_forcing = is_forcing || params.name != NULL;
    SWE_FORCING_LIST(KEEP_OF_TERM)
#undef KEEP_OF_TERM
    params.physics.drag_coefficient = term == SWE_TERM_drag ? params.physics.drag_coefficient : 0.0;
    is_forcing = is_forcing || params.physics.drag_coefficient != 0.0;
    if (term == SWE_TERM_source)
        params.physics.density = HUGE_VAL; /* no stress */
    if (is_forcing)
        stages->forcing(execution, &params, 0, weight, odd, s->fields.work.head, y, out.h);
    return out;
}

static void compute_integrals(void *argument)
{
    const integrated *of = argument;
    swe_stepper *s = of->stepper;
    const bool is_state = of->term == SWE_TERMS;
    const swe_fields y = is_state ? s->read : perturbed_state(s, of->term, of->weight, of->odd);
    if (s->params.physics.equations == SWE_NONLINEAR && is_state)
        compute_vorticity(s);
    s->stages->integrals(&s->execution, &s->params, y.h, y.v1, y.v2,
                         swe_step_vorticity(&s->params, &s->fields), s->fields.rows);
}

static swe_status get_integrals(swe_context *ctx, swe_stepper *s, swe_term term, double weight,
                                const swe_clock *clock, double *host)
{
    const double t = swe_clock_time(clock);
    integrated of = {s, term, (real)weight, (real)swe_physics_odd_record(&s->params.physics, t, t)};
    s->backend->share(&s->execution, compute_integrals, &of);
    const swe_status status = s->backend->download(ctx, s->device, s->fields.rows, host,
                                                   stepper_integrals_count(s) * sizeof(double));
    stepper_blocks_gather_integrals(s, host);
    return status;
}

static const swe_decomposition *blocks(const swe_stepper *s)
{
    return s->decomposition;
}

/* ---- steps, stages and the right-hand side --------------------------------------------------- */

static bool lags(const swe_stepper *s, swe_pipeline pipeline)
{
    return swe_plan_lags(&s->plans[pipeline]);
}

static void complete_in_place(void *argument)
{
    const swe_stepper *s = argument;
    swe_complete(s->stages, &s->execution, &s->params, &s->fields, s->lag);
}

static void begin_leapfrog(void *argument)
{
    const swe_stepper *s = argument;
    swe_leapfrog_begin(s->stages, &s->execution, &s->params, &s->fields, s->lag);
}

static void complete_leapfrog(void *argument)
{
    const swe_stepper *s = argument;
    swe_step_fields fields = s->fields;
    fields.y = s->read;
    swe_leapfrog_complete(s->stages, &s->execution, &s->params, &fields, s->lag);
}

static double complete(swe_stepper *s, double lag, bool as_it_steps)
{
    const bool leaps = s->completed != NULL;
    const swe_layout *layout = &s->params.layout;
    s->read = s->substeps == 0
                  ? s->fields.y
                  : swe_fields_at(layout, s->fields.next.h + (s->substeps - 1) * s->params.next);
    s->lag = lag;
    if (lag == 0.0 || (leaps && as_it_steps))
        return lag;
    if (!leaps) {
        s->backend->share(&s->execution, complete_in_place, s);
        return 0.0;
    }
    memcpy(s->completed, s->fields.y.h, stepper_state_size(s) * sizeof(real));
    s->read = swe_fields_at(&s->params.layout, s->completed);
    s->backend->share(&s->execution, complete_leapfrog, s);
    return lag;
}

static void prepare(swe_stepper *s, double lag, double dt)
{
    if (lag == dt)
        return;
    if (complete(s, lag, false) != 0.0)
        memcpy(s->fields.y.h, s->completed, stepper_state_size(s) * sizeof(real));
    s->lag = dt;
    if (s->completed != NULL && dt != 0.0)
        s->backend->share(&s->execution, begin_leapfrog, s);
}

static void steps(swe_stepper *s, swe_pipeline pipeline, swe_clock clock, double dt, long count,
                  bool lags)
{
    swe_steps(s->stages, &s->execution, &s->params, &s->plans[pipeline], &s->fields, clock, dt,
              count, lags);
}

typedef struct one_substep {
    const swe_stepper *stepper;
    const swe_step_plan *plan;
    swe_clock clock;
    double dt;
    int number;
} one_substep;

static void run_substep(void *argument)
{
    const one_substep *o = argument;
    const swe_stepper *s = o->stepper;
    swe_substep(s->stages, &s->execution, &s->params, o->plan, &s->fields, o->clock, o->number,
                o->dt);
}

static void substep(swe_stepper *s, swe_pipeline pipeline, swe_clock clock, double dt, int number)
{
    one_substep o = {s, &s->plans[pipeline], clock, dt, number};
    if (number >= 0)
        s->backend->share(&s->execution, run_substep, &o);
    s->substeps = number < SWE_SUBSTEPS - 1 ? number + 1 : 0;
}

static void stage(const swe_stepper *s, const swe_step_plan *plan, int stage, double dt)
{
    const swe_fields y = s->fields.y;
    if (stage == SWE_STAGE_integrals)
        SWE_RUN(s->stages, integrals, &s->execution, &s->params, y.h, y.v1, y.v2,
                swe_step_vorticity(&s->params, &s->fields), s->fields.rows);
    else
        swe_step_stage(s->stages, &s->execution, &s->params, plan, &s->fields, stage, dt);
}

static void rhs(const swe_stepper *s)
{
    swe_rhs(s->stages, &s->execution, &s->params, s->fields.y, s->fields.work, s->fields.k);
}

static void set_profiler(swe_stepper *s, prof_profiler *profiler)
{
    s->execution.profiler = profiler;
}

const swe_stepper_functions swe_stepper_table = {create,
                                                 stepper_blocks_connect,
                                                 stepper_blocks_transport,
                                                 stepper_blocks_waits,
                                                 destroy,
                                                 set_state,
                                                 get_state,
                                                 set_constant,
                                                 get_integrals,
                                                 derive,
                                                 get_tendency,
                                                 view,
                                                 blocks,
                                                 lags,
                                                 complete,
                                                 prepare,
                                                 substep,
                                                 steps,
                                                 stage,
                                                 rhs,
                                                 set_profiler};
