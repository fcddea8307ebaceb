/* Fields of a file at the start of a run: the root reads them, all ranks interpolate. */
#ifndef SWE_RUN_START_FILE_H
#define SWE_RUN_START_FILE_H

#include "files/input/input.h"
#include "state/host_fields.h"

/* Read h and the velocity into a state of the model. Errors: as in swe_input_state. */
swe_status swe_start_state_of_file(swe_context *ctx, const swe_input_file *file, swe_model *model,
                                   const swe_host_fields *state, swe_input_note *note);

/* Read a quantity into field number k. Errors: as in swe_input_scalar. */
swe_status swe_start_scalar_of_file(swe_context *ctx, const swe_input_file *file,
                                    const swe_quantity *quantity, swe_model *model,
                                    const swe_host_fields *fields, int k);

/* Read the components of a vector into the fields v1 and v2. Errors: as in swe_input_vector. */
swe_status swe_start_vector_of_file(swe_context *ctx, const swe_input_file *file,
                                    const swe_quantity *quantity, swe_model *model,
                                    const swe_host_fields *fields);

#endif
