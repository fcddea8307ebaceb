/* A finished convergence study, and the files that tell of it. */
#ifndef SWE_CLI_CONVERGENCE_H
#define SWE_CLI_CONVERGENCE_H

#include "cli/cli.h"

enum { CLI_MOST_ROWS = CLI_MOST_LIST * CLI_MOST_LIST };

/* One row an order and resolution, sorted by order, then n. */
typedef struct cli_convergence {
    char case_name[256], backend[16], device[256];
    int threads;         /* most that a row used */
    char *configuration; /* of the first row, resolved */
    swe_results rows[CLI_MOST_ROWS];
    int count;
} cli_convergence;

/* Write convergence.json, .csv, .md and .svg to a directory.
 * Errors: SWE_NO_MEMORY, SWE_CANNOT_CREATE, SWE_IO. */
swe_status cli_convergence_write(swe_context *ctx, const cli_convergence *study,
                                 const char *directory);

/* The table of the study, as in convergence.md. */
void cli_convergence_print(const cli_convergence *study, FILE *file);

#endif
