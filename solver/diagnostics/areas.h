/* The areas J Hv Hv [m2] of vertices, which are the quadrature weights of the scheme. */
#ifndef SWE_DIAGNOSTICS_AREAS_H
#define SWE_DIAGNOSTICS_AREAS_H

#include "grid/grid.h"
#include "operators/sbp.h"

/* Fill row j of a panel, n + 1 values; the areas of all panels are the same. Each copy of a shared
 * point has the area within its own panel. */
void swe_areas_row(const swe_grid *grid, const swe_sbp *sbp, int j, double *areas);

#endif
