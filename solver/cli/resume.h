/* Where a run writes and where it continues: its folders of results, checkpoints and profiles, and
 * the checkpoint that it restarts from. */
#ifndef SWE_CLI_RESUME_H
#define SWE_CLI_RESUME_H

#include <time.h>

#include "files/checkpoint/checkpoints.h"
#include "files/checkpoint/restart.h"
#include "cli/cli.h"
#include "cli/kept_results.h"

typedef struct cli_resume {
    const cli_options *options;
    const swe_config *config;
    const char *directory; /* of the results */
    const char *profiles;  /* folder of the profiles */
    char folder[4200];     /* of the checkpoints */
    bool is_auto;          /* --restart auto */
    bool is_finished;      /* --restart auto: the run finished earlier */
    bool is_restart;
    swe_restart from;
    swe_results before;          /* the run until its checkpoint; only the tallies are set */
    bool continues;              /* the folder holds the earlier results of this run */
    bool has_own_folder;         /* the checkpoint is in the folder of new checkpoints */
    struct timespec found_at[2]; /* last change of the folders of results and checkpoints when the
                                    checkpoint was found */
    swe_folder_lock lock, profiles_lock;
    char run[SWE_RUN_ID];  /* identity of this run */
    bool has_begun;        /* the folders are this run's */
    cli_kept_results kept; /* earlier results, until this run has begun */
    swe_checkpoints checkpoints;
} cli_resume;

/* Find the checkpoint that the options request; changes nothing but what a killed command left
 * behind. --restart auto uses the newest complete checkpoint of the run's own folder, or none.
 * `config` gets the time step of the checkpoint. Errors: as in swe_restart_find. */
swe_status cli_resume_find(swe_context *ctx, const cli_options *options, swe_config *config,
                           const char *directory, const char *profiles, cli_resume *out);

/* Whether the run may write to its folders; changes nothing. Errors: SWE_CANNOT_CREATE, SWE_DATA
 * (diagnostics.csv lacks rows from before the checkpoint). */
swe_status cli_resume_check(swe_context *ctx, const cli_resume *resume);

/* Create and lock the folders, and move results away that the run replaces. Errors:
 * SWE_CANNOT_CREATE (also: another run wrote there since cli_resume_find), SWE_IO, SWE_NO_MEMORY.
 */
swe_status cli_resume_open(swe_context *ctx, cli_resume *resume);
/* Release the folders; restores kept results. */
void cli_resume_close(cli_resume *resume);

/* Call after the output before the first step, after each checkpoint and at the end (`has_ended`):
 * removes the kept results once this run no longer depends on them. Errors: SWE_IO. */
swe_status cli_resume_begun(swe_context *ctx, cli_resume *resume, bool has_ended);

/* Open diagnostics.csv: empty, or with the rows until the checkpoint. Close writes it to disk.
 * Errors: SWE_CANNOT_CREATE, SWE_IO, SWE_DATA (rows are missing). */
swe_status cli_resume_diagnostics(swe_context *ctx, const cli_resume *resume, swe_run_files *out);
swe_status cli_resume_diagnostics_close(swe_context *ctx, const cli_resume *resume,
                                        swe_run_files *files);

/* ---- the run whose results a folder holds already (earlier_run.c) ---------------------------- */

typedef struct cli_earlier_run {
    bool is_known;     /* its configuration.yaml can be read */
    bool is_same_case; /* same grid, scheme, physics, initial state and time step */
    bool has_ended;    /* its summary.json is complete */
    long steps;        /* of its schedule */
    double dt;         /* of its summary [s]; 0: none */
    char differences[600];
} cli_earlier_run;

/* Read DIR/configuration.yaml and DIR/summary.json. Errors: SWE_NO_MEMORY. */
void cli_earlier_run_find(const char *directory, const swe_config *config, cli_earlier_run *out);

/* Whether diagnostics.csv holds the rows from before a checkpoint: head->diagnostics_size bytes of
 * the digest in the head; without a digest, as in earlier checkpoints, a row after them is of a
 * later step. */
bool cli_rows_reach(const char *path, const swe_checkpoint_head *head);

#endif
