#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/version.h"
#include "cli/machine.h"
#include "cli/profiler_options.h"
#include "cli/progress.h"
#include "cli/results.h"
#include "cli/resume.h"
#include "cli/rows.h"
#include "cli/stop.h"
#include "base/clock.h"
#include "run/thread_count.h"
#include "base/text.h"

/* final_path stays unset: the final state is one of the snapshots. */
static swe_status run_in(swe_context *ctx, swe_simulation *simulation, cli_resume *resume,
                         swe_results *results)
{
    swe_context closing = {""};
    swe_run_files files = {.fields_directory = resume->directory,
                           .checkpoints = &resume->checkpoints};
    SWE_TRY(cli_resume_diagnostics(ctx, resume, &files));
    const swe_status status = swe_simulation_run(ctx, simulation, &files, results);
    const bool has_ended = status == SWE_OK || status == SWE_STOPPED;
    const swe_status closed = cli_resume_diagnostics_close(&closing, resume, &files);
    return has_ended && closed != SWE_OK ? swe_fail(ctx, closed, "%s", closing.message) : status;
}

static json_t *errors_json(const swe_results *r)
{
    if (r->reference == SWE_REFERENCE_NONE)
        return json_null();
    static const cli_column errors[] = {ROW_ERRORS, COLUMNS_END};
    json_t *out = json_object();
    cli_row_set(out, errors, r);
    return out;
}

/* null on one rank. */
static json_t *ranks_json(const swe_model_traffic *traffic)
{
    if (traffic->ranks == 1)
        return json_null();
    return json_pack("{s:i, s:i, s:i, s:s?, s:I, s:I, s:o, s:o, s:o}", "count", traffic->ranks,
                     "blocks_1", traffic->blocks_1, "blocks_2", traffic->blocks_2, "transport",
                     traffic->transport, "exchanges", (json_int_t)traffic->exchanges, "messages",
                     (json_int_t)traffic->messages, "bytes", swe_json_real(traffic->bytes),
                     "least_wait_seconds", swe_json_real(traffic->least_waited),
                     "most_wait_seconds", swe_json_real(traffic->most_waited));
}

static swe_status write_summary(swe_context *ctx, const swe_config *config,
                                swe_simulation *simulation, const cli_resume *resume,
                                const swe_model_traffic *traffic, const swe_results *r)
{
    static const char *const references[] = {[SWE_REFERENCE_NONE] = NULL,
                                             [SWE_REFERENCE_APPROXIMATE] = "approximate",
                                             [SWE_REFERENCE_EXACT] = "exact"};
    const swe_model *model = swe_simulation_model(simulation);
    json_t *summary = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:i, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:i, s:i, s:o}, s:{s:I, s:o, s:o}}",
        "case", config->case_name, "version", swe_version, "build", swe_build, "backend",
        model->backend->name, "device", swe_simulation_device(simulation), "threads",
        model->execution.threads, "order", r->order, "n", r->n, "dt", swe_json_real(r->dt), "steps",
        (json_int_t)r->steps, "courant", swe_json_real(r->courant), "edge_damping",
        swe_json_real(model->physics.edge_damping), "dissipation",
        swe_json_real(model->physics.dissipation), "mass_drift", swe_json_real(r->mass_drift),
        "energy_drift", swe_json_real(r->energy_drift), "circulation_drift",
        swe_json_real(r->circulation_drift), "max_h", swe_json_real(r->last.highest.value),
        "reference", swe_json_text_or_null(references[r->reference]), "errors", errors_json(r),
        "maxima_since", swe_json_real(r->maxima_since), "seconds", swe_json_real(r->seconds),
        "step_us", cli_json_quartiles(r->step_seconds, 1e6), "ranks", ranks_json(traffic),
        "restarted_at", resume->is_restart ? json_integer(resume->from.head.step) : json_null(),
        "checkpoints", "written", resume->checkpoints.written, "written_by_all_ranks",
        resume->checkpoints.written_by_all, "seconds", swe_json_real(resume->checkpoints.seconds),
        "output", "files", (json_int_t)r->output.files, "seconds", swe_json_real(r->output.writing),
        "wait_seconds", swe_json_real(r->output.waiting));
    return cli_json_write(ctx, resume->directory, "summary.json", summary);
}

static void print_errors(const swe_results *r)
{
    if (r->reference == SWE_REFERENCE_NONE)
        return;
    const swe_velocity_errors *u = &r->velocity_errors;
    const char *name = r->reference == SWE_REFERENCE_EXACT ? "error of h" : "h, approx.";
    if (isfinite(r->errors.linf))
        printf("%s   l1 %.4e, l2 %.4e, linf %.4e\n", name, r->errors.l1, r->errors.l2,
               r->errors.linf);
    else /* of a solution that is 0 */
        printf("%s   at most %.4e m\n", name, r->errors.linf_abs);
    if (isfinite(u->l2))
        printf("error of u   l1 %.4e, l2 %.4e, linf %.4e\n", u->l1, u->l2, u->linf);
    else if (isfinite(u->linf_abs))
        printf("error of u   at most %.4e m/s\n", u->linf_abs);
}

/* Print what the case requests and the results cannot show. */
static void print_notes(const swe_config *config, swe_reference reference)
{
    const bool is_sampled =
        config->diagnostics.sample_times.count > 0 || config->diagnostics.sample_interval > 0.0;
    const swe_initial initial = swe_config_initial(config);
    const swe_physics physics = swe_config_physics(config);
    const int resolved = swe_case_resolved_n(&initial, &physics);
    if (config->grid.n < resolved)
        printf("note         n = %ld shows grid imprinting in the flow: use n = %d or more\n",
               config->grid.n, resolved);
    if (is_sampled && reference == SWE_REFERENCE_NONE)
        printf(
            "note         diagnostics.sample_* has no effect: no solution of this flow is known\n");
}

static void print_ranks(const swe_model_traffic *traffic, double seconds)
{
    const double percent = 100.0 / seconds, mib = 1024.0 * 1024.0;
    if (traffic->ranks == 1)
        return;
    printf("ranks        %d, of %d x %d blocks a panel: one received at most %ld messages, %.1f "
           "MiB%s%s; "
           "they waited %.0f to %.0f %% of the steps' time\n",
           traffic->ranks, traffic->blocks_1, traffic->blocks_2, traffic->messages,
           traffic->bytes / mib, traffic->transport != NULL ? ", by " : "",
           traffic->transport != NULL ? traffic->transport : "", percent * traffic->least_waited,
           percent * traffic->most_waited);
}

static void print_summary(const swe_config *config, const swe_model *model,
                          const cli_resume *resume, const swe_model_traffic *traffic,
                          const swe_results *r)
{
    const double us = 1e6;
    printf("%s: n = %d, order %d, %ld steps of %.6g s on %s\n", config->case_name, r->n, r->order,
           r->steps, r->dt, model->backend->name);
    print_errors(r);
    print_notes(config, r->reference);
    printf("drift        mass %.2e, energy %.2e, circulation %.2e\n", r->mass_drift,
           r->energy_drift, r->circulation_drift);
    printf("time         %.2f s, %.1f us/step (median; quartiles %.1f and %.1f)\n", r->seconds,
           us * r->step_seconds.median, us * r->step_seconds.low, us * r->step_seconds.high);
    print_ranks(traffic, r->seconds - resume->before.seconds);
    if (resume->is_restart)
        printf("restarted    at step %ld\n", resume->from.head.step);
    if (r->maxima_since > 0.0)
        printf("maxima       up to t = %.6g s of the rows and samples that were set before the "
               "restart\n",
               r->maxima_since);
    if (resume->checkpoints.written > 0)
        printf("checkpoints  %s (%d, %.2g s each)\n", SWE_SHOWN(resume->folder),
               resume->checkpoints.written,
               resume->checkpoints.seconds / resume->checkpoints.written);
    printf("results      %s\n", SWE_SHOWN(resume->directory));
}

/* One call of `cubeswe run`. */
typedef struct job {
    const cli_options *options;
    const swe_config *config;
    const char *directory; /* of the results */
    cli_profile_folder profiles;
    prof_profiler *profiler;
    swe_simulation *simulation;
    cli_resume resume;
    swe_model_traffic traffic;
    cli_stop stop;
    cli_progress line;      /* progress on standard error */
    cli_progress_file file; /* progress.json */
    bool has_noted_waiting;
} job;

/* Print once that threads wait for each other, and how to change it. */
static void note_waiting(job *j, const swe_progress *now)
{
    if (j->has_noted_waiting || j->options->quiet || now->waiting < SWE_THREADS_WAIT)
        return;
    j->has_noted_waiting = true;
    cli_progress_clear(&j->line);
    fprintf(stderr,
            "cubeswe: note: threads waited for one another %.0f %% of the time: other programs use "
            "the cores, or the grid is small; %s\n",
            100.0 * now->waiting,
            j->options->threads == 0 ? "the run tries fewer threads (--threads T keeps T)"
                                     : "--threads auto tries fewer threads");
}

static swe_status begun(swe_context *ctx, void *beginner)
{
    job *j = beginner;
    return cli_resume_begun(ctx, &j->resume, false);
}

static void watch(void *watcher, const swe_progress *now)
{
    job *j = watcher;
    swe_context quiet = {""};
    cli_resume_begun(&quiet, &j->resume,
                     false); /* an error is ignored: the next stride tries again */
    note_waiting(j, now);
    cli_progress_watch(&j->line, now);
    cli_progress_file_watch(&j->file, now);
}

static swe_status run_to_end(swe_context *ctx, job *j, swe_results *results)
{
    const cli_resume *resume = &j->resume;
    const cli_progress_subject subject = {.config = j->config,
                                          .simulation = j->simulation,
                                          .directory = j->directory,
                                          .profiles = j->profiles.path,
                                          .profiler = j->profiler,
                                          .line = &j->line,
                                          .first_step = resume->from.head.step,
                                          .first_seconds = resume->before.seconds};
    char *configuration = NULL;
    SWE_TRY(cli_resume_open(ctx, &j->resume));
    j->line.first_step = subject.first_step;
    j->line.first_seconds = subject.first_seconds;
    cli_progress_file_start(&j->file, &subject);
    /* before all other results but progress.json: --restart auto identifies the case by it */
    SWE_TRY(swe_config_text(ctx, j->config, &configuration));
    const swe_status written =
        cli_result_write(ctx, j->directory, "configuration.yaml", configuration);
    free(configuration);
    SWE_TRY(written);
    SWE_TRY(run_in(ctx, j->simulation, &j->resume, results));
    SWE_TRY(swe_model_get_traffic(ctx, swe_simulation_model(j->simulation), &j->traffic));
    SWE_TRY(write_summary(ctx, j->config, j->simulation, resume, &j->traffic, results));
    return cli_resume_begun(ctx, &j->resume, true);
}

static swe_status run_and_print(swe_context *ctx, job *j)
{
    swe_results results = {0};
    const cli_resume *resume = &j->resume;
    const swe_status status = run_to_end(ctx, j, &results);
    prof_finish(j->profiler);
    SWE_TRY(cli_check_results(ctx, status));
    if (j->options->quiet)
        return SWE_OK;
    print_summary(j->config, swe_simulation_model(j->simulation), resume, &j->traffic, &results);
    const int windows = prof_window_count(j->profiler);
    if (windows > 0)
        printf("profile      %s (%d window%s)\n", SWE_SHOWN(j->profiles.path), windows,
               windows == 1 ? "" : "s");
    return SWE_OK;
}

static swe_status simulate(swe_context *ctx, job *j)
{
    const swe_simulation_options simulation = {.backend = j->options->backend,
                                               .threads = j->options->threads,
                                               .watch = watch,
                                               .watcher = j,
                                               .begun = begun,
                                               .beginner = j,
                                               .profiler = j->profiler,
                                               .restart =
                                                   j->resume.is_restart ? &j->resume.from : NULL,
                                               .stop = cli_stop_reason,
                                               .stopper = &j->stop};
    SWE_TRY(swe_simulation_create(ctx, j->config, &simulation, &j->simulation));
    const swe_input_note *note = swe_simulation_note(j->simulation);
    if (note->text[0] != '\0' && (note->is_warning || !j->options->quiet))
        fprintf(stderr, "cubeswe: %s: %s\n", note->is_warning ? "warning" : "note",
                SWE_SHOWN(note->text));
    if (!j->options->dry_run)
        return run_and_print(ctx, j);
    SWE_TRY(cli_resume_check(ctx, &j->resume));
    swe_config_write(j->config, stdout);
    if (j->resume.is_restart)
        printf("# continues from %s\n", SWE_SHOWN(j->resume.from.path));
    printf("# dry run: nothing was run or written\n");
    return SWE_OK;
}

static swe_status run_case(swe_context *ctx, const cli_options *options, swe_config *config,
                           double started)
{
    char standard[4096];
    snprintf(standard, sizeof standard, "output/%s", config->case_name);
    cli_options decided = *options;
    job j = {.options = &decided,
             .config = config,
             .directory = options->output != NULL ? options->output : standard};
    const swe_backend *backend = NULL;
    SWE_TRY(cli_backend_decide(ctx, &decided, &backend));
    cli_progress_start(&j.line, config->case_name, options->quiet);
    prof_options profile = cli_profiler_options(config, backend, j.directory, &j.line, &j.profiles);
    SWE_TRY(cli_resume_find(ctx, options, config, j.directory, j.profiles.path, &j.resume));
    if (j.resume.is_finished) {
        long steps = 0;
        swe_config_schedule(config, &steps);
        if (!options->quiet)
            printf("%s: finished already, at step %ld: nothing to do\nresults      %s\n",
                   config->case_name, steps, SWE_SHOWN(j.directory));
        return SWE_OK;
    }
    if (j.resume.is_restart) /* its time step may be another */
        profile = cli_profiler_options(config, backend, j.directory, &j.line, &j.profiles);
    j.profiler = options->dry_run ? NULL : prof_create(&profile);
    j.stop =
        (cli_stop){.started = started,
                   .walltime = options->max_walltime,
                   /* on a slow disk: 0.2 s to open the file, then 50 MB/s */
                   .guess = 0.2 + 24.0 * (double)swe_layout_of((int)config->grid.n).field / 50e6,
                   .checkpoints = &j.resume.checkpoints};
    swe_status status = simulate(ctx, &j);
    prof_finish(j.profiler);
    cli_progress_file_end(&j.file,
                          status == SWE_OK        ? "finished"
                          : status == SWE_STOPPED ? "stopped"
                                                  : "failed",
                          status == SWE_OK ? NULL : ctx->message);
    swe_simulation_destroy(&j.simulation);
    cli_progress_clear(&j.line);
    cli_profiler_end(&j.profiler, &j.profiles, j.directory, options->quiet);
    status = cli_check_results(ctx, status); /* after the profiles are written */
    cli_resume_close(&j.resume);
    return status;
}

static swe_status run(swe_context *ctx, const cli_options *options)
{
    const double started = swe_clock_seconds();
    if (options->strict && options->restart == NULL)
        return swe_fail(ctx, SWE_USAGE, "--strict needs --restart");
    if (options->restart != NULL && strcmp(options->restart, "auto") == 0 && options->overwrite)
        return swe_fail(ctx, SWE_USAGE,
                        "--restart auto replaces no results: give it or --overwrite, not both");
    cli_stop_install();
    swe_config *config = NULL;
    SWE_TRY(swe_config_load(ctx, options->case_file, options->set, options->set_count, &config));
    swe_status status = swe_config_pin_files(ctx, config);
    if (status == SWE_OK)
        status = run_case(ctx, options, config, started);
    swe_config_destroy(&config);
    return status;
}

const cli_command cli_run = {
    .name = "run",
    .operands = "CASE.yaml",
    .summary = "run a case",
    .text =
        "Run a case and write its fields, diagnostics and summary to a folder."
        "\v" CLI_STOP_SIGNALS
        " also end a run with a checkpoint (exit code 75).\n\n--restart=auto continues from the "
        "newest whole checkpoint in the folder of the run. Without one the run starts from the "
        "beginning and replaces what an unfinished run of the same case left there. A finished run "
        "ends at once (exit code 0). Results of another case, and results that no checkpoint "
        "continues, are refused.\n\nThe keys profile.* set when, how long and where a profile is "
        "recorded; the variables CUBESWE_PROFILE_<KEY> and CUBESWE_PROFILE_ENABLED override them.",
    .least_operands = 1,
    .most_operands = 1,
    .needs = "a case file",
    .accepts_case_name = true,
    .run = run,
    .options =
        {CLI_CASE_OPTIONS,
         {.name = "output", .text = "folder of the results (default: output/<case>)"},
         {.name = "profile",
          .text = "record a window of steps in <results>/profile and describe it in report.html: "
                  "trace (default), summary, full, nsys or counters; off: record none"},
         {.name = "overwrite"},
         {.name = "restart",
          .text = "continue from a checkpoint, or from the newest whole one of a folder of results "
                  "or checkpoints; in the folder of the run itself its results continue, too; "
                  "time.end may be raised; or auto (see below)"},
         {.name = "strict", .text = "fail if the newest checkpoint is damaged; use no older one"},
         {.name = "max-walltime",
          .text =
              "end with a checkpoint before this time is over: seconds, or as 3:50:00 or 90min"},
         {.name = "dry-run", .text = "check everything; run and write nothing"},
         {.name = "quiet", .text = "print no progress and no summary"}},
};
