#include "state/model.h"

#include <math.h>
#include <stdlib.h>

swe_fields swe_model_fields(const swe_layout *layout, double *base)
{
    return (swe_fields){base, base + layout->field, base + 2 * layout->field};
}

size_t swe_model_state_size(const swe_model *model)
{
    return 3 * (size_t)model->grid->layout.field;
}

/* Device arrays: four states, four work fields, the edge fluxes, and the metric of one panel. */
static size_t edge_size(int n)
{
    return (size_t)SWE_EDGES * ((size_t)n + 1);
}

size_t swe_model_bytes(int n)
{
    const swe_layout layout = swe_layout_of(n);
    return sizeof(double) * ((4 * 3 + 4) * (size_t)layout.field + edge_size(n) +
                             4 * (size_t)layout.panel + (size_t)n + 1);
}

static swe_status allocate(swe_context *ctx, swe_model *model, size_t count, prof_place place,
                           double **out)
{
    if (model->memory_count == SWE_MODEL_ARRAYS)
        return swe_fail(ctx, SWE_INTERNAL, "a model has more than %d arrays", SWE_MODEL_ARRAYS);
    SWE_TRY(model->backend->allocate(ctx, model->device, count, place, out));
    model->memory[model->memory_count++] = *out;
    return SWE_OK;
}

static swe_status allocate_state(swe_context *ctx, swe_model *model, const char *label,
                                 swe_fields *out)
{
    double *base = NULL;
    SWE_TRY(allocate(ctx, model, swe_model_state_size(model), PROF_HERE(label), &base));
    *out = swe_model_fields(&model->grid->layout, base);
    return SWE_OK;
}

static swe_status allocate_work(swe_context *ctx, swe_model *model, swe_work *out)
{
    const size_t field = (size_t)model->grid->layout.field;
    double *base = NULL;
    SWE_TRY(allocate(ctx, model, 4 * field + edge_size(model->grid->layout.n),
                     PROF_HERE("cross terms, fluxes and edges"), &base));
    *out = (swe_work){base, base + field, base + 2 * field, base + 3 * field, base + 4 * field};
    return SWE_OK;
}

/* Copy a host table to the device. */
static swe_status place(swe_context *ctx, swe_model *model, const double *host, size_t count,
                        const char *label, const double **out)
{
    double *memory = NULL;
    SWE_TRY(allocate(ctx, model, count, PROF_HERE(label), &memory));
    *out = memory;
    return model->backend->upload(ctx, model->device, host, memory, count);
}

static swe_status create_view(swe_context *ctx, swe_model *model, prof_profiler *profiler)
{
    const swe_grid *grid = model->grid;
    const size_t panel = (size_t)grid->layout.panel, side = (size_t)grid->layout.n + 1;
    swe_view *view = &model->view;
    view->layout = grid->layout;
    view->sbp = *model->sbp;
    view->topology = grid->topology;
    view->inverse_spacing = 1.0 / grid->spacing;
    view->radius = grid->radius;
    view->gravity = model->physics.gravity;
    view->depth = model->physics.depth;
    view->profiler = profiler;
    model->backend->bind(model->device, view);
    model->backend->attach(model->device, view, profiler);
    SWE_TRY(place(ctx, model, grid->tan_vertex, side, "tangents", &view->tan_vertex));
    SWE_TRY(place(ctx, model, grid->inverse_jacobian, panel, "1/J", &view->inverse_jacobian));
    SWE_TRY(place(ctx, model, grid->metric11, panel, "J g^11", &view->metric11));
    SWE_TRY(place(ctx, model, grid->metric12, panel, "J g^12", &view->metric12));
    return place(ctx, model, grid->metric22, panel, "J g^22", &view->metric22);
}

static swe_status create(swe_context *ctx, const swe_model_options *options, swe_model *model)
{
    SWE_TRY(swe_sbp_find(ctx, options->order, options->closure, options->n, &model->sbp));
    SWE_TRY(swe_backend_find(ctx, options->backend, &model->backend, &model->device_index));
    SWE_TRY(swe_grid_create(ctx, options->n, options->physics.radius, &model->grid));
    SWE_TRY(model->backend->open(ctx, model->device_index, options->threads, &model->device));
    SWE_TRY(create_view(ctx, model, options->profiler));
    SWE_TRY(allocate_state(ctx, model, "state", &model->fields.y));
    SWE_TRY(allocate_state(ctx, model, "tendency", &model->fields.k));
    SWE_TRY(allocate_state(ctx, model, "weighted tendencies", &model->fields.sum));
    SWE_TRY(allocate_state(ctx, model, "next state", &model->fields.next));
    return allocate_work(ctx, model, &model->fields.work);
}

swe_status swe_model_create(swe_context *ctx, const swe_model_options *options, swe_model **out)
{
    *out = NULL;
    swe_model *model = calloc(1, sizeof *model);
    if (model == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the model");
    model->physics = options->physics;
    const swe_status status = create(ctx, options, model);
    if (status != SWE_OK) {
        swe_model_destroy(&model);
        return status;
    }
    *out = model;
    return SWE_OK;
}

void swe_model_destroy(swe_model **pointer)
{
    swe_model *model = *pointer;
    if (model == NULL)
        return;
    for (int i = 0; i < model->memory_count; i++)
        model->backend->release(model->device, &model->memory[i]);
    if (model->device != NULL)
        model->backend->close(&model->device);
    swe_grid_destroy(&model->grid);
    free(model);
    *pointer = NULL;
}

swe_status swe_model_set_state(swe_context *ctx, swe_model *model, const double *host)
{
    SWE_TRY(model->backend->upload(ctx, model->device, host, model->fields.y.h,
                                   swe_model_state_size(model)));
    SWE_RUN(model->backend->stages, projection, &model->view, model->fields.y.h);
    return model->backend->synchronize(ctx, model->device);
}

swe_status swe_model_get_state(swe_context *ctx, swe_model *model, double *host)
{
    return model->backend->download(ctx, model->device, model->fields.y.h, host,
                                    swe_model_state_size(model));
}

swe_status swe_model_start(swe_context *ctx, swe_model *model, double dt, long steps)
{
    (void)ctx;
    for (long step = 0; step < steps; step++)
        swe_rk4_step(model->backend->stages, &model->view, model->fields, dt);
    return SWE_OK;
}

swe_status swe_model_wait(swe_context *ctx, swe_model *model)
{
    return model->backend->synchronize(ctx, model->device);
}

swe_status swe_model_advance(swe_context *ctx, swe_model *model, double dt, long steps)
{
    SWE_TRY(swe_model_start(ctx, model, dt, steps));
    return swe_model_wait(ctx, model);
}

double swe_model_courant(const swe_physics *physics, int n, double dt)
{
    return sqrt(physics->gravity * physics->depth) * dt / (physics->radius * swe_grid_spacing(n));
}
