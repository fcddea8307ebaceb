/* The run whose results a folder holds already, compared with the run that is about to write there.
 */
#ifndef SWE_CLI_EARLIER_RUN_H
#define SWE_CLI_EARLIER_RUN_H

#include <stdbool.h>

#include "checkpoint/checkpoint_file.h"
#include "model/config.h"

typedef struct cli_earlier_run {
    bool is_known;     /* its configuration.yaml can be read */
    bool is_same_case; /* same grid, scheme, physics, initial state and time step */
    bool has_ended;    /* its summary.json is complete */
    long steps;        /* of its schedule */
    char differences[600];
} cli_earlier_run;

/* Read DIR/configuration.yaml and DIR/summary.json. Errors: SWE_NO_MEMORY. */
swe_status cli_earlier_run_find(swe_context *ctx, const char *directory, const swe_config *config,
                                cli_earlier_run *out);

/* Whether diagnostics.csv holds the rows from before a checkpoint: head->diagnostics_size bytes
 * that end with a row of no later step. A row after them must be of a later step. */
bool cli_rows_reach(const char *path, const swe_checkpoint_head *head);

#endif
