/* Fields of a file on a grid of its own, at any point of the sphere: on the vertices of a cubed
 * sphere, or on a regular grid of latitudes and longitudes. */
#ifndef SWE_INPUT_SOURCE_H
#define SWE_INPUT_SOURCE_H

#include "grid/grid.h"
#include "input/regular.h"
#include "input/variable.h"

typedef struct swe_source {
    const char *path;
    hid_t file;
    swe_grid *grid;      /* of the cubed sphere; NULL: the grid is regular */
    swe_regular regular; /* otherwise */
} swe_source;

/* Whether a variable is of the vertices of a cubed sphere: (6, n+1, n+1), with or without a leading
 * 1. Returns n, otherwise 0. */
int swe_source_cubed_n(const swe_variable *variable);

/* Find the grid of a variable. The longitudes and latitudes 'lons', 'lats' of a cubed sphere must
 * be those of the equiangular one; they may be missing where its n is `n`. Release it, also after
 * an error. Errors: SWE_DATA, SWE_NO_MEMORY. */
swe_status swe_source_find(swe_context *ctx, const char *path, hid_t file,
                           const swe_variable *variable, int n, swe_source *out);
void swe_source_release(swe_source *source);

/* Values of a variable on the grid of the source: all are finite, and points that panels share have
 * one. The caller frees. Errors: SWE_DATA, SWE_NO_MEMORY. */
swe_status swe_source_scalar(swe_context *ctx, const swe_source *source,
                             const swe_variable *variable, double **values);
/* Cartesian components of a wind; they are one allocation, of which `values[0]` is the start. */
swe_status swe_source_vector(swe_context *ctx, const swe_source *source, const swe_variable *zonal,
                             const swe_variable *meridional, double *values[3]);

/* Interpolate `count` fields (1 to 3) to a Cartesian unit vector, in order 6. */
void swe_source_interpolate(const swe_source *source, int count, double *const values[], const double r[3],
                   double *out);

/* Write "90 latitudes and 180 longitudes", or "a cubed sphere of n = 24". */
void swe_source_describe(const swe_source *source, char *out, size_t size);

#endif
