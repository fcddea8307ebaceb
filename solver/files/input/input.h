/* Initial states and bottom topography from untrusted HDF5 or netCDF-4 files. */
#ifndef SWE_FILES_INPUT_INPUT_H
#define SWE_FILES_INPUT_INPUT_H

#include <stdbool.h>

#include "base/context.h"
#include "config/config.h"
#include "fields/fields.h"
#include "fields/panels.h"
#include "grid/grid.h"
#include "files/input/gridded.h"
#include "files/input/variable.h"

/* A file and the names of its variables; "": the default names (variable.c). A scalar has the name
 * `h`. */
typedef struct swe_input_file {
    const char *path;
    const char *h, *u, *v;
    const char *time, *key; /* as in swe_variable_file */
    swe_records *records;
    const swe_config *config; /* of the run; NULL: its physics is not compared with the file's */
    bool is_depth;            /* h is the depth, not the height above the mean depth */
} swe_input_file;

/* One line about interpolation, missing variables and other physics; empty: every value was copied.
 */
typedef struct swe_input_note {
    char text[1024];
    bool is_warning; /* no wind, a wind that is no vector at a pole, or other physics */
} swe_input_note;

/* Fields on the grid of the run, to which a file is copied or interpolated. */
typedef struct swe_input_fields {
    const swe_panels *panels;
    /* Interpolate gridded values: a scalar to field number k, a wind to v1 and v2. Errors: the
     * errors of swe_gridded_check_row with this name, SWE_NO_MEMORY. */
    swe_status (*interpolate)(swe_context *ctx, const void *to, const swe_gridded *values,
                              const char *name, int k);
    const void *to;
} swe_input_fields;

/* Read h [m] and the velocity into the fields h, v1 and v2 of a state on the grid. Staggered v1 and
 * v2 of the same grid are copied. Otherwise zonal and meridional wind [m s-1], at the vertices of a
 * cubed sphere or on a regular latitude-longitude grid, are interpolated in order 6; h at the
 * vertices of the same grid is copied. Without wind v1 and v2 keep their values. Interpolated
 * variables are read whole. A file of other equations is refused, and so are v1 and v2 of a sphere
 * of another radius. Errors: SWE_NO_INPUT, SWE_DATA, SWE_NO_MEMORY. */
swe_status swe_input_state(swe_context *ctx, const swe_input_file *file, const swe_grid *grid,
                           const swe_input_fields *state, swe_input_note *note);

/* Read a quantity (variable.h), or interpolate it to the vertices, into
 * field number k. Errors: as above. */
swe_status swe_input_scalar(swe_context *ctx, const swe_input_file *file,
                            const swe_quantity *quantity, const swe_grid *grid,
                            const swe_input_fields *out, int k);

/* Read zonal and meridional components of a vector, the variables u and v, into v1 and v2. Errors:
 * as above. */
swe_status swe_input_vector(swe_context *ctx, const swe_input_file *file,
                            const swe_quantity *quantity, const swe_grid *grid,
                            const swe_input_fields *out);

#endif
