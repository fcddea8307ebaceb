/* A prescribed flow at one value: its flux F_k = H0 sum over m of a_m U_km at the time of a
 * substep's state, and v_k = sum over m of a_m V_km. a_m are the factors of that time
 * (base/physics.h); V_m and U_m, the velocity and the volume flux of term m, are states of
 * params->wind. h stays: the substep's result has the h of its state.
 *
 * The state of the last substep has the time of its result: y gets the velocity of that time. */
#ifndef SWE_STAGES_WIND_POINT_H
#define SWE_STAGES_WIND_POINT_H

#include "stages/params.h"

/* The sum of the velocities, or of the fluxes, at element `at` of a state. */
SWE_POINT real wind_sum(const swe_params *params, const swe_wind_factors *factors, bool of_fluxes,
                        ptrdiff_t at)
{
    const ptrdiff_t state = 3 * params->layout.field;
    const real *wind = params->wind + (of_fluxes ? state : 0) + at;
    real sum = factors->of[0] * wind[0];
    for (int m = 1; m < params->physics.wind.terms; m++)
        sum += factors->of[m] * wind[2 * m * state];
    return sum;
}

SWE_POINT real wind_flux(const swe_params *params, const swe_wind_factors *factors, ptrdiff_t at)
{
    return (real)params->physics.depth * wind_sum(params, factors, true, at);
}

#endif
