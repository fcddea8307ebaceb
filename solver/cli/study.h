/* Studies whose rows are kept as they end: converge, bench and profile.
 *
 * The JSON of the folder holds the rows that are done and the facts that all of them share. The
 * same command, started again there, goes on from these rows. Rows of other facts are never mixed
 * in. */
#ifndef SWE_CLI_STUDY_H
#define SWE_CLI_STUDY_H

#include "cli/cli.h"
#include "cli/replaced.h"
#include "base/folder_lock.h"
#include "report/reader.h"

typedef struct cli_study {
    const char *directory, *name; /* DIR/NAME is the JSON */
    const cli_options *options;
    const swe_config *config; /* of one row; its inputs are never removed */
    const char *const
        *of_a_row; /* keys in which rows may differ, "section.key"; NULL after the last */
    const cli_profiles *profiles; /* folder that is replaced with the results; NULL: none is */
    json_t *facts;                /* members of the JSON that all rows share; owned */
    node record;                  /* the JSON that was found; no value: there is none */
    reader reader;                /* of the record */
    prof_log log;
    swe_folder_lock lock, profiles_lock;
    bool has_begun;    /* the folder is this study's */
    bool is_replacing; /* results are aside that come back unless the study begins */
} cli_study;

/* Facts of all rows: case, configuration, program, backend and device. Rows that are timings also
 * share the machine and the number of threads that was asked for. Errors: SWE_NO_MEMORY, those of
 * swe_backend_find. */
swe_status cli_study_facts(swe_context *ctx, cli_study *study, bool is_timed);

/* Find rows to go on from; nothing is made. Without such rows the folder must be free, or
 * `overwrite` given. Errors: SWE_CANNOT_CREATE (it holds something else, or rows of other facts),
 * SWE_DATA (the JSON cannot be read). */
swe_status cli_study_find(swe_context *ctx, cli_study *study);

/* Make and lock the folder, look for rows once more, and remove old results where there are none. A
 * command calls find first. Errors: as above. */
swe_status cli_study_open(swe_context *ctx, cli_study *study);
/* Its first results are written: those that they replace go. Errors: SWE_IO. */
swe_status cli_study_begun(swe_context *ctx, cli_study *study);

/* Whether all that the study wrote is there, if `status` is SWE_OK or SWE_STOPPED; release the
 * folder. Answers what came of both. Errors: SWE_IO. */
swe_status cli_study_close(swe_context *ctx, swe_status status, cli_study *study);

/* What the readers of the record say so far. Errors: SWE_DATA, SWE_NO_MEMORY. */
swe_status cli_study_read(swe_context *ctx, cli_study *study);

/* Refuse a record that holds rows which nobody asked for. Answers SWE_CANNOT_CREATE. */
swe_status cli_study_refuse_rows(swe_context *ctx, const cli_study *study, int count);

/* Print how many rows a record has, if there is one, unless it is quiet. */
void cli_study_tell(const cli_study *study, int done, int rows);

/* The signal that asks the program to end; NULL: none came. */
const char *cli_study_signal(void);

/* End early. Answers SWE_STOPPED, the message telling how to go on. */
swe_status cli_study_stop(swe_context *ctx, const cli_study *study, int done, int rows);

#endif
