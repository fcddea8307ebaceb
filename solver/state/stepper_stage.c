/* Each stage by itself, on the arrays that a step gives it. */
#include "stages/rk4/rk4_point.h"
#include "state/stepper_arrays.h"

static void call_projection(const swe_stepper *s, double dt)
{
    (void)dt;
    SWE_RUN(s->stages, projection, &s->view, s->fields.y.h);
}

static void call_gradient(const swe_stepper *s, double dt)
{
    (void)dt;
    SWE_RUN(s->stages, gradient, &s->view,
            s->view.equations == SWE_LINEAR ? s->fields.y.h : s->fields.work.head, s->fields.k.v1,
            s->fields.k.v2);
}

static void call_contravariant(const swe_stepper *s, double dt)
{
    const swe_work w = s->fields.work;
    (void)dt;
    SWE_RUN(s->stages, contravariant, &s->view, s->fields.y.h, s->fields.y.v1, s->fields.y.v2,
            w.cross1, w.cross2, w.f1, w.f2);
}

static void call_bernoulli(const swe_stepper *s, double dt)
{
    (void)dt;
    SWE_RUN(s->stages, bernoulli, &s->view, s->fields.y.h, s->fields.y.v1, s->fields.y.v2,
            s->fields.work.head);
}

static void call_vorticity(const swe_stepper *s, double dt)
{
    const swe_work w = s->fields.work;
    (void)dt;
    SWE_RUN(s->stages, vorticity, &s->view, s->fields.y.v1, s->fields.y.v2, w.cross1, w.cross2,
            s->fields.k.v1, s->fields.k.v2, w.vorticity);
}

static void call_coriolis(const swe_stepper *s, double dt)
{
    const swe_work w = s->fields.work;
    (void)dt;
    SWE_RUN(s->stages, coriolis, &s->view, s->fields.y.h, w.vorticity, w.f1, w.f2, w.cross1,
            w.cross2, s->fields.k.v1, s->fields.k.v2);
}

static void call_divergence(const swe_stepper *s, double dt)
{
    (void)dt;
    SWE_RUN(s->stages, divergence, &s->view, s->fields.work.f1, s->fields.work.f2, s->fields.k.h);
}

static void call_sat(const swe_stepper *s, double dt)
{
    const swe_work w = s->fields.work;
    (void)dt;
    SWE_RUN(s->stages, sat, &s->view, s->fields.y.h, s->fields.y.v1, s->fields.y.v2, w.f1, w.f2,
            w.edge, s->fields.k.h);
}

static void call_rk4(const swe_stepper *s, double dt)
{
    for (int part = 0; part < RK4_PARTS; part++)
        SWE_RUN(s->stages, rk4, &s->view, part, rk4_weight(part, dt), s->fields.k.h, s->fields.y.h,
                s->fields.next.h);
}

static void call_fused(const swe_stepper *s, double dt)
{
    for (int part = 0; part < RK4_PARTS; part++)
        SWE_RUN(s->stages, fused, &s->view, part, rk4_weight(part, dt), rk4_weight(part + 1, dt),
                s->fields.y.h, s->fields.next.h);
}

/* The head of the linear equations is h. */
static real *head_of(const swe_stepper *s)
{
    return s->view.equations == SWE_LINEAR ? s->fields.y.h : s->fields.sweep.head;
}

static void call_transport(const swe_stepper *s, double dt)
{
    const swe_sweep w = s->fields.sweep;
    for (int part = 0; part < RK4_PARTS; part++)
        SWE_RUN(s->stages, transport, &s->view, part, rk4_weight(part, dt), s->fields.y.h,
                s->fields.next.h, head_of(s), w.turned1, w.turned2, w.margin);
}

static void call_join(const swe_stepper *s, double dt)
{
    const swe_sweep w = s->fields.sweep;
    (void)dt;
    for (int part = 0; part < RK4_PARTS; part++)
        SWE_RUN(s->stages, join, &s->view, part, s->fields.y.h, s->fields.next.h, head_of(s),
                w.turned1, w.turned2, w.margin);
}

static void call_momentum(const swe_stepper *s, double dt)
{
    const swe_sweep w = s->fields.sweep;
    for (int part = 0; part < RK4_PARTS; part++)
        SWE_RUN(s->stages, momentum, &s->view, part, rk4_weight(part, dt), head_of(s), w.turned1,
                w.turned2, s->fields.y.h, s->fields.next.h);
}

static void call_damping(const swe_stepper *s, double dt)
{
    const swe_fields y = s->fields.y;
    SWE_RUN(s->stages, damping, &s->view, (real)dt * s->view.damping, y.h, y.v1, y.v2,
            swe_rk4_lent(&s->view, &s->fields));
}

static void call_dissipation(const swe_stepper *s, double dt)
{
    const swe_fields y = s->fields.y;
    SWE_RUN(s->stages, dissipation, &s->view, (real)dt * s->view.dissipation, y.h, y.v1, y.v2,
            swe_rk4_lent(&s->view, &s->fields));
}

static void call_budgets(const swe_stepper *s, double dt)
{
    (void)dt;
    SWE_RUN(s->stages, budgets, &s->view, s->fields.y.h, s->fields.y.v1, s->fields.y.v2,
            stepper_vorticity(s), s->budgets);
}

void swe_stepper_stage(const swe_stepper *s, int stage, double dt)
{
    static void (*const calls[])(const swe_stepper *s, double dt) = {
#define STEPPER_CALL(name, what, arguments) call_##name,
        SWE_STAGE_LIST(STEPPER_CALL)
#undef STEPPER_CALL
    };
    calls[stage](s, dt);
}
