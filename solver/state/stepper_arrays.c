/* The parameters of a stepper's kernels, constants and arrays whose values stay, and its other
 * device arrays: fields and scratch. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "grid/geographic.h"
#include "grid/geometry_point.h"
#include "state/stepper_internal.h"

swe_status stepper_allocate(swe_context *ctx, swe_stepper *s, bool zero, size_t count, size_t size,
                            prof_place place, void *out)
{
    if (s->memory_count == STEPPER_ARRAYS)
        return swe_fail(ctx, SWE_INTERNAL, "a model has more than %d arrays", STEPPER_ARRAYS);
    void **memory = &s->memory[s->memory_count];
    SWE_TRY((zero ? s->backend->allocate : s->backend->reserve)(ctx, s->device, count, size, place,
                                                                memory));
    s->memory_count++;
    memcpy(out, memory, sizeof *memory);
    return SWE_OK;
}

static swe_status allocate(swe_context *ctx, swe_stepper *s, size_t count, prof_place place,
                           void *out)
{
    return stepper_allocate(ctx, s, true, count, sizeof(real), place, out);
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
    SWE_TRY(stepper_allocate(ctx, s, !shared, (size_t)count * (size_t)s->params.layout.panel,
                             sizeof(real), place, out));
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

swe_status stepper_allocate_fields(swe_context *ctx, swe_stepper *s,
                                   const swe_stepper_options *options)
{
    swe_fields completed = {NULL, NULL, NULL};
    const int scratch_fields =
        swe_stepper_scratch(&s->plans[options->staged ? SWE_PIPELINE_STAGED : SWE_PIPELINE_FUSED],
                            s->decomposition != NULL);
    SWE_TRY(allocate_fields_of(ctx, s, scratch_fields + s->prognostic->count, PROF_HERE("states"),
                               &s->fields.next));
    s->fields.y = swe_fields_at(&s->params.layout,
                                s->fields.next.h + scratch_fields * s->params.layout.field);
    s->read = s->fields.y;
    if (s->plans[SWE_PIPELINE_FUSED].leaps)
        SWE_TRY(
            allocate_fields_of(ctx, s, SWE_FLOW_FIELDS, PROF_HERE("completed state"), &completed));
    s->completed = completed.h;
    s->fields.prognostic = s->prognostic->field;
    if (options->physics.limiter != SWE_LIMITER_NONE && s->prognostic->count > SWE_FLOW_FIELDS)
        SWE_TRY(allocate_whole_fields(ctx, s,
                                      SWE_LIMITED_FIELDS * (s->prognostic->count - SWE_FLOW_FIELDS),
                                      PROF_HERE("limited"), &s->fields.limited));
    const size_t scratch =
        s->stages->scratch != NULL ? s->stages->scratch(&s->execution, &s->params) : 0;
    if (scratch > 0) /* uninitialised: a thread reads only values that it wrote in the same stage */
        SWE_TRY(stepper_allocate(ctx, s, false, scratch, sizeof(real), PROF_HERE("tiles"),
                                 &s->params.scratch));
    SWE_TRY(stepper_blocks_place(ctx, s, scratch * sizeof(real)));
    SWE_TRY(stepper_allocate(ctx, s, true, stepper_integrals_count(s), sizeof(double),
                             PROF_HERE("integrals"), &s->fields.rows));
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
    return stepper_upload(ctx, s, host, memory, side);
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
        return stepper_upload(ctx, s, host, memory, (size_t)grid->layout.panel);
    }
    double *of_blocks = NULL;
    SWE_TRY(allocate(ctx, s, (size_t)d->metric_size, PROF_HERE(label), &memory));
    SWE_TRY(swe_memory_doubles(ctx, (size_t)d->metric_size, &of_blocks));
    fill_metric(d, grid, term, of_blocks);
    *out = memory;
    const swe_status status = stepper_upload(ctx, s, of_blocks, memory, (size_t)d->metric_size);
    free(of_blocks);
    return status;
}

/* Both norms, in double for either precision. */
static swe_status create_norms(swe_context *ctx, const swe_stepper_options *options, swe_stepper *s)
{
    const size_t n = (size_t)options->grid->layout.n;
    double *norms = NULL;
    SWE_TRY(stepper_allocate(ctx, s, true, 2 * n + 1, sizeof(double), PROF_HERE("norms"), &norms));
    s->params.norm_vertex = norms;
    s->params.norm_cell = norms + n + 1;
    return s->backend->upload(ctx, s->device, options->norms, norms, (2 * n + 1) * sizeof(double));
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

/* Fill the Coriolis parameter at all vertices of this rank, including ghosts and foreign copies. */
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

/* The fields of a constant; 0 at first. */
static swe_status create_constant(swe_context *ctx, swe_stepper *s, swe_constant which,
                                  prof_place place, const real **out)
{
    SWE_TRY(
        allocate_whole_fields(ctx, s, stepper_constant_fields(which), place, &s->constant[which]));
    *out = s->constant[which];
    return SWE_OK;
}

/* Velocity and flux of the terms of a prescribed flow, one after the other. */
static swe_status create_wind(swe_context *ctx, swe_stepper *s, int terms)
{
    real *wind = NULL;
    if (terms > 0)
        SWE_TRY(
            allocate_whole_fields(ctx, s, 2 * terms * SWE_FLOW_FIELDS, PROF_HERE("wind"), &wind));
    for (int m = 0; m < 2 * terms; m++)
        s->constant[SWE_WIND + m] = wind + m * SWE_FLOW_FIELDS * s->params.layout.field;
    s->params.wind = wind;
    return SWE_OK;
}

/* The Coriolis parameter, a flat bottom, and the fields of forcing. */
static swe_status create_constants(swe_context *ctx, const swe_stepper_options *options,
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
        status = stepper_upload(ctx, s, f, coriolis, field);
    free(f);
    SWE_TRY(status);
    SWE_TRY(create_constant(ctx, s, SWE_BOTTOM, PROF_HERE("bottom"), &s->params.bottom));
    const swe_physics *physics = &options->physics;
#define CREATE_FORCING(name, NAME, count, has, varies, of)                                         \
    if (has)                                                                                       \
        SWE_TRY(create_constant(ctx, s, SWE_##NAME, PROF_HERE(#name), &s->params.name));           \
    if ((has) && (varies) && physics->records > 0.0)                                               \
        SWE_TRY(create_constant(ctx, s, SWE_ODD_##NAME, PROF_HERE("odd " #name),                   \
                                &s->params.odd_##name));
    SWE_FORCING_LIST(CREATE_FORCING)
#undef CREATE_FORCING
    return create_wind(ctx, s, options->physics.wind.terms);
}

swe_status stepper_create_params(swe_context *ctx, const swe_stepper_options *options,
                                 swe_stepper *s)
{
    const swe_grid *grid = options->grid;
    SWE_TRY(stepper_blocks_create(ctx, options, s));
    const swe_layout layout = s->decomposition != NULL ? s->decomposition->layout : grid->layout;
    const bool is_linear = options->physics.equations == SWE_LINEAR;
    const double rate = swe_physics_courant(&options->physics, grid->spacing, 1.0);
    const swe_sbp *sbp = NULL;
    SWE_TRY(swe_sbp_find(ctx, options->order, options->closure, grid->layout.n, &sbp));
    s->params = (swe_params){.physics = options->physics,
                             .layout = layout,
                             .decomposition = s->decomposition,
                             .sbp = *sbp,
                             .topology = grid->topology,
                             .inverse_spacing = (real)(1.0 / grid->spacing),
                             .radius = (real)grid->radius,
                             .gravity = (real)options->physics.gravity,
                             .inverse_gravity = (real)(1.0 / options->physics.gravity),
                             .depth = is_linear ? (real)options->physics.depth : 1,
                             .exceeds_cache = swe_state_exceeds_cache(grid->layout.n, sizeof(real)),
                             .fields = options->fields->count,
                             .next = options->fields->count * layout.field,
                             .damping = (real)(options->physics.edge_damping * rate),
                             .dissipation = (real)(options->physics.dissipation * rate),
                             .tile_columns = options->execution.tile_columns};
    s->params.marches = swe_state_marches(grid->layout.n);
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
    return swe_physics_flow(&s->params.physics) == SWE_FLOW_NONROTATING
               ? SWE_OK
               : create_constants(ctx, options, s);
}
