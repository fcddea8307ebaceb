/* Progress of a run: one line on standard error, and progress.json among the results.
 *
 * The line is renewed in place on a terminal; elsewhere a line is printed every ten seconds.
 * progress.json (solver/files/output/README.md) is read by `cubeswe top` and by other programs.
 * Each update replaces the whole file, so a reader always finds a complete one. A failed update is
 * one warning and never ends a run; after it the file is written again only at the end. */
#ifndef SWE_CLI_PROGRESS_H
#define SWE_CLI_PROGRESS_H

#include "cli/cli.h"

/* ---- the line -------------------------------------------------------------------------------- */

typedef struct cli_progress {
    const char *label;
    bool quiet, is_terminal;
    bool is_open;         /* the line on the terminal has no line feed yet */
    double last;          /* clock at the last update [s] */
    long first_step;      /* step at which the run continues */
    double first_seconds; /* of the steps before it; the printed rate leaves them out */
} cli_progress;

void cli_progress_start(cli_progress *progress, const char *label, bool quiet);
/* The `watch` of a simulation; `watcher` is a cli_progress. */
void cli_progress_watch(void *watcher, const swe_progress *progress);
/* Erase an open line, so that other text can be printed. NULL: nothing. */
void cli_progress_clear(cli_progress *progress);

/* ---- the file -------------------------------------------------------------------------------- */

enum { CLI_PROGRESS_VERSION = 1 }; /* of the schema */
#define CLI_PROGRESS_NAME   "progress.json"
#define CLI_PROGRESS_SCHEMA "cubeswe-progress"

/* The run that the file describes. All pointers must outlive the file. */
typedef struct cli_progress_subject {
    const swe_config *config;
    swe_simulation *simulation;
    const char *directory;         /* of the results */
    const char *profiles;          /* folder of profiles */
    const prof_profiler *profiler; /* NULL: none */
    cli_progress *line;            /* cleared before a warning */
    long first_step;               /* step at which the run continues */
    double first_seconds;          /* of the steps before it */
} cli_progress_subject;

typedef struct cli_progress_file {
    cli_progress_subject subject;
    swe_progress now;
    long long started_ns; /* since the epoch */
    double started;       /* clock at the start; all of the following by this clock [s] */
    double stepping;      /* start of the first step; 0: not yet */
    double written;       /* last update */
    long written_step;
    double recent;              /* steps per second between the last two updates */
    bool has_begun, has_failed; /* has_failed: the last update failed */
    bool is_own;                /* this process wrote the existing file */
} cli_progress_file;

/* Start a run whose folder of results exists; writes the first file. */
void cli_progress_file_start(cli_progress_file *file, const cli_progress_subject *subject);
/* Update the file after the first steps, then once per second. */
void cli_progress_file_watch(cli_progress_file *file, const swe_progress *now);
/* Write the last state: "finished", "stopped" or "failed", the latter two with a message. Does
 * nothing before the start. Removes the file if it cannot be written: it would show a run that
 * continues. */
void cli_progress_file_end(cli_progress_file *file, const char *state, const char *message);

#endif
