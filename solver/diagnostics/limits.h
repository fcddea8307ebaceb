/* What no run goes on with: a state that is not finite; of nonlinear equations a depth that is not
 * positive, and a flow that is too fast for the time step. */
#ifndef SWE_DIAGNOSTICS_LIMITS_H
#define SWE_DIAGNOSTICS_LIMITS_H

#include "diagnostics/budgets.h"

/* Largest Courant number of a nonlinear flow, (|u| + sqrt(g h)) dt / (a D). */
double swe_limits_flow_courant(const swe_model *model, const swe_budgets *budgets, double dt);

/* Whether a model can go on after step number `step` of dt, from its budgets.
 * Errors: SWE_INTERNAL (it cannot; the message names step, panel and point). */
swe_status swe_limits_check(swe_context *ctx, const swe_model *model, const swe_budgets *budgets,
                            double dt, long step);

#endif
