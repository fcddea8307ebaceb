/* Field files: snapshots in HDF5 that is valid netCDF-4, in the cubed-sphere layout of GEOS.
 *
 * Dimensions: time (1), nf (6), Ydim and Xdim (n + 1 vertices), YCdim and XCdim (n + 2 corners of
 * the vertices' dual cells), Ycell and Xcell (n, for the staggered velocities). README.md lists the
 * variables. */
#ifndef SWE_FILES_OUTPUT_FIELD_FILE_H
#define SWE_FILES_OUTPUT_FIELD_FILE_H

#include "base/context.h"
#include "base/physics.h"
#include "cases/case.h"
#include "fields/fields.h"
#include "grid/grid.h"
#include "operators/sbp.h"
#include "fields/outputs.h"
#include "state/host_fields.h"

/* Origin of a file, written as global attributes. */
typedef struct swe_provenance {
    const char *case_name;
    const char *configuration; /* resolved, YAML */
    const char *backend;
    const char *device;
} swe_provenance;

/* A snapshot. The caller owns all pointers. Fields that no chosen
 * variable depends on are not read. */
typedef struct swe_snapshot {
    const swe_grid *grid; /* metric arrays are not read */
    const swe_sbp *sbp;
    double time; /* [s] */
    long step;
    const swe_physics *physics;
    const swe_field_set *fields;   /* of a state */
    const swe_host_fields *state;  /* the fields of a state, and the derivatives below */
    const swe_host_fields *bottom; /* b [m] is field 0, written with the surface h + b; NULL:
                                      neither */
    unsigned chosen;               /* words of fields/outputs.h, bit by bit */
    int vorticity, divergence;     /* numbers of their fields, where a variable needs them */
    int advected;                  /* write the concentrations of all advected fields */
    const swe_case *exact;         /* write its h and the error of h; NULL: not written */
    double exact_time;             /* of its h [s] */
    int threads;                   /* OpenMP threads that compute and compress it */
    int compression;               /* deflate level 1 to 9; 0: none */
    int is_single;                 /* store 32-bit numbers */
    swe_provenance provenance;
} swe_snapshot;

/* Write a snapshot under a temporary name, then rename it to `path`. All ranks call it together:
 * each computes and compresses its share, which the root writes; path, step, time and provenance
 * are the root's alone. One rank may call it in any thread. Errors, on all ranks alike:
 * SWE_CANNOT_CREATE, SWE_IO, SWE_NO_MEMORY; after an error no file remains. */
swe_status swe_field_file_write(swe_context *ctx, const char *path, const swe_snapshot *snapshot);

#endif
