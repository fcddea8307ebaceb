/* Fields on a regular grid of latitudes and longitudes, at any point of the sphere.
 *
 * The value at a point is the product of Lagrange polynomials through six longitudes and six
 * latitudes, of order 6. Longitudes are periodic; beyond a pole a stencil continues on the opposite
 * meridian, so fields must be scalars: vectors are interpolated by their Cartesian components. */
#ifndef SWE_INPUT_REGULAR_H
#define SWE_INPUT_REGULAR_H

#include <stdbool.h>

#include "input/variable.h"

enum { REGULAR_POINTS = 6 };

/* The axes, in ascending order, whatever the order in the file. */
typedef struct swe_regular {
    int nlat, nlon;
    double *lat;                   /* (nlat) [degree] */
    double lon;                    /* the first longitude [degree]; the others are equally spaced */
    bool has_south, has_north;     /* the first, the last latitude is at or near a pole */
    bool descending_lat, descending_lon; /* order in the file */
    int file_nlon;                 /* one more than nlon where the first longitude stands twice */
    char lat_name[VARIABLE_NAME_SIZE], lon_name[VARIABLE_NAME_SIZE];
} swe_regular;

/* Find the axes of a variable whose last two dimensions are latitude and longitude, by their units,
 * standard_name, axis or name. Release it, also after an error. Errors: SWE_DATA (there are none;
 * they do not cover the sphere, are not regular or too long), SWE_NO_MEMORY. */
swe_status swe_regular_find(swe_context *ctx, hid_t file, const swe_variable *variable,
                            swe_regular *out);
void swe_regular_release(swe_regular *regular);

/* Longitude of column i [degree]. */
double swe_regular_longitude(const swe_regular *regular, int i);

/* Read a variable of the file into (nlat, nlon), in ascending order. Errors: SWE_DATA (it is at
 * other points; a value is missing or not finite), SWE_NO_MEMORY. */
swe_status swe_regular_read(swe_context *ctx, hid_t file, const swe_regular *regular,
                            const swe_variable *variable, double *values);

/* The stencil of a point: six rows, each of six columns. */
typedef struct swe_regular_stencil {
    int row[REGULAR_POINTS];
    int column[2]; /* the first one, in rows on this side of the poles and beyond them */
    bool beyond[REGULAR_POINTS];                         /* the row lies beyond a pole */
    double up[REGULAR_POINTS], along[2][REGULAR_POINTS]; /* weights */
} swe_regular_stencil;

/* The stencil around a Cartesian unit vector; the value of a field. */
void swe_regular_stencil_at(const swe_regular *regular, const double r[3], swe_regular_stencil *out);
double swe_regular_stencil_value(const swe_regular *regular, const swe_regular_stencil *place,
                         const double *values);

#endif
