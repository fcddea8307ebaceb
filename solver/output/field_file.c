#include "output/field_file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/version.h"
#include "diagnostics/areas.h"
#include "fields/fields.h"
#include "grid/geographic.h"
#include "grid/geometry_point.h"
#include "operators/sbp_point.h"
#include "output/hdf5_writer.h"
#include "stages/coriolis/coriolis_point.h"

/* tan of the panel angle of the dual cells' corners along one direction (n + 2): the panel's edges
 * and its cell centres. */
static void dual_tangents(const swe_grid *grid, double *tangents)
{
    const int n = grid->layout.n;
    tangents[0] = -1.0;
    memcpy(tangents + 1, grid->tan_cell, (size_t)n * sizeof(double));
    tangents[n + 1] = 1.0;
}

/* The source of the variables of a file, and room to compute them. */
typedef struct content {
    const swe_snapshot *snapshot;
    int field;                         /* the one that a variable shows */
    double *from1, *from2, *to1, *to2; /* room for panels, at vertices or corners of dual cells */
    double *line;                      /* (n + 2) */
} content;

static const double *panel_of(const content *c, int field, int panel, double *room)
{
    return swe_panels_get(&c->snapshot->panels, field, panel, room);
}

/* ---- values on a panel ----------------------------------------------------------------------- */

/* Longitudes and latitudes [degree] of n + 1 x n + 1 points of a panel. */
static void fill_geographic(const swe_layout *layout, const double *tangents, int panel,
                            double *lons, double *lats)
{
    for (int j = 0; j <= layout->n; j++)
        for (int i = 0; i <= layout->n; i++) {
            const ptrdiff_t at = swe_at(layout, 0, j, i);
            double r[3];
            geometry_position(panel, tangents[i], tangents[j], r);
            geographic_of(r, &lons[at], &lats[at]);
        }
}

/* Zonal and meridional wind at vertices [m s-1] from the staggered covariant velocity. */
static void fill_wind(const content *c, int panel, const double *of_v1, const double *of_v2,
                      double *zonal, double *meridional)
{
    const swe_snapshot *s = c->snapshot;
    const swe_grid *grid = s->grid;
    const swe_layout *layout = &grid->layout;
    const int n = layout->n, order = s->sbp->order;
    for (int j = 0; j <= n; j++)
        for (int i = 0; i <= n; i++) {
            const double x = grid->tan_vertex[i], y = grid->tan_vertex[j];
            const ptrdiff_t at = swe_at(layout, 0, j, i);
            const double v1 = sbp_pcv(order, SBP_ANYWHERE, s->sbp, n, i, of_v1 + at, 1);
            const double v2 = sbp_pcv(order, SBP_ANYWHERE, s->sbp, n, j, of_v2 + at, layout->pitch);
            double r[3], velocity[3];
            geometry_position(panel, x, y, r);
            geometry_velocity(grid->radius, panel, x, y, v1, v2, velocity);
            const double lon = atan2(r[1], r[0]), lat = atan2(r[2], hypot(r[0], r[1]));
            const double outward = velocity[0] * cos(lon) + velocity[1] * sin(lon);
            zonal[at] = velocity[1] * cos(lon) - velocity[0] * sin(lon);
            meridional[at] = velocity[2] * cos(lat) - outward * sin(lat);
        }
}

static void fill_lon_lat(const content *c, int panel, double *lons, double *lats)
{
    fill_geographic(&c->snapshot->grid->layout, c->snapshot->grid->tan_vertex, panel, lons, lats);
}

static void fill_corners(const content *c, int panel, double *lons, double *lats)
{
    const swe_layout corners = swe_layout_of(c->snapshot->grid->layout.n + 1);
    fill_geographic(&corners, c->line, panel, lons, lats);
}

/* The areas are the same on all panels. */
static const double *get_areas(const content *c, int panel)
{
    const swe_snapshot *s = c->snapshot;
    for (int j = 0; j <= s->grid->layout.n && panel == 0; j++)
        swe_areas_row(s->grid, s->sbp, j, c->to1 + swe_at(&s->grid->layout, 0, j, 0));
    return c->to1;
}

/* A field as it is. */
static const double *get_field(const content *c, int panel)
{
    return panel_of(c, c->field, panel, c->from1);
}

static const double *get_bottom(const content *c, int panel)
{
    return swe_panels_get(c->snapshot->bottom, 0, panel, c->from1);
}

static const double *get_exact(const content *c, int panel)
{
    const swe_snapshot *s = c->snapshot;
    swe_case_height(s->exact, s->grid, s->threads, s->exact_time, panel, c->to1);
    return c->to1;
}

/* out = a combination of h and another field at the vertices of a panel. */
typedef double combination(double h, double other);

static const double *combine(const content *c, int panel, combination *combined,
                             const double *other)
{
    const swe_layout *layout = &c->snapshot->grid->layout;
    const double *h = panel_of(c, SWE_FIELD_H, panel, c->from2);
    for (int j = 0; j <= layout->n; j++)
        for (int i = 0; i <= layout->n; i++) {
            const ptrdiff_t at = swe_at(layout, 0, j, i);
            c->to2[at] = combined(h[at], other[at]);
        }
    return c->to2;
}

static double sum_of(double h, double bottom)
{
    return h + bottom;
}

static double difference_of(double h, double exact)
{
    return h - exact;
}

static double concentration_of(double h, double q)
{
    return q / h;
}

static const double *get_surface(const content *c, int panel)
{
    return combine(c, panel, sum_of, get_bottom(c, panel));
}

static const double *get_error(const content *c, int panel)
{
    return combine(c, panel, difference_of, get_exact(c, panel));
}

static const double *get_concentration(const content *c, int panel)
{
    return combine(c, panel, concentration_of, get_field(c, panel));
}

/* q = (zeta + f)/h of the nonlinear equations [m-1 s-1]. */
static const double *get_potential_vorticity(const content *c, int panel)
{
    const swe_grid *grid = c->snapshot->grid;
    const swe_physics *physics = c->snapshot->physics;
    const double *vorticity = panel_of(c, c->snapshot->potential_vorticity, panel, c->from1);
    const double *h = panel_of(c, SWE_FIELD_H, panel, c->from2);
    double axis[3], east[3], north[3];
    geographic_frame(physics->axis_lon, physics->axis_lat, axis, east, north);
    for (int j = 0; j <= grid->layout.n; j++)
        for (int i = 0; i <= grid->layout.n; i++) {
            const ptrdiff_t at = swe_at(&grid->layout, 0, j, i);
            double r[3];
            geometry_position(panel, grid->tan_vertex[i], grid->tan_vertex[j], r);
            c->to2[at] = coriolis_rate(SWE_NONLINEAR, vorticity + at,
                                       geographic_coriolis(physics->rotation, axis, r), h + at);
        }
    return c->to2;
}

/* ---- attributes and dimensions --------------------------------------------------------------- */

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

/* ---- variables ------------------------------------------------------------------------------- */

/* A variable with its CF attributes. Fields are at the time and place of the snapshot, which the
 * geography of the grid does not depend on. `standard_name` may be NULL. */
typedef struct variable {
    const char *name, *dimensions, *units, *meaning, *standard_name;
    bool has_location;
} variable;

static const char at_vertices[] = "time nf Ydim Xdim";

static hid_t create_variable(hdf5_writer *w, const variable *v)
{
    const hid_t dataset = hdf5_variable_create(w, v->name, v->dimensions);
    hdf5_attribute_text(w, dataset, "units", v->units);
    hdf5_attribute_text(w, dataset, "long_name", v->meaning);
    if (v->has_location) {
        hdf5_attribute_text(w, dataset, "coordinates", "lons lats");
        hdf5_attribute_text(w, dataset, "grid_mapping", "cubed_sphere");
        hdf5_attribute_text(w, dataset, "cell_measures", "area: area");
    }
    if (v->standard_name != NULL)
        hdf5_attribute_text(w, dataset, "standard_name", v->standard_name);
    return dataset;
}

static void write_variable(hdf5_writer *w, const content *c, const variable *v,
                           const double *(*get)(const content *c, int panel))
{
    const hid_t dataset = create_variable(w, v);
    for (int panel = 0; panel < SWE_PANELS && w->ok; panel++)
        hdf5_write_panel(w, dataset, &c->snapshot->grid->layout, panel, get(c, panel));
    hdf5_close(w, dataset);
}

/* Two variables that are computed together. */
static void write_pair(hdf5_writer *w, const content *c, const swe_layout *layout,
                       const variable pair[2],
                       void (*fill)(const content *c, int panel, double *a, double *b))
{
    const hid_t first = create_variable(w, &pair[0]), second = create_variable(w, &pair[1]);
    for (int panel = 0; panel < SWE_PANELS && w->ok; panel++) {
        fill(c, panel, c->to1, c->to2);
        hdf5_write_panel(w, first, layout, panel, c->to1);
        hdf5_write_panel(w, second, layout, panel, c->to2);
    }
    hdf5_close(w, first);
    hdf5_close(w, second);
}

static void write_geography(hdf5_writer *w, const content *c)
{
    static const variable vertices[] = {
        {"lons", "nf Ydim Xdim", "degrees_east", "longitude", "longitude", false},
        {"lats", "nf Ydim Xdim", "degrees_north", "latitude", "latitude", false}};
    static const variable corners[] = {{"corner_lons", "nf YCdim XCdim", "degrees_east",
                                        "longitude of the corners of dual cells", NULL, false},
                                       {"corner_lats", "nf YCdim XCdim", "degrees_north",
                                        "latitude of the corners of dual cells", NULL, false}};
    static const variable area = {
        "area",      "nf Ydim Xdim",
        "m2",        "area that a point stands for, of a shared point the part within its panel",
        "cell_area", false};
    const swe_grid *grid = c->snapshot->grid;
    const swe_layout corner_layout = swe_layout_of(grid->layout.n + 1);
    write_pair(w, c, &grid->layout, vertices, fill_lon_lat);
    dual_tangents(grid, c->line);
    write_pair(w, c, &corner_layout, corners, fill_corners);
    write_variable(w, c, &area, get_areas);
}

/* h and fields derived from it. h is the depth in the nonlinear equations, the perturbation of the
 * height in the linear ones. */
static void write_heights(hdf5_writer *w, content *c)
{
    static const variable of_depth[] = {
        {"h", at_vertices, "m", "depth of the fluid", NULL, true},
        {"h_exact", at_vertices, "m", "exact depth of the fluid", NULL, true},
        {"h_error", at_vertices, "m", "depth of the fluid minus the exact one", NULL, true}};
    static const variable of_perturbation[] = {
        {"h", at_vertices, "m", "height perturbation", NULL, true},
        {"h_exact", at_vertices, "m", "exact height perturbation", NULL, true},
        {"h_error", at_vertices, "m", "height perturbation minus the exact one", NULL, true}};
    static const variable surface = {"surface", at_vertices, "m", "height of the surface",
                                     NULL,      true};
    static const variable bottom = {"bottom", at_vertices, "m", "height of the bottom", NULL, true};
    const swe_snapshot *s = c->snapshot;
    const variable *v = s->physics->equations == SWE_NONLINEAR ? of_depth : of_perturbation;
    c->field = SWE_FIELD_H;
    if (s->heights)
        write_variable(w, c, &v[0], get_field);
    if (s->exact != NULL) {
        write_variable(w, c, &v[1], get_exact);
        write_variable(w, c, &v[2], get_error);
    }
    if (s->bottom != NULL) {
        write_variable(w, c, &surface, get_surface);
        write_variable(w, c, &bottom, get_bottom);
    }
}

/* A prognostic field of the flow in the layout of the scheme. */
static hid_t create_native(hdf5_writer *w, int number)
{
    static const char *const dimensions[] = {[SWE_AT_VERTICES] = at_vertices,
                                             [SWE_AT_U1] = "time nf Ydim Xcell",
                                             [SWE_AT_U2] = "time nf Ycell Xdim"};
    const swe_field *field = &swe_flow_fields.field[number];
    const variable v = {.name = field->name,
                        .dimensions = dimensions[field->location],
                        .units = field->units,
                        .meaning = field->long_name};
    return create_variable(w, &v);
}

/* The wind, and v1 and v2, of which a panel is read once for both. */
static void write_velocities(hdf5_writer *w, const content *c)
{
    static const variable zonal = {"u", at_vertices, "m s-1", "zonal wind", "eastward_wind", true};
    static const variable meridional = {
        "v", at_vertices, "m s-1", "meridional wind", "northward_wind", true};
    const swe_snapshot *s = c->snapshot;
    const swe_layout *layout = &s->grid->layout;
    const hid_t u = s->wind ? create_variable(w, &zonal) : H5I_INVALID_HID,
                v = s->wind ? create_variable(w, &meridional) : H5I_INVALID_HID,
                v1 = s->native ? create_native(w, SWE_FIELD_V1) : H5I_INVALID_HID,
                v2 = s->native ? create_native(w, SWE_FIELD_V2) : H5I_INVALID_HID;
    for (int panel = 0; panel < SWE_PANELS && w->ok && (s->wind || s->native); panel++) {
        const double *of_v1 = panel_of(c, SWE_FIELD_V1, panel, c->from1),
                     *of_v2 = panel_of(c, SWE_FIELD_V2, panel, c->from2);
        if (s->wind) {
            fill_wind(c, panel, of_v1, of_v2, c->to1, c->to2);
            hdf5_write_panel(w, u, layout, panel, c->to1);
            hdf5_write_panel(w, v, layout, panel, c->to2);
        }
        if (s->native) {
            hdf5_write_panel(w, v1, layout, panel, of_v1);
            hdf5_write_panel(w, v2, layout, panel, of_v2);
        }
    }
    const hid_t all[] = {u, v, v1, v2};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        hdf5_close(w, all[k]);
}

static void write_derivatives(hdf5_writer *w, content *c)
{
    static const variable vorticity = {"vorticity",
                                       at_vertices,
                                       "s-1",
                                       "relative vorticity",
                                       "atmosphere_upward_relative_vorticity",
                                       true};
    static const variable potential_vorticity = {
        "potential_vorticity",
        at_vertices,
        "m-1 s-1",
        "potential vorticity: absolute vorticity over the depth",
        NULL,
        true};
    static const variable divergence = {
        "divergence", at_vertices, "s-1", "divergence of the wind", "divergence_of_wind", true};
    const swe_snapshot *s = c->snapshot;
    c->field = s->vorticity;
    if (s->vorticity)
        write_variable(w, c, &vorticity, get_field);
    if (s->potential_vorticity)
        write_variable(w, c, &potential_vorticity, get_potential_vorticity);
    c->field = s->divergence;
    if (s->divergence)
        write_variable(w, c, &divergence, get_field);
}

/* Write c = q/h of each advected field. */
static void write_advected(hdf5_writer *w, content *c)
{
    const swe_snapshot *s = c->snapshot;
    for (int k = SWE_FLOW_FIELDS; s->advected && k < s->fields->count; k++) {
        const swe_field *field = &s->fields->field[k];
        const variable v = {field->name, at_vertices, field->units, field->long_name, NULL, true};
        c->field = k;
        write_variable(w, c, &v, get_concentration);
    }
}

static void write_mapping(hdf5_writer *w)
{
    const hid_t dataset = hdf5_scalar_write(w, "cubed_sphere");
    hdf5_attribute_text(w, dataset, "grid_mapping_name", "gnomonic cubed-sphere");
    hdf5_close(w, dataset);
}

/* ---- a file ---------------------------------------------------------------------------------- */

static swe_status allocate_room(swe_context *ctx, content *c)
{
    const swe_layout corners = swe_layout_of(c->snapshot->grid->layout.n + 1);
    const size_t panel = (size_t)corners.panel, line = (size_t)corners.n + 1;
    SWE_TRY(swe_memory_doubles(ctx, 4 * panel + line, &c->from1));
    c->from2 = c->from1 + panel;
    c->to1 = c->from2 + panel;
    c->to2 = c->to1 + panel;
    c->line = c->to2 + panel;
    return SWE_OK;
}

static bool write_file(int file, content *c)
{
    const swe_snapshot *s = c->snapshot;
    hdf5_writer w;
    hdf5_writer_open(&w, file);
    w.deflate = s->compression;
    w.is_single = s->is_single != 0;
    if (w.ok) {
        write_provenance(&w, s);
        write_dimensions(&w, s, c->line);
        write_mapping(&w);
        write_geography(&w, c);
        write_heights(&w, c);
        write_velocities(&w, c);
        write_derivatives(&w, c);
        write_advected(&w, c);
    }
    return hdf5_writer_close(&w);
}

static swe_status write_result(swe_context *ctx, const char *path, content *c)
{
    swe_output_file out;
    swe_status status = SWE_OK;
    SWE_TRY(swe_durable_begin(ctx, path, &out));
    errno = 0;
    if (!write_file(out.file, c))
        status = swe_fail(ctx, SWE_IO, "%s: cannot be written%s%s", path, errno != 0 ? ": " : "",
                          errno != 0 ? strerror(errno) : "");
    return swe_durable_end_if(ctx, status, &out);
}

swe_status swe_field_file_write(swe_context *ctx, const char *path, const swe_snapshot *snapshot)
{
    content c = {.snapshot = snapshot};
    SWE_TRY(allocate_room(ctx, &c));
    const swe_status status = write_result(ctx, path, &c);
    free(c.from1);
    return status;
}
