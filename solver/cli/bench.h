/* A bench: what was measured so far, what follows from it, and the files that hold it. */
#ifndef SWE_CLI_BENCH_H
#define SWE_CLI_BENCH_H

#include "cli/study.h"
#include "model/step_times.h"

/* How a step is computed; solver/cli/bench.c lists the ways of this build. */
typedef struct cli_bench_way {
    swe_pipeline pipeline;
    swe_precision precision;
    const char *settings[3]; /* keys of a case that ask for it, "section.key=value"; then NULL */
} cli_bench_way;

/* One way, order and size. */
typedef struct cli_bench_row {
    const cli_bench_way *way;
    int order, n;
    int threads;       /* of the CPU; 0: a GPU computed */
    int group;         /* rows of a group were measured in turn */
    double dt;         /* [s] */
    double courant;    /* c dt / (a D) */
    long batch;        /* steps of a sample */
    long host_batch;   /* of those whose start is timed; 0: the backend is not asynchronous */
    long steps;        /* all that were taken, to warm up included */
    long steps_before; /* of them, by earlier calls */
    int samples;       /* that are there: 0 to those of the bench; 0: the row has only its plan */
    char measured[32]; /* when the last of them was written, UTC, as 2026-01-31T12:34:56Z */
    size_t bytes;      /* of memory, of the model */
    double max_h;      /* largest |h| after them [m] */
    double *seconds;   /* of every sample */
    double *starting;  /* seconds that the host took to start host_batch steps; NULL if 0 */
    double step_bytes; /* that a step must read and write, by the static cost */
    double step_flops; /* likewise that it must compute */
} cli_bench_row;

typedef struct cli_bench_study {
    char case_name[256], device[256];
    const char *backend;
    char command[1024];    /* as it was called */
    char started[32];      /* UTC, likewise */
    char stopped[256];     /* why no larger size was measured, "" if sizes were asked for */
    const json_t *facts;   /* that all rows share */
    cli_list sizes;        /* of every way and order */
    int repeats;           /* samples of every row */
    int threads;           /* of the ceilings */
    swe_ceilings ceilings; /* the best of all calls that measured; of the last one: */
    swe_ceilings before, after;
    bool has_after;      /* the last one came to its end */
    bool is_finished;    /* and all rows have all samples */
    cli_bench_row *rows; /* sorted by way, order, n */
    int count;
} cli_bench_study;

/* Stages of a Runge-Kutta step. */
enum { CLI_BENCH_STAGES = 4 };

/* What follows from a row; shares of ceilings, and what nothing was measured of, may be NaN. */
typedef struct cli_bench_rates {
    double dof;        /* values of h, v1 and v2; those on shared vertices once for every panel */
    prof_quartiles us; /* a step */
    prof_quartiles host_us; /* of it the host, to start it */
    double host_share;
    double ns;         /* for every degree of freedom and stage */
    double gdof;       /* 1e9 degrees of freedom a second: steps of all of them */
    double words;      /* that must be read and written, for every degree of freedom and step */
    double bandwidth;  /* step_bytes a second */
    double flops;      /* step_flops a second */
    double copy_share; /* bandwidth over that of a copy */
    double peak_share; /* flops over those of multiply-adds */
} cli_bench_rates;

cli_bench_rates cli_bench_rates_of(const cli_bench_study *bench, const cli_bench_row *row);

/* T = a + V / b of all rows of a way and an order, whose first is `first`: T the median time of a
 * step, V the degrees of freedom, by least squares of the relative deviations. */
typedef struct cli_bench_fit {
    double latency_us;      /* a */
    double throughput_gdof; /* b [1e9/s] */
    double worst;           /* largest |T - a - V/b| / T */
    int count;              /* of rows; below two there is no fit, and all are NaN */
} cli_bench_fit;

cli_bench_fit cli_bench_fit_of(const cli_bench_study *bench, int first);

/* Put rows in groups: models of a group are there together, in nine tenths of the memory that there
 * is unless it is one alone. The first row that does not fit at all; NULL if all do. */
const cli_bench_row *cli_bench_form_groups(cli_bench_row *rows, int count, size_t memory);

/* Whether a row is the first of its way and order, and rows from it on that are of them. */
bool cli_bench_is_first(const cli_bench_study *bench, int row);
int cli_bench_series(const cli_bench_study *bench, int first);

/* The case as a way, an order (0: its own) and n (0: its own) make it.
 * Errors: those of swe_config_load, SWE_CONFIG (no exact initial state). */
swe_status cli_bench_load(swe_context *ctx, const cli_options *options, const cli_bench_way *way,
                          int order, int n, swe_config **out);

/* Whether a model of such a case can be created in its initial state. Errors: those of
 * cli_bench_start. */
swe_status cli_bench_check(swe_context *ctx, const swe_config *config, const cli_options *options);

/* A model of such a case in its initial state, warm, to be timed; release it with
 * swe_model_destroy. Errors: those of swe_model_create. */
swe_status cli_bench_start(swe_context *ctx, const swe_config *config, const cli_options *options,
                           swe_step_times *out);

/* Sizes that a bench takes if none are given: 24, 48 and so on, as far as a run has memory and a
 * row takes no longer than a minute, by trying. `why` tells what ended the list.
 * Errors: as above. */
swe_status cli_bench_sizes(swe_context *ctx, const cli_options *options, const cli_bench_way *way,
                           int order, cli_list *out, char *why, size_t size);

/* Take the samples that a record has of the rows that are asked for, and of calls that named no
 * sizes the sizes. Errors: SWE_DATA, SWE_NO_MEMORY, SWE_CANNOT_CREATE (it has others). */
swe_status cli_bench_read(swe_context *ctx, cli_study *kept, cli_bench_study *bench);
swe_status cli_bench_read_sizes(swe_context *ctx, cli_study *kept, cli_bench_study *bench);

/* Rows that have all their samples. */
int cli_bench_done(const cli_bench_study *bench);

/* Take the samples that are missing; files are written after every group of rows, and within one
 * from time to time. Errors: those of the model and of cli_study_open, SWE_STOPPED (by a signal).
 */
swe_status cli_bench_measure(swe_context *ctx, cli_study *kept, cli_bench_study *bench);

/* The time of day. */
void cli_bench_tell_time(char out[32]);

/* Write bench.json, .csv, .md, .svg and .html to a directory, each replaced as a whole, the JSON
 * last; and the tables of bench.md. Rows without samples are left out. Errors: SWE_NO_MEMORY,
 * SWE_CANNOT_CREATE, SWE_IO. */
swe_status cli_bench_write(swe_context *ctx, const cli_bench_study *bench, const char *directory);
swe_status cli_bench_print(swe_context *ctx, const cli_bench_study *bench, FILE *file);

#endif
