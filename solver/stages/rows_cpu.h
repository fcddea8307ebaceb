/* How the CPU backend walks a field: one row of one panel at a time.
 *
 * A row along i is cut into the low closure, the interior and the high closure, so that the
 * interior loop has no branch and vectorises; a row's own region along j is the same for all i. */
#ifndef SWE_STAGES_ROWS_CPU_H
#define SWE_STAGES_ROWS_CPU_H

#include "operators/sbp_point.h"

/* Interior of a line: places first..last-1. */
typedef struct rows_interior {
    int first, last;
} rows_interior;

SWE_POINT rows_interior rows_vertices(int order, int n)
{
    const rows_interior interior = {sbp_vertex_rows(order), n + 1 - sbp_vertex_rows(order)};
    return interior;
}

SWE_POINT rows_interior rows_cells(int order, int n)
{
    const rows_interior interior = {sbp_cell_rows(order), n - sbp_cell_rows(order)};
    return interior;
}

SWE_POINT int rows_is_interior(rows_interior interior, int place)
{
    return place >= interior.first && place < interior.last;
}

#endif
