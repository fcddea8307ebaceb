/* Studies that continue row by row: converge, bench and profile. The engine here finds the earlier
 * rows, writes the documents and ends the command; a kind of study has columns and makes rows.
 *
 * The JSON of a study's folder is its record: the finished rows, and the facts that all rows share.
 * The same command, started again in the folder, continues from these rows. Rows with other facts
 * are never mixed. */
#ifndef SWE_CLI_STUDY_H
#define SWE_CLI_STUDY_H

#include "base/folder_lock.h"
#include "cli/cli.h"
#include "cli/kept_results.h"
#include "cli/rows.h"
#include "cli/stop.h"
#include "base/json_reader.h"

/* The paragraph of the help on an interrupted study of rows or samples. */
#define CLI_STUDY_CONTINUES(row)                                                                   \
    "Each " row " is written when it ends. The command continues from existing " row               \
    "s when it is started again in its folder. " CLI_STOP_SIGNALS                                  \
    " end it after the finished " row "s (exit code 75)."

typedef struct cli_study_kind cli_study_kind;

/* One call of a command. It is the first member of the command's own structure. */
typedef struct cli_study {
    const cli_study_kind *kind;
    cli_options options; /* with the backend that auto resolves to */
    const swe_backend *backend;
    const swe_config *config; /* of one row; its inputs are never removed */
    char standard[4096];      /* default folder of the results */
    const char *directory;    /* folder of the results */
    int threads;              /* of every row, which is a fact then; 0: rows have their own */
    int requested, done;      /* numbers of rows, and of complete ones */
    bool is_finished;         /* no requested row is missing */
    json_t *facts;            /* members of the record that all rows share; owned */
    node record;              /* the record that was found; without a value: none */
    reader reader;            /* of the record */
    swe_log log;
    swe_folder_lock lock, profiles_lock;
    bool has_begun;        /* the folder is this study's */
    cli_kept_results kept; /* earlier results, and profiles if the command sets their folder */
} cli_study;

/* The columns of a row, and functions that read, compute and describe rows. `study` is the
 * command's own structure. */
struct cli_study_kind {
    const char *stem;            /* documents are STEM.json, STEM.md, ...; the default folder is
                                    output/CASE_STEM */
    const char *const *row_keys; /* "section.key" that may differ by row; NULL-terminated */
    bool is_timed;               /* machine and requested threads are facts */
    bool has_profiles;           /* rows may be profiled; else profile.mode is warned of */
    /* Its labels, axes and series; `title` is a format of the case and the backend. Without series
     * the study has neither a plot nor a CSV nor a page. */
    cli_plot plot;
    /* Set the rows, `requested`, `done` and `is_finished`, which is the record's at first, from the
     * record; without a record there are no rows. Errors: as of cli_study_read, SWE_CANNOT_CREATE
     * (it has rows that were not requested). */
    swe_status (*read)(swe_context *ctx, void *study);
    /* Compute the missing rows: call cli_study_open before the first, cli_study_write after each.
     * Errors: of the model, SWE_STOPPED (by a signal). */
    swe_status (*compute)(swe_context *ctx, void *study);
    cli_rows (*rows)(const void *study); /* the rows to write */
    json_t *(*json)(const void *study);  /* the record without facts; NULL: out of memory */
    void (*markdown)(FILE *file, const void *study);
    void (*print)(FILE *file, const void *study); /* the tables for the terminal */
};

/* Start a call: set the backend and the folder of a study of zeros. Errors: as in
 * cli_backend_decide. */
swe_status cli_study_init(swe_context *ctx, cli_study *study, const cli_study_kind *kind,
                          const cli_options *options, const swe_config *config);

/* Read the record, compute the missing rows, write the documents and print the tables. Nothing is
 * written before `compute` opens the folder. Errors: SWE_NO_MEMORY, SWE_CANNOT_CREATE (other
 * results, or rows with other facts), SWE_DATA (the record cannot be read), SWE_IO, SWE_STOPPED;
 * the errors of the kind of study. */
swe_status cli_study_run(swe_context *ctx, cli_study *study);

/* Create and lock the folder, read the record again, and move earlier results away if there is no
 * record. Errors: as of cli_study_run. */
swe_status cli_study_open(swe_context *ctx, cli_study *study);

/* Write STEM.json and, if there are rows, the other documents. Each file is replaced as a whole,
 * the JSON last. Then the replaced results are removed. Errors: SWE_NO_MEMORY, SWE_CANNOT_CREATE,
 * SWE_IO. */
swe_status cli_study_write(swe_context *ctx, cli_study *study);

/* Check the written results if `status` is SWE_OK or SWE_STOPPED, and release the folder. Returns
 * `status` or the error of the check. Errors: SWE_IO. */
swe_status cli_study_close(swe_context *ctx, swe_status status, cli_study *study);

/* The status of the reads of the record so far. Errors: SWE_DATA, SWE_NO_MEMORY. */
swe_status cli_study_read(swe_context *ctx, cli_study *study);

/* Refuse a record with `count` rows that were not requested. Returns SWE_CANNOT_CREATE. */
swe_status cli_study_refuse_rows(swe_context *ctx, const cli_study *study, int count);

/* A fact that is a text: "case", "backend", "device". */
const char *cli_study_fact(const cli_study *study, const char *name);

/* The signal that requests an early end; NULL: none. */
const char *cli_study_signal(void);

#endif
