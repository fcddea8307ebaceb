/* What no run goes on with: a state that is not finite; of nonlinear equations a depth that is not
 * positive, and a flow that is too fast for the time step. */
#ifndef SWE_DIAGNOSTICS_LIMITS_H
#define SWE_DIAGNOSTICS_LIMITS_H

#include "diagnostics/integrals.h"

/* Largest Courant number of a nonlinear flow, (|u| + sqrt(g h)) dt / (a D). */
double swe_limits_flow_courant(const swe_model *model, const swe_integrals *integrals, double dt);

/* Whether a model can go on after step number `step` of dt, from its integrals.
 * Errors: SWE_INTERNAL (it cannot; the message names step, panel and point). */
swe_status swe_limits_check(swe_context *ctx, const swe_model *model,
                            const swe_integrals *integrals, double dt, long step);

#endif
