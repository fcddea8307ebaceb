#include "base/version.h"
#include "cli/cli.h"
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
    "  --profile[=MODE]         record a window of steps: trace (default), summary or nsys; when, "
    "how\n"
    "                           long and where are keys (profile.*), and environment variables\n"
    "                           CUBESWE_PROFILE_{ENABLED,MODE,DIR,START_STEP,DURATION,INTERVAL};\n"
    "                           what it says comes as report.html\n"
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
        model->view.threads, "order", r->order, "n", r->n, "dt", r->dt, "steps",
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

static swe_status check_only(swe_context *ctx, const cli_options *options, const swe_config *config,
                             const char *results, const char *profiles)
{
    SWE_TRY(cli_directory_check(ctx, results, config, options->overwrite));
    SWE_TRY(cli_profiles_check(ctx, profiles, config, options->overwrite));
    swe_config_write(config, stdout);
    printf("# dry run: nothing was run or written\n");
    return SWE_OK;
}

static swe_status run_and_tell(swe_context *ctx, const cli_options *options,
                               const swe_config *config, swe_simulation *simulation,
                               const char *directory, const char *profiles)
{
    swe_results results = {0};
    SWE_TRY(cli_profiles_check(ctx, profiles, config, options->overwrite));
    SWE_TRY(cli_directory_create(ctx, directory, config, options->overwrite));
    SWE_TRY(cli_profiles_remove(ctx, profiles, config));
    SWE_TRY(write_configuration(ctx, config, directory));
    SWE_TRY(run_in(ctx, simulation, directory, &results));
    SWE_TRY(write_summary(ctx, config, simulation, directory, &results));
    if (!options->quiet)
        print_summary(config, swe_simulation_model(simulation), directory, &results);
    return SWE_OK;
}

static swe_status run_case(swe_context *ctx, const cli_options *options, const swe_config *config)
{
    char standard[4096];
    snprintf(standard, sizeof standard, "output/%s", config->case_name);
    const char *directory = options->output != NULL ? options->output : standard;
    cli_progress progress;
    cli_progress_start(&progress, config->case_name, options->quiet);
    cli_profiles profiles;
    const prof_options profile = cli_profiles_options(config, directory, &progress, &profiles);
    prof_profiler *profiler = options->dry_run ? NULL : prof_create(&profile);
    const swe_simulation_options simulation_options = {options->backend, options->threads,
                                                       cli_progress_watch, &progress, profiler};
    swe_simulation *simulation = NULL;
    swe_status status = swe_simulation_create(ctx, config, &simulation_options, &simulation);
    if (status == SWE_OK && options->dry_run)
        status = check_only(ctx, options, config, directory, profiles.path);
    else if (status == SWE_OK)
        status = run_and_tell(ctx, options, config, simulation, directory, profiles.path);
    prof_finish(profiler);
    swe_simulation_destroy(&simulation);
    prof_destroy(&profiler);
    cli_progress_clear(&progress);
    if (status == SWE_OK && !options->dry_run &&
        (profile.mode == PROF_TRACE || profile.mode == PROF_SUMMARY))
        cli_report_of_run(profiles.path, directory);
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
