#include "base/version.h"
#include "cli/progress_file.h"
#include "cli/report.h"

static const char help[] =
    "Usage: cubeswe run CASE.yaml [options]\n"
    "\n"
    "Run a case and write its fields, diagnostics and summary to a directory.\n"
    "\n"
    "  --set section.key=value  override a key of the case (config/README.md); may be repeated\n"
    "  --backend NAME           cpu, cuda, cuda:<device>, or auto: a GPU if one works (default)\n"
    "  --threads T              CPU threads (default: as many as pay off)\n"
    "  --output DIR             where results go (default: output/<case>)\n"
    "  --profile[=MODE]         record a window of steps to <results>/profile: trace (default),\n"
    "                           summary, nsys or counters; off does not; when, how long and where\n"
    "                           are keys (profile.*), and variables CUBESWE_PROFILE_<KEY> and\n"
    "                           _ENABLED; what it says comes as report.html\n"
    "  --overwrite              replace results that are there\n"
    "  --dry-run                check everything, run and write nothing\n"
    "  --quiet                  no progress and no summary\n";

/* The final state is one of the snapshots, so run writes no other. */
static swe_status run_in(swe_context *ctx, swe_simulation *simulation, const char *directory,
                         swe_results *results)
{
    swe_run_files files = {.fields_directory = directory};
    SWE_TRY(cli_file_open(ctx, directory, "diagnostics.csv", &files.diagnostics));
    const swe_status status = swe_simulation_run(ctx, simulation, &files, results);
    if (status != SWE_OK) {
        fclose(files.diagnostics);
        return status;
    }
    return cli_file_close(ctx, directory, "diagnostics.csv", &files.diagnostics);
}

static swe_status write_configuration(swe_context *ctx, const swe_config *config,
                                      const char *directory)
{
    FILE *file = NULL;
    SWE_TRY(cli_file_open(ctx, directory, "configuration.yaml", &file));
    swe_config_write(config, file);
    return cli_file_close(ctx, directory, "configuration.yaml", &file);
}

static json_t *errors_json(const swe_results *r)
{
    if (!r->has_errors)
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "l1", cli_json_real(r->errors.l1),
                     "l2", cli_json_real(r->errors.l2), "linf", cli_json_real(r->errors.linf),
                     "l2_abs", cli_json_real(r->errors.l2_abs), "linf_abs",
                     cli_json_real(r->errors.linf_abs), "rms", cli_json_real(r->errors.rms),
                     "max_rms", cli_json_real(r->max_rms), "max_linf_abs",
                     cli_json_real(r->max_linf_abs));
}

static swe_status write_summary(swe_context *ctx, const swe_config *config,
                                swe_simulation *simulation, const char *directory,
                                const swe_results *r)
{
    const swe_model *model = swe_simulation_model(simulation);
    json_t *summary = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:f, s:I, s:f, s:o, s:o, s:o, s:o, s:o, s:f, "
        "s:o}",
        "case", config->case_name, "version", swe_version, "build", swe_build, "backend",
        model->backend->name, "device", swe_simulation_device(simulation), "threads",
        model->workers.threads, "order", r->order, "n", r->n, "dt", r->dt, "steps",
        (json_int_t)r->steps, "courant", r->courant, "mass_drift", cli_json_real(r->mass_drift),
        "energy_drift", cli_json_real(r->energy_drift), "circulation_drift",
        cli_json_real(r->circulation_drift), "max_h", cli_json_real(r->last.max_h), "errors",
        errors_json(r), "seconds", r->seconds, "step_us", cli_json_step_time(r));
    return cli_json_write(ctx, directory, "summary.json", summary);
}

static void print_summary(const swe_config *config, const swe_model *model, const char *directory,
                          const swe_results *r)
{
    const double us = 1e6;
    printf("%s: n = %d, order %d, %ld steps of %.6g s on %s\n", config->case_name, r->n, r->order,
           r->steps, r->dt, model->backend->name);
    if (r->has_errors)
        printf("error of h   l1 %.4e, l2 %.4e, linf %.4e\n", r->errors.l1, r->errors.l2,
               r->errors.linf);
    printf("drift        mass %.2e, energy %.2e, circulation %.2e\n", r->mass_drift,
           r->energy_drift, r->circulation_drift);
    printf("time         %.2f s, %.1f us/step (median; quartiles %.1f and %.1f)\n", r->seconds,
           us * r->step_seconds.median, us * r->step_seconds.low, us * r->step_seconds.high);
    printf("results      %s\n", directory);
}

/* One call of `cubeswe run`. */
typedef struct job {
    const cli_options *options;
    const swe_config *config;
    const char *directory; /* of the results */
    cli_profiles profiles;
    prof_profiler *profiler;
    swe_simulation *simulation;
    cli_progress line;      /* those who watch: the line on the terminal */
    cli_progress_file file; /* and the file that others read */
} job;

static void watch(void *watcher, const swe_progress *now)
{
    job *j = watcher;
    cli_progress_watch(&j->line, now);
    cli_progress_file_watch(&j->file, now);
}

static swe_status check_only(swe_context *ctx, const job *j)
{
    const bool overwrite = j->options->overwrite;
    SWE_TRY(cli_directory_check(ctx, j->directory, j->config, overwrite));
    SWE_TRY(cli_profiles_check(ctx, j->profiles.path, j->config, overwrite));
    swe_config_write(j->config, stdout);
    printf("# dry run: nothing was run or written\n");
    return SWE_OK;
}

static swe_status run_and_tell(swe_context *ctx, job *j)
{
    const cli_progress_subject subject = {j->config,        j->simulation, j->directory,
                                          j->profiles.path, j->profiler,   &j->line};
    const bool overwrite = j->options->overwrite;
    swe_results results = {0};
    SWE_TRY(cli_profiles_check(ctx, j->profiles.path, j->config, overwrite));
    SWE_TRY(cli_directory_create(ctx, j->directory, j->config, overwrite));
    SWE_TRY(cli_profiles_remove(ctx, j->profiles.path, j->config));
    cli_progress_file_start(&j->file, &subject);
    SWE_TRY(write_configuration(ctx, j->config, j->directory));
    SWE_TRY(run_in(ctx, j->simulation, j->directory, &results));
    SWE_TRY(write_summary(ctx, j->config, j->simulation, j->directory, &results));
    if (j->options->quiet)
        return SWE_OK;
    print_summary(j->config, swe_simulation_model(j->simulation), j->directory, &results);
    const int windows = prof_window_count(j->profiler);
    if (windows > 0)
        printf("profile      %s (%d window%s)\n", j->profiles.path, windows,
               windows == 1 ? "" : "s");
    return SWE_OK;
}

static swe_status run_case(swe_context *ctx, const cli_options *options, const swe_config *config)
{
    char standard[4096];
    snprintf(standard, sizeof standard, "output/%s", config->case_name);
    job j = {.options = options,
             .config = config,
             .directory = options->output != NULL ? options->output : standard};
    cli_progress_start(&j.line, config->case_name, options->quiet);
    const prof_options profile = cli_profiles_options(config, j.directory, &j.line, &j.profiles);
    j.profiler = options->dry_run ? NULL : prof_create(&profile);
    const swe_simulation_options simulation = {.backend = options->backend,
                                               .threads = options->threads,
                                               .watch = watch,
                                               .watcher = &j,
                                               .profiler = j.profiler};
    swe_status status = swe_simulation_create(ctx, config, &simulation, &j.simulation);
    if (status == SWE_OK)
        status = options->dry_run ? check_only(ctx, &j) : run_and_tell(ctx, &j);
    prof_finish(j.profiler);
    cli_progress_file_end(&j.file, status == SWE_OK ? NULL : ctx->message);
    swe_simulation_destroy(&j.simulation);
    cli_progress_clear(&j.line);
    cli_profiles_end(&j.profiler, &j.profiles, j.directory, options->quiet);
    return status;
}

swe_status cli_run(swe_context *ctx, int argc, char **argv)
{
    cli_options options;
    SWE_TRY(cli_parse(ctx, argc, argv, "sbtopwdq", &options));
    if (options.help) {
        fputs(help, stdout);
        return SWE_OK;
    }
    if (options.case_file == NULL)
        return swe_fail(ctx, SWE_USAGE, "run needs a case file (see cubeswe run --help)");
    swe_config *config = NULL;
    SWE_TRY(swe_config_load(ctx, options.case_file, options.set, options.set_count, &config));
    const swe_status status = run_case(ctx, &options, config);
    swe_config_destroy(&config);
    return status;
}
