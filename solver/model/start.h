/* The start of a run from a case. */
#ifndef SWE_MODEL_START_H
#define SWE_MODEL_START_H

#include "cases/case.h"
#include "state/model.h"

/* Set the bottom of a model to that of a case, if it has one; `host` is room for a field.
 * Errors: SWE_INTERNAL. */
swe_status swe_start_bottom(swe_context *ctx, const swe_case *test_case, swe_model *model,
                            double *host);

/* The state of a case at t = 0 in host memory of swe_model_state_size doubles. */
void swe_start_state(const swe_case *test_case, const swe_model *model, double *host);

/* Set bottom and state of a model to those of a case at t = 0. `host` is room for
 * swe_model_state_size doubles; the state is left there. Errors: SWE_INTERNAL. */
swe_status swe_start_from_case(swe_context *ctx, const swe_case *test_case, swe_model *model,
                               double *host);

#endif
