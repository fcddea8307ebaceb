/* Contravariant flux at one point, in two passes over the panel.
 *
 *     cross_k = J g^12 Pcv_k v_k                       at vertices
 *     F_k     = J g^kk v_k + Pvc_k cross_m             m the other direction
 *
 * Pvc and Pcv are adjoint, so the operator v -> F is symmetric in the H norms; with ||Pvc|| = 1 it
 * is positive definite. Fields point at the point (j, i), `up` is their stride along xi2, `metric`
 * is the metric term there. */
#ifndef SWE_STAGES_CONTRAVARIANT_POINT_H
#define SWE_STAGES_CONTRAVARIANT_POINT_H

#include "operators/sbp_point.h"
#include "stages/view.h"

SWE_POINT real contravariant_cross1_point(int order, sbp_region where, const swe_view *view, int i,
                                          real metric12, const real *SWE_RESTRICT v1)
{
    return metric12 * sbp_pcv(order, where, &view->sbp, view->layout.n, i, v1, 1);
}

SWE_POINT real contravariant_cross2_point(int order, sbp_region where, const swe_view *view, int j,
                                          real metric12, const real *SWE_RESTRICT v2, ptrdiff_t up)
{
    return metric12 * sbp_pcv(order, where, &view->sbp, view->layout.n, j, v2, up);
}

SWE_POINT real contravariant_flux1_point(int order, sbp_region where, const swe_view *view, int i,
                                         real metric11, const real *SWE_RESTRICT v1,
                                         const real *SWE_RESTRICT cross2)
{
    return metric11 * *v1 + sbp_pvc(order, where, &view->sbp, view->layout.n, i, cross2, 1);
}

SWE_POINT real contravariant_flux2_point(int order, sbp_region where, const swe_view *view, int j,
                                         real metric22, const real *SWE_RESTRICT v2,
                                         const real *SWE_RESTRICT cross1, ptrdiff_t up)
{
    return metric22 * *v2 + sbp_pvc(order, where, &view->sbp, view->layout.n, j, cross1, up);
}

#endif
