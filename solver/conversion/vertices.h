/* Fields at the vertices of a cubed sphere: averages over shared vertices, and interpolation.
 *
 * Panels share 8 corners of the cube (3 copies each) and n - 1 vertices on each of its 12 edges (2
 * copies each).
 *
 * Interpolation is the product of Lagrange polynomials through six vertices along each direction of
 * the panel that contains the point, never across its edges. It has order 6 whatever the order of
 * the scheme, is continuous across panel edges (where only the vertices of the edge contribute),
 * and is exact at vertices and for constants. */
#ifndef SWE_CONVERSION_VERTICES_H
#define SWE_CONVERSION_VERTICES_H

#include "grid/grid.h"

/* Number of shared vertices. */
int swe_shared_count(const swe_grid *grid);

/* Offsets of the copies of shared vertex `vertex` in a field. Returns their number, 2 or 3. */
int swe_shared_copies(const swe_grid *grid, int vertex, ptrdiff_t at[3]);

/* Replace the copies of every shared vertex by their mean; exact where they are equal. */
void swe_shared_average(const swe_grid *grid, double *values);

/* Interpolation stencil of a point. */
typedef struct swe_stencil {
    ptrdiff_t at; /* offset of its first vertex in a field */
    double x, y;  /* distance of the point from there [cells] */
} swe_stencil;

/* Stencil of a Cartesian unit vector. */
swe_stencil swe_stencil_at(const swe_layout *layout, const double r[3]);

double swe_stencil_value(const swe_layout *layout, const swe_stencil *stencil,
                         const double *values);

#endif
