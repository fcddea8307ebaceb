#include "files/conversion/interpolation.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/physics.h"
#include "grid/geographic.h"
#include "grid/geometry_point.h"

/* ---- shared vertices ------------------------------------------------------------------------- */

int swe_shared_count(const swe_grid *grid)
{
    return SWE_CORNERS + SWE_EDGES * (grid->layout.n - 1);
}

int swe_shared_copies(const swe_grid *grid, int vertex, ptrdiff_t at[3])
{
    const swe_layout *layout = &grid->layout;
    const int n = layout->n, on_edge = vertex - SWE_CORNERS, k = 1 + on_edge % (n - 1);
    if (vertex < SWE_CORNERS) {
        const swe_corner *corner = &grid->topology.corners[vertex];
        for (int c = 0; c < 3; c++)
            at[c] = swe_at(layout, corner->panel[c], corner->high_j[c] ? n : 0,
                           corner->high_i[c] ? n : 0);
        return 3;
    }
    const swe_edge *edge = &grid->topology.edges[on_edge / (n - 1)];
    at[0] = edge->panel_a * layout->panel + topology_side_at(layout, edge->side_a, k);
    at[1] = edge->panel_b * layout->panel +
            topology_side_at(layout, edge->side_b, topology_place_of_b(n, *edge, k));
    return 2;
}

void swe_shared_average(const swe_grid *grid, double *values)
{
    for (int vertex = 0; vertex < swe_shared_count(grid); vertex++) {
        ptrdiff_t at[3];
        const int copies = swe_shared_copies(grid, vertex, at);
        double sum = 0.0; /* of differences: 0 where the copies are equal */
        for (int c = 1; c < copies; c++)
            sum += values[at[c]] - values[at[0]];
        const double mean = values[at[0]] + sum / copies;
        for (int c = 0; c < copies; c++)
            values[at[c]] = mean;
    }
}

/* ---- interpolation --------------------------------------------------------------------------- */

enum { MAX_POINTS = 6 };

/* Points of a stencil along a direction; a panel of four cells has only five vertices. */
static int points_of(const swe_layout *layout)
{
    return layout->n + 1 < MAX_POINTS ? layout->n + 1 : MAX_POINTS;
}

/* Component of a vector along axis m of a panel's frame. */
static double along(int panel, int m, const double r[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++)
        sum += geometry_frame(panel, m, k) * r[k];
    return sum;
}

/* First vertex of the stencil around place *s, which rounding may have moved beyond an end. */
static int first_of(const swe_vertices *vertices, int points, double *s)
{
    const double *place = vertices->place;
    const int n = vertices->layout.n;
    *s = fmin(fmax(*s, 0.0), place[n]);
    int v = (int)(*s * n / place[n]);
    while (v > 0 && place[v] > *s)
        v--;
    while (v < n && place[v + 1] <= *s)
        v++;
    const int first = v - (points / 2 - 1);
    return first < 0 ? 0 : first > n + 1 - points ? n + 1 - points : first;
}

swe_vertices swe_vertices_of(const swe_grid *grid)
{
    return (swe_vertices){grid->layout, grid->place};
}

swe_stencil swe_stencil_at(const swe_vertices *vertices, const double r[3])
{
    const swe_layout *layout = &vertices->layout;
    int panel = 0;
    for (int p = 1; p < SWE_PANELS; p++)
        if (along(p, 0, r) > along(panel, 0, r))
            panel = p;
    const double out = along(panel, 0, r), spacing = 0.5 * SWE_PI / vertices->place[layout->n];
    swe_stencil stencil = {.x = (atan(along(panel, 1, r) / out) + SWE_PI / 4.0) / spacing,
                           .y = (atan(along(panel, 2, r) / out) + SWE_PI / 4.0) / spacing};
    const int points = points_of(layout);
    stencil.i = first_of(vertices, points, &stencil.x);
    stencil.j = first_of(vertices, points, &stencil.y);
    stencil.at = swe_at(layout, panel, stencil.j, stencil.i);
    return stencil;
}

/* Lagrange weights of the nodes at x; exactly 0 and 1 if x is a node. Returns the nearest node. */
static int weights_at(const double *nodes, double x, int points, double *weights)
{
    int nearest = 0;
    for (int m = 0; m < points; m++) {
        double above = 1.0, below = 1.0;
        for (int k = 0; k < points; k++)
            if (k != m) {
                above *= x - nodes[k];
                below *= nodes[m] - nodes[k];
            }
        weights[m] = above / below;
        if (fabs(x - nodes[m]) <= fabs(x - nodes[nearest]))
            nearest = m;
    }
    return nearest;
}

double swe_stencil_value(const swe_vertices *vertices, const swe_stencil *stencil,
                         const double *values)
{
    double across[MAX_POINTS], up[MAX_POINTS];
    const ptrdiff_t pitch = vertices->layout.pitch;
    const int points = points_of(&vertices->layout);
    const int i_near = weights_at(vertices->place + stencil->i, stencil->x, points, across);
    const int j_near = weights_at(vertices->place + stencil->j, stencil->y, points, up);
    /* differences from the nearest vertex: constants are reproduced exactly */
    const double *from = values + stencil->at;
    const double base = from[j_near * pitch + i_near];
    double sum = 0.0;
    for (int j = 0; j < points; j++) {
        double row = 0.0;
        for (int i = 0; i < points; i++)
            row += across[i] * (from[j * pitch + i] - base);
        sum += up[j] * row;
    }
    return base + sum;
}

/* ---- a regular longitude-latitude grid ------------------------------------------------------- */

static double longitude(const swe_latlon *latlon, double i)
{
    return 360.0 * i / latlon->nlon;
}

/* Latitude of the middle of band j; j - 1/2 and j + 1/2 are its sides. */
static double latitude(const swe_latlon *latlon, double j)
{
    return 180.0 * (j + 0.5) / latlon->nlat - 90.0;
}

swe_status swe_latlon_create(swe_context *ctx, const swe_grid *grid, int nlon, int nlat,
                             swe_latlon **out)
{
    swe_latlon *latlon = NULL;
    SWE_TRY(swe_memory_zero(ctx, 1, sizeof *latlon, &latlon));
    *latlon = (swe_latlon){.nlon = nlon, .nlat = nlat, .vertices = swe_vertices_of(grid)};
    *out = latlon; /* the caller destroys it, also after an error */
    SWE_TRY(swe_memory_untouched(ctx, (size_t)nlon * (size_t)nlat, sizeof *latlon->stencils,
                                 &latlon->stencils));
    for (int j = 0; j < nlat; j++)
        for (int i = 0; i < nlon; i++) {
            double up[3], east[3], north[3];
            geographic_frame(longitude(latlon, i), latitude(latlon, j), up, east, north);
            latlon->stencils[(ptrdiff_t)j * nlon + i] = swe_stencil_at(&latlon->vertices, up);
        }
    return SWE_OK;
}

void swe_latlon_destroy(swe_latlon **latlon)
{
    if (*latlon != NULL)
        free((*latlon)->stencils);
    free(*latlon);
    *latlon = NULL;
}

static void write_bounds(const swe_latlon *latlon, hdf5_writer *w, const char *name,
                         const char *dimensions, double (*side)(const swe_latlon *, double),
                         int count, double *scratch)
{
    for (int k = 0; k < count; k++) {
        scratch[2 * k] = side(latlon, k - 0.5);
        scratch[2 * k + 1] = side(latlon, k + 0.5);
    }
    const hid_t dataset = hdf5_array_create(w, name, dimensions, H5T_NATIVE_DOUBLE);
    hdf5_array_write(w, dataset, H5T_NATIVE_DOUBLE, scratch);
    hdf5_close(w, dataset);
}

void swe_latlon_write_grid(const swe_latlon *latlon, hdf5_writer *w, double *scratch)
{
    for (int j = 0; j < latlon->nlat; j++)
        scratch[j] = latitude(latlon, j);
    const hid_t lat =
        hdf5_dimension_write(w, "lat", scratch, (hsize_t)latlon->nlat, "degrees_north", "latitude");
    hdf5_attribute_text(w, lat, "standard_name", "latitude");
    hdf5_attribute_text(w, lat, "axis", "Y");
    hdf5_attribute_text(w, lat, "bounds", "lat_bnds");
    for (int i = 0; i < latlon->nlon; i++)
        scratch[i] = longitude(latlon, i);
    const hid_t lon =
        hdf5_dimension_write(w, "lon", scratch, (hsize_t)latlon->nlon, "degrees_east", "longitude");
    hdf5_attribute_text(w, lon, "standard_name", "longitude");
    hdf5_attribute_text(w, lon, "axis", "X");
    hdf5_attribute_text(w, lon, "bounds", "lon_bnds");
    hdf5_dimension_without_scale(w, "bnds", 2);
    write_bounds(latlon, w, "lat_bnds", "lat bnds", latitude, latlon->nlat, scratch);
    write_bounds(latlon, w, "lon_bnds", "lon bnds", longitude, latlon->nlon, scratch);
}

void swe_latlon_areas(const swe_latlon *latlon, double radius, double *out)
{
    const double cell = radius * radius * (longitude(latlon, 1.0) / geographic_degrees);
    for (int j = 0; j < latlon->nlat; j++) {
        const double north = sin(latitude(latlon, j + 0.5) / geographic_degrees);
        const double south = sin(latitude(latlon, j - 0.5) / geographic_degrees);
        for (int i = 0; i < latlon->nlon; i++)
            out[(ptrdiff_t)j * latlon->nlon + i] = cell * (north - south);
    }
}

void swe_latlon_values(const swe_latlon *latlon, const double *field, double *out)
{
    const ptrdiff_t count = (ptrdiff_t)latlon->nlat * latlon->nlon;
    for (ptrdiff_t k = 0; k < count; k++)
        out[k] = swe_stencil_value(&latlon->vertices, &latlon->stencils[k], field);
}

void swe_vector_to_cartesian(double lon, double lat, double *const field[3], ptrdiff_t at)
{
    double up[3], east[3], north[3];
    const double eastward = field[0][at], northward = field[1][at];
    geographic_frame(lon, lat, up, east, north);
    for (int m = 0; m < 3; m++)
        field[m][at] = eastward * east[m] + northward * north[m];
}

void swe_vertices_to_cartesian(const swe_layout *layout, const double *lons, const double *lats,
                               double *const field[3])
{
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= layout->n; j++)
            for (int i = 0; i <= layout->n; i++) {
                const ptrdiff_t at = swe_at(layout, p, j, i);
                swe_vector_to_cartesian(lons[at], lats[at], field, at);
            }
}

void swe_latlon_vector(const swe_latlon *latlon, const double *lons, const double *lats,
                       double *field[3], double *eastward, double *northward)
{
    swe_vertices_to_cartesian(&latlon->vertices.layout, lons, lats, field);
    for (int j = 0; j < latlon->nlat; j++)
        for (int i = 0; i < latlon->nlon; i++) {
            const ptrdiff_t k = (ptrdiff_t)j * latlon->nlon + i;
            double up[3], east[3], north[3];
            geographic_frame(longitude(latlon, i), latitude(latlon, j), up, east, north);
            eastward[k] = northward[k] = 0.0;
            for (int m = 0; m < 3; m++) {
                const double value =
                    swe_stencil_value(&latlon->vertices, &latlon->stencils[k], field[m]);
                eastward[k] += value * east[m];
                northward[k] += value * north[m];
            }
        }
}
