#include "state/host_fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "state/host_fields_internal.h"
#include "state/model_ranks.h"

enum { VALUES_OF_MESSAGE = 1 << 17 };

/* Ask for something that concerns a list of fields. */
static void ask(const swe_host_fields *f, model_asked asked, model_request request)
{
    request.model = f->model;
    request.host = f->number;
    model_ask(asked, request);
}

/* ---- rows of a block ------------------------------------------------------------------------- */

/* Rows of block k from row j on; NULL if this rank does not have the block, or the panel. */

static block_rows rows_in_blocks(const swe_decomposition *d, int k, int j, const double *field)
{
    const bool has = swe_decomposition_owns(d, k);
    return (block_rows){has ? (double *)field + swe_decomposition_at(d, k, j, d->block[k].i.first)
                            : NULL,
                        d->layout.pitch};
}

static block_rows rows_in_panel(const swe_decomposition *d, int k, int j, const double *panel)
{
    const swe_layout whole = swe_layout_of(d->layout.n);
    const bool has = d->cut.rank == 0;
    return (block_rows){has ? (double *)panel + swe_at(&whole, 0, j, d->block[k].i.first) : NULL,
                        whole.pitch};
}

void host_fields_copy_rows(int rows, int columns, block_rows from, block_rows to)
{
    for (int row = 0; row < rows; row++)
        memcpy(to.first + row * to.pitch, from.first + row * from.pitch,
               (size_t)columns * sizeof(double));
}

/* Copy a block's rows. If this rank has only source or destination, a message carries the rows. */
static void pass_rows(const swe_decomposition *d, int k, int rows, block_rows from, block_rows to,
                      double *message)
{
    const int columns = d->block[k].i.last - d->block[k].i.first;
    const int owner = swe_decomposition_rank(d, k), other = d->cut.rank == 0 ? owner : 0;
    const size_t bytes = (size_t)rows * (size_t)columns * sizeof(double);
    const block_rows in_message = {message, columns};
    if (from.first != NULL && to.first != NULL)
        host_fields_copy_rows(rows, columns, from, to);
    else if (from.first != NULL) {
        host_fields_copy_rows(rows, columns, from, in_message);
        swe_ranks_send(other, message, bytes);
    } else if (to.first != NULL) {
        swe_ranks_receive(other, message, bytes);
        host_fields_copy_rows(rows, columns, in_message, to);
    }
}

/* The root passes the rows of a panel's blocks to their owners, or receives them. Ghosts, foreign
 * copies and padding keep their values. */
static void pass_panel(const swe_host_fields *f, int field, int panel, const double *whole,
                       bool is_set)
{
    const swe_decomposition *d = host_fields_blocks(f);
    const double *blocks = f->values + (size_t)field * f->field;
    const int parts = d->count / SWE_PANELS;
    for (int k = panel * parts; k < (panel + 1) * parts; k++) {
        const swe_block *b = &d->block[k];
        const int fitting = VALUES_OF_MESSAGE / (b->i.last - b->i.first);
        const int most = fitting > 1 ? fitting : 1;
        for (int j = b->j.first; j < b->j.last; j += most) {
            const int rows = b->j.last - j < most ? b->j.last - j : most;
            const block_rows of_block = rows_in_blocks(d, k, j, blocks),
                             of_panel = rows_in_panel(d, k, j, whole);
            if (is_set)
                pass_rows(d, k, rows, of_panel, of_block, f->message);
            else
                pass_rows(d, k, rows, of_block, of_panel, f->message);
        }
    }
}

/* ---- panels ---------------------------------------------------------------------------------- */

static const double *get_panel(void *fields, int k, int panel, double *room)
{
    const swe_host_fields *f = fields;
    const swe_layout *layout = &f->model->grid->layout;
    if (host_fields_blocks(f) == NULL)
        return f->values + (size_t)k * f->field + panel * layout->panel;
    const int error = errno; /* the caller may still report the errno of a file */
    ask(f, MODEL_GET_PANEL, (model_request){.field = k, .panel = panel});
    pass_panel(f, k, panel, room, false);
    errno = error;
    return room;
}

static void set_panel(void *fields, int k, int panel, const double *values)
{
    const swe_host_fields *f = fields;
    const swe_layout *layout = &f->model->grid->layout;
    if (host_fields_blocks(f) == NULL) {
        memcpy(f->values + (size_t)k * f->field + panel * layout->panel, values,
               (size_t)layout->panel * sizeof *values);
        return;
    }
    ask(f, MODEL_SET_PANEL, (model_request){.field = k, .panel = panel});
    pass_panel(f, k, panel, values, true);
}

int swe_host_fields_number(const swe_host_fields *fields)
{
    return fields->number;
}

const swe_panels *swe_host_fields_panels(const swe_host_fields *fields)
{
    return fields != NULL ? &fields->panels : NULL;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static swe_status create_own(swe_context *ctx, swe_model *model, int count, swe_host_fields *f)
{
    void *values = NULL;
    f->model = model;
    f->count = count;
    const swe_decomposition *d = host_fields_blocks(f);
    f->field = (size_t)(d != NULL ? d->layout.field : model->grid->layout.field);
    const size_t bytes = (size_t)count * f->field * sizeof(double);
    SWE_TRY(model->backend->allocate_host(ctx, model->device, bytes, &values));
    f->values = memset(values, 0, bytes);
    const size_t row = (size_t)model->grid->layout.n + 1;
    const size_t message = row > VALUES_OF_MESSAGE ? row : VALUES_OF_MESSAGE;
    return swe_ranks_count() > 1 ? swe_memory_doubles(ctx, message, &f->message) : SWE_OK;
}

static void release(swe_host_fields *f)
{
    if (f == NULL)
        return;
    f->model->backend->release_host(f->model->device, f->values);
    free(f->message);
    free(f);
}

swe_status swe_host_fields_create(swe_context *ctx, swe_model *model, int count,
                                  swe_host_fields **out)
{
    *out = NULL;
    int number = 0;
    while (number < SWE_MODEL_HOST_FIELDS && model->host[number] != NULL)
        number++;
    if (number == SWE_MODEL_HOST_FIELDS) /* on all ranks alike */
        return swe_fail(ctx, SWE_INTERNAL, "a model has more than %d lists of fields on the host",
                        SWE_MODEL_HOST_FIELDS);
    model_ask(MODEL_CREATE_HOST_FIELDS, (model_request){.model = model, .count = count});
    swe_host_fields *f = calloc(1, sizeof *f);
    swe_status status = f != NULL
                            ? create_own(ctx, model, count, f)
                            : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for a list of fields");
    status = swe_ranks_agree(ctx, status);
    if (status != SWE_OK || f == NULL) {
        release(f);
        return status;
    }
    f->number = number;
    f->panels = (swe_panels){.fields = f, .get = get_panel, .set = set_panel};
    if (swe_ranks_count() > 1 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
        f->panels.access = host_fields_access_file;
    *out = model->host[number] = f;
    return SWE_OK;
}

void swe_host_fields_destroy(swe_host_fields **fields)
{
    swe_host_fields *f = *fields;
    *fields = NULL;
    if (f == NULL)
        return;
    ask(f, MODEL_DESTROY_HOST_FIELDS, (model_request){.field = 0});
    f->model->host[f->number] = NULL;
    release(f);
}

void model_release_host_fields(swe_model *model)
{
    for (int number = 0; number < SWE_MODEL_HOST_FIELDS; number++) {
        release(model->host[number]);
        model->host[number] = NULL;
    }
}

/* ---- from and to the model ------------------------------------------------------------------- */

swe_status swe_host_fields_get_state(swe_context *ctx, swe_host_fields *f, double *lag)
{
    ask(f, MODEL_GET_STATE, (model_request){.as_it_steps = lag != NULL});
    model_complete(f->model, lag != NULL);
    if (lag != NULL)
        *lag = f->model->lag;
    return model_agree(ctx, f->model,
                       f->model->functions->get_state(ctx, f->model->stepper, f->values));
}

swe_status swe_host_fields_set_state(swe_context *ctx, const swe_host_fields *f, double lag)
{
    ask(f, MODEL_SET_STATE, (model_request){.dt = lag});
    model_complete(f->model, true);
    f->model->lag = lag;
    return model_agree(ctx, f->model,
                       f->model->functions->set_state(ctx, f->model->stepper, f->values));
}

swe_status swe_host_fields_set_constant(swe_context *ctx, const swe_host_fields *f,
                                        swe_constant which)
{
    ask(f, MODEL_SET_CONSTANT, (model_request){.field = (int)which});
    return model_agree(ctx, f->model,
                       f->model->functions->set_constant(ctx, f->model->stepper, which, f->values));
}

swe_status swe_host_fields_derive(swe_context *ctx, swe_host_fields *f, int k,
                                  swe_derivative derivative)
{
    ask(f, MODEL_DERIVE, (model_request){.field = k, .derivative = derivative});
    model_complete(f->model, false);
    double *out = f->values + (size_t)k * f->field;
    return model_agree(ctx, f->model,
                       f->model->functions->derive(ctx, f->model->stepper, derivative, out));
}

swe_status swe_host_fields_get_tendency(swe_context *ctx, swe_host_fields *f)
{
    swe_model *model = f->model;
    ask(f, MODEL_GET_TENDENCY, (model_request){.field = 0});
    model_complete(model, false);
    return model_agree(ctx, model,
                       model->functions->get_tendency(ctx, model->stepper, model->pipeline,
                                                      &model->clock, f->values));
}
