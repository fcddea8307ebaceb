/* The initial state and the bottom of a run, from files that are not trusted. */
#ifndef SWE_INPUT_INPUT_H
#define SWE_INPUT_INPUT_H

#include <stdbool.h>

#include "base/context.h"
#include "grid/grid.h"

/* A file and the names of its variables; "": the usual ones. */
typedef struct swe_input_file {
    const char *path;
    const char *h, *u, *v;
} swe_input_file;

/* What the reader did with a file, in one line; empty: it copied every value. */
typedef struct swe_input_note {
    char text[512];
    bool is_warning; /* something is missing in the file */
} swe_input_note;

/* Read h [m] and the wind into a host state of the grid: from the staggered v1, v2 of the same grid
 * as they are; otherwise from zonal and meridional wind on the vertices of a cubed sphere or on a
 * regular grid of latitudes and longitudes, interpolated in order 6 (h at the vertices of the same
 * grid is copied). Without wind the state is at rest. Errors: SWE_NO_INPUT, SWE_DATA,
 * SWE_NO_MEMORY. */
swe_status swe_input_state(swe_context *ctx, const swe_input_file *file, const swe_grid *grid,
                           int threads, double *state, swe_input_note *note);

/* Read the height of the bottom [m] at the vertices likewise. */
swe_status swe_input_bottom(swe_context *ctx, const char *path, const char *variable,
                            const swe_grid *grid, int threads, double *bottom);

#endif
