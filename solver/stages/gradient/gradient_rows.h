/* The gradient along a piece of row j; `h` and `out` point at its first place. */
#ifndef SWE_STAGES_GRADIENT_ROWS_H
#define SWE_STAGES_GRADIENT_ROWS_H

#include "stages/gradient/gradient_point.h"
#include "stages/rows_cpu.h"

/* dv1 at cells of a row of vertices. */
SWE_POINT void gradient_row1(int order, const swe_view *view, rows_range cells,
                             const real *SWE_RESTRICT h, real *SWE_RESTRICT out)
{
    ROWS_ALONG(cells, rows_cells(order, view->layout.n),
               out[k] = gradient_point1(order, where, view, i, h + k));
}

SWE_POINT void gradient_row2_in(int order, sbp_region where, const swe_view *view, int j, int count,
                                const real *SWE_RESTRICT h, ptrdiff_t up, real *SWE_RESTRICT out)
{
#pragma omp simd
    for (int k = 0; k < count; k++)
        out[k] = gradient_point2(order, where, view, j, h + k, up);
}

/* dv2 at `count` vertices of row j of cells. */
SWE_POINT void gradient_row2(int order, const swe_view *view, int j, int count,
                             const real *SWE_RESTRICT h, ptrdiff_t up, real *SWE_RESTRICT out)
{
    if (rows_is_interior(rows_cells(order, view->layout.n), j))
        gradient_row2_in(order, SBP_INTERIOR, view, j, count, h, up, out);
    else
        gradient_row2_in(order, SBP_ANYWHERE, view, j, count, h, up, out);
}

#endif
