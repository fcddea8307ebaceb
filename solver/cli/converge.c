#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/convergence_study.h"
#include "cli/progress.h"

/* Keys of the configuration in which rows may differ. */
static const char *const row_keys[] = {"grid.n", "grid.order", "time.courant", NULL};

swe_status cli_converge_load(swe_context *ctx, const cli_options *options, const char *step,
                             int order, int n, swe_config **out)
{
    const char *const settings[] = {step, NULL};
    SWE_TRY(cli_load_sized(ctx, options, settings, order, n, out));
    const swe_initial initial = swe_config_initial(*out);
    const swe_physics physics = swe_config_physics(*out);
    char why[384];
    if (swe_case_reference(&initial, &physics) == SWE_REFERENCE_EXACT && !physics.is_prescribed)
        return SWE_OK;
    snprintf(why, sizeof why, "the error of '%s' does not measure convergence: %s",
             swe_initial_name(initial.kind), swe_case_convergence(&initial, &physics));
    return cli_refuse_case(ctx, options, why, out);
}

/* Check the configuration of every row before the first one runs. */
static swe_status check_rows(swe_context *ctx, const cli_options *options)
{
    const cli_list *orders = &options->order, *sizes = &options->n;
    for (int o = 0; o < orders->count; o++)
        for (int before = 0; before < o; before++)
            if (orders->value[before] == orders->value[o])
                return swe_fail(ctx, SWE_USAGE, "--order: %d is given twice", orders->value[o]);
    SWE_TRY(cli_check_ascends(ctx, "--n", sizes));
    for (int at = 0; at < orders->count * sizes->count; at++) {
        swe_config *config = NULL;
        const int order = orders->value[at / sizes->count], n = sizes->value[at % sizes->count];
        if (order != 2 && order != 4 && order != 6)
            return swe_fail(ctx, SWE_USAGE, "--order: %d is not one of 2, 4, 6", order);
        SWE_TRY(cli_converge_load(ctx, options, NULL, order, n, &config));
        swe_config_destroy(&config);
    }
    return SWE_OK;
}

/* Run a simulation to its end. */
static swe_status run_simulation(swe_context *ctx, const cli_convergence *study,
                                 const swe_config *config, const swe_run_files *files,
                                 swe_results *results, int *threads)
{
    cli_stop only_signals = {.walltime = 0.0};
    char label[320];
    snprintf(label, sizeof label, "%s order %ld n %ld", config->case_name, config->grid.order,
             config->grid.n);
    cli_progress progress;
    cli_progress_start(&progress, label, study->base.options.quiet);
    prof_options regions_only =
        swe_config_profile(config); /* ranges for an attached profiling tool */
    regions_only.mode = PROF_OFF;
    prof_profiler *profiler = prof_create(&regions_only);
    const swe_simulation_options options = {.backend = study->base.options.backend,
                                            .threads = study->base.options.threads,
                                            .watch = cli_progress_watch,
                                            .watcher = &progress,
                                            .profiler = profiler,
                                            .stop = cli_stop_reason,
                                            .stopper = &only_signals};
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
static swe_status measure_half_step(swe_context *ctx, const cli_convergence *study,
                                    const swe_config *of, double dt, double *l2)
{
    char step[48];
    int threads = 0;
    swe_config *config = NULL;
    swe_results results;
    snprintf(step, sizeof step, "time.dt=%.17g", 0.5 * dt);
    SWE_TRY(cli_converge_load(ctx, &study->base.options, step, (int)of->grid.order, (int)of->grid.n,
                              &config));
    const swe_status status = run_simulation(
        ctx, study, config, &(swe_run_files){.final_path = NULL}, &results, &threads);
    if (status == SWE_OK)
        *l2 = results.errors.l2;
    swe_config_destroy(&config);
    return status;
}

/* Compute a row and store it; `measures_step`: with the error of half its time step. */
static swe_status compute_row(swe_context *ctx, cli_convergence *study, const swe_config *config,
                              bool measures_step)
{
    char path[4096];
    const swe_run_files files = {.final_path = path};
    swe_results results;
    int threads = 0;
    double half_step_l2 = NAN;
    if (snprintf(path, sizeof path, "%s/fields_order%ld_n%04ld.nc", study->base.directory,
                 config->grid.order, config->grid.n) >= (int)sizeof path)
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%.200s...: the path is too long",
                        study->base.directory);
    SWE_TRY(run_simulation(ctx, study, config, &files, &results, &threads));
    if (measures_step)
        SWE_TRY(measure_half_step(ctx, study, config, results.dt, &half_step_l2));
    cli_convergence_insert(study, &results, threads, half_step_l2);
    return cli_study_write(ctx, &study->base);
}

swe_status cli_converge_ensure(swe_context *ctx, cli_convergence *s, const char *step, int order,
                               int n, bool measures_step)
{
    swe_config *config = NULL;
    if (cli_study_signal() != NULL)
        return SWE_STOPPED;
    if (cli_convergence_find(s, order, n) != NULL)
        return SWE_OK;
    SWE_TRY(cli_converge_load(ctx, &s->base.options, step, order, n, &config));
    const swe_status status = compute_row(ctx, s, config, measures_step);
    swe_config_destroy(&config);
    return status;
}

/* ---- existing rows --------------------------------------------------------------------------- */

static bool has(const cli_list *list, int64_t value)
{
    int k = 0;
    while (k < list->count && list->value[k] != value)
        k++;
    return k < list->count;
}

/* Read the record's rows: the requested ones, and those that were to reach the same error. */
static swe_status read_rows(swe_context *ctx, void *study)
{
    cli_convergence *s = study;
    int others = 0;
    const cli_list *orders = &s->base.options.order, *sizes = &s->base.options.n;
    s->base.requested = orders->count * sizes->count;
    SWE_TRY(cli_convergence_read(ctx, &s->base, s));
    const bool is_same_error = s->recorded_error == s->error;
    for (int k = 0; k < s->count; k++) /* or computed to reach the error */
        others += !(has(orders, s->rows[k].order) && has(sizes, s->rows[k].n)) &&
                  !(is_same_error && s->error > 0.0);
    if (others > 0)
        return cli_study_refuse_rows(ctx, &s->base, others);
    s->base.is_finished = s->base.is_finished && is_same_error && s->count >= s->base.requested;
    return SWE_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Compute the missing rows. The JSON is written first: it marks the folder as this study's. */
static swe_status compute(swe_context *ctx, void *study)
{
    cli_convergence *s = study;
    const cli_list *orders = &s->base.options.order, *sizes = &s->base.options.n;
    const swe_simulation_options options = {.backend = s->base.options.backend,
                                            .threads = s->base.options.threads};
    swe_simulation *simulation = NULL; /* whether the backend works, tried with the smallest row */
    const swe_status status = swe_simulation_create(ctx, s->base.config, &options, &simulation);
    swe_simulation_destroy(&simulation);
    SWE_TRY(status);
    SWE_TRY(cli_study_open(ctx, &s->base));
    SWE_TRY(cli_study_write(ctx, &s->base));
    for (int o = 0; o < orders->count; o++)
        for (int k = 0; k < sizes->count; k++)
            SWE_TRY(cli_converge_ensure(ctx, s, NULL, orders->value[o], sizes->value[k], k == 0));
    return s->error > 0.0 ? cli_converge_reach(ctx, s) : SWE_OK;
}

static void print(FILE *file, const void *study)
{
    const cli_convergence *s = study;
    cli_convergence_print(file, s);
    if (s->error > 0.0 && s->base.is_finished)
        cli_converge_print_choice(file, s);
    if (s->caution != NULL)
        fprintf(file, "note: %s\n", s->caution);
}

static const cli_study_kind kind = {
    .stem = "convergence",
    .row_keys = row_keys,
    .plot = {.title = "Convergence of %s",
             .y_label = "relative l2 error of h",
             .x = offsetof(cli_convergence_row, n),
             .y = offsetof(swe_results, errors.l2),
             .series = cli_convergence_series},
    .read = read_rows,
    .compute = compute,
    .rows = cli_convergence_rows,
    .json = cli_convergence_json,
    .markdown = cli_convergence_markdown,
    .print = print,
};

static swe_status converge(swe_context *ctx, const cli_options *options, const swe_config *config)
{
    const swe_initial initial = swe_config_initial(config);
    const swe_physics physics = swe_config_physics(config);
    cli_convergence *s = calloc(1, sizeof *s); /* too large for the stack */
    if (s == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the study");
    s->caution = swe_case_convergence(&initial, &physics);
    s->equations = physics.equations;
    s->error = options->error;
    swe_status status = cli_study_init(ctx, &s->base, &kind, options, config);
    if (status == SWE_OK)
        status = cli_study_run(ctx, &s->base);
    status = cli_study_close(ctx, status, &s->base);
    free(s);
    return status;
}

/* Request the rows of a call and check their configurations. */
static swe_status request(swe_context *ctx, cli_options *options)
{
    swe_config *config = NULL;
    if (options->n.count == 0 && options->error == 0.0)
        return swe_fail(
            ctx, SWE_USAGE,
            "converge needs a case file and --n, or --error (see cubeswe converge --help)");
    if (options->error > 0.0)
        SWE_TRY(cli_converge_request(ctx, options));
    if (options->order.count == 0) { /* the order of the case */
        SWE_TRY(cli_converge_load(ctx, options, NULL, 0, options->n.value[0], &config));
        options->order = (cli_list){{(int)config->grid.order}, 1};
        swe_config_destroy(&config);
    }
    return check_rows(ctx, options);
}

static swe_status run(swe_context *ctx, const cli_options *given)
{
    swe_config *config = NULL;
    cli_options options = *given;
    cli_stop_install();
    SWE_TRY(request(ctx, &options));
    SWE_TRY(cli_converge_load(ctx, &options, NULL, options.order.value[0], options.n.value[0],
                              &config));
    const swe_status status = converge(ctx, &options, config);
    swe_config_destroy(&config);
    return status;
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
