/* Studies that continue row by row: converge, bench and profile.
 *
 * The JSON of a study's folder is its record: the finished rows, and the facts that all rows share.
 * The same command, started again in the folder, continues from these rows. Rows with other facts
 * are never mixed. */
#ifndef SWE_CLI_STUDY_H
#define SWE_CLI_STUDY_H

#include "base/folder_lock.h"
#include "cli/cli.h"
#include "cli/stop.h"
#include "base/json_reader.h"

/* The paragraph of the help on an interrupted study of rows or samples. */
#define CLI_STUDY_CONTINUES(row)                                                                   \
    "Each " row " is written when it ends. The command continues from existing " row               \
    "s when it is started again in its folder. " CLI_STOP_SIGNALS                                  \
    " end it after the finished " row "s (exit code 75)."

typedef struct cli_study {
    const char *directory, *name; /* DIR/NAME is the record */
    const cli_options *options;
    const swe_config *config;    /* of one row; its inputs are never removed */
    const char *const *row_keys; /* "section.key" that may differ by row; NULL-terminated */
    const char *profiles;        /* folder, replaced together with the results; NULL: none */
    json_t *facts;               /* members of the record that all rows share; owned */
    node record;                 /* the record that was found; without a value: none */
    reader reader;               /* of the record */
    swe_log log;
    swe_folder_lock lock, profiles_lock;
    bool has_begun;    /* the folder is this study's */
    bool is_replacing; /* earlier results are kept until the study has begun */
} cli_study;

/* Set the facts: case, configuration, program, backend and device; for timings (`is_timed`) also
 * the machine and the requested number of threads. Errors: SWE_NO_MEMORY, those of
 * swe_backend_find. */
swe_status cli_study_facts(swe_context *ctx, cli_study *study, bool is_timed);

/* Find the record; changes nothing. Without a record the folder must be free, or `overwrite` given.
 * Errors: SWE_CANNOT_CREATE (other results, or rows with other facts), SWE_DATA (the record cannot
 * be read). */
swe_status cli_study_find(swe_context *ctx, cli_study *study);

/* Create and lock the folder, find the record again, and move earlier results away if there is no
 * record. Call cli_study_find first. Errors: as above. */
swe_status cli_study_open(swe_context *ctx, cli_study *study);
/* The first results are written: remove the results that they replace. Errors: SWE_IO. */
swe_status cli_study_begun(swe_context *ctx, cli_study *study);

/* Check the written results if `status` is SWE_OK or SWE_STOPPED, and release the folder. Returns
 * `status` or the error of the check. Errors: SWE_IO. */
swe_status cli_study_close(swe_context *ctx, swe_status status, cli_study *study);

/* The status of the reads of the record so far. Errors: SWE_DATA, SWE_NO_MEMORY. */
swe_status cli_study_read(swe_context *ctx, cli_study *study);

/* Refuse a record with `count` rows that were not requested. Returns SWE_CANNOT_CREATE. */
swe_status cli_study_refuse_rows(swe_context *ctx, const cli_study *study, int count);

/* Print how many rows the record has; nothing without a record or with --quiet. */
void cli_study_print_done(const cli_study *study, int done, int rows);

/* The signal that requests an early end; NULL: none. */
const char *cli_study_signal(void);

/* End early. Returns SWE_STOPPED; the message explains how to continue. */
swe_status cli_study_stop(swe_context *ctx, const cli_study *study, int done, int rows);

#endif
