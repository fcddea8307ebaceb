#include "input/input.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cases/kind.h"
#include "input/source.h"
#include "output/hdf5_reader.h"

/* An open file and its variables. */
typedef struct reader {
    const swe_input_file *request;
    hid_t file;
    swe_variable h, v1, v2, u, v;
    swe_source source;
} reader;

static bool is_found(const swe_variable *variable)
{
    return variable->dataset >= 0;
}

/* The shape of a panel of a field of the flow. */
typedef struct panel_shape {
    int rows, columns;
} panel_shape;

static panel_shape shape_of(int field, int n)
{
    const swe_field *f = &swe_flow_fields.field[field];
    return (panel_shape){swe_field_rows(f, n), swe_field_columns(f, n)};
}

/* Set a panel of a field. Interpolation of very large values can overflow. */
static swe_status set_panel(swe_context *ctx, const swe_variable *v, const swe_layout *layout,
                            panel_shape shape, const double *values, int k, int panel,
                            const swe_panels *out)
{
    for (int j = 0; j < shape.rows; j++)
        for (int i = 0; i < shape.columns; i++)
            if (!isfinite(values[swe_at(layout, 0, j, i)]))
                return swe_fail(ctx, SWE_DATA,
                                "%s: dataset '%s' is not finite at panel %d, j %d, i %d", v->path,
                                v->name, panel, j, i);
    swe_panels_set(out, k, panel, values);
    return SWE_OK;
}

/* ---- fields of a source on the grid of the run ----------------------------------------------- */

/* Data of a case whose fields are interpolated: a scalar, or the Cartesian components of a wind. */
typedef struct sampled {
    const swe_source *source;
    double *values[3];
} sampled;

static double sampled_scalar(const swe_case *c, double t, const double r[3])
{
    const sampled *d = c->derived;
    double value = 0.0;
    (void)t;
    swe_source_interpolate(d->source, 1, d->values, r, &value);
    return value;
}

/* Remove the small radial component that interpolation leaves. */
static void sampled_wind(const swe_case *c, double t, const double r[3], double u[3])
{
    const sampled *d = c->derived;
    (void)t;
    swe_source_interpolate(d->source, 3, d->values, r, u);
    const double outward = swe_dot(u, r);
    for (int k = 0; k < 3; k++)
        u[k] -= outward * r[k];
}

static const swe_case_kind sampled_kind = {.name = "file",
                                           .derived_size = sizeof(sampled),
                                           .height = sampled_scalar,
                                           .velocity = sampled_wind};

static swe_status create_sampled(swe_context *ctx, const swe_source *source, swe_case **out,
                                 sampled **d)
{
    SWE_TRY(swe_case_of_kind(ctx, &sampled_kind, out));
    *d = (*out)->derived;
    (*d)->source = source;
    return SWE_OK;
}

/* Values at the vertices: copied from the same grid, otherwise interpolated. */
static swe_status set_sampled_scalar(swe_context *ctx, const swe_case *interpolated,
                                     const double *values, const swe_variable *variable,
                                     const swe_grid *grid, int threads, bool is_same_grid,
                                     double *room, const swe_panels *out, int k)
{
    const panel_shape shape = shape_of(SWE_FIELD_H, grid->layout.n);
    for (int panel = 0; panel < SWE_PANELS; panel++) {
        if (!is_same_grid)
            swe_case_height(interpolated, grid, threads, 0.0, panel, room);
        SWE_TRY(set_panel(ctx, variable, &grid->layout, shape,
                          is_same_grid ? values + panel * grid->layout.panel : room, k, panel,
                          out));
    }
    return SWE_OK;
}

static swe_status sample_scalar(swe_context *ctx, const swe_source *source,
                                const swe_variable *variable, const swe_grid *grid, int threads,
                                const swe_panels *out, int k)
{
    const bool is_same_grid = source->grid != NULL && source->grid->layout.n == grid->layout.n;
    swe_case *interpolated = NULL;
    sampled *d = NULL;
    double *room = NULL;
    SWE_TRY(create_sampled(ctx, source, &interpolated, &d));
    swe_status status = swe_source_scalar(ctx, source, variable, &d->values[0]);
    if (status == SWE_OK)
        status = swe_memory_doubles(ctx, (size_t)grid->layout.panel, &room);
    if (status == SWE_OK)
        status = set_sampled_scalar(ctx, interpolated, d->values[0], variable, grid, threads,
                                    is_same_grid, room, out, k);
    free(room);
    free(d->values[0]);
    swe_case_destroy(&interpolated);
    return status;
}

static swe_status set_sampled_wind(swe_context *ctx, const swe_case *interpolated, const reader *r,
                                   const swe_grid *grid, int threads, double *room,
                                   const swe_panels *state)
{
    const swe_layout *layout = &grid->layout;
    double *v1 = room, *v2 = room + layout->panel;
    for (int panel = 0; panel < SWE_PANELS; panel++) {
        swe_case_velocity(interpolated, grid, threads, 0.0, panel, v1, v2);
        SWE_TRY(set_panel(ctx, &r->u, layout, shape_of(SWE_FIELD_V1, layout->n), v1, SWE_FIELD_V1,
                          panel, state));
        SWE_TRY(set_panel(ctx, &r->v, layout, shape_of(SWE_FIELD_V2, layout->n), v2, SWE_FIELD_V2,
                          panel, state));
    }
    return SWE_OK;
}

static swe_status sample_wind(swe_context *ctx, const reader *r, const swe_grid *grid, int threads,
                              const swe_panels *state)
{
    swe_case *interpolated = NULL;
    sampled *d = NULL;
    double *room = NULL;
    SWE_TRY(create_sampled(ctx, &r->source, &interpolated, &d));
    swe_status status = swe_source_vector(ctx, &r->source, &r->u, &r->v, d->values);
    if (status == SWE_OK)
        status = swe_memory_doubles(ctx, 2 * (size_t)grid->layout.panel, &room);
    if (status == SWE_OK)
        status = set_sampled_wind(ctx, interpolated, r, grid, threads, room, state);
    free(room);
    free(d->values[0]);
    swe_case_destroy(&interpolated);
    return status;
}

/* ---- the native layout ----------------------------------------------------------------------- */

/* Copy a field of shape (6, rows, columns) through `room`, of one panel. */
static swe_status read_native(swe_context *ctx, const swe_variable *v, const swe_layout *layout,
                              int k, double *room, const swe_panels *state)
{
    const panel_shape s = shape_of(k, layout->n);
    const hsize_t *last = v->lengths + (v->rank == 4);
    if (v->rank < 3 || (v->rank == 4 && v->lengths[0] != 1) || last[0] != SWE_PANELS ||
        last[1] != (hsize_t)s.rows || last[2] != (hsize_t)s.columns) {
        char shape[128];
        swe_variable_shape(v, shape, sizeof shape);
        return swe_fail(ctx, SWE_DATA,
                        "%s: dataset '%s' has shape %s and needs (6, %d, %d) for grid.n = %d",
                        v->path, v->name, shape, s.rows, s.columns, layout->n);
    }
    for (int panel = 0; panel < SWE_PANELS; panel++) {
        SWE_TRY(swe_variable_read_panel(ctx, v, layout, s.rows, s.columns, panel, room));
        swe_panels_set(state, k, panel, room);
    }
    return SWE_OK;
}

static swe_status read_native_state(swe_context *ctx, reader *r, const swe_layout *layout,
                                    const swe_panels *state)
{
    double *room = NULL;
    SWE_TRY(swe_memory_doubles(ctx, (size_t)layout->panel, &room));
    swe_status status = read_native(ctx, &r->h, layout, SWE_FIELD_H, room, state);
    if (status == SWE_OK)
        status = read_native(ctx, &r->v1, layout, SWE_FIELD_V1, room, state);
    if (status == SWE_OK)
        status = read_native(ctx, &r->v2, layout, SWE_FIELD_V2, room, state);
    free(room);
    return status;
}

/* ---- the initial state ----------------------------------------------------------------------- */

/* Find both components of a velocity, or neither. */
static swe_status find_components(swe_context *ctx, const reader *r, const swe_quantity *first,
                                  const char *first_name, const swe_quantity *second,
                                  const char *second_name, swe_variable *a, swe_variable *b)
{
    const char *path = r->request->path;
    SWE_TRY(swe_variable_find(ctx, path, r->file, first, first_name, a));
    SWE_TRY(swe_variable_find(ctx, path, r->file, second, second_name, b));
    if (!is_found(b) && (is_found(a) || second_name[0] != '\0'))
        return swe_variable_require(ctx, path, r->file, second, second_name, b);
    if (!is_found(a) && (is_found(b) || first_name[0] != '\0'))
        return swe_variable_require(ctx, path, r->file, first, first_name, a);
    return SWE_OK;
}

/* Staggered v1 and v2 are used on their own grid only; another grid requires the wind. */
static swe_status find_variables(swe_context *ctx, reader *r, int n)
{
    const swe_input_file *request = r->request;
    SWE_TRY(swe_variable_require(ctx, request->path, r->file, &swe_quantity_h, request->h, &r->h));
    if (request->u[0] == '\0' && request->v[0] == '\0')
        SWE_TRY(
            find_components(ctx, r, &swe_quantity_v1, "", &swe_quantity_v2, "", &r->v1, &r->v2));
    if (is_found(&r->v1) && swe_source_cubed_n(&r->h) == n)
        return SWE_OK;
    return find_components(ctx, r, &swe_quantity_zonal, request->u, &swe_quantity_meridional,
                           request->v, &r->u, &r->v);
}

static void write_note(const reader *r, const swe_grid *grid, swe_input_note *note)
{
    char where[128];
    const bool has_wind = is_found(&r->u);
    const bool same = r->source.grid != NULL && r->source.grid->layout.n == grid->layout.n;
    swe_source_describe(&r->source, where, sizeof where);
    note->is_warning = !has_wind;
    snprintf(note->text, sizeof note->text, "%.280s: %s%s%s%s", r->request->path,
             same ? "" : "interpolated in order 6 from ", same ? "" : where,
             has_wind || same ? "" : "; ",
             !has_wind ? "it has no wind: the run starts from rest"
             : same    ? "the wind at vertices is interpolated in order 6 to v1 and v2"
                       : "");
}

static swe_status read_state(swe_context *ctx, reader *r, const swe_grid *grid, int threads,
                             const swe_panels *state, swe_input_note *note)
{
    const swe_layout *layout = &grid->layout;
    SWE_TRY(find_variables(ctx, r, layout->n));
    if (is_found(&r->v1) && !is_found(&r->u))
        return read_native_state(ctx, r, layout, state);
    SWE_TRY(swe_source_find(ctx, r->request->path, r->file, &r->h, layout->n, &r->source));
    SWE_TRY(sample_scalar(ctx, &r->source, &r->h, grid, threads, state, SWE_FIELD_H));
    if (is_found(&r->u))
        SWE_TRY(sample_wind(ctx, r, grid, threads, state));
    write_note(r, grid, note);
    return SWE_OK;
}

swe_status swe_input_state(swe_context *ctx, const swe_input_file *file, const swe_grid *grid,
                           int threads, const swe_panels *state, swe_input_note *note)
{
    const swe_variable none = {.dataset = H5I_INVALID_HID};
    reader r = {.request = file, .h = none, .v1 = none, .v2 = none, .u = none, .v = none};
    *note = (swe_input_note){.text = ""};
    SWE_TRY(hdf5_open(ctx, file->path, &r.file));
    const swe_status status = read_state(ctx, &r, grid, threads, state, note);
    swe_variable *const all[] = {&r.h, &r.v1, &r.v2, &r.u, &r.v};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        swe_variable_close(all[k]);
    swe_source_release(&r.source);
    H5Fclose(r.file);
    return status;
}

/* ---- the bottom, and other scalars ----------------------------------------------------------- */

swe_status swe_input_scalar(swe_context *ctx, const char *path, const swe_quantity *quantity,
                            const char *variable, const swe_grid *grid, int threads,
                            const swe_panels *out, int k)
{
    hid_t file = H5I_INVALID_HID;
    swe_variable b;
    swe_source source = {.path = path};
    SWE_TRY(hdf5_open(ctx, path, &file));
    swe_status status = swe_variable_require(ctx, path, file, quantity, variable, &b);
    if (status == SWE_OK)
        status = swe_source_find(ctx, path, file, &b, grid->layout.n, &source);
    if (status == SWE_OK)
        status = sample_scalar(ctx, &source, &b, grid, threads, out, k);
    swe_variable_close(&b);
    swe_source_release(&source);
    H5Fclose(file);
    return status;
}
