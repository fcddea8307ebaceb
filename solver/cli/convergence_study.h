/* The rows of a convergence study (`cubeswe converge`), their columns and tables. */
#ifndef SWE_CLI_CONVERGENCE_STUDY_H
#define SWE_CLI_CONVERGENCE_STUDY_H

#include "cli/study.h"

enum { CLI_MOST_ROWS = CLI_MOST_LIST * CLI_MOST_LIST, CLI_RATES = 4 };

/* One order and resolution. */
typedef struct cli_convergence_row {
    swe_results results; /* first member: columns of swe_results are columns of a row */
    int64_t order, n, steps, threads;
    double shown_seconds;   /* NaN: not reliable */
    double evaluations;     /* of the tendency of an unknown, in all steps */
    double half_step_l2;    /* l2 of h with half the time step; NaN: not measured */
    const char *doubt;      /* why the seconds are not reliable; NULL: they are */
    double rate[CLI_RATES]; /* observed order between this row and the one before it, of l2 and linf
                               of h, then of u; NaN for the first of an order */
} cli_convergence_row;

/* One call of `cubeswe converge`: one row per order and resolution, in the requested order. */
typedef struct cli_convergence {
    cli_study base;
    /* what the errors contain besides the discretization error; NULL: nothing, so that they are
     * expected to fall at the rates of the scheme */
    const char *caution;
    double error;          /* that the study is to reach; 0: none */
    double recorded_error; /* that the study of the record was to reach */
    swe_equations equations;
    cli_convergence_row rows[CLI_MOST_ROWS];
    int count;
} cli_convergence;

/* The row of an order and size; NULL: none. */
const cli_convergence_row *cli_convergence_find(const cli_convergence *study, int order, int n);

/* Insert a row: rows are by order, as requested, and by size. half_step_l2: as in the row. */
void cli_convergence_insert(cli_convergence *study, const swe_results *results, int threads,
                            double half_step_l2);

/* Read the rows of a record. Errors: SWE_DATA, SWE_NO_MEMORY. */
swe_status cli_convergence_read(swe_context *ctx, cli_study *record, cli_convergence *out);

/* Functions of the kind of study; `study` is a cli_convergence. */
cli_rows cli_convergence_rows(const void *study);
json_t *cli_convergence_json(const void *study);
void cli_convergence_markdown(FILE *file, const void *study);
cli_series cli_convergence_series(const void *study, int first, int number);

/* Print the tables of convergence.md. */
void cli_convergence_print(FILE *file, const cli_convergence *study);

/* ---- rows (converge.c) ----------------------------------------------------------------------- */

/* Load the configuration of a row: the case with another order and n, and a setting of its time
 * step (NULL: none). Errors: as in swe_config_load, SWE_CONFIG (no exact solution is known). */
swe_status cli_converge_load(swe_context *ctx, const cli_options *options, const char *step,
                             int order, int n, swe_config **out);

/* Compute a row unless it exists, and write the study; `measures_step`: with the error of half its
 * time step. Errors: of the run, SWE_STOPPED. */
swe_status cli_converge_ensure(swe_context *ctx, cli_convergence *study, const char *step,
                               int order, int n, bool measures_step);

/* ---- the cheapest row that reaches an error (converge_error.c) ------------------------------- */

/* Request the first rows of a study that is to reach an error: sizes, orders, time scheme and step.
 * Errors: SWE_USAGE; as of cli_backend_decide. */
swe_status cli_converge_request(swe_context *ctx, cli_options *options);

/* Compute the cheapest row that reaches the error. Errors: as of cli_converge_ensure, SWE_CONFIG
 * (errors do not fall). */
swe_status cli_converge_reach(swe_context *ctx, cli_convergence *study);

/* Print the chosen row, and the estimate of each order that decided. */
void cli_converge_print_choice(FILE *file, const cli_convergence *study);

#endif
