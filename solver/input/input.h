/* Initial states and bottom topography from untrusted HDF5 or netCDF-4 files. */
#ifndef SWE_INPUT_INPUT_H
#define SWE_INPUT_INPUT_H

#include <stdbool.h>

#include "base/context.h"
#include "fields/fields.h"
#include "fields/panels.h"
#include "grid/grid.h"
#include "input/gridded.h"
#include "input/variable.h"

/* A file and the names of its variables; "": the default names (variable.c). */
typedef struct swe_input_file {
    const char *path;
    const char *h, *u, *v;
} swe_input_file;

/* One line about interpolation and missing variables; empty: every value was copied. */
typedef struct swe_input_note {
    char text[512];
    bool is_warning; /* the file has no wind, or none that is a vector at a pole */
} swe_input_note;

/* Fields on the grid of the run, to which a file is copied or interpolated. */
typedef struct swe_input_fields {
    const swe_panels *panels;
    /* Interpolate gridded values: a scalar to field number k, a wind to v1 and v2. Errors: those of
     * swe_gridded_check_row with this name, SWE_NO_MEMORY. */
    swe_status (*interpolate)(swe_context *ctx, const void *to, const swe_gridded *values,
                              const char *name, int k);
    const void *to;
} swe_input_fields;

/* Read h [m] and the velocity into the fields h, v1 and v2 of a state on the grid. Staggered v1 and
 * v2 of the same grid are copied. Otherwise zonal and meridional wind [m s-1], at the vertices of a
 * cubed sphere or on a regular latitude-longitude grid, are interpolated in order 6; h at the
 * vertices of the same grid is copied. Without wind v1 and v2 are left as they are. Variables
 * that are interpolated are read whole. Errors: SWE_NO_INPUT, SWE_DATA, SWE_NO_MEMORY. */
swe_status swe_input_state(swe_context *ctx, const swe_input_file *file, const swe_grid *grid,
                           const swe_input_fields *state, swe_input_note *note);

/* Read a quantity (variable.h), named `variable` or "", or interpolate it to the vertices, into
 * field number k. Errors: as above. */
swe_status swe_input_scalar(swe_context *ctx, const char *path, const swe_quantity *quantity,
                            const char *variable, const swe_grid *grid, const swe_input_fields *out,
                            int k);

#endif
