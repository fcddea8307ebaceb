#include "model/components.h"

#include "clock.h"

/* One call of each component. Stages run on the model's own fields, as within a step. */

static void call_projection(swe_model *m, double dt)
{
    (void)dt;
    m->backend->stages->projection(&m->view, m->fields.y.h);
}

static void call_gradient(swe_model *m, double dt)
{
    (void)dt;
    m->backend->stages->gradient(&m->view, m->fields.y.h, m->fields.k.v1, m->fields.k.v2);
}

static void call_contravariant(swe_model *m, double dt)
{
    const swe_work w = m->fields.work;
    (void)dt;
    m->backend->stages->contravariant(&m->view, m->fields.y.v1, m->fields.y.v2, w.cross1, w.cross2,
                                      w.f1, w.f2);
}

static void call_divergence(swe_model *m, double dt)
{
    (void)dt;
    m->backend->stages->divergence(&m->view, m->fields.work.f1, m->fields.work.f2, m->fields.k.h);
}

static void call_sat(swe_model *m, double dt)
{
    const swe_work w = m->fields.work;
    (void)dt;
    m->backend->stages->sat(&m->view, m->fields.y.v1, m->fields.y.v2, w.f1, w.f2, w.edge,
                            m->fields.k.h);
}

/* All four parts of a step in turn; its time is that of one of them on average. */
static void call_rk4(swe_model *m, double dt)
{
    for (int part = 0; part < 4; part++)
        m->backend->stages->rk4(&m->view, part, dt, m->fields.k.h, m->fields.y.h, m->fields.sum.h,
                                m->fields.next.h);
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

/* What to call for a component, how many times it stands in a step, how many of it one call is. */
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
};

/* The components that are no stages. */
static const struct {
    const char *name, *meaning;
} wholes[] = {{"rhs", "the right-hand side: projection to projection"},
              {"step", "four of them and four updates, waited for"},
              {"loop", "a step within a loop of steps"}};

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

/* Seconds of `calls` calls and one wait. */
static swe_status time_calls(swe_context *ctx, swe_model *model, component_call *call, double dt,
                             int calls, double *seconds)
{
    const double start = prof_clock_seconds();
    for (int k = 0; k < calls; k++)
        call(model, dt);
    SWE_TRY(model->backend->synchronize(ctx, model->device));
    *seconds = prof_clock_seconds() - start;
    return SWE_OK;
}

/* Calls that take about a millisecond, found while warming up. */
static swe_status find_calls(swe_context *ctx, swe_model *model, component_call *call, double dt,
                             int *calls)
{
    double seconds = 0.0;
    *calls = 1;
    SWE_TRY(time_calls(ctx, model, call, dt, 1, &seconds)); /* the first call of all is slow */
    for (;;) {
        SWE_TRY(time_calls(ctx, model, call, dt, *calls, &seconds));
        if (seconds >= 1e-3 || *calls >= 1 << 14)
            return SWE_OK;
        *calls *= 2;
    }
}

static swe_status measure(swe_context *ctx, swe_model *model, int component, double dt, int repeats,
                          int loop_steps, swe_component *out)
{
    prof_samples samples = {.count = 0};
    component_call *call = components[component].call;
    int calls = 1;
    double seconds = 0.0;
    if (call == NULL)
        return swe_fail(ctx, SWE_INTERNAL, "stage '%s' has no call in components.c",
                        name_of(component));
    if (component == SWE_COMPONENT_LOOP)
        calls = loop_steps;
    else if (component != SWE_COMPONENT_STEP)
        SWE_TRY(find_calls(ctx, model, call, dt, &calls));
    for (int repeat = 0; repeat < repeats; repeat++) {
        SWE_TRY(time_calls(ctx, model, call, dt, calls, &seconds));
        prof_samples_add(&samples, seconds / (calls * components[component].count));
    }
    *out = (swe_component){name_of(component), meaning_of(component),
                           components[component].calls_per_step, prof_samples_quartiles(&samples)};
    return SWE_OK;
}

swe_status swe_components_measure(swe_context *ctx, swe_model *model, double dt, int repeats,
                                  int loop_steps, swe_component out[SWE_COMPONENT_COUNT])
{
    double seconds = 0.0;
    SWE_TRY(time_calls(ctx, model, call_step, dt, 2, &seconds)); /* touches every array */
    for (int component = 0; component < SWE_COMPONENT_COUNT; component++)
        SWE_TRY(measure(ctx, model, component, dt, repeats, loop_steps, &out[component]));
    return SWE_OK;
}
