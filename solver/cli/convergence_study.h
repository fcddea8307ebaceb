/* The rows of a convergence study (`cubeswe converge`), and the files that hold them. */
#ifndef SWE_CLI_CONVERGENCE_STUDY_H
#define SWE_CLI_CONVERGENCE_STUDY_H

#include "cli/rows.h"
#include "cli/study.h"

enum { CLI_MOST_ROWS = CLI_MOST_LIST * CLI_MOST_LIST, CLI_RATES = 4 };

/* One order and resolution. */
typedef struct cli_convergence_row {
    swe_results results; /* first member: columns of swe_results are columns of a row */
    int64_t order, n, steps, threads;
    double shown_seconds;   /* NaN: not reliable */
    double evaluations;     /* of the tendency of an unknown, in all steps */
    double half_step_l2;    /* l2 of h with half the time step; NaN: not measured */
    double rate[CLI_RATES]; /* observed order between this row and the one before it, of l2 and linf
                               of h, then of u; NaN for the first of an order */
} cli_convergence_row;

/* One row per order and resolution, in the requested order. */
typedef struct cli_convergence {
    char case_name[256], backend[16], device[256];
    const json_t *facts; /* shared by all rows */
    bool is_finished;    /* no requested row is missing */
    double error;        /* that the study is to reach; 0: none */
    bool has_rates;      /* the errors are expected to fall at the rates of the scheme */
    swe_equations equations;
    cli_convergence_row rows[CLI_MOST_ROWS];
    int count;
} cli_convergence;

/* The row of an order and size; NULL: none. */
cli_convergence_row *cli_convergence_find(cli_convergence *study, int order, int n);

/* Insert a row before row `at`. half_step_l2: as in the row. */
void cli_convergence_insert(cli_convergence *study, int at, const swe_results *results, int threads,
                            double half_step_l2);

/* Read the rows of a record, in its order. Errors: SWE_DATA, SWE_NO_MEMORY. */
swe_status cli_convergence_read(swe_context *ctx, cli_study *record, cli_convergence *out);

/* Write convergence.json, and if there are rows .csv, .md, .svg and .html. Each file is replaced as
 * a whole, the JSON last. Errors: SWE_NO_MEMORY, SWE_CANNOT_CREATE, SWE_IO. */
swe_status cli_convergence_write(swe_context *ctx, const cli_convergence *study,
                                 const char *directory);

/* Print the table of convergence.md. */
void cli_convergence_print(const cli_convergence *study, FILE *file);

#endif
