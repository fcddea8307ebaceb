/* Forcing: a step is classical Runge-Kutta of the right-hand side without forcing and of the terms,
 * in every flow and in both pipelines, with any number of threads. Terms may have records in time.
 */
#include "support/pipelines.h"

#define EARTH   .gravity = 9.8, .depth = 2.0, .radius = 2.5
#define TURNING EARTH, .rotation = 1.7, .axis_lat = 35.0
static const swe_physics flows[] = {
    {EARTH, .drag = 0.7},
    {EARTH, .relaxation = 0.4},
    {TURNING, .drag = 0.7, .has_source = true, .density = 3.0},
    {TURNING, .drag = 0.7, .relaxation = 0.4, .has_source = true, .density = 3.0},
    {TURNING, .drag = 0.7, .equations = SWE_NONLINEAR},
    {TURNING, .relaxation = 0.4, .equations = SWE_NONLINEAR},
    {TURNING, .drag_coefficient = 0.6, .equations = SWE_NONLINEAR},
    {EARTH, .drag_coefficient = 0.6, .drag_of_field = 0.3, .equations = SWE_NONLINEAR},
    {EARTH, .viscosity = 1e-3, .viscosity_order = 2, .viscosity_of_h = true, .has_stirring = true},
    {TURNING, .has_source = true, .density = 3.0, .has_stirring = true, .equations = SWE_NONLINEAR},
    {EARTH, .drag_of_field = 0.3},
    {TURNING, .relaxation = 0.4, .has_source = true, .density = 3.0, .records = 0.2},
    {EARTH, .has_source = true, .density = 3.0, .records = 0.2, .equations = SWE_NONLINEAR},
    {TURNING, .relaxation = 0.4, .records = 0.2, .drag_of_field = 0.3, .equations = SWE_NONLINEAR},
    {TURNING, .viscosity = 1e-6, .viscosity_order = 4, .viscosity_of_h = true,
     .equations = SWE_NONLINEAR},
    {TURNING, .drag = 0.7, .relaxation = 0.4, .has_source = true, .density = 3.0,
     .equations = SWE_NONLINEAR}};

typedef struct forced_case {
    bench t;
    double *start, *forcing, *expected, *k, *stage; /* states */
    size_t size, field;
} forced_case;

/* Between an odd record and the next. */
static double start_of(const swe_physics *physics)
{
    return 1.25 * physics->records;
}

static forced_case forced_case_of(int order, swe_closure closure, int n, const swe_physics *physics)
{
    forced_case c = {.t = bench_of_physics(order, closure, n, 1, physics)};
    c.size = model_state_size(c.t.model);
    c.field = (size_t)c.t.layout->field;
    double **const states[] = {&c.start, &c.forcing, &c.expected, &c.k, &c.stage};
    for (int m = 0; m < 5; m++)
        *states[m] = bench_fields(&c.t, 3);
    bench_random_state(&c.t, swe_fields_at(c.t.layout, c.start));
    bench_random_state(&c.t, swe_fields_at(c.t.layout, c.forcing));
    for (size_t m = 0; m < c.field; m++)
        c.start[m] = 2.0 + 0.1 * c.start[m];
    swe_context ctx = {""};
    CHECK_OK(&ctx, model_set_forcing(&ctx, c.t.model, c.start, c.forcing));
    c.t.model->clock.start = start_of(physics);
    return c;
}

static void forced_case_destroy(forced_case *c)
{
    free(c->start);
    free(c->forcing);
    free(c->expected);
    free(c->k);
    free(c->stage);
    bench_destroy(&c->t);
}

/* Value `at` of two records at time t. */
static double value_at(const swe_params *params, const double *even, const double *odd, double t,
                       size_t at)
{
    return odd == NULL ? even[at]
                       : odd[at] + (t / params->physics.records - 1.0) * (even[at] - odd[at]);
}

/* The depth at cell c of a line of h with stride `s`. */
static double depth_at(const forced_case *c, int cell, const double *h, ptrdiff_t s)
{
    const swe_params *params = c->t.params;
    return params->physics.equations == SWE_LINEAR
               ? params->physics.depth
               : sbp_pvc(params->sbp.order, SBP_ANYWHERE, &params->sbp, params->layout.n, cell, h,
                         s);
}

/* k_k += tau_k/(rho depth) - r m_k v_k - c |u| v_k/depth. K/g is the head less h: there is no
 * bottom.
 */
static void add_stress_and_drag(forced_case *c, double t)
{
    const swe_params *params = c->t.params;
    const swe_fields stage = swe_fields_at(c->t.layout, c->stage);
    double *head = bench_fields(&c->t, 1);
    if (params->physics.drag_coefficient != 0.0) {
        c->t.stages->bernoulli(c->t.execution, params, stage.h, stage.v1, stage.v2, head);
        c->t.stages->projection(c->t.execution, params, head);
    }
    for (size_t m = 0; m < c->field; m++)
        head[m] -= c->stage[m];
    const swe_layout *layout = c->t.layout;
    const ptrdiff_t strides[] = {1, layout->pitch};
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int j = 0; j <= layout->n; j++)
            for (int i = 0; i <= layout->n; i++)
                for (int k = 1; k <= 2; k++) {
                    const size_t vertex = (size_t)swe_at(layout, panel, j, i),
                                 at = vertex + (size_t)k * c->field;
                    const int cell = k == 1 ? i : j;
                    if (cell == layout->n)
                        continue;
                    if (params->source != NULL)
                        c->k[at] += value_at(params, params->source, params->odd_source, t, at) /
                                    (params->physics.density *
                                     depth_at(c, cell, c->stage + vertex, strides[k - 1]));
                    if (params->drag != NULL)
                        c->k[at] -=
                            params->physics.drag_of_field * c->stage[at] *
                            fmax(0.0,
                                 fmin(1.0, 0.5 * (params->drag[vertex] +
                                                  params->drag[vertex + (size_t)strides[k - 1]])));
                    if (params->physics.drag_coefficient != 0.0) {
                        const double kinetic = depth_at(c, cell, head + vertex, strides[k - 1]);
                        c->k[at] -= params->physics.drag_coefficient * c->stage[at] *
                                    sqrt(fmax(2.0 * params->physics.gravity * kinetic, 0.0)) /
                                    depth_at(c, cell, c->stage + vertex, strides[k - 1]);
                    }
                }
    free(head);
}

/* The right-hand side and the terms at time t, into k. */
static void tendency(forced_case *c, double t)
{
    const swe_params *params = c->t.params;
    bench_rhs(&c->t, swe_fields_at(c->t.layout, c->stage), swe_fields_at(c->t.layout, c->k));
    for (size_t m = c->field; m < c->size; m++)
        c->k[m] -= params->physics.drag * c->stage[m];
    for (size_t m = 0; m < c->field && params->target != NULL; m++)
        c->k[m] += params->physics.relaxation *
                   (value_at(params, params->target, params->odd_target, t, m) - c->stage[m]);
    for (size_t m = c->field; m < c->size && params->stirring != NULL; m++)
        c->k[m] += params->stirring[m];
    for (size_t m = 0; m < c->field && params->source != NULL; m++)
        c->k[m] += value_at(params, params->source, params->odd_source, t, m);
    add_stress_and_drag(c, t);
    if (params->physics.viscosity != 0.0) /* its operator: test_viscosity */
        c->t.stages->viscosity(c->t.execution, params, 0, 1.0, &c->t.fields.work, c->stage, c->k);
}

/* A step from `expected` at time t to `expected`. */
static void step(forced_case *c, double t, double dt)
{
    static const double weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, to[4] = {0.5, 0.5, 1, 0},
                        at[4] = {0, 0.5, 0.5, 1};
    double *y = bench_fields(&c->t, 3);
    memcpy(y, c->expected, c->size * sizeof *y);
    memcpy(c->stage, y, c->size * sizeof *y);
    for (int substep = 0; substep < 4; substep++) {
        tendency(c, t + at[substep] * dt);
        if (substep == 0) /* h is projected now */
            memcpy(y, c->stage, c->size * sizeof *y), memcpy(c->expected, y, c->size * sizeof *y);
        for (size_t m = 0; m < c->size; m++) {
            c->expected[m] += dt * weight[substep] * c->k[m];
            c->stage[m] = y[m] + dt * to[substep] * c->k[m];
        }
    }
    free(y);
}

static void check(int order, swe_closure closure, int n, const swe_physics *physics)
{
    const double courant = 0.2;
    forced_case c = forced_case_of(order, closure, n, physics);
    const double dt = courant / swe_model_courant(c.t.model, 1.0);
    memcpy(c.expected, c.start, c.size * sizeof *c.start);
    for (int k = 0; k < PIPELINES_STEPS; k++)
        step(&c, start_of(physics) + k * dt, dt);
    double *fused = pipelines_steps(&c.t, SWE_PIPELINE_FUSED, courant, c.start);
    double *staged = pipelines_steps(&c.t, SWE_PIPELINE_STAGED, courant, c.start);
    pipelines_check_same(&c.t, staged, c.expected, 1e-13);
    pipelines_check_same(&c.t, fused, c.expected, 1e-13);
    for (int threads = 2; threads <= 3; threads++) {
        bench shared = bench_of_physics(order, closure, n, threads, physics);
        swe_context ctx = {""};
        CHECK_OK(&ctx, model_set_forcing(&ctx, shared.model, c.start, c.forcing));
        shared.model->clock.start = start_of(physics);
        double *end = pipelines_steps(&shared, SWE_PIPELINE_FUSED, courant, c.start);
        CHECK_SAME_BITS(end, fused, c.size);
        free(end);
        bench_destroy(&shared);
    }
    free(fused);
    free(staged);
    forced_case_destroy(&c);
}

static void steps_have_forcing(void **state)
{
    (void)state;
    for (size_t flow = 0; flow < sizeof flows / sizeof *flows; flow++)
        for (int order = 2; order <= 6; order += 2) {
            check(order, SWE_CLOSURE_MOVED, 14, &flows[flow]);
            check(order, SWE_CLOSURE_EQUISPACED, 64, &flows[flow]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_have_forcing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
