/* Contravariant flux at one point, in two passes over the panel.
 *
 *     cross_k = J g^12 Pcv_k v_k                       at vertices
 *     F_k     = J g^kk v_k + Pvc_k cross_m             m the other direction
 *
 * Pvc and Pcv are adjoint, so the operator v -> F is symmetric in the H norms; with ||Pvc|| = 1 it
 * is positive definite. Pointers are at the panel's first value. */
#ifndef SWE_STAGES_CONTRAVARIANT_POINT_H
#define SWE_STAGES_CONTRAVARIANT_POINT_H

#include "operators/sbp_point.h"
#include "stages/view.h"

SWE_POINT double contravariant_cross1_point(int order, sbp_region where, const swe_view *view,
                                            const double *SWE_RESTRICT v1, int j, int i)
{
    const ptrdiff_t row = j * view->layout.pitch;
    return view->metric12[row + i] *
           sbp_pcv(order, where, &view->sbp, view->layout.n, i, v1 + row, 1);
}

SWE_POINT double contravariant_cross2_point(int order, sbp_region where, const swe_view *view,
                                            const double *SWE_RESTRICT v2, int j, int i)
{
    const ptrdiff_t pitch = view->layout.pitch;
    return view->metric12[j * pitch + i] *
           sbp_pcv(order, where, &view->sbp, view->layout.n, j, v2 + i, pitch);
}

SWE_POINT double contravariant_flux1_point(int order, sbp_region where, const swe_view *view,
                                           const double *SWE_RESTRICT v1,
                                           const double *SWE_RESTRICT cross2, int j, int i)
{
    const ptrdiff_t row = j * view->layout.pitch;
    return view->metric11[row + i] * v1[row + i] +
           sbp_pvc(order, where, &view->sbp, view->layout.n, i, cross2 + row, 1);
}

SWE_POINT double contravariant_flux2_point(int order, sbp_region where, const swe_view *view,
                                           const double *SWE_RESTRICT v2,
                                           const double *SWE_RESTRICT cross1, int j, int i)
{
    const ptrdiff_t pitch = view->layout.pitch;
    const ptrdiff_t at = j * pitch + i;
    return view->metric22[at] * v2[at] +
           sbp_pvc(order, where, &view->sbp, view->layout.n, j, cross1 + i, pitch);
}

#endif
