/* Contravariant flux at one point, in two passes over the panel:
 *
 *                    linear                            nonlinear
 *     cross_k        J g^12 Pcv_k v_k                  h J g^12 Pcv_k v_k              at vertices
 *     F_k            J g^kk v_k + Pvc_k cross_m        (Pvc_k h) J g^kk v_k + Pvc_k cross_m
 *
 * m is the other direction. Pvc and Pcv are adjoint, so the operator v -> F is symmetric in the H
 * norms. As ||Pvc|| = 1 it is positive definite. With h it is the derivative of the kinetic energy.
 * Fields point at the point (j, i), `up` is the stride of v along xi2, `metric` the metric term
 * there. */
#ifndef SWE_STAGES_CONTRAVARIANT_POINT_H
#define SWE_STAGES_CONTRAVARIANT_POINT_H

#include "operators/sbp_point.h"
#include "stages/params.h"

/* The cross term from the mean Pcv_k v_k at a vertex. */
SWE_POINT real contravariant_cross(swe_equations equations, real metric12,
                                   const real *SWE_RESTRICT h, real mean)
{
    return equations == SWE_LINEAR ? metric12 * mean : *h * metric12 * mean;
}

SWE_POINT real contravariant_cross1_point(swe_equations equations, int order, sbp_region where,
                                          const swe_params *params, int i, real metric12,
                                          const real *SWE_RESTRICT h, const real *SWE_RESTRICT v1)
{
    return contravariant_cross(equations, metric12, h,
                               sbp_pcv(order, where, &params->sbp, params->layout.n, i, v1, 1));
}

SWE_POINT real contravariant_cross2_point(swe_equations equations, int order, sbp_region where,
                                          const swe_params *params, int j, real metric12,
                                          const real *SWE_RESTRICT h, const real *SWE_RESTRICT v2,
                                          ptrdiff_t up)
{
    return contravariant_cross(equations, metric12, h,
                               sbp_pcv(order, where, &params->sbp, params->layout.n, j, v2, up));
}

/* The flux at cell c of a line of stride `s`, `s_cross` for cross terms; h and cross point at
 * vertex c. */
SWE_POINT real contravariant_flux(swe_equations equations, int order, sbp_region where,
                                  const swe_params *params, int c, real metric,
                                  const real *SWE_RESTRICT h, const real *SWE_RESTRICT v,
                                  ptrdiff_t s, const real *SWE_RESTRICT cross, ptrdiff_t s_cross)
{
    const int n = params->layout.n;
    const real across = sbp_pvc(order, where, &params->sbp, n, c, cross, s_cross);
    if (equations == SWE_LINEAR)
        return metric * *v + across;
    return sbp_pvc(order, where, &params->sbp, n, c, h, s) * metric * *v + across;
}

SWE_POINT real contravariant_flux1_point(swe_equations equations, int order, sbp_region where,
                                         const swe_params *params, int i, real metric11,
                                         const real *SWE_RESTRICT h, const real *SWE_RESTRICT v1,
                                         const real *SWE_RESTRICT cross2)
{
    return contravariant_flux(equations, order, where, params, i, metric11, h, v1, 1, cross2, 1);
}

/* `up_cross` is the stride of cross1 along xi2. */
SWE_POINT real contravariant_flux2_point(swe_equations equations, int order, sbp_region where,
                                         const swe_params *params, int j, real metric22,
                                         const real *SWE_RESTRICT h, const real *SWE_RESTRICT v2,
                                         ptrdiff_t up, const real *SWE_RESTRICT cross1,
                                         ptrdiff_t up_cross)
{
    return contravariant_flux(equations, order, where, params, j, metric22, h, v2, up, cross1,
                              up_cross);
}

#endif
