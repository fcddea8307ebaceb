/* Fields of a file on its own grid, interpolated to any point of the sphere. The grid is a cubed
 * sphere (values at vertices) or a regular latitude-longitude grid. */
#ifndef SWE_INPUT_SOURCE_H
#define SWE_INPUT_SOURCE_H

#include "grid/grid.h"
#include "input/regular.h"
#include "input/variable.h"

typedef struct swe_source {
    const char *path;
    hid_t file;
    swe_grid *grid;      /* cubed sphere, or NULL */
    swe_regular regular; /* if grid is NULL */
} swe_source;

/* n of a variable at the vertices of a cubed sphere, shape (6, n+1, n+1) or (1, 6, n+1, n+1); 0 for
 * every other variable. */
int swe_source_cubed_n(const swe_variable *variable);

/* Find the grid of a variable. The coordinates 'lons' and 'lats' of a cubed sphere must be those of
 * the equiangular one; they may be missing if its n is `n`. Release with swe_source_release, also
 * after an error. Errors: SWE_DATA, SWE_NO_MEMORY. */
swe_status swe_source_find(swe_context *ctx, const char *path, hid_t file,
                           const swe_variable *variable, int n, swe_source *out);
void swe_source_release(swe_source *source);

/* Read a variable on the grid of the source. All values are finite; copies of a shared vertex are
 * equal. The caller frees. Errors: SWE_DATA, SWE_NO_MEMORY. */
swe_status swe_source_scalar(swe_context *ctx, const swe_source *source,
                             const swe_variable *variable, double **values);
/* Likewise the Cartesian components of a wind; the caller frees values[0], the start of their one
 * allocation. */
swe_status swe_source_vector(swe_context *ctx, const swe_source *source, const swe_variable *zonal,
                             const swe_variable *meridional, double *values[3]);

/* Interpolate `count` fields (1 to 3) to a Cartesian unit vector, in order 6. */
void swe_source_interpolate(const swe_source *source, int count, double *const values[],
                            const double r[3], double *out);

/* Write "90 latitudes and 180 longitudes" or "a cubed sphere of n = 24". */
void swe_source_describe(const swe_source *source, char *out, size_t size);

#endif
