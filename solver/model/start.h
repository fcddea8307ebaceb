/* Initial state and bottom of a run, from a case or from files. */
#ifndef SWE_MODEL_START_H
#define SWE_MODEL_START_H

#include "cases/case.h"
#include "input/input.h"
#include "model/config.h"

/* Set the bottom of a model from bottom.path, otherwise from the case (NULL: fields of a file), if
 * either has one. `host`, one field of host memory, receives it. Errors: those of swe_input_scalar,
 * SWE_INTERNAL. */
swe_status swe_start_bottom(swe_context *ctx, const swe_config *config, const swe_case *test_case,
                            swe_model *model, double *host);

/* Compute the state at t = 0 into host memory of swe_model_state_size doubles. With the bottom of a
 * file, the case's h is the surface h + b. `note` (NULL: none) receives remarks on the file.
 * Errors: those of swe_input_state; SWE_DATA (file) or SWE_CONFIG (case) if a nonlinear flow has a
 * depth that is not positive. */
swe_status swe_start_state(swe_context *ctx, const swe_config *config, const swe_case *test_case,
                           const swe_model *model, double *host, swe_input_note *note);

/* Set bottom and state of a model to those at t = 0. `host`, swe_model_state_size doubles, receives
 * the state. Errors: those of both functions above. */
swe_status swe_start_model(swe_context *ctx, const swe_config *config, const swe_case *test_case,
                           swe_model *model, double *host);

#endif
