/* Earlier results, kept in FOLDER/.replaced until new results have begun.
 *
 * A command that replaces results moves them to .replaced first. If it fails before its new results
 * have begun, it moves them back; if it is killed, the next command in the folder does. A command
 * that never begins therefore loses nothing. Once new results have begun, .replaced is renamed to
 * .replaced.dropped and removed.
 *
 * The folder of results decides for the folders of checkpoints and profiles: its .replaced is
 * created first and renamed first. All functions but recover need the locks of the folders. */
#ifndef SWE_CLI_KEPT_RESULTS_H
#define SWE_CLI_KEPT_RESULTS_H

#include <stdbool.h>

#include "base/folder_lock.h"
#include "config/config.h"

typedef struct cli_kept_results {
    const char *results, *checkpoints, *profiles; /* folders; NULL: none of that kind is replaced */
    const swe_config *config;
    swe_folder_lock *lock; /* of the results; restoring them restores its run identity */
    bool is_replacing;     /* earlier results may have been moved, and new ones have not begun */
} cli_kept_results;

/* Restore or remove what a killed command left in .replaced. Folders that a running program has
 * locked are left alone. */
void cli_kept_recover(const cli_kept_results *kept);

/* Move all results, checkpoints and profiles; without any, nothing is created. After an error
 * cli_kept_restore undoes the moves. Errors: SWE_CANNOT_CREATE, SWE_IO, SWE_NO_MEMORY. */
swe_status cli_kept_move_all(swe_context *ctx, cli_kept_results *kept);

/* Move the results that a restart changes in its own folder: summary, report, checkpoints,
 * configuration.yaml unless it has this text, and diagnostics.csv, of which the first `size` bytes
 * are copied back. Errors: as above, SWE_DATA (diagnostics.csv has fewer bytes). */
swe_status cli_kept_move_restarted(swe_context *ctx, cli_kept_results *kept,
                                   const char *configuration, long size);

/* Move everything back over new results, unless they have begun. After a restart the longer
 * diagnostics.csv stays: both begin with the same rows. */
void cli_kept_restore(const cli_kept_results *kept);

/* New results have begun: sign the folder with `run` and remove the kept results, once.
 * Errors: SWE_IO; then nothing is removed. */
swe_status cli_kept_discard(swe_context *ctx, cli_kept_results *kept, const char *run);

#endif
