/* GRIDDED VALUES, at the points of a file's own grid, and their interpolation in order 6 to rows of
 * the grid of a run. Files may be large: the root broadcasts them in pieces of some rows. */
#ifndef SWE_FILES_INPUT_GRIDDED_H
#define SWE_FILES_INPUT_GRIDDED_H

#include "grid/grid.h"
#include "files/input/regular.h"

/* The points of a file: the vertices of a cubed sphere, or a regular grid. A field has rows of
 * `pitch` values; the rows of a cubed sphere are stored panel after panel. */
typedef struct swe_gridded_points {
    int n;               /* of the cubed sphere; 0: a regular grid */
    double *place;       /* (n + 1) of its vertices, as of a grid */
    swe_regular regular; /* if n is 0 */
} swe_gridded_points;

int swe_gridded_rows(const swe_gridded_points *points);
ptrdiff_t swe_gridded_pitch(const swe_gridded_points *points);

/* Write "90 latitudes and 180 longitudes" or "a cubed sphere of n = 24". */
void swe_gridded_describe(const swe_gridded_points *points, char *out, size_t size);

/* A piece interpolates to the points whose stencils begin in its rows. Its values are these rows
 * and the next SWE_GRIDDED_MARGIN rows, at most up to the last row of the file. */
enum { SWE_GRIDDED_MARGIN = 5 };

typedef struct swe_gridded {
    swe_gridded_points points;
    swe_range rows;
    int count;               /* 1: a scalar; 3: Cartesian components of a wind [m s-1] */
    const double *values[3]; /* host memory */
} swe_gridded;

/* The piece of some rows of a larger one; it has the same values. */
swe_gridded swe_gridded_piece(const swe_gridded *gridded, swe_range rows);

/* Values of one field of a piece, with the margin. */
size_t swe_gridded_size(const swe_gridded *piece);

/* Interpolate to row j of a panel: a scalar at vertices; covariant components of a wind at the
 * points of v1 (j < n + 1) and v2 (j < n) [m2 s-1]. Points whose stencils begin in other rows keep
 * their values. Returns the rows in which stencils of the row begin, so that the caller can skip
 * other pieces. */
swe_range swe_gridded_scalar_row(const swe_gridded *piece, const swe_grid *grid, int panel, int j,
                                 double *out);
swe_range swe_gridded_v1_row(const swe_gridded *piece, const swe_grid *grid, int panel, int j,
                             double *v1);
swe_range swe_gridded_v2_row(const swe_gridded *piece, const swe_grid *grid, int panel, int j,
                             double *v2);

/* Check that `count` values of a row are finite; sums of very large values are not. `name` begins
 * the message: "state.nc: dataset 'h' is". Errors: SWE_DATA. */
enum { SWE_GRIDDED_NAME_SIZE = 640 };
swe_status swe_gridded_check_row(swe_context *ctx, const char *name, int panel, int j, int count,
                                 const double *values);

#endif
