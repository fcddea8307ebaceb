/* A passive tracer at one point: d(J q)/dt + div(F c) = J h (source - decay c), q = h c, with
 * div(F c) = 1/2 [div(F c) + F . grad c + c div F]:
 *
 *   - c = q/h at vertices,
 *   - g_k = F_k Pvc_k c and e_k = F_k Dvc_k c at (c,v) for k = 1, at (v,c) for k = 2,
 *   - dq = -1/(2 J) sum over k of (W_k g_k + Pcv_k e_k + c W_k F_k) at vertices.
 *
 * W is the weak derivative of sbp_weak. The stage `tracer` computes them from the state `at` of a
 * substep and its flux F (contravariant), and writes q of the substep's result (rk4_point.h), whose
 * copies at shared points are projected afterwards. Without decay and source, by the adjoint
 * operators, in the norms:
 *
 *   - h changes by -1/J W_k F_k. As Pvc 1 = 1 and Dvc 1 = 0, c = 1 stays 1 to rounding.
 *   - 1/2 <h c, c> does not change: W g and Pcv e cancel, as do the other terms. With W g alone it
 *     grows without bound at orders 4 and 6 (validation/tracers).
 *   - <q, 1> does not change, to rounding.
 *
 * Beside steep gradients c exceeds its initial range, unless the stage `limiter` limits it.
 *
 * Arrays in the backend's memory: F1, F2 are read; c, g1, g2, e1, e2 are scratch of one field each;
 * y and next begin with h and contain q at number `field` of the prognostic fields. The stage must
 * run before h of the state `at` is overwritten. */
#ifndef SWE_STAGES_TRACER_POINT_H
#define SWE_STAGES_TRACER_POINT_H

#include "stages/divergence/divergence_point.h"
#include "stages/rk4/rk4_point.h"

SWE_POINT real tracer_concentration_point(real h, real q)
{
    return q / h;
}

/* g at cell `place` of a line of stride `s`; c points at vertex `place`. */
SWE_POINT real tracer_flux_point(int order, sbp_region where, const swe_params *params, int place,
                                 real flux, const real *SWE_RESTRICT c, ptrdiff_t s)
{
    return flux * sbp_pvc(order, where, &params->sbp, params->layout.n, place, c, s);
}

/* e likewise, for spacing 1. */
SWE_POINT real tracer_slope_point(int order, sbp_region where, const swe_params *params, int place,
                                  real flux, const real *SWE_RESTRICT c, ptrdiff_t s)
{
    return flux * sbp_dvc(order, where, &params->sbp, params->layout.n, place, c, s);
}

/* The terms of one direction at vertex v of a line of stride `s`; all but c point at it. */
SWE_POINT real tracer_terms_point(int order, sbp_region where, const swe_params *params, int v,
                                  real c, const real *SWE_RESTRICT f, const real *SWE_RESTRICT g,
                                  const real *SWE_RESTRICT e, ptrdiff_t s)
{
    const int n = params->layout.n;
    return sbp_weak(order, where, &params->sbp, n, v, g, s) +
           sbp_pcv(order, where, &params->sbp, n, v, e, s) +
           c * sbp_weak(order, where, &params->sbp, n, v, f, s);
}

/* dq by decay and source. */
SWE_POINT real tracer_growth_point(swe_growth growth, real h, real q)
{
    return growth.source * h - growth.decay * q;
}

/* dq from the terms of both directions. */
SWE_POINT real tracer_tendency_point(const swe_params *params, real inverse_jacobian, real terms1,
                                     real terms2)
{
    return (real)0.5 * divergence_scale(params) * inverse_jacobian * (terms1 + terms2);
}

#endif
