#include "files/output/field_variables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "diagnostics/areas.h"
#include "fields/fields.h"
#include "grid/geographic.h"
#include "grid/geometry_point.h"
#include "operators/sbp_point.h"
#include "ranks/ranks.h"
#include "stages/coriolis/coriolis_point.h"

/* ---- geography ------------------------------------------------------------------------------- */

void field_corners(const swe_grid *grid, double *tangents)
{
    const int n = grid->layout.n;
    tangents[0] = -1.0;
    memcpy(tangents + 1, grid->tan_cell, (size_t)n * sizeof(double));
    tangents[n + 1] = 1.0;
}

/* A longitude or latitude [degree] of a Cartesian vector. */
typedef double angle(const double r[3]);

static void angles(const field_rows *from, bool are_corners, angle *of, int panel, int j,
                   double *out)
{
    const swe_grid *grid = from->snapshot->grid;
    const double *tangents = are_corners ? from->corners : grid->tan_vertex;
    for (int i = 0; i <= grid->layout.n + are_corners; i++) {
        double r[3];
        geometry_position(panel, tangents[i], tangents[j], r);
        out[i] = of(r);
    }
}

static void lons_row(const field_rows *from, int panel, int j, double *out)
{
    angles(from, false, geographic_longitude, panel, j, out);
}

static void lats_row(const field_rows *from, int panel, int j, double *out)
{
    angles(from, false, geographic_latitude, panel, j, out);
}

static void corner_lons_row(const field_rows *from, int panel, int j, double *out)
{
    angles(from, true, geographic_longitude, panel, j, out);
}

static void corner_lats_row(const field_rows *from, int panel, int j, double *out)
{
    angles(from, true, geographic_latitude, panel, j, out);
}

/* The same on all panels. */
static void areas_row(const field_rows *from, int panel, int j, double *out)
{
    (void)panel;
    swe_areas_row(from->snapshot->grid, from->snapshot->sbp, j, out);
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* The inputs in row j of a panel. */

static const double *first(const field_rows *from, int panel, int j)
{
    return swe_slab_row(&from->in[0], panel, j);
}

static const double *second(const field_rows *from, int panel, int j)
{
    return swe_slab_row(&from->in[1], panel, j);
}

static void field_as_it_is(const field_rows *from, int panel, int j, double *out)
{
    memcpy(out, first(from, panel, j), (size_t)(from->snapshot->grid->layout.n + 1) * sizeof *out);
}

static void v1_row(const field_rows *from, int panel, int j, double *out)
{
    memcpy(out, first(from, panel, j), (size_t)from->snapshot->grid->layout.n * sizeof *out);
}

static void exact_row(const field_rows *from, int panel, int j, double *out)
{
    const swe_snapshot *s = from->snapshot;
    swe_case_height_row(s->exact, s->grid, s->exact_time, panel, j, out);
}

static void error_row(const field_rows *from, int panel, int j, double *out)
{
    const double *h = first(from, panel, j);
    exact_row(from, panel, j, out);
    for (int i = 0; i <= from->snapshot->grid->layout.n; i++)
        out[i] = h[i] - out[i];
}

static void surface_row(const field_rows *from, int panel, int j, double *out)
{
    const double *h = first(from, panel, j), *bottom = second(from, panel, j);
    for (int i = 0; i <= from->snapshot->grid->layout.n; i++)
        out[i] = h[i] + bottom[i];
}

static void concentration_row(const field_rows *from, int panel, int j, double *out)
{
    const double *h = first(from, panel, j), *q = second(from, panel, j);
    for (int i = 0; i <= from->snapshot->grid->layout.n; i++)
        out[i] = q[i] / h[i];
}

/* q = (zeta + f)/h of the nonlinear equations [m-1 s-1]. */
static void potential_vorticity_row(const field_rows *from, int panel, int j, double *out)
{
    const swe_grid *grid = from->snapshot->grid;
    const swe_physics *physics = from->snapshot->physics;
    const double *h = first(from, panel, j), *vorticity = second(from, panel, j);
    double axis[3], east[3], north[3];
    geographic_frame(physics->axis_lon, physics->axis_lat, axis, east, north);
    for (int i = 0; i <= grid->layout.n; i++) {
        double r[3];
        geometry_position(panel, grid->tan_vertex[i], grid->tan_vertex[j], r);
        out[i] = coriolis_rate(SWE_NONLINEAR, vorticity + i,
                               geographic_coriolis(physics->rotation, axis, r), h + i);
    }
}

/* The Cartesian velocity at a vertex [m s-1], from v1 in its row and v2 in the rows around it. */
static void velocity_at(const field_rows *from, int panel, int j, int i, double r[3], double u[3])
{
    const swe_snapshot *s = from->snapshot;
    const swe_grid *grid = s->grid;
    const int n = grid->layout.n, order = s->sbp->order;
    const double x = grid->tan_vertex[i], y = grid->tan_vertex[j];
    const double v1 = sbp_pcv(order, SBP_ANYWHERE, s->sbp, n, i, first(from, panel, j) + i, 1);
    const double v2 =
        sbp_pcv(order, SBP_ANYWHERE, s->sbp, n, j, second(from, panel, j) + i, from->in[1].pitch);
    geometry_position(panel, x, y, r);
    geometry_velocity(grid->radius, panel, x, y, v1, v2, u);
}

static void zonal_row(const field_rows *from, int panel, int j, double *out)
{
    for (int i = 0; i <= from->snapshot->grid->layout.n; i++) {
        double r[3], u[3];
        velocity_at(from, panel, j, i, r, u);
        const double lon = atan2(r[1], r[0]);
        out[i] = u[1] * cos(lon) - u[0] * sin(lon);
    }
}

static void meridional_row(const field_rows *from, int panel, int j, double *out)
{
    for (int i = 0; i <= from->snapshot->grid->layout.n; i++) {
        double r[3], u[3];
        velocity_at(from, panel, j, i, r, u);
        const double lon = atan2(r[1], r[0]), lat = atan2(r[2], hypot(r[0], r[1]));
        const double outward = u[0] * cos(lon) + u[1] * sin(lon);
        out[i] = u[2] * cos(lat) - outward * sin(lat);
    }
}

static void kinetic_energy_row(const field_rows *from, int panel, int j, double *out)
{
    for (int i = 0; i <= from->snapshot->grid->layout.n; i++) {
        double r[3], u[3];
        velocity_at(from, panel, j, i, r, u);
        out[i] = 0.5 * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
    }
}

/* ---- the list -------------------------------------------------------------------------------- */

const swe_output swe_outputs[SWE_OUTPUTS] = {
#define OUTPUT_ROW(word, name, meaning, units, standard_name, flows, first, second, function)      \
    {SWE_WORD_##word, #word,         #name, meaning,                                               \
     units,           standard_name, flows, {SWE_FROM_##first, SWE_FROM_##second},                 \
     function},
    SWE_OUTPUT_LIST(OUTPUT_ROW)
#undef OUTPUT_ROW
};

static bool is_chosen(unsigned chosen, const swe_output *o)
{
    return (chosen & 1u << o->word) != 0;
}

bool swe_outputs_need(unsigned chosen, swe_output_input input)
{
    bool need = false;
    for (const swe_output *o = swe_outputs; o < swe_outputs + SWE_OUTPUTS; o++)
        need = need || (is_chosen(chosen, o) && (o->in[0] == input || o->in[1] == input));
    return need;
}

const char *swe_outputs_missing(unsigned chosen, swe_flow flow)
{
    const char *missing = NULL;
    unsigned left = chosen; /* words without a variable yet */
    for (const swe_output *o = swe_outputs; o < swe_outputs + SWE_OUTPUTS; o++)
        if ((o->flows & 1 << flow) != 0)
            left &= ~(1u << o->word);
    for (const swe_output *o = swe_outputs; o < swe_outputs + SWE_OUTPUTS; o++)
        missing = is_chosen(left, o) ? o->of_word : missing;
    return missing;
}

enum { GEOGRAPHY = 5, EXACT = 2 }; /* numbers of variables */

typedef struct list {
    const swe_snapshot *snapshot;
    int count;
    field_variable *variables;
} list;

static const char at_vertices[] = "time nf Ydim Xdim";

/* Append a variable with the shape of its location. */
static field_variable *append(list *l, swe_location location, field_variable v)
{
    const int n = l->snapshot->grid->layout.n;
    v.rows = location == SWE_AT_U2 ? n : n + 1;
    v.columns = location == SWE_AT_U1 ? n : n + 1;
    field_variable *place = &l->variables[l->count++];
    *place = v;
    return place;
}

static void append_geography(list *l)
{
    static const field_variable vertices[] = {
        {"lons", "nf Ydim Xdim", "degrees_east", "longitude", "longitude", .row = lons_row},
        {"lats", "nf Ydim Xdim", "degrees_north", "latitude", "latitude", .row = lats_row}};
    static const field_variable corners[] = {
        {"corner_lons", "nf YCdim XCdim", "degrees_east", "longitude of the corners of dual cells",
         NULL, .row = corner_lons_row},
        {"corner_lats", "nf YCdim XCdim", "degrees_north", "latitude of the corners of dual cells",
         NULL, .row = corner_lats_row}};
    static const field_variable area = {
        "area",      "nf Ydim Xdim",
        "m2",        "area that a point stands for, of a shared point the part within its panel",
        "cell_area", .row = areas_row};
    for (int k = 0; k < 2; k++)
        append(l, SWE_AT_VERTICES, vertices[k]);
    for (int k = 0; k < 2; k++) {
        field_variable *v = append(l, SWE_AT_VERTICES, corners[k]);
        v->rows = v->columns = l->snapshot->grid->layout.n + 2;
    }
    append(l, SWE_AT_VERTICES, area);
}

/* Field k of the snapshot's state, or a field that is derived from it or beside it. */
static field_input input_of(const swe_snapshot *s, swe_output_input input)
{
    switch (input) {
    case SWE_FROM_VORTICITY:
        return (field_input){s->state, s->vorticity};
    case SWE_FROM_DIVERGENCE:
        return (field_input){s->state, s->divergence};
    case SWE_FROM_BOTTOM:
        return (field_input){s->bottom, 0};
    case SWE_FROM_NONE:
        return (field_input){NULL, 0};
    default:
        return (field_input){s->state, (int)input};
    }
}

/* A variable of the list of outputs. v1 and v2 are fields of the scheme, at their own points. */
static void append_output(list *l, const swe_output *o)
{
    static const char *const dimensions[] = {[SWE_AT_VERTICES] = at_vertices,
                                             [SWE_AT_U1] = "time nf Ydim Xcell",
                                             [SWE_AT_U2] = "time nf Ycell Xdim"};
    const bool is_native = o->word == SWE_WORD_native;
    const swe_field *field = &swe_flow_fields.field[is_native ? (int)o->in[0] : SWE_FIELD_H];
    append(
        l, field->location,
        (field_variable){.name = o->name,
                         .dimensions = dimensions[field->location],
                         .units = is_native ? field->units : o->units,
                         .meaning = is_native ? field->long_name : o->meaning,
                         .standard_name = o->standard_name,
                         .has_location = !is_native,
                         .row = o->row,
                         .in = {input_of(l->snapshot, o->in[0]), input_of(l->snapshot, o->in[1])}});
}

static void append_field(list *l, const char *name, const char *units, const char *meaning,
                         field_row *row, field_input first, field_input second)
{
    append(l, SWE_AT_VERTICES,
           (field_variable){.name = name,
                            .dimensions = at_vertices,
                            .units = units,
                            .meaning = meaning,
                            .has_location = true,
                            .row = row,
                            .in = {first, second}});
}

/* The exact h and its error; h is the depth in the nonlinear equations, the perturbation of the
 * height in the linear ones. */
static void append_exact(list *l)
{
    const swe_snapshot *s = l->snapshot;
    const bool is_depth = s->physics->equations == SWE_NONLINEAR;
    const field_input none = input_of(s, SWE_FROM_NONE);
    append_field(l, "h_exact", "m",
                 is_depth ? "exact depth of the fluid" : "exact height perturbation", exact_row,
                 none, none);
    append_field(l, "h_error", "m",
                 is_depth ? "depth of the fluid minus the exact one"
                          : "height perturbation minus the exact one",
                 error_row, input_of(s, SWE_FROM_H), none);
}

static void append_outputs(list *l)
{
    const swe_snapshot *s = l->snapshot;
    const swe_flow flow = swe_physics_flow(s->physics);
    for (const swe_output *o = swe_outputs; o < swe_outputs + SWE_OUTPUTS; o++)
        if (is_chosen(s->chosen, o) && (o->flows & 1 << flow) != 0)
            append_output(l, o);
}

/* c = q/h of each advected field. */
static void append_advected(list *l)
{
    const swe_snapshot *s = l->snapshot;
    for (int k = SWE_FLOW_FIELDS; s->advected && k < s->fields->count; k++) {
        const swe_field *field = &s->fields->field[k];
        append_field(l, field->name, field->units, field->long_name, concentration_row,
                     input_of(s, SWE_FROM_H), (field_input){s->state, k});
    }
}

swe_status field_variables_list(swe_context *ctx, const swe_snapshot *snapshot, int *count,
                                field_variable **out)
{
    list l = {.snapshot = snapshot};
    const int advected = snapshot->advected ? snapshot->fields->count : 0;
    SWE_TRY(swe_memory_zero(ctx, (size_t)(GEOGRAPHY + SWE_OUTPUTS + EXACT + advected),
                            sizeof *l.variables, &l.variables));
    append_geography(&l);
    append_outputs(&l);
    if (snapshot->exact != NULL)
        append_exact(&l);
    append_advected(&l);
    *count = l.count;
    *out = l.variables;
    return SWE_OK;
}

static swe_status create_rows(swe_context *ctx, const swe_snapshot *snapshot,
                              const field_input in[2], field_rows *out)
{
    const swe_margin margin = {FIELD_ROWS_MARGIN, FIELD_ROWS_MARGIN};
    double *corners = NULL;
    SWE_TRY(swe_ranks_agree(
        ctx, swe_memory_doubles(ctx, (size_t)snapshot->grid->layout.n + 2, &corners)));
    field_corners(snapshot->grid, corners);
    *out = (field_rows){.snapshot = snapshot, .corners = corners};
    for (int k = 0; k < 2 && in[k].fields != NULL; k++) {
        SWE_TRY(swe_slab_create(ctx, in[k].fields, margin, &out->in[k]));
        swe_slab_get(in[k].fields, in[k].k, &out->in[k]);
    }
    return SWE_OK;
}

/* The rows of a variable, panel after panel, that a rank computes: in its rows of the sphere. The
 * last row of corners is with the one before. */
static swe_range rows_of_rank(int n, int rows, int rank)
{
    const swe_range own = swe_slab_rows(n, rank);
    const int of_first = own.first % (n + 1), of_last = own.last % (n + 1);
    return (swe_range){own.first / (n + 1) * rows + (of_first < rows ? of_first : rows),
                       own.last / (n + 1) * rows + (of_last < rows ? of_last : rows)};
}

/* Each rank has its own rows at values[rank == 0 ? their place : 0]. */
static void gather(int n, const field_variable *v, double *values)
{
    const size_t row = (size_t)v->columns;
    for (int rank = 1; rank < swe_ranks_count(); rank++) {
        const swe_range own = rows_of_rank(n, v->rows, rank);
        const size_t bytes = (size_t)(own.last - own.first) * row * sizeof *values;
        if (swe_ranks_is_root())
            swe_ranks_receive(rank, values + (size_t)own.first * row, bytes);
        else if (rank == swe_ranks_rank())
            swe_ranks_send(0, values, bytes);
    }
}

static swe_status compute(swe_context *ctx, const field_rows *from, const field_variable *variable,
                          double *values)
{
    const int n = from->snapshot->grid->layout.n, rows = variable->rows;
    const swe_range own = rows_of_rank(n, rows, swe_ranks_rank());
    const size_t columns = (size_t)variable->columns;
    double *of_rank = NULL;
    swe_status status = SWE_OK;
    if (!swe_ranks_is_root())
        status = swe_memory_doubles(ctx, (size_t)(own.last - own.first) * columns, &of_rank);
    SWE_TRY(swe_ranks_agree(ctx, status));
    double *const out = swe_ranks_is_root() ? values + (size_t)own.first * columns : of_rank;
#pragma omp parallel for schedule(static) num_threads(from->snapshot->threads)
    for (int row = own.first; row < own.last; row++)
        variable->row(from, row / rows, row % rows, out + (size_t)(row - own.first) * columns);
    gather(n, variable, swe_ranks_is_root() ? values : of_rank);
    free(of_rank);
    return SWE_OK;
}

swe_status field_variable_compute(swe_context *ctx, const swe_snapshot *snapshot,
                                  const field_variable *variable, double *values)
{
    field_rows from = {.corners = NULL};
    swe_status status = create_rows(ctx, snapshot, variable->in, &from);
    if (status == SWE_OK)
        status = compute(ctx, &from, variable, values);
    for (int k = 0; k < 2; k++)
        swe_slab_release(&from.in[k]);
    free((void *)from.corners);
    return status;
}
