/* Divergence at one vertex: dh = -H0/J (D_1 F1 + D_2 F2).
 *
 * D is Dcv, and the SAT then couples the panel edges; or D is the weak derivative of the fused
 * pipeline. The average of the weak derivative over the copies of a shared point needs no SAT:
 * fluxes between two panels cancel. Fluxes point at the vertex (j, i), `up2` is the stride of F2
 * along xi2; where_i and where_j are the vertex's regions along the two directions. */
#ifndef SWE_STAGES_DIVERGENCE_POINT_H
#define SWE_STAGES_DIVERGENCE_POINT_H

#include "operators/sbp_point.h"
#include "stages/params.h"

typedef enum divergence_form { DIVERGENCE_STRONG, DIVERGENCE_WEAK } divergence_form;

SWE_POINT real divergence_along(divergence_form form, int order, sbp_region where,
                                const swe_params *params, int v, const real *SWE_RESTRICT f,
                                ptrdiff_t s)
{
    return form == DIVERGENCE_WEAK ? sbp_weak(order, where, &params->sbp, params->layout.n, v, f, s)
                                   : sbp_dcv(order, where, &params->sbp, params->layout.n, v, f, s);
}

/* The factor of D_1 F1 + D_2 F2 with unit spacing, times 1/J. */
SWE_POINT real divergence_scale(const swe_params *params)
{
    return -params->depth * params->inverse_spacing;
}

SWE_POINT real divergence_point(divergence_form form, int order, sbp_region where_i,
                                sbp_region where_j, const swe_params *params, int j, int i,
                                real inverse_jacobian, const real *SWE_RESTRICT f1,
                                const real *SWE_RESTRICT f2, ptrdiff_t up2)
{
    return divergence_scale(params) * inverse_jacobian *
           (divergence_along(form, order, where_i, params, i, f1, 1) +
            divergence_along(form, order, where_j, params, j, f2, up2));
}

#endif
