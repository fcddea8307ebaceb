/* The vertices that panels share: 8 corners of the cube, and n - 1 on each of its 12 edges. */
#ifndef SWE_CONVERSION_SHARED_H
#define SWE_CONVERSION_SHARED_H

#include "grid/grid.h"

int swe_shared_count(const swe_grid *grid);

/* Where the copies of a shared vertex lie in a field; their number, 2 or 3. */
int swe_shared_copies(const swe_grid *grid, int vertex, ptrdiff_t at[3]);

/* Give all copies their mean, which is exact where they are the same. */
void swe_shared_average(const swe_grid *grid, double *values);

#endif
