/* Fields at the vertices of a cubed sphere: averages over shared vertices, and interpolation to any
 * point and to a regular longitude-latitude grid.
 *
 * Panels share 8 corners of the cube (3 copies each) and n - 1 vertices on each of its 12 edges (2
 * copies each).
 *
 * Interpolation is the product of Lagrange polynomials through six vertices along each direction of
 * the panel that contains the point, never across its edges. It has order 6 for every order of the
 * scheme. It is continuous across panel edges, where only the vertices of the edge contribute, and
 * exact at vertices and for constants. */
#ifndef SWE_FILES_CONVERSION_INTERPOLATION_H
#define SWE_FILES_CONVERSION_INTERPOLATION_H

#include "base/context.h"
#include "grid/grid.h"
#include "files/output/hdf5_writer.h"

/* Number of shared vertices. */
int swe_shared_count(const swe_grid *grid);

/* Offsets of the copies of shared vertex `vertex` in a field. Returns their number, 2 or 3. */
int swe_shared_copies(const swe_grid *grid, int vertex, ptrdiff_t at[3]);

/* Replace the copies of every shared vertex by their mean; exact where they are equal. */
void swe_shared_average(const swe_grid *grid, double *values);

/* The vertices of a cubed sphere: places (n + 1) along a panel side, as of a grid. */
typedef struct swe_vertices {
    swe_layout layout;
    const double *place;
} swe_vertices;

swe_vertices swe_vertices_of(const swe_grid *grid);

/* Interpolation stencil of a point. */
typedef struct swe_stencil {
    ptrdiff_t at; /* offset of its first vertex in a field */
    int i, j;     /* of that vertex */
    double x, y;  /* places of the point */
} swe_stencil;

/* Stencil of a Cartesian unit vector. */
swe_stencil swe_stencil_at(const swe_vertices *vertices, const double r[3]);

double swe_stencil_value(const swe_vertices *vertices, const swe_stencil *stencil,
                         const double *values);

/* Replace the eastward and northward components of a vector, field[0][at] and field[1][at], by its
 * Cartesian components field[0..2][at]; its point has a longitude and latitude [degree]. */
void swe_vector_to_cartesian(double lon, double lat, double *const field[3], ptrdiff_t at);
/* Likewise at all vertices. The longitudes are the file's: at a pole they define east. */
void swe_vertices_to_cartesian(const swe_layout *layout, const double *lons, const double *lats,
                               double *const field[3]);

/* ---- a regular longitude-latitude grid ------------------------------------------------------- */

/* Longitudes 360 i / nlon from 0; latitudes at the middle of nlat equal bands from south to north.
 * No point is a pole. */
typedef struct swe_latlon {
    int nlon, nlat;
    swe_vertices vertices; /* of the cubed sphere */
    swe_stencil *stencils; /* (nlat, nlon) */
} swe_latlon;

/* Release with swe_latlon_destroy, which accepts NULL, also after an error; the grid must live as
 * long. Errors: SWE_NO_MEMORY. */
swe_status swe_latlon_create(swe_context *ctx, const swe_grid *grid, int nlon, int nlat,
                             swe_latlon **out);
void swe_latlon_destroy(swe_latlon **latlon);

/* Write dimensions lat and lon with coordinates and bounds. `scratch` has 2 max(nlon, nlat) values.
 */
void swe_latlon_write_grid(const swe_latlon *latlon, hdf5_writer *writer, double *scratch);

/* Areas (nlat, nlon) of the cells [m2] on a sphere of the radius [m]; they sum to 4 pi radius^2. */
void swe_latlon_areas(const swe_latlon *latlon, double radius, double *out);

/* Interpolate a scalar field at vertices to (nlat, nlon). */
void swe_latlon_values(const swe_latlon *latlon, const double *field, double *out);

/* Interpolate a horizontal vector to eastward and northward components (nlat, nlon). field[0] and
 * field[1] are its eastward and northward components at vertices of longitudes and latitudes
 * [degree]. The Cartesian components, which are smooth at the poles, are interpolated; all three
 * fields are overwritten. */
void swe_latlon_vector(const swe_latlon *latlon, const double *lons, const double *lats,
                       double *field[3], double *eastward, double *northward);

#endif
