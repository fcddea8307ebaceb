/* Divergence at one vertex: dh = -H0/J (Dcv_1 F1 + Dcv_2 F2). Pointers are at the panel's first
 * value; where_i and where_j are the vertex's regions along the two directions. */
#ifndef SWE_STAGES_DIVERGENCE_POINT_H
#define SWE_STAGES_DIVERGENCE_POINT_H

#include "operators/sbp_point.h"
#include "stages/view.h"

SWE_POINT double divergence_point(int order, sbp_region where_i, sbp_region where_j,
                                  const swe_view *view, const double *SWE_RESTRICT f1,
                                  const double *SWE_RESTRICT f2, int j, int i)
{
    const int n = view->layout.n;
    const ptrdiff_t pitch = view->layout.pitch;
    const double along1 = sbp_dcv(order, where_i, &view->sbp, n, i, f1 + j * pitch, 1);
    const double along2 = sbp_dcv(order, where_j, &view->sbp, n, j, f2 + i, pitch);
    return -view->depth * view->inverse_spacing * view->inverse_jacobian[j * pitch + i] *
           (along1 + along2);
}

#endif
