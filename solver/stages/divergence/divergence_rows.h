/* The divergence along a piece of row j of vertices; fields and 1/J point at its first place. */
#ifndef SWE_STAGES_DIVERGENCE_ROWS_H
#define SWE_STAGES_DIVERGENCE_ROWS_H

#include "stages/divergence/divergence_point.h"
#include "stages/rows_cpu.h"

SWE_POINT void divergence_row_in(divergence_form form, int order, sbp_region where_j,
                                 const swe_view *view, int j, rows_range vertices,
                                 const real *SWE_RESTRICT inverse_jacobian,
                                 const real *SWE_RESTRICT f1, const real *SWE_RESTRICT f2,
                                 ptrdiff_t up2, real *SWE_RESTRICT out)
{
    ROWS_ALONG(vertices, rows_vertices(order, view->layout.n),
               out[k] = divergence_point(form, order, where, where_j, view, j, i,
                                         inverse_jacobian[k], f1 + k, f2 + k, up2));
}

/* dh; `f1` points at the cell of the first vertex. */
SWE_POINT void divergence_row(divergence_form form, int order, const swe_view *view, int j,
                              rows_range vertices, const real *SWE_RESTRICT inverse_jacobian,
                              const real *SWE_RESTRICT f1, const real *SWE_RESTRICT f2,
                              ptrdiff_t up2, real *SWE_RESTRICT out)
{
    if (rows_is_interior(rows_vertices(order, view->layout.n), j))
        divergence_row_in(form, order, SBP_INTERIOR, view, j, vertices, inverse_jacobian, f1, f2,
                          up2, out);
    else
        divergence_row_in(form, order, SBP_ANYWHERE, view, j, vertices, inverse_jacobian, f1, f2,
                          up2, out);
}

#endif
