/* Folders that a command writes: results, and profiles within them or elsewhere.
 *
 * Each folder has a lock, run.lock, that keeps a second program out. A command checks the folders
 * before it creates anything, then locks them, then moves earlier results away (kept_results.h). */
#ifndef SWE_CLI_FOLDERS_H
#define SWE_CLI_FOLDERS_H

#include "base/file.h"
#include "base/folder_lock.h"
#include "cli/cli.h"
#include "cli/progress.h"

/* ---- folder of results ----------------------------------------------------------------------- */

/* Whether new results can be written to a folder; changes nothing. Errors: SWE_CANNOT_CREATE (not
 * writable; holds results and not `overwrite`; or one of them is an input of the configuration). */
swe_status cli_result_folder_check(swe_context *ctx, const char *path, const swe_config *config,
                                   bool overwrite);
/* Move all results to PATH/.replaced. Errors: SWE_CANNOT_CREATE, SWE_IO. */
swe_status cli_result_folder_keep(swe_context *ctx, const char *path);
/* Remove all results; failures are ignored. */
void cli_result_folder_remove(const char *path, const swe_config *config);
/* Remove unfinished result files of a killed run: NAME.tmp. */
void cli_result_folder_remove_unfinished(const char *path);
/* Whether a folder has at most progress.json and unfinished files, as a run leaves it that was
 * killed before its first result. */
bool cli_result_folder_is_begun(const char *path, const swe_config *config);

/* The case file, initial file or bathymetry file of a configuration that is `path` or lies below
 * it; NULL: none. Belongs to the configuration. */
const char *cli_input_at(const swe_config *config, const char *path);
/* Returns SWE_CANNOT_CREATE: removing earlier files of the folder would remove the input. */
swe_status cli_refuse_removal(swe_context *ctx, const char *input, const char *folder);

/* The nearest existing folder on a path. Errors: SWE_CANNOT_CREATE (not writable). */
swe_status cli_nearest_folder(swe_context *ctx, const char *path, char *out, size_t size);

/* Create and lock a folder. Errors: those of swe_folder_lock_take. */
swe_status cli_folder_lock(swe_context *ctx, const char *folder, swe_folder_lock *out);
/* Warn if the file system of a locked folder has no locks. */
void cli_folder_warn(const swe_folder_lock *lock);

/* ---- one result ------------------------------------------------------------------------------ */

/* Open DIR/NAME for writing to out->stream; swe_durable_end publishes it.
 * Errors: SWE_CANNOT_CREATE. */
swe_status cli_result_open(swe_context *ctx, const char *directory, const char *name,
                           swe_output_file *out);
/* Write a text as DIR/NAME; a file with the same text is left as it is. Errors: SWE_CANNOT_CREATE,
 * SWE_IO. */
swe_status cli_result_write(swe_context *ctx, const char *directory, const char *name,
                            const char *text);
/* Whether DIR/NAME has this text. If so, it counts as published by this process. */
bool cli_result_has(const char *directory, const char *name, const char *text);

/* Check at the end of a command that its published results are unchanged. Returns `status`, or
 * SWE_IO if that is SWE_OK or SWE_STOPPED and a result is missing or was changed. */
swe_status cli_check_results(swe_context *ctx, swe_status status);

/* ---- folder of profiles ---------------------------------------------------------------------- */

enum { CLI_FACTS = 8 };

/* The folder of a run's profiles, with the facts and static costs that the profiler records. */
typedef struct cli_profile_folder {
    char path[4200];
    prof_fact facts[CLI_FACTS];
    swe_costs costs;
} cli_profile_folder;

/* The backend of the options. `auto` is resolved once; afterwards the options name the result.
 * Errors: those of swe_backend_find. */
swe_status cli_backend_decide(swe_context *ctx, cli_options *options, const swe_backend **out);

/* Profiler options of a configuration. The folder is profile.dir, by default RESULTS/profile.
 * `progress` is cleared before a warning; NULL: none. The returned options point into `folder`,
 * which must outlive the profiler at the same address. */
prof_options cli_profiler_options(const swe_config *config, const swe_backend *backend,
                                  const char *results, cli_progress *progress,
                                  cli_profile_folder *folder);

/* The following apply where profiles will be written or the folder is below the results; in other
 * cases they do nothing and return SWE_OK. */

/* Whether profiles can be written; changes nothing. Errors: SWE_CANNOT_CREATE (not writable; holds
 * profiles and not `overwrite`; or a profile holds a file that no profiler wrote). */
swe_status cli_profile_folder_check(swe_context *ctx, const char *path, const swe_config *config,
                                    bool overwrite);
/* Errors: those of cli_folder_lock. */
swe_status cli_profile_folder_lock(swe_context *ctx, const char *path, const swe_config *config,
                                   swe_folder_lock *out);
/* Move all profiles to PATH/.replaced. Errors: SWE_CANNOT_CREATE, SWE_IO. */
swe_status cli_profile_folder_keep(swe_context *ctx, const char *path, const swe_config *config);
/* Remove all profiles. Errors: SWE_CANNOT_CREATE. */
swe_status cli_profile_folder_remove(swe_context *ctx, const char *path, const swe_config *config);
/* Remove unfinished windows of a killed run. A window with any other file stays. */
void cli_profile_folder_remove_unfinished(const char *path);

/* Destroy the profiler; if it recorded windows, write RESULTS/report.html and print its path.
 * Failures are warnings. */
void cli_profiler_end(prof_profiler **profiler, const cli_profile_folder *folder,
                      const char *results, bool quiet);

#endif
