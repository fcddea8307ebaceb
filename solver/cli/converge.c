#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/convergence_study.h"
#include "cli/machine.h"
#include "cli/progress.h"
#include "cli/stop.h"
#include "base/text.h"

/* Keys of the configuration in which rows may differ. */
static const char *const row_keys[] = {"grid.n", "grid.order", "time.courant", NULL};

/* A study that is to reach an error: its first rows, unless others are requested, and their Courant
 * number. Linear flows allow 0.52 with RK4 and 0.64 with leapfrog. */
static const cli_list first_n = {{24, 48}, 2}, first_orders = {{4, 6}, 2};
static const char leapfrog[] = "scheme.time=leapfrog4";

/* The last --set of scheme.time; NULL: none. */
static const char *given_scheme(const cli_options *options)
{
    const char *given = NULL;
    for (int k = 0; k < options->set_count; k++)
        if (strncmp(options->set[k], leapfrog, strlen("scheme.time=")) == 0)
            given = options->set[k];
    return given;
}

static double first_courant(const cli_options *options)
{
    const char *scheme = given_scheme(options);
    return scheme != NULL && strcmp(scheme, leapfrog) == 0 ? 0.6 : 0.4;
}

/* One call of `cubeswe converge`. */
typedef struct study {
    const cli_options *options;
    cli_options decided;   /* with the backend that auto resolves to */
    const char *directory; /* given or default folder of the results */
    char standard[4096];
    const char
        *caution; /* what the errors contain besides the discretization error; NULL: nothing */
    cli_study base;
    cli_convergence found;
} study;

/* Load the configuration of a row: the case with another order and n, and a setting of its time
 * step (NULL: none). */
static swe_status load_row(swe_context *ctx, const cli_options *options, const char *step,
                           int order, int n, swe_config **out)
{
    const char *const settings[] = {step, NULL};
    SWE_TRY(cli_load_sized(ctx, options, settings, order, n, out));
    const swe_initial initial = swe_config_initial(*out);
    const swe_physics physics = swe_config_physics(*out);
    char why[384];
    if (swe_case_reference(&initial, &physics) == SWE_REFERENCE_EXACT)
        return SWE_OK;
    snprintf(why, sizeof why, "the error of '%s' does not measure convergence: %s",
             swe_initial_name(initial.kind), swe_case_convergence(&initial, &physics));
    return cli_refuse_case(ctx, options, why, out);
}

static int row_count(const cli_options *options)
{
    return options->order.count * options->n.count;
}

/* Order of row `at`. */
static int order_at(const cli_options *options, int at)
{
    return options->order.value[at / options->n.count];
}

static int n_at(const cli_options *options, int at)
{
    return options->n.value[at % options->n.count];
}

static swe_status check_orders(swe_context *ctx, const cli_list *orders)
{
    for (int o = 0; o < orders->count; o++)
        for (int before = 0; before < o; before++)
            if (orders->value[before] == orders->value[o])
                return swe_fail(ctx, SWE_USAGE, "--order: %d is given twice", orders->value[o]);
    return SWE_OK;
}

static swe_status check_order(swe_context *ctx, int order)
{
    if (order == 2 || order == 4 || order == 6)
        return SWE_OK;
    return swe_fail(ctx, SWE_USAGE, "--order: %d is not one of 2, 4, 6", order);
}

/* Whether the backend works, tried with the smallest row. */
static swe_status check_backend(swe_context *ctx, const study *s, const swe_config *config)
{
    const swe_simulation_options options = {.backend = s->options->backend,
                                            .threads = s->options->threads};
    swe_simulation *simulation = NULL;
    const swe_status status = swe_simulation_create(ctx, config, &options, &simulation);
    swe_simulation_destroy(&simulation);
    return status;
}

/* Check the configuration of every row before the first one runs. */
static swe_status check_rows(swe_context *ctx, const cli_options *options)
{
    SWE_TRY(check_orders(ctx, &options->order));
    for (int at = 0; at < row_count(options); at++) {
        swe_config *config = NULL;
        const int n = n_at(options, at);
        if (at % options->n.count > 0 && n <= n_at(options, at - 1))
            return swe_fail(ctx, SWE_USAGE, "--n: the list must ascend");
        SWE_TRY(check_order(ctx, order_at(options, at)));
        SWE_TRY(load_row(ctx, options, NULL, order_at(options, at), n, &config));
        swe_config_destroy(&config);
    }
    return SWE_OK;
}

static const char *stop(void *nobody, double stride)
{
    (void)nobody, (void)stride;
    return cli_study_signal();
}

/* Run a simulation to its end. */
static swe_status run_simulation(swe_context *ctx, const study *study, const swe_config *config,
                                 const swe_run_files *files, swe_results *results, int *threads)
{
    char label[320];
    snprintf(label, sizeof label, "%s order %ld n %ld", config->case_name, config->grid.order,
             config->grid.n);
    cli_progress progress;
    cli_progress_start(&progress, label, study->options->quiet);
    prof_options regions_only =
        swe_config_profile(config); /* ranges for an attached profiling tool */
    regions_only.mode = PROF_OFF;
    prof_profiler *profiler = prof_create(&regions_only);
    const swe_simulation_options options = {.backend = study->options->backend,
                                            .threads = study->options->threads,
                                            .watch = cli_progress_watch,
                                            .watcher = &progress,
                                            .profiler = profiler,
                                            .stop = stop};
    swe_simulation *simulation = NULL;
    swe_status status = swe_simulation_create(ctx, config, &options, &simulation);
    if (status == SWE_OK)
        status = swe_simulation_run(ctx, simulation, files, results);
    if (status == SWE_OK)
        *threads = swe_simulation_model(simulation)->execution.threads;
    swe_simulation_destroy(&simulation);
    prof_destroy(&profiler);
    cli_progress_clear(&progress);
    return status;
}

/* The error of a row with half its time step `dt`. */
static swe_status measure_half_step(swe_context *ctx, const study *study, const swe_config *of,
                                    double dt, double *l2)
{
    char step[48];
    int threads = 0;
    swe_config *config = NULL;
    swe_results results;
    snprintf(step, sizeof step, "time.dt=%.17g", 0.5 * dt);
    SWE_TRY(load_row(ctx, study->options, step, (int)of->grid.order, (int)of->grid.n, &config));
    const swe_status status = run_simulation(
        ctx, study, config, &(swe_run_files){.final_path = NULL}, &results, &threads);
    if (status == SWE_OK)
        *l2 = results.errors.l2;
    swe_config_destroy(&config);
    return status;
}

/* Index of an order in the request. */
static int rank_of(const cli_options *options, int64_t order)
{
    int k = 0;
    while (k < options->order.count && options->order.value[k] != order)
        k++;
    return k;
}

/* Index of a row among the others, which are by order, as requested, and size. */
static int place_of(const study *s, int order, int n)
{
    const int rank = rank_of(s->options, order);
    int at = 0;
    while (at < s->found.count && (rank_of(s->options, s->found.rows[at].order) < rank ||
                                   (s->found.rows[at].order == order && s->found.rows[at].n < n)))
        at++;
    return at;
}

/* Compute a row and store it; `measures_step`: with the error of half its time step. */
static swe_status compute_row(swe_context *ctx, study *study, const swe_config *config,
                              bool measures_step)
{
    char path[4096];
    const swe_run_files files = {.final_path = path};
    swe_results results;
    int threads = 0;
    double half_step_l2 = NAN;
    if (snprintf(path, sizeof path, "%s/fields_order%ld_n%04ld.nc", study->directory,
                 config->grid.order, config->grid.n) >= (int)sizeof path)
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%.200s...: the path is too long",
                        study->directory);
    SWE_TRY(run_simulation(ctx, study, config, &files, &results, &threads));
    if (measures_step)
        SWE_TRY(measure_half_step(ctx, study, config, results.dt, &half_step_l2));
    cli_convergence_insert(&study->found, place_of(study, results.order, results.n), &results,
                           threads, half_step_l2);
    return cli_convergence_write(ctx, &study->found, study->directory);
}

/* Compute a row unless it exists. `step`: as of load_row; `measures_step`: as of compute_row. */
static swe_status ensure_row(swe_context *ctx, study *s, const char *step, int order, int n,
                             bool measures_step)
{
    swe_config *config = NULL;
    if (cli_study_signal() != NULL)
        return SWE_STOPPED;
    if (cli_convergence_find(&s->found, order, n) != NULL)
        return SWE_OK;
    SWE_TRY(load_row(ctx, s->options, step, order, n, &config));
    const swe_status status = compute_row(ctx, s, config, measures_step);
    swe_config_destroy(&config);
    return status;
}

/* ---- the cheapest row that reaches an error -------------------------------------------------- */

/* An order, by the rate of its rows. Seconds of a step grow as n^2, steps as n. */
typedef struct candidate {
    int order, n;
    double rate, seconds, courant;
    const cli_convergence_row *coarse, *last;
} candidate;

/* The even number of cells at which l2 reaches the error, with 2 % to spare, if it falls at the
 * rate from n cells on. */
static int cells_for(double n, double l2, double error, double rate)
{
    return 2 * (int)ceil(0.5 * 1.02 * n * pow(l2 / error, 1.0 / rate));
}

static candidate candidate_of(study *s, int order, double error)
{
    candidate c = {.order = order, .courant = first_courant(s->options), .seconds = INFINITY};
    const int sizes = s->options->n.count;
    c.coarse = cli_convergence_find(&s->found, order, n_at(s->options, 0));
    c.last = cli_convergence_find(&s->found, order, n_at(s->options, sizes - 1));
    const cli_convergence_row *before =
        cli_convergence_find(&s->found, order, n_at(s->options, sizes - 2));
    c.rate = log(before->results.errors.l2 / c.last->results.errors.l2) /
             log((double)c.last->n / (double)before->n);
    if (!(c.rate > 0.5))
        return c;
    c.n = cells_for((double)c.last->n, c.last->results.errors.l2, error, c.rate);
    if (c.n < c.coarse->n)
        c.n = (int)c.coarse->n;
    c.seconds = c.last->results.seconds * pow((double)c.n / (double)c.last->n, 3.0);
    /* a quarter of the error is left to the time step, whose part falls as dt^4 */
    const double of_step = 16.0 / 15.0 *
                           fabs(c.coarse->results.errors.l2 - c.coarse->half_step_l2) *
                           pow((double)c.coarse->n / c.n, 4.0);
    if (of_step > 0.25 * error) {
        const double shorter = pow(0.25 * error / of_step, 0.25);
        c.courant *= shorter;
        c.seconds /= shorter;
    }
    return c;
}

/* The orders of the study, and the fastest of them. */
static int find_candidates(study *s, double error, candidate out[CLI_MOST_LIST])
{
    int best = 0;
    for (int k = 0; k < s->options->order.count; k++) {
        out[k] = candidate_of(s, s->options->order.value[k], error);
        if (out[k].seconds < out[best].seconds)
            best = k;
    }
    return best;
}

/* Whether a row is in the request; others were computed to reach the error. */
static bool is_requested(const study *s, const cli_convergence_row *row)
{
    for (int at = 0; at < row_count(s->options); at++)
        if (row->order == order_at(s->options, at) && row->n == n_at(s->options, at))
            return true;
    return false;
}

/* The fastest row that reaches the error; NULL: none. */
static const cli_convergence_row *reached_by(const study *s, double error)
{
    const cli_convergence_row *best = NULL;
    for (int k = 0; k < s->found.count; k++) {
        const cli_convergence_row *row = &s->found.rows[k];
        if (row->results.errors.l2 <= error &&
            (best == NULL || row->results.seconds < best->results.seconds))
            best = row;
    }
    return best;
}

/* Compute the cheapest row that reaches the error. Where its error is larger than its rate says,
 * the next try has more cells. */
static swe_status reach_error(swe_context *ctx, study *s)
{
    enum { TRIES = 4 };
    const double error = s->options->error;
    candidate all[CLI_MOST_LIST] = {{0}};
    candidate *best = &all[find_candidates(s, error, all)];
    char step[48];
    if (!isfinite(best->seconds))
        return swe_fail(ctx, SWE_CONFIG, "--error: errors do not fall from n = %d to n = %d",
                        n_at(s->options, 0), n_at(s->options, s->options->n.count - 1));
    snprintf(step, sizeof step, "time.courant=%.4g", best->courant);
    for (int k = 0; k < TRIES; k++) {
        const cli_convergence_row *reached = reached_by(s, error);
        if (reached != NULL && (k > 0 || reached->results.seconds <= best->seconds))
            break;
        SWE_TRY(ensure_row(ctx, s, step, best->order, best->n, false));
        const cli_convergence_row *row = cli_convergence_find(&s->found, best->order, best->n);
        best->n = cells_for(best->n, row->results.errors.l2, error, best->rate);
    }
    return SWE_OK;
}

/* Print the chosen row, and the estimate of each order that decided. */
static void print_choice(study *s)
{
    const double error = s->options->error;
    const cli_convergence_row *row = reached_by(s, error);
    candidate all[CLI_MOST_LIST] = {{0}};
    if (row == NULL) {
        printf("\nNo row has l2 of at most %g: errors of finer rows do not fall at the rate of the "
               "coarse ones.\n",
               error);
        return;
    }
    printf("\nFor l2 of at most %g: order %d, n = %d, %d steps of %.4g s by %s: %.3e in %.3g s.\n",
           error, (int)row->order, (int)row->n, (int)row->steps, row->results.dt,
           s->base.config->scheme.time == SWE_TIME_RK4 ? "RK4" : "leapfrog", row->results.errors.l2,
           row->results.seconds);
    find_candidates(s, error, all);
    for (int k = 0; k < s->options->order.count; k++)
        if (all[k].last != NULL && isfinite(all[k].seconds))
            printf("Order %d: rate %.2f up to n = %d, so it needs n = %d and about %.2g s.\n",
                   all[k].order, all[k].rate, (int)all[k].last->n, all[k].n, all[k].seconds);
}

/* ---- existing rows --------------------------------------------------------------------------- */

/* Copy a row of the record, if there is one. */
static void copy_row(study *s, const cli_convergence_row *row)
{
    if (row != NULL)
        cli_convergence_insert(&s->found, place_of(s, row->results.order, row->results.n),
                               &row->results, (int)row->threads, row->half_step_l2);
}

/* Copy the record's rows in the requested order, and those that were to reach the same error. */
static swe_status copy_rows(swe_context *ctx, study *s, cli_convergence *record)
{
    s->found.count = 0;
    for (int at = 0; at < row_count(s->options); at++)
        copy_row(s, cli_convergence_find(record, order_at(s->options, at), n_at(s->options, at)));
    for (int k = 0; k < record->count && record->error == s->options->error && record->error > 0.0;
         k++)
        if (!is_requested(s, &record->rows[k]))
            copy_row(s, &record->rows[k]);
    if (s->found.count < record->count)
        return cli_study_refuse_rows(ctx, &s->base, record->count - s->found.count);
    s->found.is_finished = record->is_finished && record->error == s->options->error &&
                           s->found.count >= row_count(s->options);
    return SWE_OK;
}

static swe_status read_rows(swe_context *ctx, study *s)
{
    cli_convergence *record = calloc(1, sizeof *record); /* too large for the stack */
    if (record == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the study");
    swe_status status = cli_convergence_read(ctx, &s->base, record);
    if (status == SWE_OK)
        status = copy_rows(ctx, s, record);
    free(record);
    return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Set the folder of the results and find the existing rows; writes nothing. */
static swe_status prepare(swe_context *ctx, study *s, const swe_config *config)
{
    const swe_backend *backend = NULL;
    s->decided = *s->options;
    SWE_TRY(cli_backend_decide(ctx, &s->decided, &backend));
    s->options = &s->decided;
    if (config->profile.mode != PROF_OFF)
        fputs(
            "cubeswe: warning: profile.mode applies to run and profile: converge records nothing\n",
            stderr);
    snprintf(s->standard, sizeof s->standard, "output/%s_convergence", config->case_name);
    s->directory = s->options->output != NULL ? s->options->output : s->standard;
    const swe_initial initial = swe_config_initial(config);
    const swe_physics physics = swe_config_physics(config);
    s->caution = swe_case_convergence(&initial, &physics);
    s->found.has_rates = s->caution == NULL;
    s->found.equations = physics.equations;
    s->found.error = s->options->error;
    s->base = (cli_study){.directory = s->directory,
                          .name = "convergence.json",
                          .options = s->options,
                          .config = config,
                          .row_keys = row_keys};
    SWE_TRY(cli_study_facts(ctx, &s->base, false));
    s->found.facts = s->base.facts;
    snprintf(s->found.case_name, sizeof s->found.case_name, "%s", config->case_name);
    snprintf(s->found.backend, sizeof s->found.backend, "%s", backend->name);
    snprintf(s->found.device, sizeof s->found.device, "%s",
             json_string_value(json_object_get(s->base.facts, "device")));
    SWE_TRY(cli_study_find(ctx, &s->base));
    return read_rows(ctx, s);
}

/* Compute the missing rows. The JSON is written first: it marks the folder as this study's. */
static swe_status run_missing(swe_context *ctx, study *s, const swe_config *config)
{
    SWE_TRY(check_backend(ctx, s, config));
    SWE_TRY(cli_study_open(ctx, &s->base));
    SWE_TRY(read_rows(ctx, s));
    cli_study_print_done(&s->base, s->found.count, row_count(s->options));
    SWE_TRY(cli_convergence_write(ctx, &s->found, s->directory));
    SWE_TRY(cli_study_begun(ctx, &s->base));
    for (int at = 0; at < row_count(s->options); at++)
        SWE_TRY(ensure_row(ctx, s, NULL, order_at(s->options, at), n_at(s->options, at),
                           at % s->options->n.count == 0));
    if (s->options->error > 0.0)
        SWE_TRY(reach_error(ctx, s));
    s->found.is_finished = true;
    return cli_convergence_write(ctx, &s->found, s->directory);
}

static swe_status converge(swe_context *ctx, study *s, const swe_config *config)
{
    swe_status status = prepare(ctx, s, config);
    if (status == SWE_OK && s->found.is_finished)
        cli_study_print_done(&s->base, s->found.count, s->found.count);
    else if (status == SWE_OK)
        status = run_missing(ctx, s, config);
    if (status != SWE_OK && status != SWE_STOPPED)
        return status;
    if (!s->options->quiet && s->found.count > 0) {
        cli_convergence_print(&s->found, stdout);
        if (s->options->error > 0.0 && s->found.is_finished)
            print_choice(s);
        if (s->caution != NULL)
            printf("note: %s\n", s->caution);
        printf("results in %s\n", SWE_SHOWN(s->directory));
    }
    if (status == SWE_STOPPED)
        return cli_study_stop(ctx, &s->base, s->found.count, row_count(s->options));
    return SWE_OK;
}

/* A leapfrog step costs half of an RK4 step and has a smaller error: use it where case and backend
 * can and --set does not decide. */
static swe_status choose_scheme(swe_context *ctx, cli_options *options)
{
    const swe_backend *backend = NULL;
    swe_context quiet = {""};
    swe_config *config = NULL;
    SWE_TRY(cli_backend_decide(ctx, options, &backend));
    if (given_scheme(options) == NULL && !backend->has_own_memory &&
        load_row(&quiet, options, leapfrog, order_at(options, 0), n_at(options, 0), &config) ==
            SWE_OK)
        options->set[options->set_count++] = leapfrog;
    swe_config_destroy(&config);
    return SWE_OK;
}

/* Request the first rows of a study that is to reach an error. */
static swe_status request_rows(swe_context *ctx, cli_options *options)
{
    static char step[32];
    if (options->n.count == 0)
        options->n = first_n;
    if (options->order.count == 0)
        options->order = first_orders;
    if (options->n.count < 2)
        return swe_fail(ctx, SWE_USAGE, "--error: a rate needs two or more sizes in --n");
    if (options->set_count + 2 > CLI_MOST_SET)
        return swe_fail(ctx, SWE_USAGE, "--error: too many --set");
    SWE_TRY(choose_scheme(ctx, options));
    snprintf(step, sizeof step, "time.courant=%g", first_courant(options));
    options->set[options->set_count++] = step;
    return SWE_OK;
}

static swe_status converge_case(swe_context *ctx, const cli_options *given)
{
    swe_config *config = NULL;
    cli_options requested = *given;
    const cli_options *options = &requested;
    if (given->error > 0.0)
        SWE_TRY(request_rows(ctx, &requested));
    if (requested.order.count == 0) { /* the order of the case */
        SWE_TRY(load_row(ctx, options, NULL, 0, n_at(options, 0), &config));
        requested.order = (cli_list){{(int)config->grid.order}, 1};
        swe_config_destroy(&config);
    }
    SWE_TRY(check_rows(ctx, options));
    study *all = calloc(1, sizeof *all); /* too large for the stack */
    if (all == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the study");
    all->options = options;
    swe_status status =
        load_row(ctx, options, NULL, order_at(options, 0), n_at(options, 0), &config);
    if (status == SWE_OK)
        status = converge(ctx, all, config);
    status = cli_study_close(ctx, status, &all->base);
    swe_config_destroy(&config);
    free(all);
    return status;
}

static swe_status run(swe_context *ctx, const cli_options *options)
{
    if (options->n.count == 0 && options->error == 0.0)
        return swe_fail(
            ctx, SWE_USAGE,
            "converge needs a case file and --n, or --error (see cubeswe converge --help)");
    cli_stop_install();
    return converge_case(ctx, options);
}

const cli_command cli_converge = {
    .name = "converge",
    .operands = "CASE.yaml --n=24,48,96\nCASE.yaml --error=1e-7",
    .summary = "run a case at several resolutions and measure the errors",
    .text = "Run a case with an exact solution at several resolutions and orders; write "
            "convergence.json, .csv, .md, .svg, .html and the error fields. With --error, find the "
            "order, size and time step that reach a relative l2 error of h in the least time, from "
            "the rates of some coarse runs, and run them.\n"
            "\n" CLI_STUDY_CONTINUES("row"),
    .least_operands = 1,
    .most_operands = 1,
    .needs = "a case file, and --n or --error",
    .accepts_case_name = true,
    .run = run,
    .options = {{.name = "n", .text = "cells along a panel side, ascending (with --error: 24,48)"},
                {.name = "order"},
                {.name = "error",
                 .text = "reach this relative l2 error of h at the least cost (--order: 4,6)"},
                CLI_CASE_OPTIONS,
                {.name = "output",
                 .text = "folder of the results (default: output/<case>_convergence)"},
                {.name = "overwrite"},
                {.name = "quiet", .text = "print no progress and no table"}},
};
