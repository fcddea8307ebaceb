/* The rows of diagnostics.csv that a restart goes on after. */
#ifndef SWE_CLI_ROWS_H
#define SWE_CLI_ROWS_H

#include <stdbool.h>

#include "checkpoint/checkpoint_file.h"

/* Whether the file holds the rows from before a checkpoint: as many bytes, which end a row of no
 * later step; a row that follows is of a later step. */
bool cli_rows_reach(const char *path, const swe_checkpoint_head *head);

#endif
