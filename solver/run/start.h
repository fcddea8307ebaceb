/* Initial state and bottom of a run, from a case or from files. */
#ifndef SWE_RUN_START_H
#define SWE_RUN_START_H

#include "cases/case.h"
#include "files/input/input.h"
#include "config/field_groups.h"
#include "state/host_fields.h"

/* Everything that initial values depend on. */
struct swe_start {
    const swe_config *config;
    const swe_case *test_case; /* NULL: a file has the flow's fields */
    swe_model *model;
    const swe_host_fields *bottom; /* its field number 0; NULL: flat */
    swe_input_note *note;          /* remarks on the flow's file */
};

/* Set the bottom of a model from bottom.path, otherwise from the case (NULL: fields of a file), if
 * either has a bottom. `*bottom` then has the field of the bottom, and the caller destroys it;
 * otherwise `*bottom` is NULL. Errors: as in swe_input_scalar, SWE_INTERNAL. */
swe_status swe_start_bottom(swe_context *ctx, const swe_config *config, const swe_case *test_case,
                            swe_model *model, swe_host_fields **bottom);

/* Compute the state at t = 0 over a bottom (NULL: flat) into `state`, which is 0. With the bottom
 * of a file, the case's h is the surface h + b. `note` (NULL: none) receives remarks on the file.
 * Errors: as in swe_input_state; SWE_DATA (file) or SWE_CONFIG (case) if a nonlinear flow has a
 * depth that is not positive. */
swe_status swe_start_state(swe_context *ctx, const swe_config *config, const swe_case *test_case,
                           swe_model *model, const swe_host_fields *bottom,
                           const swe_host_fields *state, swe_input_note *note);

/* Set bottom, forcing and state of a model to their values at t = 0. Errors: as in the
 * functions above and in swe_forcing_start. */
swe_status swe_start_model(swe_context *ctx, const swe_config *config, const swe_case *test_case,
                           swe_model *model);

#endif
