/* A prescribed flow at one value: its flux F_k = sum over m of a_m U_km at the time of a
 * substep's state, and v_k = sum over m of a_m V_km. a_m are the factors of that time
 * (base/physics.h); V_m and U_m, the velocity and H0 times the volume flux of term m, are states of
 * params->wind. h stays: the substep's result has the h of its state.
 *
 * The state of the last substep has the time of its result: y gets the velocity of that time. */
#ifndef SWE_STAGES_WIND_POINT_H
#define SWE_STAGES_WIND_POINT_H

#include "stages/params.h"

/* The sum of the velocities, or of the fluxes, at element `at` of a state; 1 or SWE_WIND_TERMS
 * terms. */
SWE_POINT real wind_sum(int terms, const swe_params *params, const swe_wind_factors *factors,
                        bool of_fluxes, ptrdiff_t at)
{
    const ptrdiff_t state = 3 * params->layout.field;
    const real *wind = params->wind + (of_fluxes ? state : 0) + at;
    const real first = factors->of[0] * wind[0];
    return terms == 1 ? first
                      : first + factors->of[1] * wind[2 * state] +
                            factors->of[2] * wind[4 * state] + factors->of[3] * wind[6 * state];
}

#endif
