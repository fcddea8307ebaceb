/* The grid: coordinates, metric and topology in host memory. The metric is the same on all six
 * panels and is stored once. */
#ifndef SWE_GRID_GRID_H
#define SWE_GRID_GRID_H

#include "base/context.h"
#include "grid/layout.h"
#include "grid/points.h"
#include "grid/topology.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Metric arrays hold one panel: element (j, i) at j * layout.pitch + i. */
typedef struct swe_grid {
    double radius;  /* a [m] */
    double spacing; /* D of the inner points [rad] (grid/points.h) */
    swe_layout layout;
    swe_topology topology;
    double *place;            /* (n + 1) vertex coordinates from 0 to pi/(2 D) [D] */
    double *tan_vertex;       /* (n + 1) tan of the vertex coordinates, exactly odd */
    double *tan_cell;         /* (n)     tan of the cell coordinates, exactly odd */
    double *inverse_jacobian; /* (n + 1, n + 1) 1/J at vertices [m-2] */
    double *metric11;         /* (n + 1, n)     J g^11 at (c,v) [1] */
    double *metric12;         /* (n + 1, n + 1) J g^12 at vertices [1] */
    double *metric22;         /* (n, n + 1)     J g^22 at (v,c) [1] */
} swe_grid;

/* Create the grid of n cells a panel side, at `points` of each line, on a sphere of a radius [m].
 * Release it with swe_grid_destroy. Errors: SWE_NO_MEMORY. */
swe_status swe_grid_create(swe_context *ctx, int n, const swe_points *points, double radius,
                           swe_grid **out);

/* The same without the metric arrays, which are NULL: the lines of coordinates alone. */
swe_status swe_grid_create_lines(swe_context *ctx, int n, const swe_points *points, double radius,
                                 swe_grid **out);

/* Move the vertices of lines to other angles (n + 1) [rad], ascending from -pi/4 to pi/4 and odd,
 * and cells half-way between them. */
void swe_grid_move(swe_grid *lines, const double *angles);

/* A metric term at (j, i), as in its array; 0 at points that the term does not have. */
typedef enum swe_metric_term {
    SWE_INVERSE_JACOBIAN,
    SWE_METRIC11,
    SWE_METRIC12,
    SWE_METRIC22
} swe_metric_term;
double swe_grid_metric(const swe_grid *grid, swe_metric_term term, int j, int i);

/* Release a grid and null the pointer; NULL is fine. */
void swe_grid_destroy(swe_grid **grid);

#ifdef __cplusplus
}
#endif
#endif
