#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/convergence_study.h"
#include "cli/machine.h"
#include "cli/progress.h"
#include "cli/stop.h"
#include "base/text.h"

/* Keys of the configuration in which rows may differ. */
static const char *const row_keys[] = {"grid.n", "grid.order", NULL};

/* One call of `cubeswe converge`. */
typedef struct study {
    const cli_options *options;
    cli_options decided;   /* with the backend that auto resolves to */
    const char *directory; /* given or default folder of the results */
    char standard[4096];
    const char
        *caution; /* what the errors contain besides the discretization error; NULL: nothing */
    int case_order;
    cli_study base;
    cli_convergence found;
} study;

/* Load the configuration of a row: the case with another order and n. */
static swe_status load_row(swe_context *ctx, const cli_options *options, int order, int n,
                           swe_config **out)
{
    SWE_TRY(cli_load_sized(ctx, options, NULL, order, n, out));
    const swe_initial initial = swe_config_initial(*out);
    const swe_physics physics = swe_config_physics(*out);
    char why[384];
    if (swe_case_reference(&initial, &physics) == SWE_REFERENCE_EXACT)
        return SWE_OK;
    snprintf(why, sizeof why, "the error of '%s' does not measure convergence: %s",
             swe_initial_name(initial.kind), swe_case_convergence(&initial, &physics));
    return cli_refuse_case(ctx, options, why, out);
}

/* Number of requested orders: without --order the one of the case. */
static int order_count(const cli_options *options)
{
    return options->order.count > 0 ? options->order.count : 1;
}

static int row_count(const cli_options *options)
{
    return order_count(options) * options->n.count;
}

/* Order of row `at`; 0: the order of the case. */
static int order_at(const cli_options *options, int at)
{
    return options->order.count > 0 ? options->order.value[at / options->n.count] : 0;
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

/* 0: the order of the case. */
static swe_status check_order(swe_context *ctx, int order)
{
    if (order == 0 || order == 2 || order == 4 || order == 6)
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
        SWE_TRY(load_row(ctx, options, order_at(options, at), n, &config));
        swe_config_destroy(&config);
    }
    return SWE_OK;
}

/* Run a simulation to its end and store its row at index `at`. */
static swe_status keep_row(swe_context *ctx, study *study, swe_simulation *simulation,
                           const swe_run_files *files, int at)
{
    swe_results row;
    SWE_TRY(swe_simulation_run(ctx, simulation, files, &row));
    cli_convergence_insert(&study->found, at, &row,
                           swe_simulation_model(simulation)->execution.threads);
    study->found.is_finished = study->found.count == row_count(study->options);
    return cli_convergence_write(ctx, &study->found, study->directory);
}

static const char *stop(void *nobody, double stride)
{
    (void)nobody, (void)stride;
    return cli_study_signal();
}

static swe_status run_simulation(swe_context *ctx, study *study, const swe_config *config, int at)
{
    char label[320], path[4096];
    snprintf(label, sizeof label, "%s order %ld n %ld", config->case_name, config->grid.order,
             config->grid.n);
    if (snprintf(path, sizeof path, "%s/fields_order%ld_n%04ld.nc", study->directory,
                 config->grid.order, config->grid.n) >= (int)sizeof path)
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%.200s...: the path is too long",
                        study->directory);
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
    const swe_run_files files = {.final_path = path};
    swe_simulation *simulation = NULL;
    swe_status status = swe_simulation_create(ctx, config, &options, &simulation);
    if (status == SWE_OK)
        status = keep_row(ctx, study, simulation, &files, at);
    swe_simulation_destroy(&simulation);
    prof_destroy(&profiler);
    cli_progress_clear(&progress);
    return status;
}

/* Whether row `at` exists and has this order and size. */
static bool is_row(const cli_convergence *found, int at, int order, int n)
{
    return at < found->count && found->rows[at].order == order && found->rows[at].n == n;
}

/* Compute row `at` unless it exists. */
static swe_status ensure_row(swe_context *ctx, study *study, int at)
{
    swe_config *config = NULL;
    const int n = n_at(study->options, at);
    if (cli_study_signal() != NULL)
        return SWE_STOPPED;
    SWE_TRY(load_row(ctx, study->options, order_at(study->options, at), n, &config));
    const swe_status status = is_row(&study->found, at, (int)config->grid.order, n)
                                  ? SWE_OK
                                  : run_simulation(ctx, study, config, at);
    swe_config_destroy(&config);
    return status;
}

/* ---- existing rows --------------------------------------------------------------------------- */

/* Append the record's row of an order and size, if it has one. */
static void copy_row(const cli_convergence *record, int order, int n, cli_convergence *out)
{
    for (int row = 0; row < record->count; row++)
        if (is_row(record, row, order, n)) {
            cli_convergence_insert(out, out->count, &record->rows[row].results,
                                   (int)record->rows[row].threads);
            return;
        }
}

/* Copy the record's rows in the requested order. */
static swe_status copy_rows(swe_context *ctx, study *s, const cli_convergence *record)
{
    s->found.count = 0;
    for (int at = 0; at < row_count(s->options); at++) {
        const int order = order_at(s->options, at);
        copy_row(record, order > 0 ? order : s->case_order, n_at(s->options, at), &s->found);
    }
    if (s->found.count < record->count)
        return cli_study_refuse_rows(ctx, &s->base, record->count - s->found.count);
    s->found.is_finished = record->is_finished && s->found.count == row_count(s->options);
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
    s->case_order = (int)config->grid.order;
    const swe_initial initial = swe_config_initial(config);
    const swe_physics physics = swe_config_physics(config);
    s->caution = swe_case_convergence(&initial, &physics);
    s->found.has_rates = s->caution == NULL;
    s->found.equations = physics.equations;
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
    s->found.is_finished = s->found.count == row_count(s->options);
    SWE_TRY(cli_convergence_write(ctx, &s->found, s->directory));
    SWE_TRY(cli_study_begun(ctx, &s->base));
    for (int at = 0; at < row_count(s->options); at++)
        SWE_TRY(ensure_row(ctx, s, at));
    return SWE_OK;
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
        if (s->caution != NULL)
            printf("note: %s\n", s->caution);
        printf("results in %s\n", SWE_SHOWN(s->directory));
    }
    if (status == SWE_STOPPED)
        return cli_study_stop(ctx, &s->base, s->found.count, row_count(s->options));
    return SWE_OK;
}

static swe_status converge_case(swe_context *ctx, const cli_options *options)
{
    swe_config *config = NULL;
    SWE_TRY(check_rows(ctx, options));
    study *all = calloc(1, sizeof *all); /* too large for the stack */
    if (all == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the study");
    all->options = options;
    swe_status status = load_row(ctx, options, order_at(options, 0), n_at(options, 0), &config);
    if (status == SWE_OK)
        status = converge(ctx, all, config);
    status = cli_study_close(ctx, status, &all->base);
    swe_config_destroy(&config);
    free(all);
    return status;
}

static swe_status run(swe_context *ctx, const cli_options *options)
{
    if (options->n.count == 0)
        return swe_fail(ctx, SWE_USAGE,
                        "converge needs a case file and --n (see cubeswe converge --help)");
    cli_stop_install();
    return converge_case(ctx, options);
}

const cli_command cli_converge = {
    .name = "converge",
    .operands = "CASE.yaml --n=24,48,96",
    .summary = "run a case at several resolutions and measure the errors",
    .text = "Run a case with an exact solution at several resolutions and orders; write "
            "convergence.json, .csv, .md, .svg, .html and the error fields.\n"
            "\n" CLI_STUDY_CONTINUES("row"),
    .least_operands = 1,
    .most_operands = 1,
    .needs = "a case file and --n",
    .accepts_case_name = true,
    .run = run,
    .options = {{.name = "n"},
                {.name = "order"},
                CLI_CASE_OPTIONS,
                {.name = "output",
                 .text = "folder of the results (default: output/<case>_convergence)"},
                {.name = "overwrite"},
                {.name = "quiet", .text = "print no progress and no table"}},
};
