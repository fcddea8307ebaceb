/* A regular longitude-latitude grid, and fields interpolated to it. */
#ifndef SWE_CONVERSION_LATLON_H
#define SWE_CONVERSION_LATLON_H

#include "base/context.h"
#include "conversion/vertices.h"
#include "output/hdf5_writer.h"

/* Longitudes 360 i / nlon from 0; latitudes at the middle of nlat equal bands from south to north.
 * No point is a pole. */
typedef struct swe_latlon {
    int nlon, nlat;
    swe_layout layout;     /* of the cubed sphere */
    swe_stencil *stencils; /* (nlat, nlon) */
} swe_latlon;

/* Release with swe_latlon_destroy, which accepts NULL. Errors: SWE_NO_MEMORY. */
swe_status swe_latlon_create(swe_context *ctx, const swe_layout *layout, int nlon, int nlat,
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
 * [degree]. Cartesian components are interpolated, which are smooth at the poles; all three fields
 * are overwritten. */
void swe_latlon_vector(const swe_latlon *latlon, const double *lons, const double *lats,
                       double *field[3], double *eastward, double *northward);

#endif
