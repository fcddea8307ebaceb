/* Which points the operators of the fused stage read along one direction, with a closure of
 * `closed` vertices. Tiles and whole panels read the same points. */
#ifndef SWE_STAGES_REACH_H
#define SWE_STAGES_REACH_H

#include "operators/sbp_point.h"

/* Values that a row of a closure of `closed` vertices reads, and cells of the closure. */
SWE_POINT int reach_closed_cells(int order, int closed)
{
    return order == 2 ? 2 : closed - 1;
}

SWE_POINT int reach_columns(int order, int closed)
{
    return reach_closed_cells(order, closed) + order / 2;
}

/* First of the cells that Dcv and Pcv read at vertices v, v + 1, ... */
SWE_POINT int reach_first_cell(int order, int closed, int n, int v)
{
    const int interior = v - order / 2, closure = n - reach_columns(order, closed);
    if (v < closed)
        return 0;
    return interior < closure ? interior : closure;
}

/* Last of the cells that they read at vertices ..., v - 1, v. */
SWE_POINT int reach_last_cell(int order, int closed, int n, int v)
{
    return n - 1 - reach_first_cell(order, closed, n, n - v);
}

/* First of the vertices that Dvc and Pvc read at cells c, c + 1, ... */
SWE_POINT int reach_first_vertex(int order, int closed, int n, int c)
{
    const int interior = c + 1 - order / 2, closure = n + 1 - reach_columns(order, closed);
    if (c < reach_closed_cells(order, closed))
        return 0;
    return interior < closure ? interior : closure;
}

/* Last of the vertices that they read at cells ..., c - 1, c. */
SWE_POINT int reach_last_vertex(int order, int closed, int n, int c)
{
    return n - reach_first_vertex(order, closed, n, n - 1 - c);
}

#endif
