/* Times of a step at many sizes (`cubeswe bench`): samples, rates that follow from them, and files.
 */
#ifndef SWE_CLI_BENCH_H
#define SWE_CLI_BENCH_H

#include "backend/peaks.h"
#include "cli/study.h"
#include "run/step_times.h"

/* A pipeline and precision; bench.c lists the variants of this build. */
typedef struct cli_bench_variant {
    swe_pipeline pipeline;
    swe_precision precision;
    const char *settings[3]; /* "section.key=value" of a case that selects it; NULL last */
} cli_bench_variant;

/* Right-hand sides of a Runge-Kutta step. */
enum { CLI_BENCH_STAGES = 4 };

/* Rates of a row. A share is NaN where its peak rate or time was not measured. */
typedef struct cli_bench_rates {
    double dof;            /* values of h, v1 and v2; on shared vertices once per panel */
    swe_quartiles us;      /* time of a step [us] */
    swe_quartiles host_us; /* time on the host to launch a step [us] */
    double host_share;     /* of the launch in the step */
    double ns;             /* per degree of freedom and right-hand side [ns] */
    double gdof;           /* 1e9 degrees of freedom per second; a step is dof */
    double words;          /* least values read and written per degree of freedom and step */
    double bandwidth;      /* step_bytes per second */
    double flops;          /* step_flops per second */
    double copy_share;     /* bandwidth divided by the bandwidth of a copy */
    double peak_share;     /* flops divided by the peak rate of multiply-adds */
} cli_bench_rates;

/* One variant, order and size. */
typedef struct cli_bench_row {
    const cli_bench_variant *variant;
    int64_t order, n;
    int64_t threads;        /* of the CPU; 0: a GPU computed */
    int64_t group;          /* samples of the rows of a group alternate */
    double dt;              /* [s] */
    double courant;         /* c dt / (a D) */
    int64_t batch;          /* steps of a sample */
    int64_t host_batch;     /* steps whose launch is timed; 0: the backend is not asynchronous */
    int64_t steps;          /* all steps, warm-up included */
    int64_t steps_before;   /* of them, by earlier calls of the command */
    int64_t samples;        /* number of samples so far; 0: the row is planned only */
    char measured_text[32]; /* time of the last write, UTC, as 2026-01-31T12:34:56Z */
    int64_t bytes;          /* memory of the model */
    double max_h;           /* largest |h| after the steps [m] */
    double *seconds;        /* of each sample; owned */
    double waits;      /* of threads for cores: sum over the samples of their share of its time */
    double *starting;  /* time on the host to launch host_batch steps, of each sample [s]; owned */
    double step_bytes; /* least bytes that a step reads and writes, by the static cost */
    double step_flops; /* least operations of a step, by the static cost */
    /* set in the rows of a record that is read or written */
    const char *pipeline, *precision, *measured, *quartiles, *doubt;
    char quartiles_text[48];
    cli_bench_rates rates;
} cli_bench_row;

typedef struct cli_bench_study {
    char command[1024];      /* the command line */
    char started[32];        /* UTC, as `measured_text` */
    char stopped[256];       /* reason for the largest size; "": sizes were given */
    cli_list sizes;          /* n, for every variant and order */
    int repeats;             /* samples of every row */
    int threads;             /* of the peak rates */
    swe_peaks peaks;         /* largest peak rates of all calls that measured */
    swe_peaks before, after; /* peak rates before and after the samples of the last call */
    bool has_after;          /* the last call reached its end */
    cli_bench_row *rows;     /* sorted by variant, order, n; owned */
    int count;
} cli_bench_study;

/* One call of `cubeswe bench`. */
typedef struct cli_bench_job {
    cli_study base;
    cli_bench_study bench;   /* all requested rows */
    cli_bench_study sampled; /* the rows that have samples, with their rates, as written */
    cli_list order;          /* orders of accuracy; 0: the case's */
    swe_pipeline pipeline;   /* the case's */
    swe_precision precision; /* the case's */
    double written;          /* clock at the last write of the documents [s] */
} cli_bench_job;

extern const cli_column cli_bench_columns[]; /* of cli_bench_row */
extern const field cli_bench_peaks[];        /* of swe_peaks */

/* Rates; a row or peaks that are not reliable have no shares. */
cli_bench_rates cli_bench_rates_of(const cli_bench_study *bench, const cli_bench_row *row);

/* Fit of T = a + V / b to all rows of a variant and order: T the median time of a step, V the
 * degrees of freedom, by least squares of the relative deviations. */
typedef struct cli_bench_fit {
    double latency_us;      /* a */
    double throughput_gdof; /* b [1e9/s] */
    double worst;           /* largest |T - a - V/b| / T */
    int64_t count;          /* of rows; below two all numbers are NaN */
    const char *pipeline, *precision;
    int64_t order;
} cli_bench_fit;

cli_bench_fit cli_bench_fit_of(const cli_bench_study *bench, int first);

/* Assign rows to groups. The models of a group exist at the same time and use at most nine tenths
 * of `memory` [bytes], unless the group is one row. Returns the first row that exceeds the memory
 * alone; NULL: none. */
const cli_bench_row *cli_bench_form_groups(cli_bench_row *rows, int count, size_t memory);

/* Whether a row is the first of its variant and order; the number of rows of that series. */
bool cli_bench_is_first(const cli_bench_study *bench, int row);
int cli_bench_series(const cli_bench_study *bench, int first);

/* Load the case with a variant, order and n; NULL and 0 keep the values of the case.
 * Errors: as in swe_config_load, SWE_CONFIG (it starts from a file). */
swe_status cli_bench_load(swe_context *ctx, const cli_options *options,
                          const cli_bench_variant *variant, int order, int n, swe_config **out);

/* Find the default sizes: n doubles from 24 until memory or one minute per row is reached, as tried
 * on this machine. `why` receives the reason for the end. Errors: of the model. */
swe_status cli_bench_sizes(swe_context *ctx, const cli_options *options,
                           const cli_bench_variant *variant, int order, cli_list *out, char *why,
                           size_t size);

/* Read from a record the samples of the requested rows, and the default sizes of an earlier call.
 * Errors: SWE_DATA, SWE_NO_MEMORY, SWE_CANNOT_CREATE (it has rows that were not requested). */
swe_status cli_bench_read(swe_context *ctx, cli_study *base, cli_bench_study *bench);
swe_status cli_bench_read_sizes(swe_context *ctx, cli_study *base, cli_bench_study *bench);

/* Number of rows that have all their samples. */
int cli_bench_done(const cli_bench_study *bench);

/* Measure the missing samples; `study` is a cli_bench_job. Documents are written after every group
 * of rows, and at intervals within a group. Errors: of the model and of cli_study_open, SWE_STOPPED
 * (by a signal). */
swe_status cli_bench_measure(swe_context *ctx, void *study);

/* The time of day, UTC, as 2026-01-31T12:34:56Z. */
void cli_bench_utc(char out[32]);

/* Set the sampled rows of a call from all rows; its array has space for them. */
void cli_bench_set_sampled(cli_bench_job *job);

/* Functions of the kind of study; `study` is a cli_bench_job, whose sampled rows are described. */
cli_rows cli_bench_rows(const void *study);
json_t *cli_bench_json(const void *study);
void cli_bench_markdown(FILE *file, const void *study);
void cli_bench_print(FILE *file, const void *study);
cli_series cli_bench_series_of(const void *study, int first, int number);

#endif
