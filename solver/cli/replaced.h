/* Results that a command replaces. They are moved aside, into the folder .replaced beside them,
 * until the new results have begun. A command that fails before that puts them back; if it is
 * killed, the next command in the folder does. So nothing is lost by a command that does not begin.
 *
 * The folder of results decides for those of checkpoints and profiles: its .replaced is made first
 * and renamed first. All functions but recover are called under the locks of the folders. */
#ifndef SWE_CLI_REPLACED_H
#define SWE_CLI_REPLACED_H

#include <stdbool.h>

#include "base/folder_lock.h"
#include "model/config.h"

typedef struct cli_replaced {
    const char *results, *checkpoints, *profiles; /* folders; NULL: none of that kind is replaced */
    const swe_config *config;
    swe_folder_lock *lock; /* of the results; restoring them gives it its former run */
} cli_replaced;

/* Put back, or remove, what a command that was killed left aside. A folder that a live program has
 * locked is left to it. */
void cli_replaced_recover(const cli_replaced *where);

/* Move all results, checkpoints and profiles aside; where there are none, nothing is made. Errors:
 * SWE_CANNOT_CREATE, SWE_IO, SWE_NO_MEMORY; cli_replaced_restore puts back what was moved. */
swe_status cli_replaced_all(swe_context *ctx, const cli_replaced *where);

/* Likewise the results that a restart changes in its own folder: those of a run that ended,
 * configuration.yaml unless it has this text, and diagnostics.csv, of which the first `size` bytes
 * stay in place. Errors: as above, SWE_DATA (it has fewer bytes). */
swe_status cli_replaced_ends(swe_context *ctx, const cli_replaced *where, const char *configuration,
                             long size);

/* Put everything back, in place of new results. Of a restart the longer diagnostics.csv stays: both
 * begin with the same rows. */
void cli_replaced_restore(const cli_replaced *where);

/* The new results have begun: they are those of `run`, and what is aside goes. Errors: SWE_IO; then
 * nothing is removed. */
swe_status cli_replaced_drop(swe_context *ctx, const cli_replaced *where, const char *run);

#endif
