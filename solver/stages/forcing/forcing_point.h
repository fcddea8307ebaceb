/* Forcing by fields at one value: terms that a substep adds to the result of its other
 * stages, with the weight of the tendency (rk4/rk4_point.h).
 *
 *     dh   = S + (h* - h)/T
 *     dv_k = tau_k/(rho d) + A_k - r m_k v_k - c |u|_k v_k/h_k
 *
 * h_k is Pvc_k h, d too, or H0 of linear equations; |u|_k^2 = 2 Pvc_k K.
 * S is params->source, tau_k its values at v_k, h* params->target, 1/T physics.relaxation, A_k
 * params->stirring, r physics.drag_of_field, m_k the mean of params->drag at
 * both vertices beside v_k, between 0 and 1: interpolated values of a mask may exceed them; c
 * physics.drag_coefficient. Where S, tau_k and h* have records in time, `odd` is the weight of the
 * odd one. Terms are functions of values that agree at the copies of a shared point, and so do
 * results.
 *
 * A term of dv_k that needs no field is in velocity_point.h: it costs no pass over the state. */
#ifndef SWE_STAGES_FORCING_POINT_H
#define SWE_STAGES_FORCING_POINT_H

#include "operators/sbp_point.h"
#include "stages/params.h"

/* The mean of two records at element `at`; odd_record NULL: `record`. */
SWE_POINT real forcing_mean(const real *record, const real *odd_record, real odd, ptrdiff_t at)
{
    return odd_record == NULL ? record[at] : (1 - odd) * record[at] + odd * odd_record[at];
}

/* dh at element `at` of a field, where h is `h`. */
SWE_POINT real forcing_h(const swe_params *params, real odd, ptrdiff_t at, real h)
{
    const real source =
        params->source == NULL ? 0 : forcing_mean(params->source, params->odd_source, odd, at);
    return params->target == NULL
               ? source
               : source + (real)params->physics.relaxation *
                              (forcing_mean(params->target, params->odd_target, odd, at) - h);
}

SWE_POINT bool forcing_has_v(const swe_params *params)
{
    return params->source != NULL || params->stirring != NULL || params->drag != NULL ||
           !((real)params->physics.drag_coefficient == 0);
}

/* tau_k/(rho d) at element `at`; h points at vertex c of the line. */
SWE_POINT real forcing_stress(swe_equations equations, int order, sbp_region where,
                              const swe_params *params, real odd, ptrdiff_t at, int c,
                              const real *SWE_RESTRICT h, ptrdiff_t s)
{
    if (params->source == NULL)
        return 0;
    const real depth = equations == SWE_LINEAR
                           ? params->depth
                           : sbp_pvc(order, where, &params->sbp, params->layout.n, c, h, s);
    return forcing_mean(params->source, params->odd_source, odd, at) /
           ((real)params->physics.density * depth);
}

/* The factor of the drag between a vertex and the next of its line. */
SWE_POINT real forcing_factor(const real *SWE_RESTRICT drag, ptrdiff_t s)
{
    const real mean = (real)0.5 * (drag[0] + drag[s]);
    return mean < 0 ? 0 : mean > 1 ? 1 : mean;
}

/* |u|/h at cell c of a line of stride `s`; `kinetic`, K/g, and h point at vertex c. */
SWE_POINT real forcing_drag_rate(int order, sbp_region where, const swe_params *params, int c,
                                 const real *SWE_RESTRICT kinetic, const real *SWE_RESTRICT h,
                                 ptrdiff_t s)
{
    const int n = params->layout.n;
    const real square = 2 * params->gravity * sbp_pvc(order, where, &params->sbp, n, c, kinetic, s);
    return real_sqrt(square > 0 ? square : (real)0) /
           sbp_pvc(order, where, &params->sbp, n, c, h, s);
}

/* dv_k at cell c of a line of stride `s`, whose vertex c is element `at` of a field; `state` points
 * at h there; `kinetic` is K/g of all vertices, which quadratic drag reads. */
SWE_POINT real forcing_v(swe_equations equations, int order, sbp_region where,
                         const swe_params *params, real odd, int k, ptrdiff_t at, int c,
                         const real *SWE_RESTRICT kinetic, const real *SWE_RESTRICT state,
                         ptrdiff_t s)
{
    const ptrdiff_t v = k * params->layout.field;
    const real stress = forcing_stress(equations, order, where, params, odd, at + v, c, state, s);
    real dv = params->stirring == NULL ? stress : stress + params->stirring[at + v];
    if (params->drag != NULL)
        dv -= (real)params->physics.drag_of_field * forcing_factor(params->drag + at, s) * state[v];
    const real coefficient = (real)params->physics.drag_coefficient;
    return coefficient == 0
               ? dv
               : dv - coefficient *
                          forcing_drag_rate(order, where, params, c, kinetic + at, state, s) *
                          state[v];
}

#endif
