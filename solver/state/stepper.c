#include "state/stepper.h"

#include <stdlib.h>

#include "base/memory.h"
#include "grid/geographic.h"
#include "grid/geometry_point.h"
#include "ranks/ranks.h"
#include "stages/integrals/integrals.h"
#include "state/stepper_internal.h"

static const swe_precision own_precision = REAL_PRECISION;

static size_t state_size(const swe_stepper *s)
{
    return (size_t)s->prognostic->count * (size_t)s->params.layout.field;
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

/* The first failure. A rank that fails goes on: others wait for its messages. */
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

/* ---- arrays ---------------------------------------------------------------------------------- */

swe_status stepper_allocate(swe_context *ctx, swe_stepper *s, bool zero, size_t count, size_t size,
                            prof_place place, void **out)
{
    if (s->memory_count == STEPPER_ARRAYS)
        return swe_fail(ctx, SWE_INTERNAL, "a model has more than %d arrays", STEPPER_ARRAYS);
    SWE_TRY((zero ? s->backend->allocate : s->backend->reserve)(ctx, s->device, count, size, place,
                                                                out));
    s->memory[s->memory_count++] = *out;
    return SWE_OK;
}

static swe_status allocate(swe_context *ctx, swe_stepper *s, size_t count, prof_place place,
                           real **out)
{
    void *memory = NULL;
    SWE_TRY(stepper_allocate(ctx, s, true, count, sizeof(real), place, &memory));
    *out = memory;
    return SWE_OK;
}

typedef struct panels {
    const swe_stepper *stepper;
    int count;
    real *values;
} panels;

static void clear_panels(void *argument)
{
    const panels *p = argument;
    p->stepper->stages->clear(&p->stepper->params, p->count, p->values);
}

/* Panels of zeros. Each thread clears its own share, so that it lies in the memory of its node. */
static swe_status allocate_panels(swe_context *ctx, swe_stepper *s, int count, prof_place place,
                                  real **out)
{
    const bool shared = s->stages->clear != NULL;
    void *memory = NULL;
    SWE_TRY(stepper_allocate(ctx, s, !shared, (size_t)count * (size_t)s->params.layout.panel,
                             sizeof(real), place, &memory));
    *out = memory;
    if (shared)
        s->backend->share(&s->execution, clear_panels, &(panels){s, count, *out});
    return SWE_OK;
}

static swe_status allocate_whole_fields(swe_context *ctx, swe_stepper *s, int count,
                                        prof_place place, real **out)
{
    return s->decomposition != NULL
               ? allocate(ctx, s, (size_t)count * (size_t)s->params.layout.field, place, out)
               : allocate_panels(ctx, s, count * SWE_PANELS, place, out);
}

static swe_status allocate_fields_of(swe_context *ctx, swe_stepper *s, int count, prof_place place,
                                     swe_fields *out)
{
    real *base = NULL;
    SWE_TRY(allocate_whole_fields(ctx, s, count, place, &base));
    *out = swe_fields_at(&s->params.layout, base);
    return SWE_OK;
}

static size_t work_values(const swe_stepper *s, swe_location location)
{
    return s->decomposition != NULL ? swe_decomposition_values(s->decomposition, location)
                                    : swe_location_values(location, s->params.layout.n);
}

/* A tendency of the flow (staged pipeline), and the work arrays that the pipelines need. */
static swe_status allocate_work(swe_context *ctx, swe_stepper *s,
                                const swe_stepper_options *options)
{
    const swe_step_plan *staged = &s->plans[SWE_PIPELINE_STAGED],
                        *fused = &s->plans[SWE_PIPELINE_FUSED];
    real **const work[SWE_WORK_COUNT] = {
#define WORK_ADDRESS(name, long_name, units, location, flows, stages) &s->fields.work.name,
        SWE_WORK_LIST(WORK_ADDRESS)
#undef WORK_ADDRESS
    };
    if (options->staged)
        SWE_TRY(allocate_fields_of(ctx, s, SWE_FLOW_FIELDS, PROF_HERE("tendency"), &s->fields.k));
    for (int k = 0; k < SWE_WORK_COUNT; k++)
        if ((options->staged && swe_plan_needs(staged, k)) ||
            (options->fused && swe_plan_needs(fused, k)))
            SWE_TRY(allocate(ctx, s, work_values(s, swe_work_fields[k].location),
                             PROF_HERE(swe_work_fields[k].name), work[k]));
    return SWE_OK;
}

static size_t integrals_count(const swe_stepper *s)
{
    return (size_t)integrals_of_field(s->params.layout.n, s->params.fields);
}

static swe_status allocate_integrals(swe_context *ctx, swe_stepper *s)
{
    void *memory = NULL;
    SWE_TRY(stepper_allocate(ctx, s, true, integrals_count(s), sizeof(double),
                             PROF_HERE("integrals"), &memory));
    s->fields.rows = memory;
    return SWE_OK;
}

/* Scratch of the threads. Uninitialised: a thread reads only values that it wrote in the same
 * stage. */
static swe_status allocate_tiles(swe_context *ctx, swe_stepper *s, size_t count)
{
    void *memory = NULL;
    SWE_TRY(stepper_allocate(ctx, s, false, count, sizeof(real), PROF_HERE("tiles"), &memory));
    s->params.scratch = memory;
    return SWE_OK;
}

static swe_status allocate_fields(swe_context *ctx, swe_stepper *s,
                                  const swe_stepper_options *options)
{
    SWE_TRY(allocate_fields_of(ctx, s, SWE_SUBSTEPS * s->prognostic->count, PROF_HERE("states"),
                               &s->fields.next));
    s->fields.y =
        swe_fields_at(&s->params.layout, s->fields.next.h + (SWE_SUBSTEPS - 1) * state_size(s));
    const size_t scratch =
        s->stages->scratch != NULL ? s->stages->scratch(&s->execution, &s->params) : 0;
    if (scratch > 0)
        SWE_TRY(allocate_tiles(ctx, s, scratch));
    SWE_TRY(stepper_blocks_place(ctx, s, scratch * sizeof(real)));
    SWE_TRY(allocate_integrals(ctx, s));
    return allocate_work(ctx, s, options);
}

/* Copy tables of the grid to the device: tangents of vertices, and the metric terms of one panel.
 */

static swe_status create_tangents(swe_context *ctx, swe_stepper *s, const double *host)
{
    const size_t side = (size_t)s->params.layout.n + 1;
    real *memory = NULL;
    SWE_TRY(allocate(ctx, s, side, PROF_HERE("tangents"), &memory));
    s->params.tan_vertex = memory;
    return upload(ctx, s, host, memory, side);
}

static void fill_metric(const swe_decomposition *d, const swe_grid *grid, swe_metric_term term,
                        double *out)
{
    for (int k = d->own.first; k < d->own.last; k++)
        if (d->block[k].panel == d->block[k].first_panel)
            FOR_STORED(d, k, j, i,
                       out[d->block[k].metric + j * d->layout.pitch + i] =
                           swe_grid_metric(grid, term, j, i));
}

static swe_status create_metric(swe_context *ctx, swe_stepper *s, const swe_grid *grid,
                                swe_metric_term term, const double *host, const char *label,
                                const real **out)
{
    const swe_decomposition *d = s->decomposition;
    real *memory = NULL;
    if (d == NULL) {
        SWE_TRY(allocate_panels(ctx, s, 1, PROF_HERE(label), &memory));
        *out = memory;
        return upload(ctx, s, host, memory, (size_t)grid->layout.panel);
    }
    double *of_blocks = NULL;
    SWE_TRY(allocate(ctx, s, (size_t)d->metric_size, PROF_HERE(label), &memory));
    SWE_TRY(swe_memory_doubles(ctx, (size_t)d->metric_size, &of_blocks));
    fill_metric(d, grid, term, of_blocks);
    *out = memory;
    const swe_status status = upload(ctx, s, of_blocks, memory, (size_t)d->metric_size);
    free(of_blocks);
    return status;
}

/* Both norms, in double for either precision. */
static swe_status create_norms(swe_context *ctx, const swe_stepper_options *options, swe_stepper *s)
{
    const size_t n = (size_t)options->grid->layout.n;
    void *memory = NULL;
    SWE_TRY(stepper_allocate(ctx, s, true, 2 * n + 1, sizeof(double), PROF_HERE("norms"), &memory));
    double *vertex = memory, *cell = vertex + n + 1;
    s->params.norm_vertex = vertex;
    s->params.norm_cell = cell;
    SWE_TRY(
        s->backend->upload(ctx, s->device, options->norm_vertex, vertex, (n + 1) * sizeof(double)));
    return s->backend->upload(ctx, s->device, options->norm_cell, cell, n * sizeof(double));
}

/* f = 2 Omega . r at a vertex. */
static double coriolis_at(const swe_grid *grid, const swe_physics *physics, const double axis[3],
                          int panel, int j, int i)
{
    real r[3];
    geometry_position(panel, (real)grid->tan_vertex[i], (real)grid->tan_vertex[j], r);
    const double at[3] = {(double)r[0], (double)r[1], (double)r[2]};
    return geographic_coriolis(physics->rotation, axis, at);
}

/* At all vertices of a field of this rank, its ghosts and foreign copies. */
static void fill_coriolis(const swe_stepper *s, const swe_grid *grid, const swe_physics *physics,
                          double *f)
{
    const swe_decomposition *d = s->decomposition;
    double axis[3], east[3], north[3];
    geographic_frame(physics->axis_lon, physics->axis_lat, axis, east, north);
    if (d != NULL) {
        for (int k = d->own.first; k < d->own.last; k++)
            FOR_STORED(d, k, j, i,
                       f[swe_decomposition_at(d, k, j, i)] =
                           coriolis_at(grid, physics, axis, d->block[k].panel, j, i));
        for (int point = 0; point < d->shared_count; point++) {
            const topology_copies *c = &d->shared[point].copies;
            for (int m = 0; m < c->count; m++)
                f[c->at[m]] = coriolis_at(grid, physics, axis, c->panel[m], c->j[m], c->i[m]);
        }
        return;
    }
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int j = 0; j <= grid->layout.n; j++)
            for (int i = 0; i <= grid->layout.n; i++)
                f[swe_at(&grid->layout, panel, j, i)] =
                    coriolis_at(grid, physics, axis, panel, j, i);
}

/* The Coriolis parameter, and a flat bottom. */
static swe_status create_coriolis_and_bottom(swe_context *ctx, const swe_stepper_options *options,
                                             swe_stepper *s)
{
    const size_t field = (size_t)s->params.layout.field;
    double *f = NULL;
    SWE_TRY(swe_memory_doubles(ctx, field, &f));
    fill_coriolis(s, options->grid, &options->physics, f);
    real *coriolis = NULL;
    swe_status status =
        allocate_whole_fields(ctx, s, 1, PROF_HERE("Coriolis parameter"), &coriolis);
    s->params.coriolis = coriolis;
    if (status == SWE_OK)
        status = upload(ctx, s, f, coriolis, field);
    free(f);
    SWE_TRY(status);
    SWE_TRY(allocate_whole_fields(ctx, s, 1, PROF_HERE("bottom"), &s->bottom));
    s->params.bottom = s->bottom;
    return SWE_OK;
}

static swe_status create_params(swe_context *ctx, const swe_stepper_options *options,
                                swe_stepper *s)
{
    const swe_grid *grid = options->grid;
    SWE_TRY(stepper_blocks_create(ctx, options, s));
    const swe_layout layout = s->decomposition != NULL ? s->decomposition->layout : grid->layout;
    const bool is_linear = options->physics.equations == SWE_LINEAR;
    const double rate = sqrt(options->physics.gravity * options->physics.depth) /
                        (options->physics.radius * grid->spacing);
    const swe_sbp *sbp = NULL;
    SWE_TRY(swe_sbp_find(ctx, options->order, options->closure, grid->layout.n, &sbp));
    s->params =
        (swe_params){.layout = layout,
                     .decomposition = s->decomposition,
                     .sbp = *sbp,
                     .topology = grid->topology,
                     .inverse_spacing = (real)(1.0 / grid->spacing),
                     .radius = (real)grid->radius,
                     .gravity = (real)options->physics.gravity,
                     .inverse_gravity = (real)(1.0 / options->physics.gravity),
                     .depth = is_linear ? (real)options->physics.depth : 1,
                     .equations = options->physics.equations,
                     .rotational = swe_physics_flow(&options->physics) != SWE_FLOW_NONROTATING,
                     .exceeds_cache = swe_state_exceeds_cache(grid->layout.n, sizeof(real)),
                     .fields = options->fields->count,
                     .next = options->fields->count * layout.field,
                     .damping = (real)(options->physics.edge_damping * rate),
                     .dissipation = (real)(options->physics.dissipation * rate),
                     .tile_columns = options->execution.tile_columns};
    s->params.swaps_buffers = s->stages->swaps_buffers && swe_state_swaps_buffers(grid->layout.n) &&
                              !s->params.rotational;
    if (s->stages->prepare != NULL)
        SWE_TRY(s->stages->prepare(ctx, &s->execution, &s->params));
    SWE_TRY(create_norms(ctx, options, s));
    SWE_TRY(create_tangents(ctx, s, grid->tan_vertex));
    SWE_TRY(create_metric(ctx, s, grid, SWE_INVERSE_JACOBIAN, grid->inverse_jacobian, "1/J",
                          &s->params.inverse_jacobian));
    SWE_TRY(
        create_metric(ctx, s, grid, SWE_METRIC11, grid->metric11, "J g^11", &s->params.metric11));
    SWE_TRY(
        create_metric(ctx, s, grid, SWE_METRIC12, grid->metric12, "J g^12", &s->params.metric12));
    SWE_TRY(
        create_metric(ctx, s, grid, SWE_METRIC22, grid->metric22, "J g^22", &s->params.metric22));
    return s->params.rotational ? create_coriolis_and_bottom(ctx, options, s) : SWE_OK;
}

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
    if (s == NULL) /* the other ranks agree next on their blocks */
        return swe_ranks_agree(ctx, swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the model"));
    s->backend = options->backend;
    s->device = options->device;
    s->execution = options->execution;
    s->stages = options->backend->stages[own_precision];
    s->prognostic = options->fields;
    for (int pipeline = 0; pipeline < SWE_PIPELINES; pipeline++)
        s->plans[pipeline] =
            swe_step_plan_of(&options->physics, options->fields, (swe_pipeline)pipeline);
    swe_status status = create_params(ctx, options, s);
    if (status == SWE_OK)
        status = allocate_fields(ctx, s, options);
    if (status != SWE_OK)
        destroy(out);
    return status;
}

/* ---- the state ------------------------------------------------------------------------------- */

static void project_bottom(void *argument)
{
    const swe_stepper *s = argument;
    exchange(s, s->bottom);
    s->stages->projection(&s->execution, &s->params, s->bottom);
}

static swe_status set_bottom(swe_context *ctx, swe_stepper *s, const double *host)
{
    if (s->bottom == NULL)
        return swe_fail(ctx, SWE_INTERNAL, "the linear equations have no bottom");
    const swe_status status = upload(ctx, s, host, s->bottom, (size_t)s->params.layout.field);
    s->backend->share(&s->execution, project_bottom, s);
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
    const swe_status status = upload(ctx, s, host, s->fields.y.h, state_size(s));
    s->backend->share(&s->execution, project_state, s);
    return first_of(status, s->backend->synchronize(ctx, s->device));
}

static swe_status get_state(swe_context *ctx, swe_stepper *s, double *host)
{
    return download(ctx, s, s->fields.y.h, host, state_size(s));
}

/* Stages in the scratch between steps. They are not run as regions: diagnostics and output are
 * regions of their own. */

/* To swe_step_vorticity. */
static void compute_vorticity(void *argument)
{
    const swe_stepper *s = argument;
    const swe_fields y = s->fields.y;
    const ptrdiff_t field = s->params.layout.field;
    real *scratch = swe_step_scratch(&s->params, &s->fields),
         *vorticity = swe_step_vorticity(&s->params, &s->fields);
    s->stages->vorticity(&s->execution, &s->params, y.v1, y.v2, scratch, scratch + field,
                         scratch + 2 * field, scratch + 3 * field, vorticity);
    s->stages->projection(&s->execution, &s->params, vorticity);
}

/* To swe_step_scratch, by the linear equations with H0 = -1: fluxes are those of the velocity,
 * without h, and the tendency of h is the divergence. The edges, at most six fields, replace the
 * cross terms. */
static void compute_divergence(void *argument)
{
    const swe_stepper *s = argument;
    const swe_fields y = s->fields.y;
    const ptrdiff_t field = s->params.layout.field;
    swe_params params = s->params;
    params.equations = SWE_LINEAR;
    params.depth = -1;
    real *divergence = swe_step_scratch(&s->params, &s->fields), *f1 = divergence + field,
         *f2 = f1 + field, *edge = f2 + field;
    s->stages->contravariant(&s->execution, &params, y.h, y.v1, y.v2, edge, edge + field, f1, f2);
    s->stages->divergence(&s->execution, &params, f1, f2, divergence);
    s->stages->sat(&s->execution, &params, y.h, y.v1, y.v2, f1, f2, edge, divergence);
    s->stages->projection(&s->execution, &params, divergence);
}

static swe_status derive(swe_context *ctx, swe_stepper *s, swe_derivative derivative, double *host)
{
    const bool is_vorticity = derivative == SWE_VORTICITY;
    s->backend->share(&s->execution, is_vorticity ? compute_vorticity : compute_divergence, s);
    return download(ctx, s,
                    is_vorticity ? swe_step_vorticity(&s->params, &s->fields)
                                 : swe_step_scratch(&s->params, &s->fields),
                    host, (size_t)s->params.layout.field);
}

static void compute_integrals(void *argument)
{
    const swe_stepper *s = argument;
    const swe_fields y = s->fields.y;
    if (s->params.equations == SWE_NONLINEAR)
        compute_vorticity(argument);
    s->stages->integrals(&s->execution, &s->params, y.h, y.v1, y.v2,
                         swe_step_vorticity(&s->params, &s->fields), s->fields.rows);
}

static swe_status get_integrals(swe_context *ctx, swe_stepper *s, double *host)
{
    s->backend->share(&s->execution, compute_integrals, s);
    const swe_status status = s->backend->download(ctx, s->device, s->fields.rows, host,
                                                   integrals_count(s) * sizeof(double));
    stepper_blocks_gather_integrals(s, host);
    return status;
}

static const swe_decomposition *blocks(const swe_stepper *s)
{
    return s->decomposition;
}

/* ---- steps, stages and the right-hand side --------------------------------------------------- */

static void step(swe_stepper *s, swe_pipeline pipeline, double dt)
{
    swe_step(s->stages, &s->execution, &s->params, &s->plans[pipeline], &s->fields, dt);
}

static bool is_swapped(const swe_stepper *s)
{
    return s->params.next < 0;
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
                                                 set_bottom,
                                                 get_integrals,
                                                 derive,
                                                 blocks,
                                                 step,
                                                 is_swapped,
                                                 stage,
                                                 rhs,
                                                 set_profiler};
