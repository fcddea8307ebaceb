/* Field files: HDF5 that is valid netCDF-4, in the cubed-sphere layout of GEOS.
 *
 * Dimensions time (1), nf (6), Ydim and Xdim (n + 1 vertices), YCdim and XCdim (n + 2 corners of
 * the vertices' dual cells), Ycell and Xcell (n, for the staggered velocities). */
#ifndef SWE_OUTPUT_FIELD_FILE_H
#define SWE_OUTPUT_FIELD_FILE_H

#include "base/context.h"
#include "base/physics.h"
#include "grid/grid.h"
#include "operators/sbp.h"

/* What a file tells of its origin; all become global attributes. */
typedef struct swe_provenance {
    const char *case_name;
    const char *configuration; /* resolved, YAML */
    const char *backend;
    const char *device;
} swe_provenance;

/* A snapshot in host memory, fields in the grid's layout: h, v1 and v2, of which what is asked for
 * is written; other NULL fields are left out. */
typedef struct swe_snapshot {
    const swe_grid *grid;
    const swe_sbp *sbp;
    double time; /* [s] */
    long step;
    const swe_physics *physics;
    const double *h;           /* [m] */
    const double *v1, *v2;     /* covariant [m2 s-1] */
    int heights, wind, native; /* write h; zonal and meridional wind; v1 and v2 */
    int vorticity, divergence; /* write that of the velocity */
    int potential_vorticity;   /* write that of the flow; nonlinear only */
    const double *bottom;      /* b [m]: written, with the surface h + b */
    const double *h_exact;     /* [m] */
    const double *h_error;     /* h - h_exact [m] */
    int compression;           /* deflate level 1 to 9; 0: none */
    int is_single;             /* write numbers of 32 bits */
    swe_provenance provenance;
} swe_snapshot;

/* Write a snapshot under a temporary name, then rename it.
 * Errors: SWE_CANNOT_CREATE, SWE_IO, SWE_NO_MEMORY; no file of the name is left then. */
swe_status swe_field_file_write(swe_context *ctx, const char *path, const swe_snapshot *snapshot);

#endif
