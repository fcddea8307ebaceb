/* Gradient at one point: dv_k = -g Dvc_k h. `h` points at the vertex (j, i), `up` is the stride
 * along xi2. */
#ifndef SWE_STAGES_GRADIENT_POINT_H
#define SWE_STAGES_GRADIENT_POINT_H

#include "operators/sbp_point.h"
#include "stages/params.h"

/* The factor of Dvc_k h with unit spacing. */
SWE_POINT real gradient_scale(const swe_params *params)
{
    return -params->gravity * params->inverse_spacing;
}

/* At (c,v): cell i along xi1, in a row of vertices. */
SWE_POINT real gradient_point1(int order, sbp_region where, const swe_params *params, int i,
                               const real *SWE_RESTRICT h)
{
    return gradient_scale(params) * sbp_dvc(order, where, &params->sbp, params->layout.n, i, h, 1);
}

/* At (v,c): a vertex along xi1, in row j of cells. */
SWE_POINT real gradient_point2(int order, sbp_region where, const swe_params *params, int j,
                               const real *SWE_RESTRICT h, ptrdiff_t up)
{
    return gradient_scale(params) * sbp_dvc(order, where, &params->sbp, params->layout.n, j, h, up);
}

#endif
