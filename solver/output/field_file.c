#include "output/field_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/version.h"
#include "diagnostics/derivatives.h"
#include "diagnostics/quadrature.h"
#include "fields/fields.h"
#include "grid/geographic.h"
#include "grid/geometry_point.h"
#include "operators/sbp_point.h"
#include "output/hdf5_writer.h"

/* tan of the panel angle of the dual cells' corners along one direction (n + 2): the panel's edges
 * and its cell centres. */
static void dual_tangents(const swe_grid *grid, double *tangents)
{
    const int n = grid->layout.n;
    tangents[0] = -1.0;
    memcpy(tangents + 1, grid->tan_cell, (size_t)n * sizeof(double));
    tangents[n + 1] = 1.0;
}

/* Longitudes and latitudes [degree] of count x count points per panel, in the layout of
 * n = count - 1. */
static void fill_geographic(const swe_layout *layout, const double *tangents, int count,
                            double *lons, double *lats)
{
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j < count; j++)
            for (int i = 0; i < count; i++) {
                const ptrdiff_t at = swe_at(layout, p, j, i);
                double r[3];
                geometry_position(p, tangents[i], tangents[j], r);
                geographic_of(r, &lons[at], &lats[at]);
            }
}

/* Zonal and meridional wind at vertices [m s-1] from the staggered covariant velocity. */
static void fill_wind(const swe_snapshot *s, double *zonal, double *meridional)
{
    const swe_grid *grid = s->grid;
    const swe_layout *layout = &grid->layout;
    const int n = layout->n, order = s->sbp->order;
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= n; j++)
            for (int i = 0; i <= n; i++) {
                const double x = grid->tan_vertex[i], y = grid->tan_vertex[j];
                const ptrdiff_t at = swe_at(layout, p, j, i);
                const double v1 = sbp_pcv(order, SBP_ANYWHERE, s->sbp, n, i, s->v1 + at, 1);
                const double v2 =
                    sbp_pcv(order, SBP_ANYWHERE, s->sbp, n, j, s->v2 + at, layout->pitch);
                double r[3], velocity[3];
                geometry_position(p, x, y, r);
                geometry_velocity(grid->radius, p, x, y, v1, v2, velocity);
                const double lon = atan2(r[1], r[0]), lat = atan2(r[2], hypot(r[0], r[1]));
                const double outward = velocity[0] * cos(lon) + velocity[1] * sin(lon);
                zonal[at] = velocity[1] * cos(lon) - velocity[0] * sin(lon);
                meridional[at] = velocity[2] * cos(lat) - outward * sin(lat);
            }
}

static void write_provenance(hdf5_writer *w, const swe_snapshot *s)
{
    char source[64];
    snprintf(source, sizeof source, "cubeswe %s", swe_version);
    hdf5_attribute_text(w, w->file, "Conventions", "CF-1.8");
    hdf5_attribute_text(w, w->file, "title", s->provenance.case_name);
    hdf5_attribute_text(w, w->file, "source", source);
    hdf5_attribute_text(w, w->file, "build", swe_build);
    hdf5_attribute_text(w, w->file, "backend", s->provenance.backend);
    hdf5_attribute_text(w, w->file, "device", s->provenance.device);
    hdf5_attribute_text(w, w->file, "configuration", s->provenance.configuration);
    hdf5_attribute_real(w, w->file, "radius", s->grid->radius);
    hdf5_attribute_real(w, w->file, "model_time", s->time);
    hdf5_attribute_integer(w, w->file, "step", s->step);
    hdf5_attribute_integer(w, w->file, "order", s->sbp->order);
}

/* Coordinates of one direction [degree]: vertices, corners of dual cells, cells. `scratch` has
 * n + 2 values. */
static void write_direction(hdf5_writer *w, const swe_grid *grid, const char *vertices,
                            const char *corners, const char *cells, double *scratch)
{
    const int n = grid->layout.n;
    for (int v = 0; v <= n; v++)
        scratch[v] = atan(grid->tan_vertex[v]) * geographic_degrees;
    hdf5_dimension_write(w, vertices, scratch, (hsize_t)n + 1, "degrees",
                         "panel angle of vertices");
    dual_tangents(grid, scratch);
    for (int c = 0; c <= n + 1; c++)
        scratch[c] = atan(scratch[c]) * geographic_degrees;
    hdf5_dimension_write(w, corners, scratch, (hsize_t)n + 2, "degrees",
                         "panel angle of the corners of dual cells");
    hdf5_dimension_write(w, cells, scratch + 1, (hsize_t)n, "degrees", "panel angle of cells");
}

static void write_dimensions(hdf5_writer *w, const swe_snapshot *s, double *scratch)
{
    static const double faces[SWE_PANELS] = {1, 2, 3, 4, 5, 6};
    hdf5_dimension_write(w, "time", &s->time, 1, "seconds since 2000-01-01 00:00:00", "time");
    hdf5_dimension_write(w, "nf", faces, SWE_PANELS, "1", "cubed-sphere face");
    write_direction(w, s->grid, "Ydim", "YCdim", "Ycell", scratch);
    write_direction(w, s->grid, "Xdim", "XCdim", "Xcell", scratch);
}

static const char at_vertices[] = "time nf Ydim Xdim", location[] = "lons lats";

/* Write a variable with its CF attributes; `coordinates` and `standard_name` may be NULL. */
static void write_variable(hdf5_writer *w, const char *name, const char *dimensions,
                           const swe_layout *layout, const double *values, const char *units,
                           const char *meaning, const char *coordinates, const char *standard_name)
{
    const hid_t dataset = hdf5_variable_write(w, name, dimensions, layout, values);
    hdf5_attribute_text(w, dataset, "units", units);
    hdf5_attribute_text(w, dataset, "long_name", meaning);
    if (coordinates != NULL) {
        hdf5_attribute_text(w, dataset, "coordinates", coordinates);
        hdf5_attribute_text(w, dataset, "grid_mapping", "cubed_sphere");
        hdf5_attribute_text(w, dataset, "cell_measures", "area: area");
    }
    if (standard_name != NULL)
        hdf5_attribute_text(w, dataset, "standard_name", standard_name);
    hdf5_close(w, dataset);
}

static void write_geography(hdf5_writer *w, const swe_grid *grid, double *a, double *b,
                            double *tangents)
{
    const int n = grid->layout.n;
    const swe_layout corner_layout = swe_layout_of(n + 1);
    fill_geographic(&grid->layout, grid->tan_vertex, n + 1, a, b);
    write_variable(w, "lons", "nf Ydim Xdim", &grid->layout, a, "degrees_east", "longitude", NULL,
                   "longitude");
    write_variable(w, "lats", "nf Ydim Xdim", &grid->layout, b, "degrees_north", "latitude", NULL,
                   "latitude");
    dual_tangents(grid, tangents);
    fill_geographic(&corner_layout, tangents, n + 2, a, b);
    write_variable(w, "corner_lons", "nf YCdim XCdim", &corner_layout, a, "degrees_east",
                   "longitude of the corners of dual cells", NULL, NULL);
    write_variable(w, "corner_lats", "nf YCdim XCdim", &corner_layout, b, "degrees_north",
                   "latitude of the corners of dual cells", NULL, NULL);
}

static void write_areas(hdf5_writer *w, const swe_quadrature *quadrature, double *out)
{
    swe_quadrature_areas(quadrature, out);
    write_variable(w, "area", "nf Ydim Xdim", &quadrature->grid->layout, out, "m2",
                   "area that a point stands for, of a shared point the part within its panel",
                   NULL, "cell_area");
}

/* Vorticity, potential vorticity and divergence. `out` has one field, `scratch`
 * SWE_DERIVATIVES_ROOM fields. */
static void write_derivatives(hdf5_writer *w, const swe_snapshot *s, double *out, double *scratch)
{
    const swe_layout *layout = &s->grid->layout;
    if (s->vorticity || s->potential_vorticity)
        swe_derivatives_vorticity(s->grid, s->sbp, s->v1, s->v2, scratch, out);
    if (s->vorticity)
        write_variable(w, "vorticity", at_vertices, layout, out, "s-1", "relative vorticity",
                       location, "atmosphere_upward_relative_vorticity");
    if (s->potential_vorticity) {
        swe_derivatives_potential_vorticity(s->grid, s->physics, s->h, out, out);
        write_variable(w, "potential_vorticity", at_vertices, layout, out, "m-1 s-1",
                       "potential vorticity: absolute vorticity over the depth", location, NULL);
    }
    if (s->divergence) {
        swe_derivatives_divergence(s->grid, s->sbp, s->v1, s->v2, scratch, out);
        write_variable(w, "divergence", at_vertices, layout, out, "s-1", "divergence of the wind",
                       location, "divergence_of_wind");
    }
}

/* h and fields derived from it. h is the depth in the nonlinear equations, the perturbation of the
 * height in the linear ones. */
static void write_heights(hdf5_writer *w, const swe_snapshot *s, double *out)
{
    const swe_layout *layout = &s->grid->layout;
    const bool is_depth = s->physics->equations == SWE_NONLINEAR;
    if (s->heights)
        write_variable(w, "h", at_vertices, layout, s->h, "m",
                       is_depth ? "depth of the fluid" : "height perturbation", location, NULL);
    if (s->h_exact != NULL)
        write_variable(w, "h_exact", at_vertices, layout, s->h_exact, "m",
                       is_depth ? "exact depth of the fluid" : "exact height perturbation",
                       location, NULL);
    if (s->h_error != NULL)
        write_variable(w, "h_error", at_vertices, layout, s->h_error, "m",
                       is_depth ? "depth of the fluid minus the exact one"
                                : "height perturbation minus the exact one",
                       location, NULL);
    if (s->bottom == NULL)
        return;
    for (ptrdiff_t k = 0; k < layout->field; k++)
        out[k] = s->h[k] + s->bottom[k];
    write_variable(w, "surface", at_vertices, layout, out, "m", "height of the surface", location,
                   NULL);
    write_variable(w, "bottom", at_vertices, layout, s->bottom, "m", "height of the bottom",
                   location, NULL);
}

/* Write c = q/h of each advected field. */
static void write_advected(hdf5_writer *w, const swe_snapshot *s, double *out)
{
    const swe_layout *layout = &s->grid->layout;
    for (int k = SWE_FLOW_FIELDS; s->advected && k < s->fields->count; k++) {
        const swe_field *field = &s->fields->field[k];
        const double *q = s->h + k * layout->field;
        for (int p = 0; p < SWE_PANELS; p++)
            for (int j = 0; j <= layout->n; j++)
                for (int i = 0; i <= layout->n; i++) {
                    const ptrdiff_t at = swe_at(layout, p, j, i);
                    out[at] = q[at] / s->h[at];
                }
        write_variable(w, field->name, at_vertices, layout, out, field->units, field->long_name,
                       location, NULL);
    }
}

/* Write a prognostic field in the layout of the scheme. */
static void write_native(hdf5_writer *w, const swe_layout *layout, int number, const double *values)
{
    static const char *const dimensions[] = {[SWE_AT_VERTICES] = at_vertices,
                                             [SWE_AT_U1] = "time nf Ydim Xcell",
                                             [SWE_AT_U2] = "time nf Ycell Xdim"};
    const swe_field *field = &swe_flow_fields.field[number];
    write_variable(w, field->name, dimensions[field->location], layout, values, field->units,
                   field->long_name, NULL, NULL);
}

static void write_velocities(hdf5_writer *w, const swe_snapshot *s, double *a, double *b)
{
    const swe_layout *layout = &s->grid->layout;
    if (s->wind) {
        fill_wind(s, a, b);
        write_variable(w, "u", at_vertices, layout, a, "m s-1", "zonal wind", location,
                       "eastward_wind");
        write_variable(w, "v", at_vertices, layout, b, "m s-1", "meridional wind", location,
                       "northward_wind");
    }
    if (s->native) {
        write_native(w, layout, SWE_FIELD_V1, s->v1);
        write_native(w, layout, SWE_FIELD_V2, s->v2);
    }
}

static void write_mapping(hdf5_writer *w)
{
    const hid_t dataset = hdf5_scalar_write(w, "cubed_sphere");
    hdf5_attribute_text(w, dataset, "grid_mapping_name", "gnomonic cubed-sphere");
    hdf5_close(w, dataset);
}

/* Scratch of a file. */
typedef struct file_scratch {
    double *a, *b;       /* one field each, at vertices or at the corners of dual cells */
    double *line;        /* (n + 2) */
    double *derivatives; /* SWE_DERIVATIVES_ROOM fields; empty if none is written */
    swe_quadrature quadrature;
} file_scratch;

static size_t derivatives_size(const swe_snapshot *s)
{
    return s->vorticity || s->potential_vorticity || s->divergence
               ? SWE_DERIVATIVES_ROOM * (size_t)s->grid->layout.field
               : 0;
}

static swe_status allocate_scratch(swe_context *ctx, const swe_snapshot *s, file_scratch *scratch)
{
    const swe_layout corners = swe_layout_of(s->grid->layout.n + 1);
    const size_t field = (size_t)corners.field, side = (size_t)corners.n + 1;
    SWE_TRY(swe_quadrature_create(ctx, s->grid, s->sbp, 1, &scratch->quadrature));
    SWE_TRY(swe_memory_doubles(ctx, 2 * field + side + derivatives_size(s), &scratch->a));
    scratch->b = scratch->a + field;
    scratch->line = scratch->b + field;
    scratch->derivatives = scratch->line + side;
    return SWE_OK;
}

static void release_scratch(file_scratch *scratch)
{
    swe_quadrature_destroy(&scratch->quadrature);
    free(scratch->a);
}

static bool write_file(int file, const swe_snapshot *s, const file_scratch *scratch)
{
    hdf5_writer w;
    hdf5_writer_open(&w, file);
    w.deflate = s->compression;
    w.is_single = s->is_single != 0;
    if (w.ok) {
        write_provenance(&w, s);
        write_dimensions(&w, s, scratch->line);
        write_mapping(&w);
        write_geography(&w, s->grid, scratch->a, scratch->b, scratch->line);
        write_areas(&w, &scratch->quadrature, scratch->a);
        write_heights(&w, s, scratch->a);
        write_velocities(&w, s, scratch->a, scratch->b);
        write_derivatives(&w, s, scratch->a, scratch->derivatives);
        write_advected(&w, s, scratch->a);
    }
    return hdf5_writer_close(&w);
}

static swe_status write_result(swe_context *ctx, const char *path, const swe_snapshot *snapshot,
                               const file_scratch *scratch)
{
    swe_output_file out;
    swe_status status = SWE_OK;
    SWE_TRY(swe_durable_begin(ctx, path, &out));
    errno = 0;
    if (!write_file(out.file, snapshot, scratch))
        status = swe_fail(ctx, SWE_IO, "%s: cannot be written%s%s", path, errno != 0 ? ": " : "",
                          errno != 0 ? strerror(errno) : "");
    return swe_durable_end_if(ctx, status, &out);
}

swe_status swe_field_file_write(swe_context *ctx, const char *path, const swe_snapshot *snapshot)
{
    file_scratch scratch = {0};
    swe_status status = allocate_scratch(ctx, snapshot, &scratch);
    if (status == SWE_OK)
        status = write_result(ctx, path, snapshot, &scratch);
    release_scratch(&scratch);
    return status;
}
