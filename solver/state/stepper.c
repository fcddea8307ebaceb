#include "state/stepper.h"

#include <stdlib.h>

#include "state/stepper_arrays.h"
#include "stages/budgets/budgets.h"
#include "stages/regions.h"
#include "stages/rk4/rk4_point.h"

static const swe_precision own_precision = REAL_PRECISION;

static size_t state_size(const swe_stepper *s)
{
    return 3 * (size_t)s->view.layout.field;
}

/* ---- from and to host memory ----------------------------------------------------------------- */

static swe_status upload(swe_context *ctx, swe_stepper *s, const double *host, real *to,
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

/* ---- its arrays ------------------------------------------------------------------------------ */

static swe_status allocate_bytes(swe_context *ctx, swe_stepper *s, size_t count, size_t size,
                                 prof_place place, void **out)
{
    if (s->memory_count == STEPPER_ARRAYS)
        return swe_fail(ctx, SWE_INTERNAL, "a model has more than %d arrays", STEPPER_ARRAYS);
    SWE_TRY(s->backend->allocate(ctx, s->device, count, size, place, out));
    s->memory[s->memory_count++] = *out;
    return SWE_OK;
}

static swe_status allocate(swe_context *ctx, swe_stepper *s, size_t count, prof_place place,
                           real **out)
{
    void *memory = NULL;
    SWE_TRY(allocate_bytes(ctx, s, count, sizeof(real), place, &memory));
    *out = memory;
    return SWE_OK;
}

static swe_status allocate_states(swe_context *ctx, swe_stepper *s, size_t count, prof_place place,
                                  swe_fields *out)
{
    real *base = NULL;
    SWE_TRY(allocate(ctx, s, count * state_size(s), place, &base));
    *out = swe_fields_at(&s->view.layout, base);
    return SWE_OK;
}

/* What the stages of the right-hand side want besides states. */
static swe_status allocate_work(swe_context *ctx, swe_stepper *s)
{
    const size_t field = (size_t)s->view.layout.field;
    const size_t edges = (size_t)SWE_EDGES * ((size_t)s->view.layout.n + 1);
    real *base = NULL;
    SWE_TRY(allocate_states(ctx, s, 1, PROF_HERE("tendency"), &s->fields.k));
    SWE_TRY(allocate(ctx, s, 4 * field + edges, PROF_HERE("cross terms, fluxes and edges"), &base));
    s->fields.work =
        (swe_work){base, base + field, base + 2 * field, base + 3 * field, base + 4 * field};
    return SWE_OK;
}

static size_t budgets_count(const swe_stepper *s)
{
    return (size_t)SWE_PANELS * ((size_t)s->view.layout.n + 1) * BUDGETS_VALUES;
}

static swe_status allocate_budgets(swe_context *ctx, swe_stepper *s)
{
    void *memory = NULL;
    SWE_TRY(
        allocate_bytes(ctx, s, budgets_count(s), sizeof(double), PROF_HERE("budgets"), &memory));
    s->budgets = memory;
    return SWE_OK;
}

static swe_status allocate_fields(swe_context *ctx, swe_stepper *s, bool staged)
{
    SWE_TRY(allocate_states(ctx, s, 1, PROF_HERE("state"), &s->fields.y));
    SWE_TRY(allocate_states(ctx, s, 3, PROF_HERE("next states"), &s->fields.next));
    const size_t scratch = s->stages->scratch != NULL ? s->stages->scratch(&s->view) : 0;
    if (scratch > 0)
        SWE_TRY(allocate(ctx, s, scratch, PROF_HERE("tiles"), &s->view.scratch));
    SWE_TRY(allocate_budgets(ctx, s));
    return staged ? allocate_work(ctx, s) : SWE_OK;
}

/* Copy a host table to the device. */
static swe_status place(swe_context *ctx, swe_stepper *s, const double *host, size_t count,
                        const char *label, const real **out)
{
    real *memory = NULL;
    SWE_TRY(allocate(ctx, s, count, PROF_HERE(label), &memory));
    *out = memory;
    return upload(ctx, s, host, memory, count);
}

/* Both norms, which are double in both precisions. */
static swe_status place_norms(swe_context *ctx, const swe_stepper_options *options, swe_stepper *s)
{
    const size_t n = (size_t)options->grid->layout.n;
    void *memory = NULL;
    SWE_TRY(allocate_bytes(ctx, s, 2 * n + 1, sizeof(double), PROF_HERE("norms"), &memory));
    double *vertex = memory, *cell = vertex + n + 1;
    s->view.norm_vertex = vertex;
    s->view.norm_cell = cell;
    SWE_TRY(
        s->backend->upload(ctx, s->device, options->norm_vertex, vertex, (n + 1) * sizeof(double)));
    return s->backend->upload(ctx, s->device, options->norm_cell, cell, n * sizeof(double));
}

static swe_status create_view(swe_context *ctx, const swe_stepper_options *options, swe_stepper *s)
{
    const swe_grid *grid = options->grid;
    const size_t panel = (size_t)grid->layout.panel, side = (size_t)grid->layout.n + 1;
    const swe_sbp *sbp = NULL;
    SWE_TRY(swe_sbp_find(ctx, options->order, options->closure, grid->layout.n, &sbp));
    s->view = (swe_view){.layout = grid->layout,
                         .sbp = *sbp,
                         .topology = grid->topology,
                         .inverse_spacing = (real)(1.0 / grid->spacing),
                         .radius = (real)grid->radius,
                         .gravity = (real)options->physics.gravity,
                         .depth = (real)options->physics.depth,
                         .workers = options->workers};
    SWE_TRY(place_norms(ctx, options, s));
    SWE_TRY(place(ctx, s, grid->tan_vertex, side, "tangents", &s->view.tan_vertex));
    SWE_TRY(place(ctx, s, grid->inverse_jacobian, panel, "1/J", &s->view.inverse_jacobian));
    SWE_TRY(place(ctx, s, grid->metric11, panel, "J g^11", &s->view.metric11));
    SWE_TRY(place(ctx, s, grid->metric12, panel, "J g^12", &s->view.metric12));
    return place(ctx, s, grid->metric22, panel, "J g^22", &s->view.metric22);
}

static void destroy(swe_stepper **pointer)
{
    swe_stepper *s = *pointer;
    for (int i = 0; s != NULL && i < s->memory_count; i++)
        s->backend->release(s->device, s->memory[i]);
    free(s);
    *pointer = NULL;
}

static swe_status create(swe_context *ctx, const swe_stepper_options *options, swe_stepper **out)
{
    swe_stepper *s = *out = calloc(1, sizeof *s);
    if (s == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the model");
    s->backend = options->backend;
    s->device = options->device;
    s->stages = options->backend->stages[own_precision];
    swe_status status = create_view(ctx, options, s);
    if (status == SWE_OK)
        status = allocate_fields(ctx, s, options->staged);
    if (status != SWE_OK)
        destroy(out);
    return status;
}

/* ---- the state ------------------------------------------------------------------------------- */

static void project_state(void *argument)
{
    const swe_stepper *s = argument;
    SWE_RUN(s->stages, projection, &s->view, s->fields.y.h);
}

static swe_status set_state(swe_context *ctx, swe_stepper *s, const double *host)
{
    SWE_TRY(upload(ctx, s, host, s->fields.y.h, state_size(s)));
    s->backend->share(&s->view.workers, project_state, s);
    return s->backend->synchronize(ctx, s->device);
}

static swe_status get_state(swe_context *ctx, swe_stepper *s, double *host)
{
    return download(ctx, s, s->fields.y.h, host, state_size(s));
}

/* A diagnostic, of which the profiler has another region. */
static void make_budgets(void *argument)
{
    const swe_stepper *s = argument;
    const swe_fields y = s->fields.y;
    s->stages->budgets(&s->view, y.h, y.v1, y.v2, s->budgets);
}

static swe_status get_budgets(swe_context *ctx, swe_stepper *s, double *host)
{
    s->backend->share(&s->view.workers, make_budgets, s);
    return s->backend->download(ctx, s->device, s->budgets, host,
                                budgets_count(s) * sizeof(double));
}

/* ---- what it computes: on its own fields, as within a step ----------------------------------- */

static void step(const swe_stepper *s, swe_pipeline pipeline, double dt)
{
    swe_rk4_step(s->stages, &s->view, pipeline, s->fields, dt);
}

static void rhs(const swe_stepper *s)
{
    swe_rhs(s->stages, &s->view, s->fields.y, s->fields.work, s->fields.k);
}

static void call_projection(const swe_stepper *s, double dt)
{
    (void)dt;
    SWE_RUN(s->stages, projection, &s->view, s->fields.y.h);
}

static void call_gradient(const swe_stepper *s, double dt)
{
    (void)dt;
    SWE_RUN(s->stages, gradient, &s->view, s->fields.y.h, s->fields.k.v1, s->fields.k.v2);
}

static void call_contravariant(const swe_stepper *s, double dt)
{
    const swe_work w = s->fields.work;
    (void)dt;
    SWE_RUN(s->stages, contravariant, &s->view, s->fields.y.v1, s->fields.y.v2, w.cross1, w.cross2,
            w.f1, w.f2);
}

static void call_divergence(const swe_stepper *s, double dt)
{
    (void)dt;
    SWE_RUN(s->stages, divergence, &s->view, s->fields.work.f1, s->fields.work.f2, s->fields.k.h);
}

static void call_sat(const swe_stepper *s, double dt)
{
    const swe_work w = s->fields.work;
    (void)dt;
    SWE_RUN(s->stages, sat, &s->view, s->fields.y.v1, s->fields.y.v2, w.f1, w.f2, w.edge,
            s->fields.k.h);
}

static void call_rk4(const swe_stepper *s, double dt)
{
    for (int part = 0; part < RK4_PARTS; part++)
        SWE_RUN(s->stages, rk4, &s->view, part, rk4_weight(part, dt), s->fields.k.h, s->fields.y.h,
                s->fields.next.h);
}

static void call_fused(const swe_stepper *s, double dt)
{
    for (int part = 0; part < RK4_PARTS; part++)
        SWE_RUN(s->stages, fused, &s->view, part, rk4_weight(part, dt), s->fields.y.h,
                s->fields.next.h);
}

static void call_budgets(const swe_stepper *s, double dt)
{
    (void)dt;
    SWE_RUN(s->stages, budgets, &s->view, s->fields.y.h, s->fields.y.v1, s->fields.y.v2,
            s->budgets);
}

static void stage(const swe_stepper *s, int stage, double dt)
{
    static void (*const calls[])(const swe_stepper *s, double dt) = {
#define STEPPER_CALL(name, what, arguments) call_##name,
        SWE_STAGE_LIST(STEPPER_CALL)
#undef STEPPER_CALL
    };
    calls[stage](s, dt);
}

const swe_stepper_functions swe_stepper_double = {
    create, destroy, set_state, get_state, get_budgets, step, stage, rhs,
};
