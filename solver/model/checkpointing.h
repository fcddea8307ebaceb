/* What of a simulation goes into a checkpoint besides its state, and how one is written. */
#ifndef SWE_MODEL_CHECKPOINTING_H
#define SWE_MODEL_CHECKPOINTING_H

#include <stdio.h>

#include "checkpoint/checkpoints.h"
#include "model/config.h"
#include "model/simulation.h"

enum { SWE_TALLIES = 28 };

/* The numbers of results that must go on from where they were: what changes are relative to, what
 * is the largest so far, what the last row of diagnostics and the last sample of errors said. */
void swe_tallies_of(swe_results *results, swe_checkpoint_number out[SWE_TALLIES]);

/* What a checkpoint is made from; host memory. */
typedef struct swe_checkpoint_source {
    const swe_config *config;
    const swe_model *model;
    const char *configuration, *device;
    const double *state; /* after `step` */
    long step, steps;
    double dt;
    FILE *diagnostics; /* NULL: none */
    /* The last step of a run: the output that is there only because it is the last must not be
     * counted, so that a restart to a later time.end knows nothing of it. */
    bool is_before_output;
    long diagnostics_size; /* of the rows; of the last step before that output [bytes] */
} swe_checkpoint_source;

/* Write a checkpoint; the rows of diagnostics until then are on the disk before it is.
 * Errors: SWE_IO, SWE_NO_MEMORY. */
swe_status swe_checkpointing_write(swe_context *ctx, swe_checkpoints *checkpoints,
                                   const swe_checkpoint_source *source, swe_results *results);

/* The context tells why a state is no good: write the state aside, and tell where it is, too. */
void swe_checkpointing_set_aside(swe_context *ctx, swe_checkpoints *checkpoints,
                                 const swe_checkpoint_source *source, swe_results *results);

#endif
