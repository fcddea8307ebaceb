/* progress.json of a run's results: what a running job tells of itself (solver/output/README.md),
 * for `cubeswe top` and whoever else looks on. Every writing puts a new file in the place of the
 * old one, so that a reader finds a whole one always. It never ends a run: a writing that fails is
 * one warning, and until the end no further ones are tried. */
#ifndef SWE_CLI_PROGRESS_FILE_H
#define SWE_CLI_PROGRESS_FILE_H

#include "cli/cli.h"

enum { CLI_PROGRESS_VERSION = 1 }; /* of what is in the file */
#define CLI_PROGRESS_NAME   "progress.json"
#define CLI_PROGRESS_SCHEMA "cubeswe-progress"

/* What is told of; all of it must outlive the file. */
typedef struct cli_progress_subject {
    const swe_config *config;
    swe_simulation *simulation;
    const char *directory;         /* of the results */
    const char *profiles;          /* folder of profiles */
    const prof_profiler *profiler; /* NULL: none */
    cli_progress *line;            /* cleared before a warning */
    long first_step;               /* that the run goes on from */
    double first_seconds;          /* that its steps had taken until then */
} cli_progress_subject;

typedef struct cli_progress_file {
    cli_progress_subject subject;
    swe_progress now;
    long long started_ns; /* since the epoch */
    double started;       /* by the clock, as all that follow [s] */
    double stepping;      /* when the first step began; 0: not yet */
    double written;
    long written_step;
    double recent; /* steps per second between the last two writings */
    bool has_begun, has_failed;
    bool is_own; /* the file that is there was written by this process */
} cli_progress_file;

/* The folder of results is there, the run begins. */
void cli_progress_file_start(cli_progress_file *file, const cli_progress_subject *subject);
/* Write it if it is time to: after the first steps, then once a second. */
void cli_progress_file_watch(cli_progress_file *file, const swe_progress *now);
/* The run ended: "finished", or "stopped" or "failed" with a message; nothing if it had not begun.
 * A file that cannot be written is removed: it would tell of a run that goes on. */
void cli_progress_file_end(cli_progress_file *file, const char *state, const char *message);

#endif
