/* Stirring (forcing.stirring): random accelerations of v without divergence. They stay for an
 * interval of time, and accelerations of different intervals are independent.
 *
 *     F = r x grad psi,  psi = sum over m of A_m P_l(r . p_m),  r the unit vector upward
 *
 * P_l is the Legendre polynomial of a random degree l between the least and the greatest, p_m a
 * random point of the sphere, A_m normally distributed. Random numbers follow from the seed and the
 * number of the interval, so F has the same bits on any number of ranks and after any restart.
 *
 * The mean of F^2 is 2 rate/interval. Where other terms change v little within an interval, the
 * flow receives on average the energy `rate` for each mass and time. */
#ifndef SWE_RUN_STIRRING_H
#define SWE_RUN_STIRRING_H

#include "config/config.h"
#include "state/model.h"

/* Set the accelerations of an interval, counted from 0 at t = 0. Errors: SWE_NO_MEMORY,
 * SWE_INTERNAL. */
swe_status swe_stir(swe_context *ctx, const swe_config *config, swe_model *model, long interval);

#endif
