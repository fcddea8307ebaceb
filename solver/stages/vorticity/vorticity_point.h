/* Relative vorticity at vertices, in three passes over the panel:
 *
 *     mean_k  = Pcv_k v_k                                   at vertices
 *     shear_1 = Dvc_1 mean_2,  shear_2 = Dvc_2 mean_1       at (c,v) and (v,c)
 *     zeta    = (Pcv_1 shear_1 - Pcv_2 shear_2) / J         at vertices
 *
 * Operators along different directions commute. So zeta is Pcv_1 Pcv_2 (Dvc_1 v2 - Dvc_2 v1), the
 * vorticity of cells averaged to vertices, and its sum is the circulation. The copies of a shared
 * point differ until they are projected. Fields point at the point (j, i), `up` is their stride
 * along xi2. */
#ifndef SWE_STAGES_VORTICITY_POINT_H
#define SWE_STAGES_VORTICITY_POINT_H

#include "operators/sbp_point.h"
#include "stages/params.h"

/* With unit spacing. */
SWE_POINT real vorticity_shear1_point(int order, sbp_region where, const swe_params *params, int i,
                                      const real *SWE_RESTRICT mean2)
{
    return sbp_dvc(order, where, &params->sbp, params->layout.n, i, mean2, 1);
}

SWE_POINT real vorticity_shear2_point(int order, sbp_region where, const swe_params *params, int j,
                                      const real *SWE_RESTRICT mean1, ptrdiff_t up)
{
    return sbp_dvc(order, where, &params->sbp, params->layout.n, j, mean1, up);
}

SWE_POINT real vorticity_point(int order, sbp_region where_i, sbp_region where_j,
                               const swe_params *params, int j, int i, real inverse_jacobian,
                               const real *SWE_RESTRICT shear1, const real *SWE_RESTRICT shear2,
                               ptrdiff_t up2)
{
    const int n = params->layout.n;
    return params->inverse_spacing * inverse_jacobian *
           (sbp_pcv(order, where_i, &params->sbp, n, i, shear1, 1) -
            sbp_pcv(order, where_j, &params->sbp, n, j, shear2, up2));
}

#endif
