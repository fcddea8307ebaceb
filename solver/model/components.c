#include "model/components.h"

#include "backend/ceilings.h"
#include "clock.h"
#include "stages/regions.h"
#include "stages/rk4/rk4_point.h"

/* How many times a component stands in a step of each pipeline, how many of it one call (or replay)
 * is. */
static const struct {
    int calls_per_step[SWE_PIPELINES];
    int count;
} components[SWE_COMPONENT_COUNT] = {
#define PER_STEP(fused, staged)                                                                    \
    {                                                                                              \
        [SWE_PIPELINE_FUSED] = fused, [SWE_PIPELINE_STAGED] = staged                               \
    }
    [SWE_STAGE_projection] = {PER_STEP(4, 8), 1},
    [SWE_STAGE_gradient] = {PER_STEP(0, 4), 1},
    [SWE_STAGE_contravariant] = {PER_STEP(0, 4), 1},
    [SWE_STAGE_divergence] = {PER_STEP(0, 4), 1},
    [SWE_STAGE_sat] = {PER_STEP(0, 4), 1},
    [SWE_STAGE_rk4] = {PER_STEP(0, 4), RK4_PARTS},
    [SWE_STAGE_fused] = {PER_STEP(4, 0), RK4_PARTS},
    [SWE_STAGE_budgets] = {PER_STEP(0, 0), 1},
    [SWE_COMPONENT_RHS] = {PER_STEP(0, 4), 1},
    [SWE_COMPONENT_STEP] = {PER_STEP(1, 1), 1},
    [SWE_COMPONENT_LOOP] = {PER_STEP(1, 1), 1},
    [SWE_COMPONENT_CAPTURED] = {PER_STEP(1, 1), SWE_CAPTURED_STEPS},
#undef PER_STEP
};

_Static_assert(SWE_LOOP_STEPS % SWE_CAPTURED_STEPS == 0, "a loop is whole sequences");

/* The components that are no stages. */
static const struct {
    const char *name, *meaning;
} wholes[] = {{"rhs", "the right-hand side: projection to projection"},
              {"step", "a step of the pipeline, waited for"},
              {"loop", "a step within a loop of steps"},
              {"captured", "a step within that loop, replayed from a CUDA graph"}};

static const char *name_of(int component)
{
    return component < SWE_STAGE_COUNT ? swe_stage_name(component)
                                       : wholes[component - SWE_STAGE_COUNT].name;
}

static const char *meaning_of(int component)
{
    return component < SWE_STAGE_COUNT ? swe_stage_meaning(component)
                                       : wholes[component - SWE_STAGE_COUNT].meaning;
}

int swe_component_calls(int component, swe_pipeline pipeline)
{
    return components[component].calls_per_step[pipeline];
}

swe_step_cost swe_step_cost_of(const swe_costs *costs, swe_pipeline pipeline)
{
    swe_step_cost step = {.calls = 0};
    for (int stage = 0; stage < SWE_STAGE_COUNT; stage++) {
        const swe_cost *cost = &costs->stages[stage];
        const int calls = swe_component_calls(stage, pipeline);
        step.calls += calls;
        step.read += calls * swe_cost_bytes(cost, false);
        step.written += calls * swe_cost_bytes(cost, true);
        step.flops += calls * swe_cost_flops(cost->formula);
    }
    return step;
}

/* What is timed: calls of a component, or replays of its recorded calls. */
typedef struct timed {
    swe_model *model;
    double dt;
    int component;
    int64_t calls;          /* one after another */
    swe_sequence *sequence; /* of recorded calls; NULL: not recorded */
} timed;

static void call(const swe_model *model, int component, double dt)
{
    if (component < SWE_STAGE_COUNT)
        model->functions->stage(model->stepper, component, dt);
    else if (component == SWE_COMPONENT_RHS)
        model->functions->rhs(model->stepper);
    else
        swe_model_step(model, dt);
}

/* Start the calls. */
static void start_calls(void *argument)
{
    const timed *t = argument;
    for (int64_t k = 0; k < t->calls; k++)
        call(t->model, t->component, t->dt);
}

/* Seconds of the calls, or as many replays, and one wait. */
static swe_status time_calls(swe_context *ctx, timed *t, double *seconds)
{
    const swe_backend *backend = t->model->backend;
    const double start = prof_clock_seconds();
    if (t->sequence == NULL)
        backend->share(&t->model->workers, start_calls, t);
    for (int64_t k = 0; t->sequence != NULL && k < t->calls; k++)
        backend->replay(t->model->device, t->sequence);
    SWE_TRY(backend->synchronize(ctx, t->model->device));
    *seconds = prof_clock_seconds() - start;
    return SWE_OK;
}

/* Calls that take about a millisecond, found while warming up. */
static swe_status find_calls(swe_context *ctx, timed *t)
{
    double seconds = 0.0;
    t->calls = 1;
    SWE_TRY(time_calls(ctx, t, &seconds)); /* the first call of all is slow */
    for (;;) {
        SWE_TRY(time_calls(ctx, t, &seconds));
        if (seconds >= 1e-3 || t->calls >= 1 << 14)
            return SWE_OK;
        t->calls *= 2;
    }
}

/* Warm up and find the number of calls of a sample. */
static swe_status prepare(swe_context *ctx, timed *t)
{
    double seconds = 0.0;
    if (t->component < SWE_COMPONENT_STEP)
        return find_calls(ctx, t);
    t->calls = 1; /* the first replay also brings a graph to the device */
    SWE_TRY(time_calls(ctx, t, &seconds));
    if (t->component != SWE_COMPONENT_STEP)
        t->calls = SWE_LOOP_STEPS / components[t->component].count;
    return SWE_OK;
}

static swe_status sample(swe_context *ctx, timed *t, int repeats, swe_component *out)
{
    const int component = t->component;
    prof_samples samples = {.count = 0};
    double seconds = 0.0;
    SWE_TRY(prepare(ctx, t));
    for (int repeat = 0; repeat < repeats; repeat++) {
        SWE_TRY(time_calls(ctx, t, &seconds));
        prof_samples_add(&samples, seconds / ((double)t->calls * components[component].count));
    }
    *out = (swe_component){name_of(component), meaning_of(component),
                           swe_component_calls(component, t->model->pipeline),
                           prof_samples_quartiles(&samples)};
    return SWE_OK;
}

static swe_status measure(swe_context *ctx, swe_model *model, int component, double dt, int repeats,
                          swe_component *out)
{
    const swe_backend *backend = model->backend;
    timed t = {model, dt, component, SWE_CAPTURED_STEPS, NULL};
    if (component == SWE_COMPONENT_CAPTURED)
        SWE_TRY(backend->record(ctx, model->device, start_calls, &t, &t.sequence));
    const swe_status status = sample(ctx, &t, repeats, out);
    if (t.sequence != NULL)
        backend->forget(model->device, &t.sequence);
    return status;
}

swe_status swe_components_measure(swe_context *ctx, swe_model *model, double dt, int repeats,
                                  swe_components *out)
{
    timed step = {model, dt, SWE_COMPONENT_STEP, 2, NULL};
    double seconds = 0.0;
    SWE_TRY(time_calls(ctx, &step, &seconds)); /* touches every array */
    *out = (swe_components){.captured = model->backend->record != NULL};
    for (int component = 0; component < SWE_COMPONENT_COUNT; component++)
        if (component != SWE_COMPONENT_CAPTURED || out->captured)
            SWE_TRY(measure(ctx, model, component, dt, repeats, &out->row[component]));
    return SWE_OK;
}

/* Steps, then a replay, and one wait. */
static swe_status take_steps(swe_context *ctx, timed *t, int64_t steps)
{
    prof_profiler *profiler = t->model->workers.profiler;
    prof_begin(profiler, SWE_REGION_steps);
    t->calls = steps;
    t->model->backend->share(&t->model->workers, start_calls, t);
    if (t->sequence != NULL)
        t->model->backend->replay(t->model->device, t->sequence);
    const swe_status status = t->model->backend->synchronize(ctx, t->model->device);
    prof_end(profiler);
    return status;
}

swe_status swe_components_trace(swe_context *ctx, swe_model *model, double dt, int64_t steps)
{
    const swe_backend *backend = model->backend;
    timed t = {model, dt, SWE_COMPONENT_STEP, SWE_CAPTURED_STEPS, NULL};
    swe_ceilings_tell(backend, model->device, &model->workers);
    prof_at_step(model->workers.profiler, 0);
    SWE_TRY(take_steps(ctx, &t, 1));
    t.calls = SWE_CAPTURED_STEPS;
    if (backend->record != NULL) /* after CUPTI has started, which then knows the nodes' stages */
        SWE_TRY(backend->record(ctx, model->device, start_calls, &t, &t.sequence));
    prof_at_step(model->workers.profiler, 1);
    const swe_status status = take_steps(ctx, &t, steps);
    if (status == SWE_OK) /* otherwise the window is closed as one that was cut short */
        prof_at_step(model->workers.profiler, 1 + steps);
    if (t.sequence != NULL)
        backend->forget(model->device, &t.sequence);
    return status;
}
