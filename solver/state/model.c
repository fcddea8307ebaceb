#include "state/model.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backend/peaks.h"
#include "base/memory.h"
#include "base/threads.h"
#include "stages/integrals/integrals.h"
#include "ranks/ranks.h"
#include "stages/regions.h"
#include "state/model_ranks.h"

/* stepper.c in single precision, under its linker name (base/real.h) */
extern const swe_stepper_functions swe_stepper_table_single;

static const swe_stepper_functions *const steppers[SWE_PRECISIONS] = {&swe_stepper_table,
                                                                      &swe_stepper_table_single};

/* In the model's precision: the state, its scratch, a tendency (staged), a state (leapfrog), work
 * arrays, bottom, Coriolis parameter and fields of forcing (rotational flows), the metric of one
 * panel and tangents.
 * In double: norms, integrals. `blocks`: NULL: whole panels. */
static size_t bytes_of(int n, const swe_step_plan *plan, swe_precision precision,
                       const swe_decomposition *blocks)
{
    const swe_layout layout = blocks != NULL ? blocks->layout : swe_layout_of(n);
    const ptrdiff_t metric = blocks != NULL ? blocks->metric_size : layout.panel;
    const int fields = SWE_FLOW_FIELDS + plan->advected;
    const size_t side = (size_t)n + 1, field = (size_t)layout.field;
    const int tendencies = plan->pipeline == SWE_PIPELINE_STAGED ? SWE_FLOW_FIELDS : 0;
    const int completed = plan->leaps ? SWE_FLOW_FIELDS : 0;
    const int limited = plan->limits ? SWE_LIMITED_FIELDS * plan->advected : 0;
    const int scratch = swe_stepper_scratch(plan, blocks != NULL);
    size_t values = (size_t)(fields + scratch + tendencies + completed + limited) * field +
                    4 * (size_t)metric + side;
    for (int k = 0; k < SWE_WORK_COUNT; k++)
        if (swe_plan_needs(plan, k))
            values += blocks != NULL ? swe_decomposition_values(blocks, swe_work_fields[k].location)
                                     : swe_location_values(swe_work_fields[k].location, n);
    if (plan->flow != SWE_FLOW_NONROTATING)
        values +=
            (2 + (size_t)plan->forcing_fields + 2 * (size_t)plan->wind_terms * SWE_FLOW_FIELDS) *
            field;
    return swe_precision_bytes(precision) * values +
           sizeof(double) * (2 * side - 1 + (size_t)integrals_of_field(n, fields));
}

size_t swe_model_bytes(int n, const swe_step_plan *plan, swe_precision precision)
{
    return bytes_of(n, plan, precision, NULL);
}

/* The same with blocks, plus the lists of exchanges and the messages. The number of sent values is
 * taken equal to the number of received values. */
size_t swe_model_bytes_of_blocks(const swe_decomposition *blocks, const swe_step_plan *plan,
                                 swe_precision precision)
{
    const size_t of_message = sizeof(ptrdiff_t) + SWE_MOST_EXCHANGED * sizeof(double);
    return bytes_of(blocks->layout.n, plan, precision, blocks) +
           sizeof(swe_exchanged) * (size_t)blocks->exchanged_count +
           sizeof(swe_shared_point) * (size_t)blocks->shared_count +
           2 * of_message * (size_t)blocks->received_count;
}

/* Norm weights of a line [rad]: n + 1 vertices, then n cells. */
static swe_status create_norms(swe_context *ctx, const swe_model *model, double **out)
{
    const int n = model->grid->layout.n;
    SWE_TRY(swe_memory_doubles(ctx, 2 * (size_t)n + 1, out));
    for (int v = 0; v <= n; v++)
        (*out)[v] = swe_sbp_vertex_norm(model->sbp, n, v) * model->grid->spacing;
    for (int c = 0; c < n; c++)
        (*out)[n + 1 + c] = swe_sbp_cell_norm(model->sbp, n, c) * model->grid->spacing;
    return SWE_OK;
}

/* The threads, and then with all ranks the blocks of the panels and the arrays. */
static swe_status create_stepper(swe_context *ctx, const swe_model_options *options,
                                 const double *norms, swe_model *model)
{
    const swe_stepper_options stepper = {
        .backend = model->backend,
        .device = model->device,
        .execution = model->execution,
        .grid = model->grid,
        .norms = norms,
        .fields = &model->fields,
        .physics = model->physics,
        .order = options->order,
        .closure = options->closure,
        .blocks_1 = options->blocks_1,
        .blocks_2 = options->blocks_2,
        .staged = options->pipeline == SWE_PIPELINE_STAGED || options->all_arrays,
        .fused = options->pipeline == SWE_PIPELINE_FUSED || options->all_arrays};
    return model->functions->create(ctx, &stepper, &model->stepper);
}

static swe_status copy_fields(swe_context *ctx, const swe_field_set *fields, swe_field_set *out)
{
    swe_field *copy = calloc((size_t)fields->count, sizeof *copy);
    if (copy == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the list of fields");
    memcpy(copy, fields->field, (size_t)fields->count * sizeof *copy);
    *out = (swe_field_set){fields->count, copy};
    return SWE_OK;
}

static void destroy_graphs(swe_model *model)
{
    for (int k = 0; k < 2; k++)
        if (model->captured[k].graph != NULL)
            model->backend->destroy_graph(model->device, &model->captured[k].graph);
}

static void release(swe_model **pointer)
{
    swe_model *model = *pointer;
    model_release_host_fields(model);
    destroy_graphs(model);
    if (model->functions != NULL)
        model->functions->destroy(&model->stepper);
    if (model->device != NULL)
        model->backend->close(&model->device);
    swe_grid_destroy(&model->grid);
    free(model->integrals);
    free((void *)model->fields.field);
    if (swe_ranks_is_root())
        model_number_give_back(model->number);
    free(model);
    *pointer = NULL;
}

/* Ranks share a device only if the caller names it. All ranks call it. */
static swe_status check_shared_device(swe_context *ctx, const char *name, const swe_model *model)
{
    if (!model->backend->has_own_memory)
        return SWE_OK;
    const char *identity = model->backend->identity(model->device);
    const int ranks = swe_ranks_count_same(identity);
    return ranks == 1 || identity[0] == '\0' || strchr(name, ':') != NULL
               ? SWE_OK
               : swe_fail(ctx, SWE_UNAVAILABLE,
                          "%d ranks of a machine have one GPU: start a rank for each GPU, or name "
                          "the GPU that they share (--backend %s:0)",
                          ranks, model->backend->name);
}

/* Create the members that a rank creates without the other ranks. */
static swe_status create_alone(swe_context *ctx, const swe_model_options *options, swe_model *model,
                               double **norms)
{
    SWE_TRY(copy_fields(ctx, options->fields != NULL ? options->fields : &swe_flow_fields,
                        &model->fields));
    SWE_TRY(swe_sbp_find(ctx, options->order, options->closure, options->n, &model->sbp));
    if (options->physics.dissipation > 0.0)
        SWE_TRY(swe_sbp_check_spread(ctx, options->order, options->closure, options->n));
    const swe_layout layout = swe_layout_of(options->n);
    if ((double)SWE_PANELS * (double)layout.panel > INT32_MAX) /* the indices of CUDA kernels */
        return swe_fail(ctx, SWE_CONFIG, "n = %d: a field has more than %d values", options->n,
                        INT32_MAX);
    SWE_TRY(swe_backend_find(ctx, options->backend, &model->backend, &model->device_index));
    /* unless a name gives a device, the devices of a machine are assigned to its ranks in turn */
    if (model->backend->has_own_memory && swe_ranks_count() > 1 &&
        strchr(options->backend, ':') == NULL)
        model->device_index = swe_ranks_rank_on_machine() % model->backend->device_count(ctx);
    if (options->physics.time != SWE_TIME_RK4 &&
        (model->backend->has_own_memory ||
         swe_physics_flow(&options->physics) != SWE_FLOW_NONROTATING))
        return swe_fail(ctx, SWE_CONFIG,
                        "scheme.time: leapfrog4 is for linear flows without rotation and forcing "
                        "on a CPU: choose --backend cpu, or set scheme.time=rk4");
    /* several ranks have the metric of their blocks alone */
    SWE_TRY((swe_ranks_count() == 1 ? swe_grid_create : swe_grid_create_lines)(
        ctx, options->n, swe_sbp_points(options->order, options->closure), options->physics.radius,
        &model->grid));
    SWE_TRY(model->backend->open(ctx, model->device_index, options->threads, &model->device));
    SWE_TRY(swe_memory_doubles(ctx, (size_t)integrals_of_field(options->n, model->fields.count),
                               &model->integrals));
    model->backend->bind(model->device, &model->grid->layout, &model->execution);
    SWE_TRY(swe_threads_check(ctx, model->execution.threads));
    model->execution.profiler = options->profiler;
    model->backend->attach(model->device, &model->execution, options->profiler);
    return create_norms(ctx, model, norms);
}

static swe_status create(swe_context *ctx, const swe_model_options *options, swe_model *model)
{
    double *norms = NULL;
    swe_status status = swe_ranks_agree(ctx, create_alone(ctx, options, model, &norms));
    if (status == SWE_OK)
        status = swe_ranks_agree(ctx, check_shared_device(ctx, options->backend, model));
    if (status == SWE_OK)
        status = swe_ranks_agree(ctx, create_stepper(ctx, options, norms, model));
    if (status == SWE_OK)
        status = model->functions->connect(ctx, model->stepper, options->transport);
    if (status == SWE_OK) {
        const swe_decomposition *d = model->functions->blocks(model->stepper);
        prof_set_share(options->profiler, d != NULL ? swe_decomposition_share(d) : 1.0);
    }
    free(norms);
    return status;
}

static swe_status create_as(swe_context *ctx, swe_model_options options, swe_model *model)
{
    model_options_room room;
    swe_status status = model_options_share(ctx, &options, &room);
    model->physics = options.physics;
    model->closure = options.closure;
    model->pipeline = options.pipeline;
    model->precision = options.precision;
    model->functions = steppers[options.precision];
    if (status == SWE_OK)
        status = create(ctx, &options, model);
    free(room.field);
    return status;
}

swe_status swe_model_create(swe_context *ctx, const swe_model_options *options, swe_model **out)
{
    *out = NULL;
    swe_model *model = calloc(1, sizeof *model);
    if (model == NULL && !swe_ranks_is_root())
        abort(); /* MPI then ends the other ranks, which still create the model */
    if (model == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the model");
    swe_status status = swe_ranks_is_root() ? model_number_take(ctx, &model->number) : SWE_OK;
    if (status != SWE_OK) {
        free(model);
        return status;
    }
    model_ask(MODEL_CREATE, (model_request){.model = model});
    status = create_as(ctx, *options, model);
    if (status != SWE_OK) {
        release(&model);
        return status;
    }
    model->before = swe_ranks_get_traffic();
    *out = model;
    return SWE_OK;
}

void swe_model_destroy(swe_model **model)
{
    if (*model == NULL)
        return;
    model_ask(MODEL_DESTROY, (model_request){.model = *model});
    release(model);
}

swe_status model_agree(swe_context *ctx, const swe_model *model, swe_status status)
{
    return model->backend->has_own_memory ? swe_ranks_agree(ctx, status) : status;
}

swe_status swe_model_get_integrals(swe_context *ctx, swe_model *model, swe_term term, double weight,
                                   const double **rows)
{
    *rows = model->integrals;
    model_ask(MODEL_GET_INTEGRALS,
              (model_request){.model = model, .field = (int)term, .dt = weight});
    model_complete(model, false);
    return model_agree(ctx, model,
                       model->functions->get_integrals(ctx, model->stepper, term, weight,
                                                       &model->clock, model->integrals));
}

swe_status swe_model_view(swe_context *ctx, swe_model *model, const void **out)
{
    model_complete(model, false);
    *out = model->functions->blocks(model->stepper) == NULL ? model->functions->view(model->stepper)
                                                            : NULL;
    return model->backend->synchronize(ctx, model->device);
}

void swe_model_set_profiler(swe_model *model, prof_profiler *profiler)
{
    model->execution.profiler = profiler;
    model->functions->set_profiler(model->stepper, profiler);
}

void swe_model_record_peaks(const swe_model *model)
{
    if (swe_ranks_is_root() && !prof_needs_peaks(model->execution.profiler))
        return;
    model_ask(MODEL_RECORD_PEAKS, (model_request){.model = model});
    swe_peaks_record(model->backend, model->device, &model->execution, model->precision);
}

swe_step_plan swe_model_timed_plan(const swe_model *model, swe_pipeline pipeline)
{
    swe_step_plan plan = swe_step_plan_of(&model->physics, &model->fields, pipeline);
    plan.damps = plan.dissipates = !model->physics.is_prescribed;
    return plan;
}

void swe_model_call(const swe_model *model, const swe_model_calls *calls)
{
    const swe_step_plan plan = swe_model_timed_plan(model, calls->pipeline);
    if (calls->what == SWE_CALL_STEP) {
        model->functions->steps(model->stepper, calls->pipeline, calls->clock, calls->dt,
                                calls->count, model->lag != 0.0);
        return;
    }
    for (long k = 0; k < calls->count; k++)
        if (calls->what == SWE_CALL_RHS)
            model->functions->rhs(model->stepper);
        else
            model->functions->stage(model->stepper, &plan, calls->what, calls->dt);
}

void model_complete(swe_model *model, bool as_it_steps)
{
    model->lag = model->functions->complete(model->stepper, model->lag, as_it_steps);
}

typedef struct shared_calls {
    const swe_model *model;
    const swe_model_calls *calls;
} shared_calls;

static void share_calls(void *argument)
{
    const shared_calls *shared = argument;
    swe_model_call(shared->model, shared->calls);
}

/* Before calls: complete v, unless the calls are steps that accept v behind h by the same dt.
 * Returns the lag after the calls. */
static double prepare_calls(swe_model *model, const swe_model_calls *calls)
{
    const bool lags =
        calls->what == SWE_CALL_STEP && model->functions->lags(model->stepper, calls->pipeline);
    const double lag = lags ? calls->dt : 0.0;
    if (lag != model->lag) {
        model->functions->prepare(model->stepper, model->lag, lag);
        model->lag = 0.0;
    }
    return lag;
}

static void start_calls(swe_model *model, const swe_model_calls *calls)
{
    if (calls->count == 0)
        return;
    const double lag = prepare_calls(model, calls);
    model->backend->share(&model->execution, share_calls, &(shared_calls){model, calls});
    model->lag = lag;
}

void swe_model_start_calls(swe_model *model, const swe_model_calls *calls)
{
    model_ask(MODEL_START_CALLS, (model_request){.model = model, .calls = *calls});
    start_calls(model, calls);
}

static swe_model_calls steps_of(const swe_model *model, double dt, long count)
{
    return (swe_model_calls){SWE_CALL_STEP, model->pipeline, dt, count, model->clock};
}

static void start_one_by_one(swe_model *model, double dt, long count)
{
    const swe_model_calls steps = steps_of(model, dt, count);
    start_calls(model, &steps);
}

bool swe_model_has_graphs(const swe_model *model)
{
    return model->backend->capture != NULL && !swe_physics_is_timed(&model->physics) &&
           !model->functions->waits(model->stepper);
}

long swe_model_least_stride(const swe_model *model)
{
    return swe_model_has_graphs(model) ? 1 + swe_tuning(SWE_TUNING_graph_steps) : 1;
}

/* Whether the captured graphs fit dt and the pipeline. */
static bool are_captured(const swe_model *model, double dt)
{
    return model->captured_dt == dt && model->captured_pipeline == model->pipeline;
}

static swe_status capture(swe_context *ctx, swe_model *model, double dt, long length,
                          swe_model_graph *out)
{
    prof_profiler *profiler = model->execution.profiler;
    const swe_model_calls steps = steps_of(model, dt, length);
    shared_calls shared = {model, &steps};
    const swe_ranks_traffic before = swe_ranks_get_traffic();
    out->steps = length;
    prof_capture_begin(profiler);
    const swe_status status =
        model->backend->capture(ctx, model->device, share_calls, &shared, &out->graph);
    prof_capture_end(profiler);
    out->traffic = model_traffic_since(&before);
    swe_ranks_add_traffic(&out->traffic, -1); /* nothing has been sent */
    return status;
}

/* Capture both graphs. If a rank fails, none launches its own. */
static swe_status capture_both(swe_context *ctx, swe_model *model, double dt, long graph_steps)
{
    const long lengths[] = {graph_steps, 2};
    swe_status status = SWE_OK;
    destroy_graphs(model);
    model->captured_dt = 0.0; /* until both are there */
    for (int k = 0; k < 2 && status == SWE_OK; k++)
        status = capture(ctx, model, dt, lengths[k], &model->captured[k]);
    SWE_TRY(model_agree(ctx, model, status));
    model->captured_dt = dt;
    model->captured_pipeline = model->pipeline;
    return SWE_OK;
}

/* Launch a graph as often as `*count` steps allow. `*count` becomes the number of steps left. */
static void launch(const swe_model *model, const swe_model_graph *captured, long *count)
{
    prof_profiler *profiler = model->execution.profiler;
    for (; *count >= captured->steps; *count -= captured->steps) {
        prof_begin(profiler, SWE_REGION_launch);
        model->backend->launch(model->device, captured->graph);
        prof_launched_steps(profiler, captured->steps);
        prof_end(profiler);
        swe_ranks_add_traffic(&captured->traffic, 1);
    }
}

/* Launch graphs as often as `*count` steps allow: first the long graph, then the graph of two
 * steps. One plain step precedes the first capture, so that the device has loaded the kernels. Both
 * graphs are captured at once: no later profiling window contains a capture. */
static swe_status start_captured(swe_context *ctx, swe_model *model, double dt, long graph_steps,
                                 long *count)
{
    if (!are_captured(model, dt)) {
        start_one_by_one(model, dt, 1);
        *count -= 1;
    }
    if (!are_captured(model, dt))
        SWE_TRY(capture_both(ctx, model, dt, graph_steps));
    const swe_model_calls steps = steps_of(model, dt, *count);
    const double lag = prepare_calls(model, &steps);
    for (int k = 0; k < 2; k++)
        launch(model, &model->captured[k], count);
    model->lag = lag;
    return SWE_OK;
}

swe_status swe_model_start(swe_context *ctx, swe_model *model, double dt, long count)
{
    const bool graphs = swe_model_has_graphs(model) && !prof_is_eager(model->execution.profiler) &&
                        count >= (are_captured(model, dt) ? 2 : 3);
    const long graph_steps = graphs ? swe_tuning(SWE_TUNING_graph_steps) : 0;
    model_ask(
        MODEL_START,
        (model_request){.model = model, .dt = dt, .steps = count, .graph_steps = graph_steps});
    return model_start(ctx, model, dt, count, graph_steps);
}

swe_status model_start(swe_context *ctx, swe_model *model, double dt, long count, long graph_steps)
{
    const long steps = count;
    model->clock.dt = dt;
    if (graph_steps > 0)
        SWE_TRY(start_captured(ctx, model, dt, graph_steps, &count));
    start_one_by_one(model, dt, count);
    model->clock.steps += steps;
    model_share_signal();
    return SWE_OK;
}

swe_status swe_model_wait(swe_context *ctx, swe_model *model)
{
    if (model->backend->has_own_memory)
        model_ask(MODEL_WAIT, (model_request){.model = model});
    return model_agree(ctx, model, model->backend->synchronize(ctx, model->device));
}

swe_status swe_model_advance(swe_context *ctx, swe_model *model, double dt, long steps)
{
    SWE_TRY(swe_model_start(ctx, model, dt, steps));
    return swe_model_wait(ctx, model);
}

double swe_model_courant(const swe_model *model, double dt)
{
    return swe_physics_courant(&model->physics, model->grid->spacing, dt);
}

swe_status swe_model_substep(swe_context *ctx, swe_model *model, double dt, int number)
{
    model_ask(MODEL_SUBSTEP, (model_request){.model = model, .dt = dt, .count = number});
    model->functions->substep(model->stepper, model->pipeline, model->clock, dt, number);
    return model_agree(ctx, model, model->backend->synchronize(ctx, model->device));
}
