#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "diagnostics/limits.h"
#include "library/internal.h"
#include "run/forcing.h"
#include "run/start.h"

/* Equal files for equal states: no run wrote them. */
static const char no_run[SWE_RUN_ID] = "00000000000000000000000000000000";

static swe_status check_bottom(swe_context *ctx, const cubeswe_model *m)
{
    return !m->has_own_bottom ? SWE_OK
                              : swe_fail(ctx, SWE_USAGE,
                                         "a checkpoint does not hold the bottom that was set: name "
                                         "its file in bottom.path");
}

static swe_status check_time(swe_context *ctx, const cubeswe_model *m)
{
    const double dt = m->simulation->schedule.dt, time = cubeswe_time(m);
    return fabs(time - (double)m->steps * dt) <= 1e-6 * dt
               ? SWE_OK
               : swe_fail(ctx, SWE_USAGE,
                          "time %.9g s: a checkpoint counts steps of %.9g s from 0, and the model "
                          "has taken others: advance to multiples of that step",
                          time, dt);
}

/* Older checkpoints of the folder will be removed: refuse checkpoints of a run, and a folder of
 * results, from whose folder `checkpoints` the model would be read. */
static swe_status check_folder(swe_context *ctx, const char *directory)
{
    char path[4400];
    checkpoint_entry *entries = NULL;
    size_t count = 0;
    bool is_of_run = false;
    snprintf(path, sizeof path, "%.4200s/checkpoints", directory);
    if (access(path, F_OK) == 0)
        return swe_fail(ctx, SWE_USAGE,
                        "%.800s: has a folder `checkpoints`, from which it would be read: name "
                        "another folder",
                        directory);
    SWE_TRY(checkpoint_entries(ctx, directory, &entries, &count));
    for (size_t k = 0; k < count && !is_of_run; k++) {
        swe_context unreadable = {""};
        swe_checkpoint_head head = {.run = ""};
        snprintf(path, sizeof path, "%.4200s/%s.h5", directory, entries[k].name);
        is_of_run = entries[k].kind == CHECKPOINT_MANIFEST &&
                    (swe_checkpoint_head_read(&unreadable, path, &head) != SWE_OK ||
                     strcmp(head.run, no_run) != 0);
        swe_checkpoint_head_release(&head);
    }
    free(entries);
    return is_of_run
               ? swe_fail(ctx, SWE_USAGE, "%.800s: holds checkpoints of a run: name another folder",
                          directory)
               : SWE_OK;
}

/* Add the values of a field to the name of a state: of the host fields, without padding. */
static swe_status add_field(swe_context *ctx, const cubeswe_model *m, int k, double *values,
                            char name[SWE_DIGEST_SIZE])
{
    const swe_layout *layout = &m->model->grid->layout;
    const swe_field *field = &m->model->fields.field[k];
    const swe_panels *panels = swe_host_fields_panels(m->simulation->host);
    const size_t rows = (size_t)swe_field_rows(field, layout->n),
                 columns = (size_t)swe_field_columns(field, layout->n),
                 pitch = (size_t)layout->pitch;
    char chain[2 * SWE_DIGEST_SIZE];
    for (int panel = 0; panel < SWE_PANELS; panel++) {
        const double *of_panel = swe_panels_get(panels, k, panel, values + rows * columns);
        for (size_t j = 0; j < rows; j++)
            memmove(values + j * columns, of_panel + j * pitch, columns * sizeof *values);
        const size_t size = (size_t)snprintf(chain, sizeof chain, "%s", name);
        SWE_TRY(swe_digest_bytes(ctx, values, rows * columns * sizeof *values, chain + size));
        SWE_TRY(swe_digest_bytes(ctx, chain, strlen(chain), name));
    }
    return SWE_OK;
}

/* The name of the state in the host fields; "" of the case's own initial state. */
static swe_status name_state(swe_context *ctx, const cubeswe_model *m, double v_lag,
                             char out[SWE_DIGEST_SIZE])
{
    const swe_layout *layout = &m->model->grid->layout;
    double *values = NULL; /* of a panel, without and with padding */
    out[0] = '\0';
    if (!m->has_own_start && m->steps == 0)
        return SWE_OK;
    snprintf(out, SWE_DIGEST_SIZE, "%ld %a", m->steps, v_lag);
    SWE_TRY(swe_memory_doubles(ctx, 2 * ((size_t)layout->n + 1) * (size_t)layout->pitch, &values));
    swe_status status = SWE_OK;
    for (int k = 0; k < m->model->fields.count && status == SWE_OK; k++)
        status = add_field(ctx, m, k, values, out);
    free(values);
    return status;
}

static swe_status write_to(swe_context *ctx, const cubeswe_model *m, swe_checkpoints *folder,
                           const char *configuration, swe_results *results)
{
    SWE_TRY(swe_checkpoints_open(ctx, true, (int)m->config->checkpoint.keep, SWE_WRITERS_ROOT,
                                 no_run, folder));
    swe_checkpoint now = swe_simulation_checkpoint(m->simulation, m->steps);
    now.configuration = configuration;
    now.diagnostics_size = 0;
    now.is_before_output = true;
    return swe_checkpointing_write(ctx, folder, now, NULL, results);
}

/* The checkpoint precedes the output of its step. Its drifts count from here. */
static swe_status write_checkpoint(swe_context *ctx, cubeswe_model *m, const char *directory,
                                   char state[SWE_DIGEST_SIZE])
{
    swe_simulation *s = m->simulation;
    char own[SWE_DIGEST_SIZE], *name = state != NULL ? state : own, *configuration = NULL;
    swe_results results = {.maxima_since = cubeswe_time(m)};
    swe_checkpoints folder;
    SWE_TRY(library_check_between_steps(ctx, m));
    SWE_TRY(check_bottom(ctx, m));
    SWE_TRY(check_time(ctx, m));
    SWE_TRY(check_folder(ctx, directory));
    SWE_TRY(swe_integrals_measure(ctx, m->model, &results.first));
    SWE_TRY(swe_limits_check(ctx, m->model, &results.first, s->schedule.dt, m->steps));
    results.last = results.first;
    s->host_step = -1;
    SWE_TRY(swe_host_fields_get_state(ctx, s->host, &results.v_lag));
    SWE_TRY(name_state(ctx, m, results.v_lag, name));
    SWE_TRY(swe_simulation_describe(ctx, s, name, &configuration));
    swe_status status = swe_checkpoints_lock(ctx, directory, true, &folder);
    if (status == SWE_OK)
        status = write_to(ctx, m, &folder, configuration, &results);
    swe_checkpoints_release(&folder, status == SWE_OK);
    free(configuration);
    return status;
}

/* Count the steps of the model at the time of a checkpoint, which steps of another length may have
 * reached. `base`: of the time that no whole number of steps reaches. */
static swe_status count_steps(swe_context *ctx, const cubeswe_model *m, const swe_restart *from,
                              long *steps, double *base)
{
    const swe_schedule *schedule = &m->simulation->schedule;
    const double time = (double)from->head.step * from->head.dt, exact = time / schedule->dt;
    const bool is_whole = fabs(exact - round(exact)) <= 1e-6;
    *steps = is_whole ? (long)round(exact) : from->head.step;
    *base = is_whole ? 0.0 : time;
    return is_whole || schedule->records + schedule->stirring == 0
               ? SWE_OK
               : swe_fail(ctx, SWE_CONFIG,
                          "%.400s: is of %.9g s, which is no whole number of the model's steps of "
                          "%.9g s, as forcing%s.interval needs",
                          from->path, time, schedule->dt,
                          schedule->stirring > 0 ? ".stirring" : "");
}

static swe_status read_from(swe_context *ctx, cubeswe_model *m, const swe_restart *from,
                            const swe_checkpoint_content *content, const swe_results *results)
{
    swe_simulation *s = m->simulation;
    const swe_start start = {m->config, s->test_case, m->model, s->bottom, NULL};
    swe_context failed = {""};
    long steps;
    double base;
    SWE_TRY(count_steps(ctx, m, from, &steps, &base));
    s->host_step = -1;
    SWE_TRY(swe_checkpoint_file_read(ctx, from->path, content, swe_host_fields_panels(s->host)));
    swe_status status = swe_forcing_start(ctx, &start, steps);
    if (status == SWE_OK)
        status = swe_host_fields_set_state(ctx, s->host, results->v_lag);
    if (status != SWE_OK) {
        swe_forcing_start(&failed, &start, m->steps);
        return status;
    }
    m->has_own_start = from->state[0] != '\0';
    m->steps = m->changed = steps;
    m->base = base;
    m->base_steps = base == 0.0 ? 0 : steps;
    m->dt = s->schedule.dt;
    m->model->clock = (swe_clock){m->base, m->steps - m->base_steps, m->dt};
    return SWE_OK;
}

static swe_status read_checkpoint(swe_context *ctx, cubeswe_model *m, const char *path,
                                  const char *state)
{
    swe_results results;
    swe_restart from;
    swe_checkpoint_number numbers[SWE_TALLIES];
    swe_tallies_of(&results, numbers);
    const swe_restart_request wanted = {.config = m->config,
                                        .content = {m->model->grid->layout, m->model->precision,
                                                    &m->model->fields, numbers, SWE_TALLIES},
                                        .is_strict = true,
                                        .has_no_end = true,
                                        .accepts_state = true};
    SWE_TRY(library_check_between_steps(ctx, m));
    SWE_TRY(check_bottom(ctx, m));
    SWE_TRY(swe_restart_find(ctx, path, &wanted, &from));
    const bool is_other = state != NULL && strcmp(from.state, state) != 0;
    const swe_status status =
        is_other ? swe_fail(ctx, SWE_CONFIG, "%.400s: is of a run from another state", from.path)
                 : read_from(ctx, m, &from, &wanted.content, &results);
    swe_restart_release(&from);
    return status;
}

cubeswe_status cubeswe_write_checkpoint(cubeswe_model *m, const char *directory, char state[65],
                                        cubeswe_error *error)
{
    _Static_assert(SWE_DIGEST_SIZE == 65, "a digest has another size");
    LIBRARY_CALL_OF_FILES(m, false, error, write_checkpoint(&ctx, m, directory, state));
}

cubeswe_status cubeswe_read_checkpoint(cubeswe_model *m, const char *path, const char *state,
                                       cubeswe_error *error)
{
    LIBRARY_CALL_OF_FILES(m, true, error, read_checkpoint(&ctx, m, path, state));
}
