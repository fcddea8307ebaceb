/* Folders that a command writes: results, and profiles within them or elsewhere.
 *
 * Each folder has a lock, run.lock, that keeps a second program out. A command checks the folders
 * before it creates anything, then locks them, then moves earlier results away (kept_results.h). */
#ifndef SWE_CLI_FOLDERS_H
#define SWE_CLI_FOLDERS_H

#include "base/folder_lock.h"
#include "config/config.h"

/* Whether a file of this name is a result, complete or not; whether an entry is a profile. */
bool cli_is_result(const char *name);
bool cli_is_profile(const char *name);

/* Whether a run with this configuration may write profiles: they are recorded, or the folder is
 * below the results. */
bool cli_profiles_concern(const swe_config *config);

/* ---- folder of results ----------------------------------------------------------------------- */

/* Whether new results can be written to a folder; changes nothing. Errors: SWE_CANNOT_CREATE (not
 * writable; holds results and not `overwrite`; or one of them is an input of the configuration). */
swe_status cli_result_folder_check(swe_context *ctx, const char *path, const swe_config *config,
                                   bool overwrite);
/* Check that HDF5 can write to the locked folder. Errors: as in hdf5_writer_check. */
swe_status cli_result_folder_try(swe_context *ctx, const char *path);
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

/* Create and lock a folder. Errors: as in swe_folder_lock_take. */
swe_status cli_folder_lock(swe_context *ctx, const char *folder, swe_folder_lock *out);
/* Warn if the file system of a locked folder has no locks. */
void cli_folder_warn(const swe_folder_lock *lock);

/* ---- folder of profiles ---------------------------------------------------------------------- */

/* The following apply where profiles will be written or the folder is below the results; in other
 * cases they do nothing and return SWE_OK. */

/* Whether profiles can be written; changes nothing. Errors: SWE_CANNOT_CREATE (not writable; holds
 * profiles and not `overwrite`; or a profile holds a file that no profiler wrote). */
swe_status cli_profile_folder_check(swe_context *ctx, const char *path, const swe_config *config,
                                    bool overwrite);
/* Errors: as in cli_folder_lock. */
swe_status cli_profile_folder_lock(swe_context *ctx, const char *path, const swe_config *config,
                                   swe_folder_lock *out);
/* Remove all profiles. Errors: SWE_CANNOT_CREATE. */
swe_status cli_profile_folder_remove(swe_context *ctx, const char *path, const swe_config *config);
/* Remove unfinished windows of a killed run. A window with any other file stays. */
void cli_profile_folder_remove_unfinished(const char *path);

#endif
