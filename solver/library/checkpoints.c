#include <math.h>

#include "diagnostics/limits.h"
#include "library/internal.h"
#include "run/forcing.h"
#include "run/start.h"

/* Equal files for equal states: no run wrote them. */
static const char no_run[SWE_RUN_ID] = "00000000000000000000000000000000";

static swe_status check_time(swe_context *ctx, const cubeswe_model *m)
{
    const double dt = m->simulation->schedule.dt, time = cubeswe_time(m);
    if (m->has_own_bottom)
        return swe_fail(ctx, SWE_USAGE,
                        "a checkpoint does not hold the bottom that was set: name its file in "
                        "bottom.path");
    return fabs(time - (double)m->steps * dt) <= 1e-6 * dt
               ? SWE_OK
               : swe_fail(ctx, SWE_USAGE,
                          "time %.9g s: a checkpoint counts steps of %.9g s from 0, and the model "
                          "has taken others: advance to multiples of that step",
                          time, dt);
}

/* The checkpoint precedes the output of its step. Its drifts count from here. */
static swe_status write(swe_context *ctx, cubeswe_model *m, swe_checkpoints *folder)
{
    swe_simulation *s = m->simulation;
    swe_results results = {.seconds = 0.0};
    SWE_TRY(swe_checkpoints_open(ctx, true, (int)m->config->checkpoint.keep, SWE_WRITERS_ROOT,
                                 no_run, folder));
    SWE_TRY(swe_integrals_measure(ctx, m->model, &results.first));
    SWE_TRY(swe_limits_check(ctx, m->model, &results.first, s->schedule.dt, m->steps));
    results.last = results.first;
    results.maxima_since = cubeswe_time(m);
    s->host_step = -1;
    SWE_TRY(swe_host_fields_get_state(ctx, s->host, &results.v_lag));
    swe_checkpoint now = swe_simulation_checkpoint(s, m->steps);
    now.steps = m->steps > now.steps ? m->steps : now.steps;
    now.diagnostics_size = 0;
    now.is_before_output = true;
    return swe_checkpointing_write(ctx, folder, now, NULL, &results);
}

static swe_status write_checkpoint(swe_context *ctx, cubeswe_model *m, const char *directory)
{
    swe_checkpoints folder;
    SWE_TRY(library_check_between_steps(ctx, m));
    SWE_TRY(check_time(ctx, m));
    swe_status status = swe_checkpoints_lock(ctx, directory, true, &folder);
    if (status == SWE_OK)
        status = write(ctx, m, &folder);
    swe_checkpoints_release(&folder, status == SWE_OK);
    return status;
}

static void warn(void *nobody, const char *line)
{
    (void)nobody;
    swe_warn_once("%s", line);
}

/* Steps go on at the time of a checkpoint. The last step of a run may be shorter. */
static void count_from(cubeswe_model *m, const swe_restart *from)
{
    const swe_checkpoint_head *head = &from->head;
    const double end = from->config->time.end;
    m->steps = m->base_steps = m->changed = head->step;
    m->base = (double)head->step * head->dt;
    if (head->step == head->steps && m->base > end)
        m->base = end;
    m->dt = m->simulation->schedule.dt;
}

static swe_status read(swe_context *ctx, cubeswe_model *m, const swe_restart *from,
                       const swe_checkpoint_content *content, const swe_results *results)
{
    swe_simulation *s = m->simulation;
    const swe_start start = {m->config, s->test_case, m->model, s->bottom, NULL};
    swe_context failed = {""};
    if (from->head.dt != s->schedule.dt && s->schedule.records + s->schedule.stirring > 0)
        return swe_fail(ctx, SWE_CONFIG,
                        "%.400s: its steps have %.17g s, and the model's %.17g s: create the model "
                        "with time.dt=%.17g",
                        from->path, from->head.dt, s->schedule.dt, from->head.dt);
    s->host_step = -1;
    SWE_TRY(swe_checkpoint_file_read(ctx, from->path, content, swe_host_fields_panels(s->host)));
    swe_status status = swe_forcing_start(ctx, &start, from->head.step);
    if (status == SWE_OK)
        status = swe_host_fields_set_state(ctx, s->host, results->v_lag);
    if (status == SWE_OK)
        count_from(m, from);
    else
        swe_forcing_start(&failed, &start, m->steps);
    return status;
}

static swe_status read_checkpoint(swe_context *ctx, cubeswe_model *m, const char *path)
{
    swe_results results;
    swe_restart from;
    swe_checkpoint_number numbers[SWE_TALLIES];
    swe_tallies_of(&results, numbers);
    const swe_restart_request wanted = {.config = m->config,
                                        .content = {m->model->grid->layout, m->model->precision,
                                                    &m->model->fields, numbers, SWE_TALLIES},
                                        .warn = warn};
    SWE_TRY(library_check_between_steps(ctx, m));
    SWE_TRY(swe_restart_find(ctx, path, &wanted, &from));
    const swe_status status = read(ctx, m, &from, &wanted.content, &results);
    swe_restart_release(&from);
    return status;
}

cubeswe_status cubeswe_write_checkpoint(cubeswe_model *m, const char *directory,
                                        cubeswe_error *error)
{
    LIBRARY_CALL_OF_FILES(m, false, error, write_checkpoint(&ctx, m, directory));
}

cubeswe_status cubeswe_read_checkpoint(cubeswe_model *m, const char *path, cubeswe_error *error)
{
    LIBRARY_CALL_OF_FILES(m, true, error, read_checkpoint(&ctx, m, path));
}
