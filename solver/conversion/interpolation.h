/* Values between vertices: the product of Lagrange polynomials through six vertices along each
 * direction of the panel that owns the point, never across its edges. Of order 6, whatever the
 * order of the scheme; continuous across panel edges, where only the vertices of the edge count;
 * exact at vertices and for constants. */
#ifndef SWE_CONVERSION_INTERPOLATION_H
#define SWE_CONVERSION_INTERPOLATION_H

#include "grid/layout.h"

/* Where a point lies: the first vertex of its stencil, and how far from there it is [cells]. */
typedef struct swe_interpolation_point {
    ptrdiff_t at;
    double x, y;
} swe_interpolation_point;

swe_interpolation_point swe_interpolation_place(const swe_layout *layout, const double r[3]);

double swe_interpolation_value(const swe_layout *layout, const swe_interpolation_point *place,
                               const double *values);

#endif
