/* The start of a run: from a case, or from files. */
#ifndef SWE_MODEL_START_H
#define SWE_MODEL_START_H

#include "cases/case.h"
#include "input/input.h"
#include "model/config.h"

/* Set the bottom of a model to the one of bottom.path, otherwise to that of the case (NULL: fields
 * of a file), if there is one; it is left in `host`, a field. Errors: those of swe_input_bottom,
 * SWE_INTERNAL. */
swe_status swe_start_bottom(swe_context *ctx, const swe_config *config, const swe_case *test_case,
                            swe_model *model, double *host);

/* The state at t = 0 in host memory of swe_model_state_size doubles. A case over the bottom of a
 * file keeps its surface: its h is the height of that. `note` may be NULL. Errors: those of
 * swe_input_state; the depth of nonlinear flow is not positive somewhere: SWE_DATA (from a file),
 * SWE_CONFIG (from a formula). */
swe_status swe_start_state(swe_context *ctx, const swe_config *config, const swe_case *test_case,
                           const swe_model *model, double *host, swe_input_note *note);

/* Set bottom and state of a model to those at t = 0. `host` is room for swe_model_state_size
 * doubles; the state is left there. Errors: as above. */
swe_status swe_start_model(swe_context *ctx, const swe_config *config, const swe_case *test_case,
                           swe_model *model, double *host);

#endif
