/* Second sweep of the fused pipeline of rotational flows (transport_point.h), at one point: dv_k =
 * Pvc_k W_k - g Dvc_k head. Fields point at the vertex (j, i), `up` is the stride along xi2. */
#ifndef SWE_SWEEPS_MOMENTUM_POINT_H
#define SWE_SWEEPS_MOMENTUM_POINT_H

#include "stages/coriolis/coriolis_point.h"
#include "stages/gradient/gradient_point.h"

SWE_POINT real momentum_point1(int order, sbp_region where, const swe_params *params, int i,
                               const real *SWE_RESTRICT head, const real *SWE_RESTRICT pv_flux1)
{
    return gradient_point1(order, where, params, i, head) +
           coriolis_point1(order, where, params, i, pv_flux1);
}

SWE_POINT real momentum_point2(int order, sbp_region where, const swe_params *params, int j,
                               const real *SWE_RESTRICT head, const real *SWE_RESTRICT pv_flux2,
                               ptrdiff_t up)
{
    return gradient_point2(order, where, params, j, head, up) +
           coriolis_point2(order, where, params, j, pv_flux2, up);
}

#endif
