/* Checkpoints of a simulation: the results that they hold besides the state, and how they are
 * written. */
#ifndef SWE_RUN_CHECKPOINTING_H
#define SWE_RUN_CHECKPOINTING_H

#include <stdio.h>

#include "files/checkpoint/checkpoints.h"
#include "run/simulation.h"

enum { SWE_TALLIES = 30 };

/* List the results that a restarted run continues: reference values of drifts, maxima so far, and
 * the values of the last row of diagnostics and the last sample of errors. `out` points into
 * `results`. */
void swe_tallies_of(swe_results *results, swe_checkpoint_number out[SWE_TALLIES]);

/* Write a checkpoint with the numbers of `results`, after flushing the rows of diagnostics (NULL:
 * none) to disk; checkpoint.diagnostics_size bytes of them precede it. Errors: SWE_IO,
 * SWE_NO_MEMORY. */
swe_status swe_checkpointing_write(swe_context *ctx, swe_checkpoints *checkpoints,
                                   swe_checkpoint checkpoint, FILE *rows, swe_results *results);

/* Write an unusable state to a separate file for inspection. Append the path of the file, or the
 * reason why it could not be written, to the message of the context. */
void swe_checkpointing_set_aside(swe_context *ctx, swe_checkpoints *checkpoints,
                                 swe_checkpoint checkpoint, swe_results *results);

#endif
