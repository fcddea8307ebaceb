#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "cli/cli.h"
#include "cli/report.h"

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
    "  --threads T              CPU threads (default: as many as pay off)\n"
    "  --output DIR             where results go (default: output/<case>_convergence)\n"
    "  --overwrite              replace results that are there\n"
    "  --quiet                  no progress and no table\n";

enum { MOST_ROWS = CLI_MOST_LIST * CLI_MOST_LIST };

/* A study: one row an order and resolution, sorted by order, then n. */
typedef struct study {
    const cli_options *options;
    const char *directory;
    char case_name[256], backend[16], device[256];
    int threads;         /* most that a row used */
    char *configuration; /* of the first row, resolved */
    swe_results rows[MOST_ROWS];
    int count;
} study;

/* The configuration of one row: the case with its n and order set. */
static swe_status load_row(swe_context *ctx, const cli_options *options, int order, int n,
                           swe_config **out)
{
    const char *set[CLI_MOST_SET + 2];
    char set_n[32], set_order[32];
    int count = options->set_count;
    memcpy(set, options->set, (size_t)count * sizeof set[0]);
    snprintf(set_n, sizeof set_n, "grid.n=%d", n);
    snprintf(set_order, sizeof set_order, "grid.order=%d", order);
    set[count++] = set_n;
    if (order > 0)
        set[count++] = set_order;
    SWE_TRY(swe_config_load(ctx, options->case_file, set, count, out));
    if ((*out)->initial.kind != SWE_INITIAL_FILE)
        return SWE_OK;
    swe_config_destroy(out);
    return swe_fail(ctx, SWE_CONFIG,
                    "%s: initial.kind: 'file' has no exact solution to converge to",
                    options->case_file);
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

/* Whether the backend works, shown by the smallest row; takes the name of the case. */
static swe_status check_backend(swe_context *ctx, study *study)
{
    const swe_simulation_options options = {study->options->backend, study->options->threads, NULL,
                                            NULL};
    swe_config *config = NULL;
    swe_simulation *simulation = NULL;
    SWE_TRY(load_row(ctx, study->options, orders_of(study->options).value[0],
                     study->options->n.value[0], &config));
    snprintf(study->case_name, sizeof study->case_name, "%s", config->case_name);
    swe_status status = swe_simulation_create(ctx, config, &options, &simulation);
    if (status == SWE_OK) {
        study->configuration = strdup(swe_simulation_configuration(simulation));
        if (study->configuration == NULL)
            status = swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the study");
    }
    swe_simulation_destroy(&simulation);
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

static swe_status run_simulation(swe_context *ctx, study *study, const swe_config *config)
{
    char label[320], path[4096];
    cli_progress progress;
    snprintf(label, sizeof label, "%s order %ld n %ld", config->case_name, config->grid.order,
             config->grid.n);
    cli_progress_start(&progress, label, study->options->quiet);
    const swe_simulation_options options = {study->options->backend, study->options->threads,
                                            cli_progress_watch, &progress};
    if (snprintf(path, sizeof path, "%s/fields_order%ld_n%04ld.nc", study->directory,
                 config->grid.order, config->grid.n) >= (int)sizeof path)
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%.200s...: the path is too long",
                        study->directory);
    const swe_run_files files = {.final_path = path};
    swe_simulation *simulation = NULL;
    SWE_TRY(swe_simulation_create(ctx, config, &options, &simulation));
    const swe_model *model = swe_simulation_model(simulation);
    snprintf(study->backend, sizeof study->backend, "%s", model->backend->name);
    model->backend->describe(model->device_index, study->device, sizeof study->device);
    const swe_status status =
        swe_simulation_run(ctx, simulation, &files, &study->rows[study->count]);
    study->threads = model->view.threads > study->threads ? model->view.threads : study->threads;
    study->count += status == SWE_OK;
    swe_simulation_destroy(&simulation);
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

/* Whether a row is the first of its order. */
static bool is_first(const study *study, int row)
{
    return row == 0 || study->rows[row - 1].order != study->rows[row].order;
}

/* Observed order between a row and the one before; NaN for the first of an order. */
static double rate(const study *study, int row, double (*error)(const swe_results *))
{
    if (is_first(study, row))
        return NAN;
    const swe_results *coarse = &study->rows[row - 1], *fine = &study->rows[row];
    return log(error(coarse) / error(fine)) / log((double)fine->n / coarse->n);
}

/* Slope of log error against log 1/n over all rows of an order, by least squares. */
static double fit(const study *study, int order, double (*error)(const swe_results *))
{
    double count = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int row = 0; row < study->count; row++) {
        if (study->rows[row].order != order)
            continue;
        const double x = -log(study->rows[row].n), y = log(error(&study->rows[row]));
        count += 1;
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return count > 1 ? (count * sxy - sx * sy) / (count * sxx - sx * sx) : NAN;
}

static double l2_of(const swe_results *r)
{
    return r->errors.l2;
}

static double linf_of(const swe_results *r)
{
    return r->errors.linf;
}

static double max_rms_of(const swe_results *r)
{
    return r->max_rms;
}

static double max_linf_of(const swe_results *r)
{
    return r->max_linf_abs;
}

static json_t *row_json(const study *study, int row)
{
    const swe_results *r = &study->rows[row];
    json_t *out = json_pack("{s:i, s:i, s:f, s:I, s:f, s:o}", "order", r->order, "n", r->n, "dt",
                            r->dt, "steps", (json_int_t)r->steps, "seconds", r->seconds, "step_us",
                            cli_json_step_time(r));
    const struct {
        const char *name;
        double value;
    } reals[] = {{"l1", r->errors.l1},
                 {"l2", r->errors.l2},
                 {"linf", r->errors.linf},
                 {"l2_abs", r->errors.l2_abs},
                 {"linf_abs", r->errors.linf_abs},
                 {"rms", r->errors.rms},
                 {"max_rms", r->max_rms},
                 {"max_linf_abs", r->max_linf_abs},
                 {"rate_l2", rate(study, row, l2_of)},
                 {"rate_linf", rate(study, row, linf_of)},
                 {"mass_drift", r->mass_drift},
                 {"energy_drift", r->energy_drift},
                 {"circulation_drift", r->circulation_drift}};
    for (size_t k = 0; k < sizeof reals / sizeof reals[0]; k++)
        json_object_set_new(out, reals[k].name, cli_json_real(reals[k].value));
    return out;
}

static swe_status write_json(swe_context *ctx, const study *study)
{
    json_t *rows = json_array(), *fits = json_array();
    for (int row = 0; row < study->count; row++) {
        json_array_append_new(rows, row_json(study, row));
        const int order = study->rows[row].order;
        if (is_first(study, row))
            json_array_append_new(
                fits, json_pack("{s:i, s:o, s:o, s:o, s:o}", "order", order, "l2",
                                cli_json_real(fit(study, order, l2_of)), "linf",
                                cli_json_real(fit(study, order, linf_of)), "max_rms",
                                cli_json_real(fit(study, order, max_rms_of)), "max_linf_abs",
                                cli_json_real(fit(study, order, max_linf_of))));
    }
    json_t *all = json_pack("{s:s, s:s, s:s, s:i, s:s, s:s, s:s, s:o, s:o}", "case",
                            study->case_name, "backend", study->backend, "device", study->device,
                            "threads", study->threads, "version", swe_version, "build", swe_build,
                            "configuration", study->configuration, "rows", rows, "fits", fits);
    return cli_json_write(ctx, study->directory, "convergence.json", all);
}

/* A number; nothing if it is not finite. */
static void print_cell(FILE *file, const char *format, double value)
{
    if (isfinite(value))
        fprintf(file, format, value);
}

static void print_csv(FILE *file, const study *study)
{
    fputs("order,n,dt,steps,l1,l2,linf,l2_abs,linf_abs,rms,max_rms,max_linf_abs,rate_l2,rate_linf,"
          "mass_drift,energy_drift,seconds\n",
          file);
    for (int row = 0; row < study->count; row++) {
        const swe_results *r = &study->rows[row];
        const double errors[] = {r->errors.l1,     r->errors.l2,       r->errors.linf,
                                 r->errors.l2_abs, r->errors.linf_abs, r->errors.rms,
                                 r->max_rms,       r->max_linf_abs};
        fprintf(file, "%d,%d,%.17g,%ld", r->order, r->n, r->dt, r->steps);
        for (size_t k = 0; k < sizeof errors / sizeof errors[0]; k++) {
            fputc(',', file);
            print_cell(file, "%.9e", errors[k]);
        }
        fputc(',', file);
        print_cell(file, "%.4f", rate(study, row, l2_of));
        fputc(',', file);
        print_cell(file, "%.4f", rate(study, row, linf_of));
        fprintf(file, ",%.3e,%.3e,%.3f\n", r->mass_drift, r->energy_drift, r->seconds);
    }
}

/* A number in a column of a table, blank if it is not finite. */
static void print_column(FILE *file, int width, const char *format, double value)
{
    char text[32] = "";
    if (isfinite(value))
        snprintf(text, sizeof text, format, value);
    fprintf(file, " %*s |", width, text);
}

static void print_table(FILE *file, const study *study)
{
    fputs("| order |    n | steps |    l1     |    l2     |   linf    | rate l2 | rate linf | mass "
          "drift | energy drift | seconds |\n"
          "|------:|-----:|------:|----------:|----------:|----------:|--------:|----------:|"
          "-----------:|-------------:|--------:|\n",
          file);
    for (int row = 0; row < study->count; row++) {
        const swe_results *r = &study->rows[row];
        fprintf(file, "| %5d | %4d | %5ld |", r->order, r->n, r->steps);
        print_column(file, 9, "%.3e", r->errors.l1);
        print_column(file, 9, "%.3e", r->errors.l2);
        print_column(file, 9, "%.3e", r->errors.linf);
        print_column(file, 7, "%.2f", rate(study, row, l2_of));
        print_column(file, 9, "%.2f", rate(study, row, linf_of));
        fprintf(file, " %10.1e | %12.1e | %7.2f |\n", r->mass_drift, r->energy_drift, r->seconds);
    }
}

static void print_fits(FILE *file, const study *study, int order)
{
    fprintf(file, "| %d |", order);
    print_column(file, 0, "%.2f", fit(study, order, l2_of));
    print_column(file, 0, "%.2f", fit(study, order, linf_of));
    print_column(file, 0, "%.2f", fit(study, order, max_rms_of));
    print_column(file, 0, "%.2f", fit(study, order, max_linf_of));
    fputc('\n', file);
}

static void print_markdown(FILE *file, const study *study)
{
    fprintf(file,
            "# Convergence of %s\n\ncubeswe %s on %s (%s). Errors of h are normalised by the "
            "exact solution.\n\n",
            study->case_name, swe_version, study->backend, study->device);
    print_table(file, study);
    fputs("\n| order | fit l2 | fit linf | fit max rms | fit max linf |\n|--:|--:|--:|--:|--:|\n",
          file);
    for (int row = 0; row < study->count; row++) {
        const int order = study->rows[row].order;
        if (is_first(study, row))
            print_fits(file, study, order);
    }
}

static void print_plot(FILE *file, const study *study)
{
    cli_plot_convergence(file, study->case_name, study->rows, study->count);
}

static swe_status write_text(swe_context *ctx, const study *study, const char *name,
                             void (*print)(FILE *, const struct study *))
{
    FILE *file = NULL;
    SWE_TRY(cli_file_open(ctx, study->directory, name, &file));
    print(file, study);
    return cli_file_close(ctx, study->directory, name, &file);
}

static swe_status converge(swe_context *ctx, study *study)
{
    SWE_TRY(cli_directory_create(ctx, study->directory, NULL, study->options->overwrite));
    SWE_TRY(run_rows(ctx, study));
    SWE_TRY(write_json(ctx, study));
    SWE_TRY(write_text(ctx, study, "convergence.csv", print_csv));
    SWE_TRY(write_text(ctx, study, "convergence.md", print_markdown));
    SWE_TRY(write_text(ctx, study, "convergence.svg", print_plot));
    if (!study->options->quiet) {
        print_table(stdout, study);
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
    char standard[4096];
    swe_status status = check_backend(ctx, all);
    snprintf(standard, sizeof standard, "output/%s_convergence", all->case_name);
    all->directory = options.output != NULL ? options.output : standard;
    if (status == SWE_OK)
        status = converge(ctx, all);
    free(all->configuration);
    free(all);
    return status;
}
