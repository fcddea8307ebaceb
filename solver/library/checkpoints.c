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
    swe_checkpoint_head head = {.run = ""};
    snprintf(path, sizeof path, "%.4200s/checkpoints", directory);
    bool is_of_run = access(path, F_OK) == 0;
    if (is_of_run)
        return swe_fail(ctx, SWE_USAGE,
                        "%.800s: has a folder `checkpoints`, from which it would be read: name "
                        "another folder",
                        directory);
    SWE_TRY(checkpoint_entries(ctx, directory, &entries, &count));
    for (size_t k = 0; k < count && !is_of_run; k++) {
        swe_context unreadable = {""};
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

/* The name of the state after its steps; "" of a state of the case's own run. */
static swe_status name_state(swe_context *ctx, cubeswe_model *m, char out[SWE_DIGEST_SIZE])
{
    const swe_field_set *fields = &m->model->fields;
    const int n = m->model->grid->layout.n;
    double *values = NULL;
    out[0] = '\0';
    if (!m->has_own_state)
        return SWE_OK;
    SWE_TRY(swe_memory_doubles(ctx, SWE_PANELS * ((size_t)n + 1) * ((size_t)n + 1), &values));
    swe_status status = SWE_OK;
    for (int k = 0; k < fields->count && status == SWE_OK; k++) {
        const swe_field *field = &fields->field[k];
        const size_t count =
            SWE_PANELS * (size_t)swe_field_rows(field, n) * (size_t)swe_field_columns(field, n);
        char of_field[SWE_DIGEST_SIZE], chain[2 * SWE_DIGEST_SIZE + 24];
        cubeswe_error error;
        if (cubeswe_get(m, field->name, values, count, &error) != CUBESWE_OK)
            status = swe_fail(ctx, SWE_INTERNAL, "%s", error.message);
        if (status == SWE_OK)
            status = swe_digest_bytes(ctx, values, count * sizeof *values, of_field);
        snprintf(chain, sizeof chain, "%s %s %ld", out, of_field, m->steps);
        if (status == SWE_OK)
            status = swe_digest_bytes(ctx, chain, strlen(chain), out);
    }
    free(values);
    return status;
}

/* The checkpoint precedes the output of its step. Its drifts count from here. */
static swe_status write_to(swe_context *ctx, cubeswe_model *m, swe_checkpoints *folder,
                           const char *configuration)
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
    now.configuration = configuration;
    now.diagnostics_size = 0;
    now.is_before_output = true;
    return swe_checkpointing_write(ctx, folder, now, NULL, &results);
}

static swe_status write_checkpoint(swe_context *ctx, cubeswe_model *m, const char *directory,
                                   char state[SWE_DIGEST_SIZE])
{
    char own[SWE_DIGEST_SIZE], *name = state != NULL ? state : own, *configuration = NULL;
    swe_checkpoints folder;
    SWE_TRY(library_check_between_steps(ctx, m));
    SWE_TRY(check_bottom(ctx, m));
    SWE_TRY(check_time(ctx, m));
    SWE_TRY(check_folder(ctx, directory));
    SWE_TRY(name_state(ctx, m, name));
    SWE_TRY(swe_simulation_describe(ctx, m->simulation, name, &configuration));
    swe_status status = swe_checkpoints_lock(ctx, directory, true, &folder);
    if (status == SWE_OK)
        status = write_to(ctx, m, &folder, configuration);
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
    m->has_own_state = from->state[0] != '\0';
    m->steps = m->changed = steps;
    m->base = base;
    m->base_steps = base == 0.0 ? 0 : steps;
    m->dt = s->schedule.dt;
    m->model->clock = (swe_clock){m->base, m->steps - m->base_steps, m->dt};
    return SWE_OK;
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
                                        .is_strict = true,
                                        .has_no_end = true,
                                        .accepts_state = true};
    SWE_TRY(library_check_between_steps(ctx, m));
    SWE_TRY(check_bottom(ctx, m));
    SWE_TRY(swe_restart_find(ctx, path, &wanted, &from));
    const swe_status status = read_from(ctx, m, &from, &wanted.content, &results);
    swe_restart_release(&from);
    return status;
}

cubeswe_status cubeswe_write_checkpoint(cubeswe_model *m, const char *directory, char state[65],
                                        cubeswe_error *error)
{
    _Static_assert(SWE_DIGEST_SIZE == 65, "a digest has another size");
    LIBRARY_CALL_OF_FILES(m, false, error, write_checkpoint(&ctx, m, directory, state));
}

cubeswe_status cubeswe_read_checkpoint(cubeswe_model *m, const char *path, cubeswe_error *error)
{
    LIBRARY_CALL_OF_FILES(m, true, error, read_checkpoint(&ctx, m, path));
}
