#include "model/simulation.h"

#include <math.h>
#include <stdlib.h>

#include "backend/ceilings.h"
#include "base/memory.h"
#include "clock.h"
#include "output/field_file.h"
#include "stages/regions.h"
#include "stages/rhs.h"

struct swe_simulation {
    const swe_config *config;
    swe_simulation_options options;
    swe_model *model;
    swe_quadrature quadrature;
    swe_exact *exact; /* NULL if there is none */
    double dt;
    long steps;
    double *host_state; /* the state as last fetched, after step host_step */
    long host_step;
    double *exact_field; /* h of the exact solution */
    double *error_field; /* h minus it */
    char *configuration; /* resolved, as text */
    char device[256];
    prof_samples step_seconds;
};

static swe_status set_initial_state(swe_context *ctx, swe_simulation *s)
{
    if (s->exact != NULL) {
        swe_exact_initial_height(s->exact, s->model->grid, s->host_state);
    } else {
        SWE_TRY(swe_field_file_read(ctx, s->config->initial.path, &s->model->grid->layout,
                                    s->host_state));
    }
    return swe_model_set_state(ctx, s->model, s->host_state);
}

static swe_status create_exact(swe_context *ctx, swe_simulation *s)
{
    const swe_initial initial = swe_config_initial(s->config);
    if (initial.kind == SWE_INITIAL_FILE)
        return SWE_OK;
    return swe_exact_create(ctx, &initial, &s->model->physics, &s->exact);
}

static swe_status write_configuration(swe_context *ctx, swe_simulation *s)
{
    size_t length = 0;
    FILE *text = open_memstream(&s->configuration, &length);
    if (text == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the configuration");
    swe_config_write(s->config, text);
    return fclose(text) == 0 ? SWE_OK
                             : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the configuration");
}

static swe_status create(swe_context *ctx, swe_simulation *s)
{
    const swe_config *config = s->config;
    swe_model_options model =
        swe_config_model(config, s->options.backend, s->options.threads, s->options.profiler);
    model.staged_arrays = s->options.staged_arrays;
    SWE_TRY(swe_model_create(ctx, &model, &s->model));
    s->model->backend->describe(s->model->device_index, s->device, sizeof s->device);
    const size_t field = (size_t)s->model->grid->layout.field;
    SWE_TRY(swe_quadrature_create(ctx, s->model->grid, s->model->sbp, s->model->workers.threads,
                                  &s->quadrature));
    SWE_TRY(swe_memory_doubles(ctx, 3 * field, &s->host_state));
    SWE_TRY(create_exact(ctx, s));
    if (s->exact != NULL) {
        SWE_TRY(swe_memory_doubles(ctx, field, &s->exact_field));
        SWE_TRY(swe_memory_doubles(ctx, field, &s->error_field));
    }
    SWE_TRY(write_configuration(ctx, s));
    swe_config_schedule(config, &s->dt, &s->steps);
    return set_initial_state(ctx, s);
}

swe_status swe_simulation_create(swe_context *ctx, const swe_config *config,
                                 const swe_simulation_options *options, swe_simulation **out)
{
    *out = NULL;
    swe_simulation *s = calloc(1, sizeof *s);
    if (s == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the run");
    s->config = config;
    s->options = *options;
    prof_begin(options->profiler, SWE_REGION_setup);
    const swe_status status = create(ctx, s);
    prof_end(options->profiler);
    if (status != SWE_OK) {
        swe_simulation_destroy(&s);
        return status;
    }
    *out = s;
    return SWE_OK;
}

void swe_simulation_destroy(swe_simulation **pointer)
{
    swe_simulation *s = *pointer;
    if (s == NULL)
        return;
    swe_exact_destroy(&s->exact);
    swe_quadrature_destroy(&s->quadrature);
    swe_model_destroy(&s->model);
    free(s->host_state);
    free(s->exact_field);
    free(s->error_field);
    free(s->configuration);
    free(s);
    *pointer = NULL;
}

swe_model *swe_simulation_model(swe_simulation *simulation)
{
    return simulation->model;
}

const char *swe_simulation_device(const swe_simulation *simulation)
{
    return simulation->device;
}

const char *swe_simulation_configuration(const swe_simulation *simulation)
{
    return simulation->configuration;
}

static bool is_due(long step, long steps, long every)
{
    return step == steps || (every > 0 && step % every == 0);
}

/* Model time after a step; exactly time.end after the last. */
static double time_at(const swe_simulation *s, long step)
{
    return step == s->steps ? s->config->time.end : (double)step * s->dt;
}

/* Step nearest to a model time. */
static long step_at(const swe_simulation *s, double time)
{
    return lround(time / s->dt);
}

static bool is_sample(const swe_simulation *s, long step)
{
    const double interval = s->config->diagnostics.sample_interval;
    if (step == s->steps)
        return true;
    if (interval > 0.0 && step == step_at(s, floor(time_at(s, step) / interval + 0.5) * interval))
        return true;
    for (unsigned k = 0; k < s->config->diagnostics.sample_times.count; k++)
        if (step == step_at(s, s->config->diagnostics.sample_times.value[k]))
            return true;
    return false;
}

static bool is_event(const swe_simulation *s, long step)
{
    return is_due(step, s->steps, s->config->output.every) ||
           is_due(step, s->steps, s->config->diagnostics.every) ||
           (s->exact != NULL && is_sample(s, step));
}

static swe_status check_finite(swe_context *ctx, const swe_budgets *b, long step)
{
    if (!isfinite(b->max_h))
        return swe_fail(ctx, SWE_INTERNAL,
                        "h is not finite at step %ld (panel %d, j %d, i %d): the run is unstable",
                        step, b->max_panel, b->max_j, b->max_i);
    if (!isfinite(b->energy))
        return swe_fail(ctx, SWE_INTERNAL, "the energy is not finite at step %ld", step);
    return SWE_OK;
}

/* Make host_state the state after a step, if it is not yet. */
static swe_status fetch_state(swe_context *ctx, swe_simulation *s, long step)
{
    if (s->host_step == step)
        return SWE_OK;
    SWE_TRY(swe_model_get_state(ctx, s->model, s->host_state));
    s->host_step = step;
    return SWE_OK;
}

/* A change relative to what there was; no change of nothing is 0. */
static double relative(double change, double scale)
{
    return change == 0.0 ? 0.0 : change / scale;
}

static double mass_drift(const swe_results *r)
{
    return relative(fabs(r->last.mass - r->first.mass), r->first.mass_scale);
}

static double circulation_drift(const swe_results *r)
{
    return relative(fabs(r->last.circulation - r->first.circulation), r->last.shear);
}

/* Measure the budgets and write a row of diagnostics. */
static swe_status diagnose(swe_context *ctx, swe_simulation *s, const swe_run_files *files,
                           long step, swe_results *r)
{
    SWE_TRY(swe_budgets_measure(ctx, s->model, &r->last));
    SWE_TRY(check_finite(ctx, &r->last, step));
    if (step == 0)
        r->first = r->last;
    r->mass_drift = fmax(r->mass_drift, mass_drift(r));
    r->circulation_drift = fmax(r->circulation_drift, circulation_drift(r));
    r->energy_drift = relative(r->last.energy - r->first.energy, r->first.energy);
    if (files->diagnostics == NULL)
        return SWE_OK;
    const int written =
        fprintf(files->diagnostics, "%ld,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.6e,%.6e,%.6e\n",
                step, time_at(s, step), r->last.mass, r->last.energy, r->last.circulation,
                r->last.max_h, r->courant, mass_drift(r), r->energy_drift, circulation_drift(r));
    return written > 0 ? SWE_OK : swe_fail(ctx, SWE_IO, "diagnostics.csv cannot be written");
}

/* Compare the state with the exact solution. */
static swe_status sample_errors(swe_context *ctx, swe_simulation *s, long step, swe_results *r)
{
    SWE_TRY(fetch_state(ctx, s, step));
    swe_exact_height(s->exact, s->model->grid, s->model->workers.threads, time_at(s, step),
                     s->exact_field);
    swe_errors_measure(&s->quadrature, s->host_state, s->exact_field, s->error_field, &r->errors);
    r->max_rms = fmax(r->max_rms, r->errors.rms);
    r->max_linf_abs = fmax(r->max_linf_abs, r->errors.linf_abs);
    return SWE_OK;
}

static swe_snapshot snapshot_of(const swe_simulation *s, long step)
{
    const swe_fields host = swe_fields_at(&s->model->grid->layout, s->host_state);
    const unsigned chosen = s->config->output.fields.chosen;
    return (swe_snapshot){
        .grid = s->model->grid,
        .sbp = s->model->sbp,
        .time = time_at(s, step),
        .step = step,
        .h = chosen & SWE_OUTPUT_H ? host.h : NULL,
        .v1 = host.v1,
        .v2 = host.v2,
        .wind = (chosen & SWE_OUTPUT_WIND) != 0,
        .native = (chosen & SWE_OUTPUT_NATIVE) != 0,
        .provenance = {s->config->case_name, s->configuration, s->model->backend->name, s->device}};
}

static swe_status write_snapshot(swe_context *ctx, swe_simulation *s, const char *directory,
                                 long step)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/fields_%08ld.nc", directory, step) >= (int)sizeof path)
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%.200s...: the path is too long", directory);
    SWE_TRY(fetch_state(ctx, s, step));
    const swe_snapshot snapshot = snapshot_of(s, step);
    return swe_field_file_write(ctx, path, &snapshot);
}

/* The final height beside the exact one and the error. */
static swe_status write_final(swe_context *ctx, swe_simulation *s, const char *path)
{
    swe_snapshot snapshot = snapshot_of(s, s->steps);
    snapshot.h = s->host_state;
    snapshot.wind = snapshot.native = 0;
    snapshot.h_exact = s->exact_field;
    snapshot.h_error = s->error_field;
    return swe_field_file_write(ctx, path, &snapshot);
}

static bool is_diagnostics_due(const swe_simulation *s, long step)
{
    return is_due(step, s->steps, s->config->diagnostics.every) ||
           (s->exact != NULL && is_sample(s, step));
}

static swe_status handle_diagnostics(swe_context *ctx, swe_simulation *s,
                                     const swe_run_files *files, long step, swe_results *r)
{
    if (is_due(step, s->steps, s->config->diagnostics.every))
        SWE_TRY(diagnose(ctx, s, files, step, r));
    if (s->exact != NULL && is_sample(s, step))
        SWE_TRY(sample_errors(ctx, s, step, r));
    return SWE_OK;
}

static bool is_snapshot_due(const swe_simulation *s, const swe_run_files *files, long step)
{
    return files->fields_directory != NULL && is_due(step, s->steps, s->config->output.every);
}

static bool is_final_due(const swe_simulation *s, const swe_run_files *files, long step)
{
    return files->final_path != NULL && s->exact != NULL && step == s->steps;
}

static swe_status handle_output(swe_context *ctx, swe_simulation *s, const swe_run_files *files,
                                long step)
{
    if (is_snapshot_due(s, files, step))
        SWE_TRY(write_snapshot(ctx, s, files->fields_directory, step));
    return is_final_due(s, files, step) ? write_final(ctx, s, files->final_path) : SWE_OK;
}

/* Everything that is due after a step, each in its region. */
static swe_status handle_events(swe_context *ctx, swe_simulation *s, const swe_run_files *files,
                                long step, swe_results *r)
{
    swe_status status = SWE_OK;
    if (is_diagnostics_due(s, step)) {
        prof_begin(s->options.profiler, SWE_REGION_diagnostics);
        status = handle_diagnostics(ctx, s, files, step, r);
        prof_end(s->options.profiler);
    }
    if (status == SWE_OK && (is_snapshot_due(s, files, step) || is_final_due(s, files, step))) {
        prof_begin(s->options.profiler, SWE_REGION_output);
        status = handle_output(ctx, s, files, step);
        prof_end(s->options.profiler);
    }
    return status;
}

/* What is due before the first step; the budgets of the initial state always are. */
static swe_status handle_start(swe_context *ctx, swe_simulation *s, const swe_run_files *files,
                               swe_results *r)
{
    prof_begin(s->options.profiler, SWE_REGION_diagnostics);
    swe_status status = diagnose(ctx, s, files, 0, r);
    if (status == SWE_OK && s->exact != NULL && is_sample(s, 0))
        status = sample_errors(ctx, s, 0, r);
    prof_end(s->options.profiler);
    if (status != SWE_OK || files->fields_directory == NULL || s->config->output.every == 0)
        return status;
    prof_begin(s->options.profiler, SWE_REGION_output);
    status = write_snapshot(ctx, s, files->fields_directory, 0);
    prof_end(s->options.profiler);
    return status;
}

/* Steps to the next event or edge of a profiler's window, at most `most`. */
static long steps_to_event(const swe_simulation *s, long step, long most)
{
    long count = 1;
    most = (long)prof_steps_to_edge(s->options.profiler, step, most);
    while (count < most && !is_event(s, step + count))
        count++;
    return count;
}

/* Advance by `count` steps, wait, and time that. */
static swe_status take_steps(swe_context *ctx, swe_simulation *s, long step, long count,
                             double *seconds)
{
    prof_profiler *profiler = s->options.profiler;
    const double start = prof_clock_seconds();
    prof_begin(profiler, step < prof_warm_up(profiler) ? SWE_REGION_warm_up : SWE_REGION_steps);
    const swe_status status = swe_model_advance(ctx, s->model, s->dt, count);
    prof_end(profiler);
    *seconds = prof_clock_seconds() - start;
    return status;
}

/* Advance to the end in strides that take a while but not long: a GPU is not asked for its state
 * after every step, a watcher is told often enough. */
static swe_status advance(swe_context *ctx, swe_simulation *s, const swe_run_files *files,
                          swe_results *r)
{
    const double patience = 0.05; /* [s] */
    long stride = swe_model_least_stride(s->model);
    for (long step = 0; step < s->steps;) {
        prof_at_step(s->options.profiler, step);
        const long count = steps_to_event(s, step, stride);
        double seconds = 0.0;
        SWE_TRY(take_steps(ctx, s, step, count, &seconds));
        step += count;
        r->seconds += seconds;
        prof_samples_add(&s->step_seconds, seconds / (double)count);
        if (count == stride && seconds < patience)
            stride *= 2;
        if (is_event(s, step))
            SWE_TRY(handle_events(ctx, s, files, step, r));
        if (s->options.watch != NULL) {
            const swe_progress progress = {step,       s->steps,      time_at(s, step), r->seconds,
                                           r->courant, r->mass_drift, r->energy_drift};
            s->options.watch(s->options.watcher, &progress);
        }
    }
    prof_at_step(s->options.profiler, s->steps);
    return SWE_OK;
}

swe_status swe_simulation_run(swe_context *ctx, swe_simulation *s, const swe_run_files *files,
                              swe_results *r)
{
    s->host_step = -1;
    *r = (swe_results){.order = s->model->sbp->order,
                       .n = s->model->grid->layout.n,
                       .dt = s->dt,
                       .steps = s->steps,
                       .has_errors = s->exact != NULL};
    r->courant = swe_model_courant(&s->model->physics, r->n, s->dt);
    if (files->diagnostics != NULL)
        fputs("step,time,mass,energy,circulation,max_h,courant,mass_drift,energy_drift,"
              "circulation_drift\n",
              files->diagnostics);
    SWE_TRY(handle_start(ctx, s, files, r));
    swe_ceilings_tell(s->model->backend, s->model->device, &s->model->workers);
    SWE_TRY(advance(ctx, s, files, r));
    r->step_seconds = prof_samples_quartiles(&s->step_seconds);
    return SWE_OK;
}
