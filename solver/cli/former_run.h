/* The run whose results lie in a folder, beside the one that is to write there. */
#ifndef SWE_CLI_FORMER_RUN_H
#define SWE_CLI_FORMER_RUN_H

#include "cli/cli.h"

typedef struct cli_former_run {
    bool is_known;     /* its configuration.yaml can be read */
    bool is_same_case; /* grid, scheme, physics, initial state and time step */
    bool has_ended;    /* its summary.json is there */
    long steps;        /* that it was to take */
    char differences[600];
} cli_former_run;

/* Read DIR/configuration.yaml and DIR/summary.json. Errors: SWE_NO_MEMORY. */
swe_status cli_former_run_find(swe_context *ctx, const char *directory, const swe_config *config,
                               cli_former_run *out);

#endif
