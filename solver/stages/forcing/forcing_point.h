/* Forcing by fields at one value: terms that a substep adds to the result of its other
 * stages, with the weight of the tendency (rk4/rk4_point.h).
 *
 *     dh   = S + (h* - h)/T
 *     dv_k = tau_k/(rho d) + A_k  d: Pvc_k h; linear equations H0
 *
 * S is params->source, tau_k its values at v_k, h* params->target, 1/T physics.relaxation, A_k
 * params->stirring. Where S, tau_k and h* have records in time, `odd` is the weight of the odd one.
 * Terms are functions of values that agree at the copies of a shared point, and so do results.
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
    return params->source != NULL || params->stirring != NULL;
}

/* dv_k at element `at` of field v_k, cell c of a line of stride `s`; h points at its vertex c. */
SWE_POINT real forcing_v(swe_equations equations, int order, sbp_region where,
                         const swe_params *params, real odd, ptrdiff_t at, int c,
                         const real *SWE_RESTRICT h, ptrdiff_t s)
{
    const real *stirring = params->stirring;
    if (params->source == NULL)
        return stirring[at];
    const real depth = equations == SWE_LINEAR
                           ? params->depth
                           : sbp_pvc(order, where, &params->sbp, params->layout.n, c, h, s);
    const real stress = forcing_mean(params->source, params->odd_source, odd, at) /
                        ((real)params->physics.density * depth);
    return stirring == NULL ? stress : stress + stirring[at];
}

#endif
