/* The cubed sphere as one unstructured mesh: every vertex once, quadrilateral faces, and around
 * every node its dual cell, whose corners are the centres of the faces there. */
#ifndef SWE_CONVERSION_MESH_H
#define SWE_CONVERSION_MESH_H

#include "grid/grid.h"

enum { MESH_FACE_NODES = 4 };

typedef struct swe_mesh {
    swe_layout layout;
    int node_count;              /* 6 n^2 + 2 */
    int face_count;              /* 6 n^2 */
    int *node;                   /* of every vertex, in the layout */
    int *face_nodes;             /* (faces, 4) counterclockwise from outside */
    int *node_faces;             /* (nodes, 4) likewise; the third twice where only three meet */
    double *lon, *lat;           /* (nodes) [degree] */
    double *face_lon, *face_lat; /* (faces) of centres [degree] */
} swe_mesh;

/* The mesh of a grid whose vertices have the longitudes and latitudes [degree]. Release with
 * swe_mesh_destroy; NULL is fine. Errors: SWE_NO_MEMORY. */
swe_status swe_mesh_create(swe_context *ctx, const swe_grid *grid, const double *lons,
                           const double *lats, swe_mesh **out);
void swe_mesh_destroy(swe_mesh **mesh);

/* Sums (nodes) of a field's values over the copies of each vertex. */
void swe_mesh_sums(const swe_mesh *mesh, const double *field, double *out);

/* Values (nodes) of a field, in whose layout copies of a vertex are the same. */
void swe_mesh_values(const swe_mesh *mesh, const double *field, double *out);

#endif
