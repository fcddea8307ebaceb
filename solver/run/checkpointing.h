/* Checkpoints of a simulation: the results that they hold besides the state, and how they are
 * written. */
#ifndef SWE_RUN_CHECKPOINTING_H
#define SWE_RUN_CHECKPOINTING_H

#include <stdio.h>

#include "checkpoint/checkpoints.h"
#include "config/config.h"
#include "run/simulation.h"

enum { SWE_TALLIES = 30 };

/* List the results that a restarted run continues: reference values of drifts, maxima so far, and
 * the values of the last row of diagnostics and the last sample of errors. `out` points into
 * `results`. */
void swe_tallies_of(swe_results *results, swe_checkpoint_number out[SWE_TALLIES]);

/* Contents of a checkpoint; owned by the caller. */
typedef struct swe_checkpoint_source {
    const swe_config *config;
    const swe_model *model;
    const char *configuration, *device;
    const swe_panels *state; /* after step number `step` */
    long step, steps;
    double dt;
    FILE *diagnostics; /* NULL: none */
    /* At the last step of a run the checkpoint precedes the output of the end, so that a restart to
     * a later time.end does not contain this output. */
    bool is_before_output;
    long diagnostics_size; /* of diagnostics.csv at the checkpoint [bytes] */
} swe_checkpoint_source;

/* Write a checkpoint, after flushing the rows of diagnostics to disk. Errors: SWE_IO,
 * SWE_NO_MEMORY. */
swe_status swe_checkpointing_write(swe_context *ctx, swe_checkpoints *checkpoints,
                                   const swe_checkpoint_source *source, swe_results *results);

/* Write an unusable state to a separate file for inspection. Append the path of the file, or the
 * reason why it could not be written, to the message of the context. */
void swe_checkpointing_set_aside(swe_context *ctx, swe_checkpoints *checkpoints,
                                 const swe_checkpoint_source *source, swe_results *results);

#endif
