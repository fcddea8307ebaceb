/* The cubed sphere as one unstructured mesh, and its UGRID form in a netCDF-4 file.
 *
 * Every vertex is one node, every cell a quadrilateral face. Around each node lies its dual cell,
 * whose corners are the centres of the adjacent faces. */
#ifndef SWE_FILES_CONVERSION_MESH_H
#define SWE_FILES_CONVERSION_MESH_H

#include "grid/grid.h"
#include "files/output/hdf5_writer.h"

enum { MESH_FACE_NODES = 4 };

typedef struct swe_mesh {
    swe_layout layout;
    int node_count;              /* 6 n^2 + 2 */
    int face_count;              /* 6 n^2 */
    int *node;                   /* node of every vertex, in the layout */
    int *face_nodes;             /* (faces, 4), counterclockwise from outside */
    int *node_faces;             /* (nodes, 4), likewise; where three meet, the third twice */
    double *lon, *lat;           /* (nodes) [degree] */
    double *face_lon, *face_lat; /* (faces), centres [degree] */
} swe_mesh;

/* Mesh of a grid whose vertices have these longitudes and latitudes [degree]. Release with
 * swe_mesh_destroy, which accepts NULL, also after an error. Errors: SWE_NO_MEMORY. */
swe_status swe_mesh_create(swe_context *ctx, const swe_grid *grid, const double *lons,
                           const double *lats, swe_mesh **out);
void swe_mesh_destroy(swe_mesh **mesh);

/* Sum (nodes) of a field over the copies of each vertex. */
void swe_mesh_sums(const swe_mesh *mesh, const double *field, double *out);

/* Values (nodes) of a field whose copies of a vertex are equal. */
void swe_mesh_values(const swe_mesh *mesh, const double *field, double *out);

/* Write the mesh (UGRID 1.0), its dimensions nNodes, nFaces and four, coordinates, and the bounds
 * that CDO needs of an unstructured grid. `scratch` has 4 values per node. */
void swe_mesh_write_grid(const swe_mesh *mesh, hdf5_writer *writer, double *scratch);

#endif
