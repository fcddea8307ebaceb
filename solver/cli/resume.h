/* Where a run writes, and what it goes on from: its folders, looked at before anything is made,
 * locked, and cleared of what was there; its checkpoints; the results that a restart continues. */
#ifndef SWE_CLI_RESUME_H
#define SWE_CLI_RESUME_H

#include <time.h>

#include "cli/cli.h"
#include "cli/replaced.h"
#include "base/folder_lock.h"

typedef struct cli_resume {
    const cli_options *options;
    const swe_config *config;
    const char *directory; /* of the results */
    const cli_profiles *profiles;
    char folder[4200]; /* of the checkpoints */
    bool is_auto;      /* --restart auto */
    bool is_finished;  /* by then: the run ended before, there is nothing to do */
    bool is_restart;
    swe_restart from;
    swe_results before;  /* of which only the tallies are known */
    bool continues;      /* the results that are there are those of this run so far */
    bool has_own_folder; /* the checkpoint lies where new ones go */
    struct timespec
        seen[2]; /* when the folders of results and checkpoints last changed, as found */
    swe_folder_lock lock, profiles_lock;
    char run[SWE_RUN_ID]; /* identity of this run */
    bool has_begun;       /* the folders are this run's */
    bool is_replacing;    /* results are aside that come back unless this run begins */
    swe_checkpoints checkpoints;
} cli_resume;

/* Find the checkpoint that the options ask for, and how far results of the run are there; nothing
 * is made. --restart auto: that of the run's own folder, none if there is none that is whole.
 * Errors: those of swe_restart_find. */
swe_status cli_resume_find(swe_context *ctx, const cli_options *options, const swe_config *config,
                           const char *directory, const cli_profiles *profiles, cli_resume *out);

/* Whether the run may write where it would; nothing is made. Errors: SWE_CANNOT_CREATE,
 * SWE_DATA (diagnostics.csv lacks rows from before the checkpoint). */
swe_status cli_resume_check(swe_context *ctx, const cli_resume *resume);

/* Make and lock the folders, move old results aside that are to be replaced.
 * Errors: SWE_CANNOT_CREATE (also: another run wrote there since cli_resume_find), SWE_IO,
 * SWE_NO_MEMORY. */
swe_status cli_resume_open(swe_context *ctx, cli_resume *resume);
void cli_resume_close(cli_resume *resume);

/* The run has written what is due before its first step, a checkpoint, or all (`has_ended`): old
 * results go as soon as they are not needed. Close puts back those that are. Errors: SWE_IO. */
swe_status cli_resume_begun(swe_context *ctx, cli_resume *resume, bool has_ended);

/* Open diagnostics.csv: empty, or of a run that goes on, with the rows until its checkpoint. Close
 * puts it on the disk. Errors: SWE_CANNOT_CREATE, SWE_IO, SWE_DATA (rows are missing). */
swe_status cli_resume_diagnostics(swe_context *ctx, const cli_resume *resume, swe_run_files *out);
swe_status cli_resume_diagnostics_close(swe_context *ctx, const cli_resume *resume,
                                        swe_run_files *files);

#endif
