#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "diagnostics/limits.h"
#include "fields/fields.h"
#include "run/simulation_internal.h"
#include "run/tasks.h"
#include "stages/regions.h"

swe_status swe_simulation_fetch_state(swe_context *ctx, swe_simulation *s, long step)
{
    if (s->host_step == step)
        return SWE_OK;
    SWE_TRY(swe_host_fields_get_state(ctx, s->host, NULL));
    s->host_step = step;
    return SWE_OK;
}

/* Find the first value of the fetched state that is not finite. */
static bool find_not_finite(const swe_simulation *s, swe_not_finite *place)
{
    swe_context quiet = {""};
    double *room = NULL;
    const swe_layout *layout = &s->model->grid->layout;
    const bool is_found = swe_memory_doubles(&quiet, (size_t)layout->panel, &room) == SWE_OK &&
                          swe_find_not_finite(layout, &s->model->fields,
                                              swe_host_fields_panels(s->host), room, place);
    free(room);
    return is_found;
}

/* Check the integrals. After a failure the state is copied to the host, to be saved for inspection.
 */
static swe_status check_limits(swe_context *ctx, swe_simulation *s, const swe_integrals *b,
                               long step)
{
    swe_context failure = {""};
    swe_not_finite place;
    if (swe_limits_check(&failure, s->model, b, s->schedule.dt, step) == SWE_OK)
        return SWE_OK;
    SWE_TRY(swe_simulation_fetch_state(ctx, s, step));
    s->is_unstable = true;
    if (find_not_finite(s, &place))
        return swe_fail(ctx, SWE_INTERNAL,
                        "%s is not finite at step %ld (panel %d, j %d, i %d): the run is unstable",
                        place.field, step, place.panel, place.j, place.i);
    return swe_fail(ctx, SWE_INTERNAL, "%s", failure.message);
}

/* change / scale, and 0 for no change of a zero scale. */
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

bool swe_simulation_has_rates(const swe_physics *physics, swe_term term)
{
    const bool has[SWE_TERMS] = {
#define HAS_TERM(name, has) has,
        SWE_TERM_LIST(HAS_TERM)
#undef HAS_TERM
    };
    return swe_physics_is_forced(physics) && has[term];
}

/* The rates of the terms of a forced flow. They overwrite the integrals of the state. */
static swe_status write_rates(swe_context *ctx, swe_simulation *s, FILE *file)
{
    for (int term = 0; term < SWE_TERMS; term++) {
        swe_rates rates;
        if (!swe_simulation_has_rates(&s->model->physics, (swe_term)term))
            continue;
        SWE_TRY(swe_integrals_rates(ctx, s->model, (swe_term)term, s->schedule.dt, &rates));
        s->rows_size += fprintf(file, ",%.17g", rates.energy);
        if (swe_term_changes_mass((swe_term)term))
            s->rows_size += fprintf(file, ",%.17g", rates.mass);
    }
    return SWE_OK;
}

static swe_status write_diagnostics(swe_context *ctx, swe_simulation *s, FILE *file, long step,
                                    const swe_results *r)
{
    const swe_integrals *b = &r->last;
    s->rows_size +=
        fprintf(file, "%ld,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.6e,%.6e,%.6e", step,
                swe_schedule_row_time(&s->schedule, step), b->mass, b->energy, b->circulation,
                b->highest.value, r->courant, mass_drift(r), r->energy_drift, circulation_drift(r));
    if (s->model->physics.equations == SWE_NONLINEAR)
        s->rows_size += fprintf(file, ",%.17g,%.17g,%.6e", b->potential_enstrophy, b->lowest.value,
                                swe_limits_flow_courant(s->model, b, s->schedule.dt));
    for (int k = SWE_FLOW_FIELDS; k < s->model->fields.count; k++) {
        const swe_field_integrals field = swe_integrals_of_field(s->model, k);
        s->rows_size += fprintf(file, ",%.17g,%.17g,%.17g", field.mass, field.least.value,
                                field.greatest.value);
    }
    SWE_TRY(write_rates(ctx, s, file));
    s->rows_size++;
    return fputc('\n', file) != EOF ? SWE_OK
                                    : swe_fail(ctx, SWE_IO, "diagnostics.csv cannot be written");
}

swe_status swe_simulation_diagnose(swe_context *ctx, swe_simulation *s, const swe_run_files *files,
                                   long step, swe_results *r)
{
    SWE_TRY(swe_integrals_measure(ctx, s->model, &r->last));
    SWE_TRY(check_limits(ctx, s, &r->last, step));
    if (step == 0)
        r->first = r->last;
    r->mass_drift = fmax(r->mass_drift, mass_drift(r));
    r->circulation_drift = fmax(r->circulation_drift, circulation_drift(r));
    r->energy_drift = relative(r->last.energy - r->first.energy, r->first.energy);
    return files->diagnostics != NULL ? write_diagnostics(ctx, s, files->diagnostics, step, r)
                                      : SWE_OK;
}

/* The results are valid on the root only. */
typedef struct errors_given {
    swe_initial initial;
    double t; /* [s] */
    int state;
    swe_errors errors;
    swe_velocity_errors velocity;
} errors_given;

static swe_status run_measure_errors(swe_context *ctx, swe_model *model, void *given)
{
    errors_given *g = given;
    swe_case *test_case = NULL;
    swe_status status =
        swe_ranks_agree(ctx, swe_case_create(ctx, &g->initial, &model->physics, &test_case));
    const swe_comparison comparison = {test_case, model->grid, model->sbp, model->execution.threads,
                                       swe_case_has_velocity(&g->initial)};
    if (status == SWE_OK)
        status = swe_comparison_measure(ctx, &comparison, g->t, model->host[g->state], &g->errors,
                                        &g->velocity);
    swe_case_destroy(&test_case);
    return status;
}

SWE_TASK_DEFINE(measure_errors, errors_given);

swe_status swe_simulation_sample_errors(swe_context *ctx, swe_simulation *s, long step,
                                        swe_results *r)
{
    errors_given given = {.initial = swe_config_initial(s->config),
                          .t = swe_schedule_time(&s->schedule, step),
                          .state = swe_host_fields_number(s->host)};
    SWE_TRY(swe_simulation_fetch_state(ctx, s, step));
    SWE_TRY(swe_task_run(ctx, s->model, SWE_TASK_MEASURE_ERRORS, &given));
    r->errors = given.errors;
    r->velocity_errors = given.velocity;
    r->max_rms = fmax(r->max_rms, r->errors.rms);
    r->max_linf_abs = fmax(r->max_linf_abs, r->errors.linf_abs);
    return SWE_OK;
}

swe_status swe_simulation_check_state(swe_context *ctx, swe_simulation *s, long step)
{
    swe_integrals integrals;
    SWE_TRY(swe_integrals_measure(ctx, s->model, &integrals));
    return check_limits(ctx, s, &integrals, step);
}

/* At the last step the checkpoint precedes the output of the end, so that a restart to a later
 * time.end does not contain it. */
swe_checkpoint swe_simulation_checkpoint(const swe_simulation *s, long step)
{
    const bool is_last = step == s->schedule.steps;
    return (swe_checkpoint){.case_name = s->config->case_name,
                            .configuration = s->configuration,
                            .backend = s->model->backend->name,
                            .device = s->device,
                            .layout = s->model->grid->layout,
                            .precision = s->model->precision,
                            .fields = &s->model->fields,
                            .state = swe_host_fields_panels(s->host),
                            .step = step,
                            .steps = s->schedule.steps,
                            .dt = s->schedule.dt,
                            .diagnostics_size = is_last ? s->rows_before_last : s->rows_size,
                            .is_before_output = is_last};
}

/* Field files and rows up to this step are written before the checkpoint, so that a restart does
 * not repeat them. The output of the last step is the exception: its checkpoint precedes it. */
swe_status swe_simulation_write_checkpoint(swe_context *ctx, swe_simulation *s,
                                           const swe_run_files *files, long step, swe_results *r)
{
    if (files->checkpoints == NULL || s->checkpoint_step == step)
        return SWE_OK;
    SWE_TRY(swe_simulation_wait_for_output(ctx, s));
    prof_begin(s->options.profiler, SWE_REGION_output);
    swe_results *results = step == s->schedule.steps ? &s->before_last : r;
    /* the state from which steps go on, and the lag of its v */
    swe_status status = SWE_OK;
    results->v_lag = 0.0;
    if (s->config->scheme.time == SWE_TIME_RK4) {
        status = swe_simulation_fetch_state(ctx, s, step);
    } else {
        s->host_step = -1;
        status = swe_host_fields_get_state(ctx, s->host, &results->v_lag);
    }
    if (status == SWE_OK)
        status =
            swe_checkpointing_write(ctx, files->checkpoints, swe_simulation_checkpoint(s, step),
                                    files->diagnostics, results);
    prof_end(s->options.profiler);
    SWE_TRY(status);
    s->checkpoint_step = step;
    return SWE_OK;
}
