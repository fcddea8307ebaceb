#include "run/forcing.h"

#include "run/start_file.h"
#include "run/stirring.h"
#include "run/wind.h"

/* The fields that `set` computes. */
typedef swe_status set_fields(swe_context *ctx, const swe_start *start, const swe_input_file *file,
                              const swe_host_fields *fields);

/* h towards which h relaxes, into the first field. */
static swe_status set_target(swe_context *ctx, const swe_start *start, const swe_input_file *file,
                             const swe_host_fields *fields)
{
    swe_input_file of_target = *file;
    of_target.h = start->config->forcing.relaxation.to;
    return of_target.h[0] == '\0'
               ? swe_field_groups_start(ctx, start->config, start, fields)
               : swe_start_scalar_of_file(ctx, &of_target,
                                          start->model->physics.equations == SWE_LINEAR
                                              ? &swe_quantity_height
                                              : &swe_quantity_depth,
                                          start->model, fields, SWE_FIELD_H);
}

static swe_status set_source(swe_context *ctx, const swe_start *start, const swe_input_file *file,
                             const swe_host_fields *fields)
{
    if (file->h[0] != '\0')
        SWE_TRY(swe_start_scalar_of_file(ctx, file, &swe_quantity_source, start->model, fields,
                                         SWE_FIELD_H));
    return file->u[0] == '\0'
               ? SWE_OK
               : swe_start_vector_of_file(ctx, file, &swe_quantity_stress, start->model, fields);
}

/* The factor of the drag, of one time, into the first field. */
static swe_status set_factor(swe_context *ctx, const swe_start *start, const swe_input_file *file,
                             const swe_host_fields *fields)
{
    swe_input_file of_factor = *file;
    of_factor.h = start->config->forcing.drag.factor;
    of_factor.records = NULL;
    return swe_start_scalar_of_file(ctx, &of_factor, &swe_quantity_factor, start->model, fields,
                                    SWE_FIELD_H);
}

/* Set a constant to a record of the file, or to the fields of the case. */
static swe_status set_constant(swe_context *ctx, const swe_start *start, swe_records *records,
                               set_fields *set, swe_constant which)
{
    const struct swe_config_forcing *forcing = &start->config->forcing;
    const swe_input_file file = {.path = forcing->path,
                                 .time = forcing->time,
                                 .key = "forcing.time",
                                 .records = records->interval > 0.0 ? records : NULL,
                                 .h = forcing->mass.source,
                                 .u = forcing->wind_stress.u,
                                 .v = forcing->wind_stress.v};
    swe_host_fields *fields = NULL;
    SWE_TRY(swe_host_fields_create(ctx, start->model, start->model->fields.count, &fields));
    swe_status status = set(ctx, start, &file, fields);
    if (status == SWE_OK)
        status = swe_host_fields_set_constant(ctx, fields, which);
    swe_host_fields_destroy(&fields);
    return status;
}

/* Set the source, and the target if the file has it or `of_case`; of records in time the even or
 * the odd one of each. */
static swe_status set_record(swe_context *ctx, const swe_start *start, bool of_case, long number)
{
    const swe_physics *physics = &start->model->physics;
    const struct swe_config_forcing *forcing = &start->config->forcing;
    swe_records records = {forcing->interval, number, forcing->periodic == SWE_YES, 0, 0.0};
    const int is_odd = (int)(number % 2);
    if (physics->relaxation != 0.0 && (of_case || forcing->relaxation.to[0] != '\0'))
        SWE_TRY(
            set_constant(ctx, start, &records, set_target, (swe_constant)(SWE_TARGET + is_odd)));
    return physics->has_source
               ? set_constant(ctx, start, &records, set_source, (swe_constant)(SWE_SOURCE + is_odd))
               : SWE_OK;
}

swe_status swe_forcing_start(swe_context *ctx, const swe_start *start, long step)
{
    const swe_physics *physics = &start->model->physics;
    const swe_schedule due = swe_schedule_of(start->config, false);
    const long number = due.records > 0 ? step / due.records : 0;
    if (physics->is_prescribed)
        return swe_start_wind(ctx, start->config, start->model);
    if (physics->drag_of_field != 0.0)
        SWE_TRY(set_constant(ctx, start, &(swe_records){.count = 0}, set_factor, SWE_DRAG));
    for (long k = number; k <= number + (physics->records > 0.0 ? 1 : 0); k++)
        SWE_TRY(set_record(ctx, start, true, k));
    return due.stirring > 0 ? swe_stir(ctx, start->config, start->model, step / due.stirring)
                            : SWE_OK;
}

swe_status swe_forcing_change(swe_context *ctx, const swe_schedule *due, swe_model *model,
                              long step)
{
    const swe_start start = {due->config, NULL, model, NULL, NULL};
    if (swe_is_every(step, due->records))
        SWE_TRY(set_record(ctx, &start, false, step / due->records + 1));
    return swe_is_every(step, due->stirring)
               ? swe_stir(ctx, due->config, model, step / due->stirring)
               : SWE_OK;
}

long swe_forcing_steps(const swe_schedule *due, long step, long most)
{
    if (due->records > 0 && due->records - step % due->records < most)
        most = due->records - step % due->records;
    if (due->stirring > 0 && due->stirring - step % due->stirring < most)
        most = due->stirring - step % due->stirring;
    return most;
}
