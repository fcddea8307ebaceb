/* A regular grid of longitudes and latitudes, and values on it. */
#ifndef SWE_CONVERSION_LATLON_H
#define SWE_CONVERSION_LATLON_H

#include "base/context.h"
#include "conversion/interpolation.h"
#include "output/hdf5_writer.h"

/* Longitudes 360 i / nlon from 0, latitudes in the middle of nlat equal bands from south to north:
 * no point is a pole. */
typedef struct swe_latlon {
    int nlon, nlat;
    swe_layout layout;               /* of the cubed sphere */
    swe_interpolation_point *places; /* (nlat, nlon) */
} swe_latlon;

/* Release with swe_latlon_destroy; NULL is fine. Errors: SWE_NO_MEMORY. */
swe_status swe_latlon_create(swe_context *ctx, const swe_layout *layout, int nlon, int nlat,
                             swe_latlon **out);
void swe_latlon_destroy(swe_latlon **latlon);

/* Dimensions lat and lon with coordinates and bounds. `room` has 2 max(nlon, nlat) values. */
void swe_latlon_write_grid(const swe_latlon *latlon, hdf5_writer *writer, double *room);

/* Areas (nlat, nlon) of the cells [m2] on a sphere of the radius; their sum is that of the sphere.
 */
void swe_latlon_areas(const swe_latlon *latlon, double radius, double *out);

/* Values (nlat, nlon) of a field. */
void swe_latlon_values(const swe_latlon *latlon, const double *field, double *out);

/* Eastward and northward components (nlat, nlon) of a vector given so at the vertices, whose
 * longitudes and latitudes [degree] it is relative to. It is interpolated as a Cartesian vector, so
 * that nothing happens at poles. `field[0..1]` are its components; all three are overwritten. */
void swe_latlon_vector(const swe_latlon *latlon, const double *lons, const double *lats,
                       double *field[3], double *eastward, double *northward);

#endif
