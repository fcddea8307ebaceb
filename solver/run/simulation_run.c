#include <sys/stat.h>

#include "base/clock.h"
#include "base/threads.h"
#include "run/forcing.h"
#include "run/simulation_internal.h"
#include "stages/regions.h"
#include "stages/team_cpu.h"

static bool is_snapshot_due(const swe_simulation *s, const swe_run_files *files, long step)
{
    return files->fields_directory != NULL && swe_schedule_fields(&s->schedule, step);
}

/* Run all actions that are due after a step, each in its region. */
static swe_status handle_events(swe_context *ctx, swe_simulation *s, const swe_run_files *files,
                                long step, swe_results *r)
{
    const swe_schedule *due = &s->schedule;
    const bool has_row = swe_schedule_row(due, step), has_errors = swe_schedule_errors(due, step);
    swe_status status = SWE_OK;
    if (step == due->steps) { /* the results before the last output, for its checkpoint */
        s->before_last = *r;
        s->rows_before_last = s->rows_size;
    }
    if (has_row || has_errors) {
        prof_begin(s->options.profiler, SWE_REGION_diagnostics);
        if (has_row)
            status = swe_simulation_diagnose(ctx, s, files, step, r);
        if (status == SWE_OK && has_errors)
            status = swe_simulation_sample_errors(ctx, s, step, r);
        prof_end(s->options.profiler);
    }
    if (status == SWE_OK && !has_row &&
        (swe_schedule_check(due, step) || swe_schedule_checkpoint(due, step))) {
        prof_begin(s->options.profiler, SWE_REGION_diagnostics);
        status = swe_simulation_check_state(ctx, s, step);
        prof_end(s->options.profiler);
    }
    if (status == SWE_OK && is_snapshot_due(s, files, step))
        status = swe_simulation_write_snapshot(ctx, s, files->fields_directory, step);
    if (status == SWE_OK && files->final_path != NULL && due->has_reference && step == due->steps)
        status = swe_simulation_write_final(ctx, s, files->final_path);
    if (status == SWE_OK && swe_schedule_checkpoint(due, step))
        status = swe_simulation_write_checkpoint(ctx, s, files, step, r);
    if (status == SWE_OK && swe_schedule_changes(due, step)) {
        if (swe_is_every(step, due->records)) /* a file is read, and one thread uses HDF5 */
            status = swe_simulation_wait_for_output(ctx, s);
        prof_begin(s->options.profiler, SWE_REGION_forcing_change);
        if (status == SWE_OK)
            status = swe_forcing_change(ctx, due, s->model, step);
        prof_end(s->options.profiler);
    }
    return status;
}

/* End the run on request, with a checkpoint if the run writes any. */
static swe_status end_early(swe_context *ctx, swe_simulation *s, const swe_run_files *files,
                            long step, swe_results *r, const char *why)
{
    if (files->checkpoints == NULL)
        return swe_fail(ctx, SWE_STOPPED, "%s: stopped after step %ld of %ld", why, step,
                        s->schedule.steps);
    if (s->checkpoint_step != step)
        SWE_TRY(swe_simulation_check_state(ctx, s, step));
    SWE_TRY(swe_simulation_write_checkpoint(ctx, s, files, step, r));
    return swe_fail(ctx, SWE_STOPPED,
                    "%s: stopped after step %ld of %ld with a checkpoint; --restart %.600s goes on",
                    why, step, s->schedule.steps, files->checkpoints->directory);
}

/* Actions before the first step; the integrals of the initial state are always computed. */
static swe_status handle_start(swe_context *ctx, swe_simulation *s, const swe_run_files *files,
                               swe_results *r)
{
    prof_begin(s->options.profiler, SWE_REGION_diagnostics);
    swe_status status = swe_simulation_diagnose(ctx, s, files, 0, r);
    if (status == SWE_OK && swe_schedule_errors(&s->schedule, 0))
        status = swe_simulation_sample_errors(ctx, s, 0, r);
    prof_end(s->options.profiler);
    if (status != SWE_OK || files->fields_directory == NULL || s->schedule.fields == 0)
        return status;
    SWE_TRY(swe_simulation_write_snapshot(ctx, s, files->fields_directory, 0));
    return swe_simulation_wait_for_output(ctx, s); /* report a write error now, not later */
}

/* Advance by `count` steps, wait, and time that. */
static swe_status run_steps(swe_context *ctx, swe_simulation *s, long step, long count,
                            double *seconds)
{
    prof_profiler *profiler = s->options.profiler;
    const double start = swe_clock_seconds();
    prof_begin(profiler, step < prof_warm_up(profiler) ? SWE_REGION_warm_up : SWE_REGION_steps);
    const bool is_last = step + 1 == s->schedule.steps; /* it runs alone if its length differs */
    const double dt = is_last ? s->schedule.last : s->schedule.dt;
    s->model->clock = dt == s->schedule.dt
                          ? (swe_clock){0.0, step, dt}
                          : (swe_clock){swe_schedule_time(&s->schedule, step), 0, dt};
    const swe_status status = swe_model_advance(ctx, s->model, dt, count);
    prof_end(profiler);
    *seconds = swe_clock_seconds() - start;
    prof_add_stride(profiler, count, *seconds);
    return status;
}

/* Run one stride of `count` steps and the actions due after it, and report progress. */
static swe_status run_stride(swe_context *ctx, swe_simulation *s, const swe_run_files *files,
                             long *step, long count, double *seconds, swe_results *r)
{
    swe_team *team = s->model->execution.team;
    const double waited = team != NULL ? swe_team_waited(team) : 0.0;
    SWE_TRY(run_steps(ctx, s, *step, count, seconds));
    /* Adapt the number of threads. It is fixed while profiling, and on several ranks, where threads
     * also wait for messages. */
    if (team != NULL)
        swe_team_set_active(team, swe_thread_count_next(&s->thread_count, count, *seconds,
                                                        swe_team_waited(team) - waited));
    *step += count;
    r->seconds += *seconds;
    swe_samples_add(&s->step_seconds, *seconds / (double)count);
    if (swe_schedule_any(&s->schedule, *step))
        SWE_TRY(handle_events(ctx, s, files, *step, r));
    if (s->options.watch != NULL) {
        const swe_progress progress = {.step = *step,
                                       .steps = s->schedule.steps,
                                       .time = swe_schedule_time(&s->schedule, *step),
                                       .seconds = r->seconds,
                                       .courant = r->courant,
                                       .mass_drift = r->mass_drift,
                                       .energy_drift = r->energy_drift,
                                       .threads = team != NULL ? swe_team_active(team) : 1,
                                       .waiting =
                                           swe_ranks_count() == 1 ? s->thread_count.waiting : 0.0};
        s->options.watch(s->options.watcher, &progress);
    }
    return SWE_OK;
}

/* Run to the end in strides of about `patience`: long enough that a GPU does not synchronise after
 * every step, short enough for progress reports and for requests to stop. */
static swe_status advance(swe_context *ctx, swe_simulation *s, const swe_run_files *files,
                          swe_results *r)
{
    const double patience = 0.05; /* [s] */
    long stride = swe_model_least_stride(s->model);
    double seconds = 0.0; /* of the last stride */
    for (long step = s->first_step; step < s->schedule.steps;) {
        const char *why =
            s->options.stop != NULL ? s->options.stop(s->options.stopper, seconds) : NULL;
        if (why != NULL)
            return end_early(ctx, s, files, step, r, why);
        prof_at_step(s->options.profiler, step);
        const long most = (long)prof_steps_to_edge(s->options.profiler, step, stride);
        long count = 1; /* steps to the next event, or to the edge of a profiling window */
        while (count < most && !swe_schedule_any(&s->schedule, step + count))
            count++;
        SWE_TRY(run_stride(ctx, s, files, &step, count, &seconds, r));
        if (count == stride && seconds < patience)
            stride *= 2;
    }
    SWE_TRY(swe_simulation_wait_for_output(ctx, s));
    prof_at_step(s->options.profiler, s->schedule.steps);
    return SWE_OK;
}

/* Continue the results of the checkpoint. The maxima of the earlier run hold for this configuration
 * only if that run had its rows and samples at the same times; otherwise maxima_since is set to the
 * time of the restart. */
static void resume(swe_simulation *s, swe_results *r)
{
    static const char *const keys[] = {"diagnostics.every", "diagnostics.interval",
                                       "diagnostics.sample_times", "diagnostics.sample_interval"};
    swe_checkpoint_number from[SWE_TALLIES], to[SWE_TALLIES];
    swe_tallies_of(&s->resumed, from);
    swe_tallies_of(r, to);
    for (int k = 0; k < SWE_TALLIES; k++)
        *to[k].value = *from[k].value;
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        if (!swe_config_agrees(s->options.restart->config, s->config, keys[k]))
            r->maxima_since = swe_schedule_time(&s->schedule, s->first_step);
}

/* The names of the columns of diagnostics.csv. */
static void write_heading(swe_simulation *s, FILE *file)
{
    s->rows_size += fprintf(file,
                            "step,time,mass,energy,circulation,max_h,courant,mass_drift,"
                            "energy_drift,circulation_drift%s",
                            s->model->physics.equations == SWE_NONLINEAR
                                ? ",potential_enstrophy,min_h,flow_courant"
                                : "");
    for (int k = SWE_FLOW_FIELDS; k < s->model->fields.count; k++) {
        const char *name = s->model->fields.field[k].name;
        s->rows_size += fprintf(file, ",%s_mass,%s_min,%s_max", name, name, name);
    }
    static const char *const terms[SWE_TERMS] = {
#define TERM_NAME(name, has) #name,
        SWE_TERM_LIST(TERM_NAME)
#undef TERM_NAME
    };
    for (int term = 0; term < SWE_TERMS; term++) {
        if (!swe_simulation_has_rates(&s->model->physics, (swe_term)term))
            continue;
        s->rows_size += fprintf(file, ",energy_by_%s", terms[term]);
        if (swe_term_changes_mass((swe_term)term))
            s->rows_size += fprintf(file, ",mass_by_%s", terms[term]);
    }
    s->rows_size += fprintf(file, "\n");
}

static swe_status begin(swe_context *ctx, swe_simulation *s, const swe_run_files *files,
                        swe_results *r)
{
    s->rows_size = files->diagnostics_size;
    if (files->diagnostics != NULL && s->rows_size == 0)
        write_heading(s, files->diagnostics);
    if (s->options.restart == NULL)
        return handle_start(ctx, s, files, r);
    resume(s, r);
    if (s->options.restart->head.is_before_output)
        return s->first_step == 0 ? handle_start(ctx, s, files, r)
                                  : handle_events(ctx, s, files, s->first_step, r);
    if (s->first_step < s->schedule.steps || !is_snapshot_due(s, files, s->schedule.steps))
        return SWE_OK;
    /* the run has no step left that would write it */
    return swe_simulation_write_snapshot(ctx, s, files->fields_directory, s->schedule.steps);
}

static swe_status start_writer(swe_context *ctx, swe_simulation *s)
{
    const unsigned chosen = s->config->output.fields.chosen;
    SWE_TRY(swe_host_fields_create(
        ctx, s->model, swe_config_snapshot_fields(s->config, chosen).count, &s->snapshot));
    if (swe_ranks_count() > 1)
        return SWE_OK;
    if (s->model->execution.threads > 1) /* the same number besides the model's threads */
        SWE_TRY(swe_threads_check(ctx, s->model->execution.threads + 1));
    return swe_field_writer_create(ctx, &s->writer);
}

static swe_status run(swe_context *ctx, swe_simulation *s, const swe_run_files *files,
                      swe_results *r)
{
    if (files->fields_directory != NULL)
        SWE_TRY(start_writer(ctx, s));
    SWE_TRY(begin(ctx, s, files, r));
    if (s->options.begun != NULL)
        SWE_TRY(s->options.begun(ctx, s->options.beginner));
    swe_model_record_peaks(s->model);
    SWE_TRY(advance(ctx, s, files, r));
    r->output = s->writer != NULL ? swe_field_writer_get_times(s->writer) : s->output;
    return SWE_OK;
}

/* Check the size of diagnostics.csv: another program may have changed it. */
static swe_status check_rows(swe_context *ctx, const swe_simulation *s, FILE *rows)
{
    struct stat info;
    if (rows == NULL)
        return SWE_OK;
    if (fflush(rows) != 0 || fstat(fileno(rows), &info) != 0)
        return swe_fail(ctx, SWE_IO, "diagnostics.csv cannot be written");
    if (info.st_size == s->rows_size)
        return SWE_OK;
    return swe_fail(
        ctx, SWE_IO,
        "diagnostics.csv: has %lld bytes, and the run wrote %ld: another program changed "
        "it",
        (long long)info.st_size, s->rows_size);
}

swe_status swe_simulation_run(swe_context *ctx, swe_simulation *s, const swe_run_files *files,
                              swe_results *r)
{
    const swe_watch watch = swe_watch_start();
    s->host_step = -1;
    s->output = (swe_field_writer_times){.files = 0};
    if (s->model->execution.team != NULL)
        swe_team_set_active(s->model->execution.team, s->model->execution.threads);
    s->thread_count = swe_thread_count_of(
        s->model->execution.threads,
        s->options.threads == 0 && s->config->profile.mode == PROF_OFF && swe_ranks_count() == 1);
    *r = (swe_results){.order = s->model->sbp->order,
                       .n = s->model->grid->layout.n,
                       .dt = s->schedule.dt,
                       .steps = s->schedule.steps,
                       .reference = s->reference};
    r->courant = swe_model_courant(s->model, s->schedule.dt);
    swe_status status = run(ctx, s, files, r);
    swe_field_writer_destroy(&s->writer); /* waits for the file in progress */
    swe_host_fields_destroy(&s->snapshot);
    if (status == SWE_OK || status == SWE_STOPPED) {
        const swe_status checked = check_rows(ctx, s, files->diagnostics);
        status = checked == SWE_OK ? status : checked;
    }
    if (s->is_unstable && files->checkpoints != NULL)
        swe_checkpointing_set_aside(ctx, files->checkpoints,
                                    swe_simulation_checkpoint(s, s->host_step), r);
    r->step_seconds = swe_samples_quartiles(&s->step_seconds);
    r->step_seconds.waited = swe_watch_waited(&watch);
    return status;
}
