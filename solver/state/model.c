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

static size_t edge_size(int n)
{
    return (size_t)SWE_EDGES * ((size_t)n + 1);
}

/* Device arrays: four states and the metric of one panel; for the stages of the right-hand side a
 * tendency, four work fields and the edge fluxes. */
size_t swe_model_bytes(int n, swe_pipeline pipeline)
{
    const swe_layout layout = swe_layout_of(n);
    const size_t field = (size_t)layout.field;
    const size_t staged = pipeline == SWE_PIPELINE_STAGED ? (3 + 4) * field + edge_size(n) : 0;
    return sizeof(double) * (4 * 3 * field + staged + 4 * (size_t)layout.panel + (size_t)n + 1);
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

static swe_status allocate_states(swe_context *ctx, swe_model *model, int count, prof_place place,
                                  swe_fields *out)
{
    double *base = NULL;
    SWE_TRY(allocate(ctx, model, (size_t)count * swe_model_state_size(model), place, &base));
    *out = swe_model_fields(&model->grid->layout, base);
    return SWE_OK;
}

/* The work fields of the stages in memory of their own; the fused pipeline's, which only
 * diagnostics need between steps, in that of the next states. */
static swe_status allocate_work(swe_context *ctx, swe_model *model, bool staged)
{
    const size_t field = (size_t)model->grid->layout.field;
    double *base = model->fields.next.h, *edge = NULL;
    if (staged) {
        SWE_TRY(allocate_states(ctx, model, 1, PROF_HERE("tendency"), &model->fields.k));
        SWE_TRY(allocate(ctx, model, 4 * field + edge_size(model->grid->layout.n),
                         PROF_HERE("cross terms, fluxes and edges"), &base));
        edge = base + 4 * field;
    }
    model->fields.work = (swe_work){base, base + field, base + 2 * field, base + 3 * field, edge};
    return SWE_OK;
}

static swe_status allocate_fields(swe_context *ctx, swe_model *model, bool staged)
{
    SWE_TRY(allocate_states(ctx, model, 1, PROF_HERE("state"), &model->fields.y));
    SWE_TRY(allocate_states(ctx, model, 3, PROF_HERE("next states"), &model->fields.next));
    const size_t scratch = model->backend->scratch(&model->view);
    if (scratch > 0)
        SWE_TRY(allocate(ctx, model, scratch, PROF_HERE("tiles"), &model->view.scratch));
    return allocate_work(ctx, model, staged);
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
    return allocate_fields(ctx, model,
                           options->pipeline == SWE_PIPELINE_STAGED || options->staged_arrays);
}

swe_status swe_model_create(swe_context *ctx, const swe_model_options *options, swe_model **out)
{
    *out = NULL;
    swe_model *model = calloc(1, sizeof *model);
    if (model == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the model");
    model->physics = options->physics;
    model->pipeline = options->pipeline;
    const swe_status status = create(ctx, options, model);
    if (status != SWE_OK) {
        swe_model_destroy(&model);
        return status;
    }
    *out = model;
    return SWE_OK;
}

static void forget_steps(swe_model *model)
{
    if (model->recorded != NULL)
        model->backend->forget(model->device, &model->recorded);
}

void swe_model_destroy(swe_model **pointer)
{
    swe_model *model = *pointer;
    if (model == NULL)
        return;
    forget_steps(model);
    for (int i = 0; i < model->memory_count; i++)
        model->backend->release(model->device, &model->memory[i]);
    if (model->device != NULL)
        model->backend->close(&model->device);
    swe_grid_destroy(&model->grid);
    free(model);
    *pointer = NULL;
}

static void project_state(void *argument)
{
    const swe_model *model = argument;
    SWE_RUN(model->backend->stages, projection, &model->view, model->fields.y.h);
}

swe_status swe_model_set_state(swe_context *ctx, swe_model *model, const double *host)
{
    SWE_TRY(model->backend->upload(ctx, model->device, host, model->fields.y.h,
                                   swe_model_state_size(model)));
    model->backend->share(&model->view, project_state, model);
    return model->backend->synchronize(ctx, model->device);
}

swe_status swe_model_get_state(swe_context *ctx, swe_model *model, double *host)
{
    return model->backend->download(ctx, model->device, model->fields.y.h, host,
                                    swe_model_state_size(model));
}

void swe_model_step(const swe_model *model, double dt)
{
    swe_rk4_step(model->backend->stages, &model->view, model->pipeline, model->fields, dt);
}

/* Steps to be started one after another. */
typedef struct steps {
    const swe_model *model;
    double dt;
    long count;
} steps;

static void take_steps(void *argument)
{
    const steps *s = argument;
    for (long step = 0; step < s->count; step++)
        swe_model_step(s->model, s->dt);
}

static void start_one_by_one(const swe_model *model, double dt, long count)
{
    steps s = {model, dt, count};
    model->backend->share(&model->view, take_steps, &s);
}

long swe_model_least_stride(const swe_model *model)
{
    return model->backend->record != NULL ? 1 + SWE_RECORDED_STEPS : 1;
}

static swe_status record_steps(swe_context *ctx, swe_model *model, double dt)
{
    steps s = {model, dt, SWE_RECORDED_STEPS};
    forget_steps(model);
    model->recorded_dt = dt;
    return model->backend->record(ctx, model->device, take_steps, &s, &model->recorded);
}

/* Start as many of `*count` steps as recorded ones as there are; before the first recording a step,
 * so that the device has the code. */
static swe_status start_recorded(swe_context *ctx, swe_model *model, double dt, long *count)
{
    if (model->recorded == NULL || model->recorded_dt != dt) {
        start_one_by_one(model, dt, 1);
        *count -= 1;
        SWE_TRY(record_steps(ctx, model, dt));
    }
    for (; *count >= SWE_RECORDED_STEPS; *count -= SWE_RECORDED_STEPS)
        model->backend->replay(model->device, model->recorded);
    return SWE_OK;
}

swe_status swe_model_start(swe_context *ctx, swe_model *model, double dt, long count)
{
    if (count >= swe_model_least_stride(model) && model->backend->record != NULL &&
        !prof_wants_regions(model->view.profiler))
        SWE_TRY(start_recorded(ctx, model, dt, &count));
    start_one_by_one(model, dt, count);
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
