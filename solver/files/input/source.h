/* Fields of a file, read whole on its own grid: a cubed sphere (values at vertices) or a
 * regular latitude-longitude grid. */
#ifndef SWE_FILES_INPUT_SOURCE_H
#define SWE_FILES_INPUT_SOURCE_H

#include "grid/grid.h"
#include "files/input/gridded.h"
#include "files/input/variable.h"

typedef struct swe_source {
    const char *path;
    hid_t file;
    swe_gridded_points points;
    swe_grid *grid;      /* of a cubed sphere, without metric; otherwise NULL */
    double *lons, *lats; /* of its vertices [degree], as in the file */
    const char
        *replaced_poles; /* "the north pole": its wind in the file is no single vector; or NULL */
} swe_source;

/* Find the grid of a variable. The vertices of a cubed sphere are at its angles 'Xdim' and
 * 'Ydim', else at its longitudes, without these equispaced. Its coordinates 'lons' and 'lats' must
 * be of these vertices; they may be missing if its n is `n`. Release with swe_source_release, also
 * after an error.
 * Errors: SWE_DATA, SWE_NO_MEMORY. */
swe_status swe_source_find(swe_context *ctx, const swe_variable_file *file,
                           const swe_variable *variable, int n, swe_source *out);
void swe_source_release(swe_source *source);

/* Read a variable at all points of the source. All values are finite; copies of a shared vertex are
 * equal. They lie in `*values`, which the caller frees. Errors: SWE_DATA, SWE_NO_MEMORY. */
swe_status swe_source_scalar(swe_context *ctx, const swe_source *source,
                             const swe_variable *variable, double **values, swe_gridded *out);
/* Likewise the Cartesian components of a wind. A row of a regular grid at a pole whose components,
 * each at its longitude, are no single vector is interpolated from other rows
 * (`source->replaced_poles`). */
swe_status swe_source_vector(swe_context *ctx, swe_source *source, const swe_variable *zonal,
                             const swe_variable *meridional, double **values, swe_gridded *out);

#endif
