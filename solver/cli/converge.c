#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/convergence.h"

static const char help[] =
    "Usage: cubeswe converge CASE.yaml --n 24,48,96 [options]\n"
    "\n"
    "Run a case with an exact solution at several resolutions and orders; write convergence.json,\n"
    ".csv, .md, .svg and the error fields.\n"
    "\n"
    "  --n LIST                 cells along a panel side, ascending\n"
    "  --order LIST             orders (default: that of the case)\n"
    "  --set section.key=value  override a key of the case (config/README.md); may be repeated\n"
    "  --backend NAME           cpu, cuda, cuda:<device>, or auto: a GPU if one works (default)\n"
    "  --threads T              CPU threads, or auto (default; see cubeswe run --help)\n"
    "  -o, --output DIR         where results go (default: output/<case>_convergence)\n"
    "  --overwrite              replace results that are there\n"
    "  --quiet                  no progress and no table\n";

/* A study and what was asked for. */
typedef struct study {
    const cli_options *options;
    const char *directory; /* the one asked for, or the standard one */
    char standard[4096];
    const char *caution; /* what else the errors measure; NULL: nothing */
    cli_convergence found;
} study;

/* The configuration of one row: the case with its n and order set. */
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

/* 0 stands for the case's own order. */
static cli_list orders_of(const cli_options *options)
{
    return options->order.count > 0 ? options->order : (cli_list){{0}, 1};
}

static swe_status check_orders(swe_context *ctx, const cli_list *orders)
{
    for (int o = 0; o < orders->count; o++)
        for (int before = 0; before < o; before++)
            if (orders->value[before] == orders->value[o])
                return swe_fail(ctx, SWE_USAGE, "--order: %d is given twice", orders->value[o]);
    return SWE_OK;
}

/* Orders are 2, 4 and 6; 0 stands for the case's. */
static swe_status check_order(swe_context *ctx, int order)
{
    if (order == 0 || order == 2 || order == 4 || order == 6)
        return SWE_OK;
    return swe_fail(ctx, SWE_USAGE, "--order: %d is not one of 2, 4, 6", order);
}

/* Whether the backend works and the results have a place, shown by the smallest row. */
static swe_status check_first_row(swe_context *ctx, study *study)
{
    const swe_simulation_options options = {.backend = study->options->backend,
                                            .threads = study->options->threads};
    swe_config *config = NULL;
    swe_simulation *simulation = NULL;
    SWE_TRY(load_row(ctx, study->options, orders_of(study->options).value[0],
                     study->options->n.value[0], &config));
    const swe_initial initial = swe_config_initial(config);
    const swe_physics physics = swe_config_physics(config);
    study->caution = swe_case_convergence(&initial, &physics);
    snprintf(study->found.case_name, sizeof study->found.case_name, "%s", config->case_name);
    if (config->profile.mode != PROF_OFF)
        fputs("cubeswe: warning: profile.mode is of run and profile: a study records nothing\n",
              stderr);
    swe_status status = swe_simulation_create(ctx, config, &options, &simulation);
    if (status == SWE_OK) {
        study->found.configuration = strdup(swe_simulation_configuration(simulation));
        if (study->found.configuration == NULL)
            status = swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the study");
    }
    swe_simulation_destroy(&simulation);
    snprintf(study->standard, sizeof study->standard, "output/%s_convergence", config->case_name);
    study->directory = study->options->output != NULL ? study->options->output : study->standard;
    if (status == SWE_OK)
        status = cli_directory_create(ctx, study->directory, config, study->options->overwrite);
    swe_config_destroy(&config);
    return status;
}

/* Every row must be sound before the first one runs. */
static swe_status check_rows(swe_context *ctx, const cli_options *options)
{
    const cli_list orders = orders_of(options);
    SWE_TRY(check_orders(ctx, &orders));
    for (int o = 0; o < orders.count; o++)
        for (int k = 0; k < options->n.count; k++) {
            swe_config *config = NULL;
            if (k > 0 && options->n.value[k] <= options->n.value[k - 1])
                return swe_fail(ctx, SWE_USAGE, "--n: the list must ascend");
            SWE_TRY(check_order(ctx, orders.value[o]));
            SWE_TRY(load_row(ctx, options, orders.value[o], options->n.value[k], &config));
            swe_config_destroy(&config);
        }
    return SWE_OK;
}

/* Run a simulation to its end and keep its row. */
static swe_status keep_row(swe_context *ctx, study *study, swe_simulation *simulation,
                           const swe_run_files *files)
{
    const swe_model *model = swe_simulation_model(simulation);
    snprintf(study->found.backend, sizeof study->found.backend, "%s", model->backend->name);
    snprintf(study->found.device, sizeof study->found.device, "%s",
             swe_simulation_device(simulation));
    const swe_status status =
        swe_simulation_run(ctx, simulation, files, &study->found.rows[study->found.count]);
    study->found.threads = model->workers.threads > study->found.threads ? model->workers.threads
                                                                         : study->found.threads;
    study->found.count += status == SWE_OK;
    return status;
}

static swe_status run_simulation(swe_context *ctx, study *study, const swe_config *config)
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
    prof_options regions_only = swe_config_profile(config); /* for a tool that is attached */
    regions_only.mode = PROF_OFF;
    prof_profiler *profiler = prof_create(&regions_only);
    const swe_simulation_options options = {.backend = study->options->backend,
                                            .threads = study->options->threads,
                                            .watch = cli_progress_watch,
                                            .watcher = &progress,
                                            .profiler = profiler};
    const swe_run_files files = {.final_path = path};
    swe_simulation *simulation = NULL;
    swe_status status = swe_simulation_create(ctx, config, &options, &simulation);
    if (status == SWE_OK)
        status = keep_row(ctx, study, simulation, &files);
    swe_simulation_destroy(&simulation);
    prof_destroy(&profiler);
    cli_progress_clear(&progress);
    return status;
}

static swe_status run_rows(swe_context *ctx, study *study)
{
    const cli_list orders = orders_of(study->options);
    for (int o = 0; o < orders.count; o++)
        for (int k = 0; k < study->options->n.count; k++) {
            swe_config *config = NULL;
            SWE_TRY(load_row(ctx, study->options, orders.value[o], study->options->n.value[k],
                             &config));
            const swe_status status = run_simulation(ctx, study, config);
            swe_config_destroy(&config);
            SWE_TRY(status);
        }
    return SWE_OK;
}

static swe_status converge(swe_context *ctx, study *study)
{
    SWE_TRY(check_first_row(ctx, study));
    SWE_TRY(run_rows(ctx, study));
    SWE_TRY(cli_convergence_write(ctx, &study->found, study->directory));
    if (!study->options->quiet) {
        cli_convergence_print(&study->found, stdout);
        if (study->caution != NULL)
            printf("note: %s\n", study->caution);
        printf("results in %s\n", study->directory);
    }
    return SWE_OK;
}

swe_status cli_converge(swe_context *ctx, int argc, char **argv)
{
    cli_options options;
    SWE_TRY(cli_parse(ctx, argc, argv, "sbtonrwq", &options));
    if (options.help) {
        fputs(help, stdout);
        return SWE_OK;
    }
    if (options.case_file == NULL || options.n.count == 0)
        return swe_fail(ctx, SWE_USAGE,
                        "converge needs a case file and --n (see cubeswe converge --help)");
    SWE_TRY(check_rows(ctx, &options));
    study *all = calloc(1, sizeof *all); /* too large for a stack */
    if (all == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the study");
    all->options = &options;
    const swe_status status = converge(ctx, all);
    free(all->found.configuration);
    free(all);
    return status;
}
