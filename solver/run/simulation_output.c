#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "run/simulation_internal.h"
#include "run/tasks.h"
#include "files/output/field_variables.h"
#include "ranks/ranks.h"
#include "stages/regions.h"

static swe_snapshot empty_snapshot(const swe_simulation *s, long step)
{
    return (swe_snapshot){
        .grid = s->model->grid,
        .sbp = s->model->sbp,
        .time = swe_schedule_fields_time(&s->schedule, step),
        .step = step,
        .physics = &s->model->physics,
        .fields = &s->model->fields,
        .threads = s->model->execution.threads,
        .compression = (int)s->config->output.compression,
        .is_single = s->config->output.precision == SWE_PRECISION_SINGLE,
        .provenance = {s->config->case_name, s->configuration, s->model->backend->name, s->device}};
}

swe_status swe_simulation_take_snapshot(swe_context *ctx, swe_simulation *s,
                                        swe_host_fields *fields, unsigned chosen, long step,
                                        swe_snapshot *out)
{
    const swe_snapshot_fields of = swe_config_snapshot_fields(s->config, chosen);
    *out = empty_snapshot(s, step);
    out->state = fields;
    out->chosen = chosen;
    out->vorticity = of.vorticity;
    out->divergence = of.divergence;
    out->advected = 1;
    out->bottom = s->bottom;
    SWE_TRY(swe_host_fields_get_state(ctx, fields, NULL));
    if (of.vorticity > 0)
        SWE_TRY(swe_host_fields_derive(ctx, fields, of.vorticity, SWE_VORTICITY));
    return of.divergence > 0 ? swe_host_fields_derive(ctx, fields, of.divergence, SWE_DIVERGENCE)
                             : SWE_OK;
}

/* A snapshot with the root's pointers, and the numbers by which other ranks replace the
 * pointers. */
typedef struct snapshot_given {
    swe_snapshot snapshot;
    const char *path;
    int state, bottom; /* bottom: -1: none */
    swe_initial initial;
    char variable[64]; /* to be computed */
    double *values;    /* of it, the root's */
} snapshot_given;

/* The snapshot of a rank that is not the root. */
static swe_status complete_snapshot(swe_context *ctx, const swe_model *model, snapshot_given *g,
                                    swe_case **exact)
{
    swe_snapshot *s = &g->snapshot;
    g->path = "a field file";
    s->grid = model->grid;
    s->sbp = model->sbp;
    s->physics = &model->physics;
    s->fields = &model->fields;
    s->state = model->host[g->state];
    s->threads = model->execution.threads;
    s->bottom = g->bottom >= 0 ? model->host[g->bottom] : NULL;
    if (s->exact == NULL)
        return SWE_OK;
    const swe_status status = swe_case_create(ctx, &g->initial, &model->physics, exact);
    s->exact = *exact;
    return status;
}

static swe_status write_file(swe_context *ctx, const snapshot_given *g)
{
    return swe_field_file_write(ctx, g->path, &g->snapshot);
}

static swe_status compute(swe_context *ctx, const snapshot_given *g)
{
    int count = 0;
    field_variable *list = NULL;
    swe_status status =
        swe_ranks_agree(ctx, field_variables_list(ctx, &g->snapshot, &count, &list));
    for (int k = 0; k < count && status == SWE_OK; k++)
        if (strcmp(list[k].name, g->variable) == 0)
            status = field_variable_compute(ctx, &g->snapshot, &list[k], g->values);
    free(list);
    return status;
}

/* All ranks: use a snapshot. */
static swe_status use_snapshot(swe_context *ctx, const swe_model *model, snapshot_given *g,
                               swe_status (*use)(swe_context *ctx, const snapshot_given *g))
{
    swe_case *exact = NULL;
    swe_status status = swe_ranks_agree(
        ctx, swe_ranks_is_root() ? SWE_OK : complete_snapshot(ctx, model, g, &exact));
    if (status == SWE_OK)
        status = use(ctx, g);
    swe_case_destroy(&exact);
    return status;
}

static swe_status run_write_fields(swe_context *ctx, swe_model *model, void *given)
{
    return use_snapshot(ctx, model, given, write_file);
}

static swe_status run_compute_variable(swe_context *ctx, swe_model *model, void *given)
{
    return use_snapshot(ctx, model, given, compute);
}

SWE_TASK_DEFINE(write_fields, snapshot_given);
SWE_TASK_DEFINE(compute_variable, snapshot_given);

static snapshot_given give(const swe_simulation *s, const swe_snapshot *snapshot)
{
    return (snapshot_given){
        .snapshot = *snapshot,
        .state = swe_host_fields_number(snapshot->state),
        .bottom = snapshot->bottom != NULL ? swe_host_fields_number(snapshot->bottom) : -1,
        .initial = swe_config_initial(s->config)};
}

swe_status swe_simulation_write_fields(swe_context *ctx, const swe_simulation *s, const char *path,
                                       const swe_snapshot *snapshot)
{
    snapshot_given given = give(s, snapshot);
    given.path = path;
    return swe_task_run(ctx, s->model, SWE_TASK_WRITE_FIELDS, &given);
}

swe_status swe_simulation_compute(swe_context *ctx, const swe_simulation *s,
                                  const swe_snapshot *snapshot, const char *variable,
                                  double *values)
{
    snapshot_given given = give(s, snapshot);
    snprintf(given.variable, sizeof given.variable, "%s", variable);
    given.values = values;
    return swe_task_run(ctx, s->model, SWE_TASK_COMPUTE_VARIABLE, &given);
}

/* A region of its own: besides copies, this wait is the cost of output to the time loop. */
swe_status swe_simulation_wait_for_output(swe_context *ctx, swe_simulation *s)
{
    if (s->writer == NULL)
        return SWE_OK;
    prof_begin(s->options.profiler, SWE_REGION_output_wait);
    const swe_status status = swe_field_writer_drain(ctx, s->writer);
    prof_end(s->options.profiler);
    return status;
}

/* Copy the state, derive fields of it, and start writing them, on several ranks write them. The
 * copy is synchronous: the next step overwrites the state. */
static swe_status start_snapshot(swe_context *ctx, swe_simulation *s, const char *directory,
                                 long step)
{
    char path[4096];
    if (snprintf(path, sizeof path, "%s/fields_%08ld.nc", directory, step) >= (int)sizeof path)
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%.200s...: the path is too long", directory);
    swe_snapshot snapshot;
    SWE_TRY(swe_simulation_take_snapshot(ctx, s, s->snapshot, s->config->output.fields.chosen, step,
                                         &snapshot));
    if (s->writer != NULL) {
        swe_field_writer_start(s->writer, path, &snapshot);
        return SWE_OK;
    }
    const double start = swe_clock_seconds();
    SWE_TRY(swe_simulation_write_fields(ctx, s, path, &snapshot)); /* the steps wait for it */
    const double seconds = swe_clock_seconds() - start;
    s->output.files++;
    s->output.writing += seconds;
    s->output.waiting += seconds;
    return SWE_OK;
}

swe_status swe_simulation_write_snapshot(swe_context *ctx, swe_simulation *s, const char *directory,
                                         long step)
{
    SWE_TRY(swe_simulation_wait_for_output(ctx, s));
    prof_begin(s->options.profiler, SWE_REGION_output);
    const swe_status status = start_snapshot(ctx, s, directory, step);
    prof_end(s->options.profiler);
    return status;
}

swe_status swe_simulation_write_final(swe_context *ctx, swe_simulation *s, const char *path)
{
    SWE_TRY(swe_simulation_wait_for_output(ctx, s));
    SWE_TRY(swe_simulation_fetch_state(ctx, s, s->schedule.steps));
    swe_snapshot snapshot = empty_snapshot(s, s->schedule.steps);
    snapshot.state = s->host;
    snapshot.chosen = 1u << SWE_WORD_h;
    snapshot.exact = s->test_case;
    snapshot.exact_time = swe_schedule_time(&s->schedule, s->schedule.steps);
    prof_begin(s->options.profiler, SWE_REGION_output);
    const swe_status status = swe_simulation_write_fields(ctx, s, path, &snapshot);
    prof_end(s->options.profiler);
    return status;
}
