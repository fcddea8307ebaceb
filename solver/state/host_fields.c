#include "state/host_fields.h"

#include <stdlib.h>
#include <string.h>

#include "state/model_ranks.h"

struct swe_host_fields {
    swe_model *model;
    int number; /* of the model's */
    int count;
    size_t field; /* values of one */
    double *values;
};

static model_request request_of(const swe_host_fields *f, int number, int what)
{
    return (model_request){.model = f->model, .host = f->number, .number = number, .what = what};
}

static const swe_decomposition *blocks_of(const swe_host_fields *f)
{
    return f->model->functions->blocks(f->model->stepper);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static swe_status create_own(swe_context *ctx, swe_model *model, int count, swe_host_fields *f)
{
    void *values = NULL;
    f->model = model;
    f->count = count;
    const swe_decomposition *d = blocks_of(f);
    f->field = (size_t)(d != NULL ? d->layout.field : model->grid->layout.field);
    const size_t bytes = (size_t)count * f->field * sizeof(double);
    SWE_TRY(model->backend->allocate_host(ctx, model->device, bytes, &values));
    f->values = memset(values, 0, bytes);
    return SWE_OK;
}

static void release(swe_host_fields *f)
{
    if (f == NULL)
        return;
    f->model->backend->release_host(f->model->device, f->values);
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
    model_ask(MODEL_CREATE_HOST_FIELDS, (model_request){.model = model, .number = count});
    swe_host_fields *f = calloc(1, sizeof *f);
    swe_status status = f != NULL
                            ? create_own(ctx, model, count, f)
                            : swe_fail(ctx, SWE_NO_MEMORY, "out of memory for a list of fields");
    status = swe_ranks_agree(ctx, status);
    if (status != SWE_OK) {
        release(f);
        return status;
    }
    f->number = number;
    *out = model->host[number] = f;
    return SWE_OK;
}

void swe_host_fields_destroy(swe_host_fields **fields)
{
    swe_host_fields *f = *fields;
    *fields = NULL;
    if (f == NULL)
        return;
    model_ask(MODEL_DESTROY_HOST_FIELDS, request_of(f, 0, 0));
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

/* ---- panels ---------------------------------------------------------------------------------- */

const double *model_get_panel(swe_host_fields *f, int k, int panel, double *room)
{
    const swe_decomposition *d = blocks_of(f);
    const double *own = f->values + (size_t)k * f->field;
    if (d == NULL)
        return own + panel * f->model->grid->layout.panel;
    model_ask(MODEL_GET_PANEL, request_of(f, k, panel));
    swe_decomposition_get_panel(d, panel, own, room);
    return room;
}

void model_set_panel(swe_host_fields *f, int k, int panel, const double *values)
{
    const swe_decomposition *d = blocks_of(f);
    const swe_layout *layout = &f->model->grid->layout;
    double *own = f->values + (size_t)k * f->field;
    if (d == NULL) {
        memcpy(own + panel * layout->panel, values, (size_t)layout->panel * sizeof *own);
        return;
    }
    model_ask(MODEL_SET_PANEL, request_of(f, k, panel));
    swe_decomposition_set_panel(d, panel, values, own);
}

static const double *get(void *fields, int k, int panel, double *room)
{
    return model_get_panel(fields, k, panel, room);
}

static void set(void *fields, int k, int panel, const double *values)
{
    model_set_panel(fields, k, panel, values);
}

swe_panels swe_host_fields_panels(swe_host_fields *fields)
{
    return (swe_panels){fields, get, set};
}

/* ---- from and to the model ------------------------------------------------------------------- */

/* Work on a device may fail on any rank. */
static swe_status agree(swe_context *ctx, const swe_host_fields *f, swe_status status)
{
    return f->model->backend->has_own_memory ? swe_ranks_agree(ctx, status) : status;
}

swe_status swe_host_fields_get_state(swe_context *ctx, swe_host_fields *f)
{
    model_ask(MODEL_GET_STATE, request_of(f, 0, 0));
    return agree(ctx, f, f->model->functions->get_state(ctx, f->model->stepper, f->values));
}

swe_status swe_host_fields_set_state(swe_context *ctx, const swe_host_fields *f)
{
    model_ask(MODEL_SET_STATE, request_of(f, 0, 0));
    return agree(ctx, f, f->model->functions->set_state(ctx, f->model->stepper, f->values));
}

swe_status swe_host_fields_set_bottom(swe_context *ctx, const swe_host_fields *f)
{
    model_ask(MODEL_SET_BOTTOM, request_of(f, 0, 0));
    return agree(ctx, f, f->model->functions->set_bottom(ctx, f->model->stepper, f->values));
}

swe_status swe_host_fields_derive(swe_context *ctx, swe_host_fields *f, int k,
                                  swe_derivative derivative)
{
    model_ask(MODEL_DERIVE, request_of(f, k, (int)derivative));
    double *out = f->values + (size_t)k * f->field;
    return agree(ctx, f, f->model->functions->derive(ctx, f->model->stepper, derivative, out));
}

/* ---- a whole state in one memory ------------------------------------------------------------- */

static void set_panels(swe_host_fields *f, const double *whole)
{
    const swe_layout *layout = &f->model->grid->layout;
    for (int k = 0; k < f->count; k++)
        for (int panel = 0; panel < SWE_PANELS; panel++)
            model_set_panel(f, k, panel, whole + swe_at(layout, panel, 0, 0) + k * layout->field);
}

static void get_panels(swe_host_fields *f, double *whole)
{
    const swe_layout *layout = &f->model->grid->layout;
    for (int k = 0; k < f->count; k++)
        for (int panel = 0; panel < SWE_PANELS; panel++) {
            double *to = whole + swe_at(layout, panel, 0, 0) + k * layout->field;
            const double *from = model_get_panel(f, k, panel, to);
            if (from != to)
                memcpy(to, from, (size_t)layout->panel * sizeof *to);
        }
}

typedef swe_status set_function(swe_context *ctx, const swe_host_fields *fields);

static swe_status set_whole(swe_context *ctx, swe_model *model, int count, const double *whole,
                            set_function *set_fields)
{
    swe_host_fields *f = NULL;
    SWE_TRY(swe_host_fields_create(ctx, model, count, &f));
    set_panels(f, whole);
    const swe_status status = set_fields(ctx, f);
    swe_host_fields_destroy(&f);
    return status;
}

swe_status swe_model_set_state(swe_context *ctx, swe_model *model, const double *whole)
{
    return set_whole(ctx, model, model->fields.count, whole, swe_host_fields_set_state);
}

swe_status swe_model_set_bottom(swe_context *ctx, swe_model *model, const double *whole)
{
    return set_whole(ctx, model, 1, whole, swe_host_fields_set_bottom);
}

swe_status swe_model_get_state(swe_context *ctx, swe_model *model, double *whole)
{
    swe_host_fields *f = NULL;
    SWE_TRY(swe_host_fields_create(ctx, model, model->fields.count, &f));
    const swe_status status = swe_host_fields_get_state(ctx, f);
    if (status == SWE_OK)
        get_panels(f, whole);
    swe_host_fields_destroy(&f);
    return status;
}
