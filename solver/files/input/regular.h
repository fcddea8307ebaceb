/* Fields on a regular latitude-longitude grid, interpolated to any point of the sphere.
 *
 * The value at a point is the product of Lagrange polynomials through six longitudes and six
 * latitudes, of order 6. Longitudes are periodic. Beyond a pole a stencil continues on the opposite
 * meridian, so fields must be scalars; a vector is interpolated by its Cartesian components. */
#ifndef SWE_FILES_INPUT_REGULAR_H
#define SWE_FILES_INPUT_REGULAR_H

#include <stdbool.h>

#include "files/input/variable.h"

enum { REGULAR_POINTS = 6 };

/* The axes in ascending order, whatever the order in the file. */
typedef struct swe_regular {
    int nlat, nlon;
    double *lat;                         /* (nlat) [degree] */
    double lon;                          /* first longitude [degree]; the spacing is 360 / nlon */
    bool has_south_pole, has_north_pole; /* the first, the last latitude is at the pole */
    bool descending_lat, descending_lon; /* order in the file */
    int file_nlon; /* nlon, or nlon + 1 if the file repeats the first longitude */
    char lat_name[HDF5_NAME_SIZE], lon_name[HDF5_NAME_SIZE];
} swe_regular;

/* Find the axes of a variable whose last two dimensions are latitude and longitude, by their units,
 * standard_name, axis or name. Release with swe_regular_release, also after an error. Errors:
 * SWE_DATA (no axes; they do not cover the sphere, are not regular, or are too long),
 * SWE_NO_MEMORY. */
swe_status swe_regular_find(swe_context *ctx, hid_t file, const swe_variable *variable,
                            swe_regular *out);
void swe_regular_release(swe_regular *regular);

/* Longitude of column i [degree]. */
double swe_regular_longitude(const swe_regular *regular, int i);

/* Read a variable of the file into (nlat, nlon), in ascending order. Errors: SWE_DATA (it is at
 * other points; a value is missing or not finite), SWE_NO_MEMORY. */
swe_status swe_regular_read(swe_context *ctx, hid_t file, const swe_regular *regular,
                            const swe_variable *variable, double *values);

/* Interpolation stencil of a point: six rows of six columns each. */
typedef struct swe_regular_stencil {
    int row[REGULAR_POINTS];
    int column[2]; /* first column; [1]: of rows beyond a pole, on the opposite meridian */
    bool is_beyond_pole[REGULAR_POINTS];                 /* of each row */
    double up[REGULAR_POINTS], along[2][REGULAR_POINTS]; /* weights */
} swe_regular_stencil;

/* Stencil of a Cartesian unit vector. */
void swe_regular_stencil_at(const swe_regular *regular, const double r[3],
                            swe_regular_stencil *out);
/* The first of six rows that have all rows of a stencil. */
int swe_regular_stencil_first(const swe_regular *regular, const swe_regular_stencil *stencil);
double swe_regular_stencil_value(const swe_regular *regular, const swe_regular_stencil *stencil,
                                 const double *values);

#endif
