#include "model/components.h"

#include "backend/ceilings.h"
#include "clock.h"
#include "stages/regions.h"

/* One call of each component. Stages run on the model's own fields, as within a step. */

static void call_projection(swe_model *m, double dt)
{
    (void)dt;
    SWE_RUN(m->backend->stages, projection, &m->view, m->fields.y.h);
}

static void call_gradient(swe_model *m, double dt)
{
    (void)dt;
    SWE_RUN(m->backend->stages, gradient, &m->view, m->fields.y.h, m->fields.k.v1, m->fields.k.v2);
}

static void call_contravariant(swe_model *m, double dt)
{
    const swe_work w = m->fields.work;
    (void)dt;
    SWE_RUN(m->backend->stages, contravariant, &m->view, m->fields.y.v1, m->fields.y.v2, w.cross1,
            w.cross2, w.f1, w.f2);
}

static void call_divergence(swe_model *m, double dt)
{
    (void)dt;
    SWE_RUN(m->backend->stages, divergence, &m->view, m->fields.work.f1, m->fields.work.f2,
            m->fields.k.h);
}

static void call_sat(swe_model *m, double dt)
{
    const swe_work w = m->fields.work;
    (void)dt;
    SWE_RUN(m->backend->stages, sat, &m->view, m->fields.y.v1, m->fields.y.v2, w.f1, w.f2, w.edge,
            m->fields.k.h);
}

/* All four parts of a step in turn; its time is that of one of them on average. */
static void call_rk4(swe_model *m, double dt)
{
    for (int part = 0; part < 4; part++)
        SWE_RUN(m->backend->stages, rk4, &m->view, part, dt, m->fields.k.h, m->fields.y.h,
                m->fields.sum.h, m->fields.next.h);
}

static void call_rhs(swe_model *m, double dt)
{
    (void)dt;
    swe_rhs(m->backend->stages, &m->view, m->fields.y, m->fields.work, m->fields.k);
}

static void call_step(swe_model *m, double dt)
{
    swe_rk4_step(m->backend->stages, &m->view, m->fields, dt);
}

typedef void component_call(swe_model *model, double dt);

/* What to call for a component, how many times it stands in a step, how many of it one call (or
 * replay) is. */
static const struct {
    component_call *call;
    int calls_per_step, count;
} components[SWE_COMPONENT_COUNT] = {
    [SWE_STAGE_projection] = {call_projection, 8, 1},
    [SWE_STAGE_gradient] = {call_gradient, 4, 1},
    [SWE_STAGE_contravariant] = {call_contravariant, 4, 1},
    [SWE_STAGE_divergence] = {call_divergence, 4, 1},
    [SWE_STAGE_sat] = {call_sat, 4, 1},
    [SWE_STAGE_rk4] = {call_rk4, 4, 4},
    [SWE_COMPONENT_RHS] = {call_rhs, 4, 1},
    [SWE_COMPONENT_STEP] = {call_step, 1, 1},
    [SWE_COMPONENT_LOOP] = {call_step, 1, 1},
    [SWE_COMPONENT_CAPTURED] = {call_step, 1, SWE_CAPTURED_STEPS},
};

_Static_assert(SWE_LOOP_STEPS % SWE_CAPTURED_STEPS == 0, "a loop is whole sequences");

/* The components that are no stages. */
static const struct {
    const char *name, *meaning;
} wholes[] = {{"rhs", "the right-hand side: projection to projection"},
              {"step", "four of them and four updates, waited for"},
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

int swe_component_calls(int component)
{
    return components[component].calls_per_step;
}

swe_step_cost swe_step_cost_of(const swe_costs *costs)
{
    swe_step_cost step = {.calls = 0};
    for (int stage = 0; stage < SWE_STAGE_COUNT; stage++) {
        const swe_cost *cost = &costs->stages[stage];
        const int calls = components[stage].calls_per_step;
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
    component_call *call;
    swe_sequence *sequence; /* NULL: not recorded */
} timed;

/* Seconds of `calls` calls or replays and one wait. */
static swe_status time_calls(swe_context *ctx, const timed *t, int calls, double *seconds)
{
    const swe_backend *backend = t->model->backend;
    const double start = prof_clock_seconds();
    for (int k = 0; k < calls; k++) {
        if (t->sequence != NULL)
            backend->replay(t->model->device, t->sequence);
        else
            t->call(t->model, t->dt);
    }
    SWE_TRY(backend->synchronize(ctx, t->model->device));
    *seconds = prof_clock_seconds() - start;
    return SWE_OK;
}

/* Calls that take about a millisecond, found while warming up. */
static swe_status find_calls(swe_context *ctx, const timed *t, int *calls)
{
    double seconds = 0.0;
    *calls = 1;
    SWE_TRY(time_calls(ctx, t, 1, &seconds)); /* the first call of all is slow */
    for (;;) {
        SWE_TRY(time_calls(ctx, t, *calls, &seconds));
        if (seconds >= 1e-3 || *calls >= 1 << 14)
            return SWE_OK;
        *calls *= 2;
    }
}

/* Warm up and find the number of calls of a sample. */
static swe_status prepare(swe_context *ctx, const timed *t, int component, int *calls)
{
    double seconds = 0.0;
    if (component < SWE_COMPONENT_STEP)
        return find_calls(ctx, t, calls);
    *calls = component == SWE_COMPONENT_STEP ? 1 : SWE_LOOP_STEPS / components[component].count;
    return time_calls(ctx, t, 1, &seconds); /* the first replay also brings a graph to the device */
}

static swe_status sample(swe_context *ctx, const timed *t, int component, int repeats,
                         swe_component *out)
{
    prof_samples samples = {.count = 0};
    int calls = 1;
    double seconds = 0.0;
    SWE_TRY(prepare(ctx, t, component, &calls));
    for (int repeat = 0; repeat < repeats; repeat++) {
        SWE_TRY(time_calls(ctx, t, calls, &seconds));
        prof_samples_add(&samples, seconds / (calls * components[component].count));
    }
    *out = (swe_component){name_of(component), meaning_of(component),
                           components[component].calls_per_step, prof_samples_quartiles(&samples)};
    return SWE_OK;
}

/* Start the steps of a sequence. */
static void start_steps(void *argument)
{
    const timed *t = argument;
    for (int k = 0; k < SWE_CAPTURED_STEPS; k++)
        t->call(t->model, t->dt);
}

static swe_status measure(swe_context *ctx, swe_model *model, int component, double dt, int repeats,
                          swe_component *out)
{
    const swe_backend *backend = model->backend;
    timed t = {model, dt, components[component].call, NULL};
    if (t.call == NULL)
        return swe_fail(ctx, SWE_INTERNAL, "stage '%s' has no call in components.c",
                        name_of(component));
    if (component == SWE_COMPONENT_CAPTURED)
        SWE_TRY(backend->record(ctx, model->device, start_steps, &t, &t.sequence));
    const swe_status status = sample(ctx, &t, component, repeats, out);
    if (t.sequence != NULL)
        backend->forget(model->device, &t.sequence);
    return status;
}

swe_status swe_components_measure(swe_context *ctx, swe_model *model, double dt, int repeats,
                                  swe_components *out)
{
    const timed step = {model, dt, call_step, NULL};
    double seconds = 0.0;
    SWE_TRY(time_calls(ctx, &step, 2, &seconds)); /* touches every array */
    *out = (swe_components){.captured = model->backend->record != NULL};
    for (int component = 0; component < SWE_COMPONENT_COUNT; component++)
        if (component != SWE_COMPONENT_CAPTURED || out->captured)
            SWE_TRY(measure(ctx, model, component, dt, repeats, &out->row[component]));
    return SWE_OK;
}

/* Steps, then a replay, and one wait. */
static swe_status take_steps(swe_context *ctx, const timed *t, int64_t steps)
{
    prof_profiler *profiler = t->model->view.profiler;
    prof_begin(profiler, SWE_REGION_steps);
    for (int64_t k = 0; k < steps; k++)
        t->call(t->model, t->dt);
    if (t->sequence != NULL)
        t->model->backend->replay(t->model->device, t->sequence);
    const swe_status status = t->model->backend->synchronize(ctx, t->model->device);
    prof_end(profiler);
    return status;
}

swe_status swe_components_trace(swe_context *ctx, swe_model *model, double dt, int64_t steps)
{
    const swe_backend *backend = model->backend;
    timed t = {model, dt, call_step, NULL};
    swe_ceilings_tell(backend, model->device, &model->view);
    prof_at_step(model->view.profiler, 0);
    SWE_TRY(take_steps(ctx, &t, 1));
    if (backend->record != NULL) /* after CUPTI has started, which then knows the nodes' stages */
        SWE_TRY(backend->record(ctx, model->device, start_steps, &t, &t.sequence));
    prof_at_step(model->view.profiler, 1);
    const swe_status status = take_steps(ctx, &t, steps);
    if (status == SWE_OK) /* otherwise the window is closed as one that was cut short */
        prof_at_step(model->view.profiler, 1 + steps);
    if (t.sequence != NULL)
        backend->forget(model->device, &t.sequence);
    return status;
}
