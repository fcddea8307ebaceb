/* Drag: a step is classical Runge-Kutta of the right-hand side without drag, less r v, in every
 * flow and in both pipelines, with any number of threads. */
#include "support/pipelines.h"

#define EARTH .gravity = 9.8, .depth = 2.0, .radius = 2.5
static const double rate = 0.7; /* r [s-1] */
static const swe_physics flows[] = {
    {EARTH, .drag = rate},
    {EARTH, .drag = rate, .rotation = 1.7, .axis_lat = 35.0},
    {EARTH, .drag = rate, .rotation = 1.7, .axis_lat = 35.0, .equations = SWE_NONLINEAR}};

typedef struct drag_case {
    bench t;
    double *start, *expected, *k, *stage; /* states */
    size_t size, field;
} drag_case;

static drag_case drag_case_of(int order, swe_closure closure, int n, const swe_physics *physics)
{
    drag_case c = {.t = bench_of_physics(order, closure, n, 1, physics)};
    c.size = model_state_size(c.t.model);
    c.field = (size_t)c.t.layout->field;
    double **const states[] = {&c.start, &c.expected, &c.k, &c.stage};
    for (int m = 0; m < 4; m++)
        *states[m] = bench_fields(&c.t, 3);
    bench_random_state(&c.t, swe_fields_at(c.t.layout, c.start));
    for (size_t m = 0; m < c.field; m++)
        c.start[m] = 2.0 + 0.1 * c.start[m];
    return c;
}

static void drag_case_destroy(drag_case *c)
{
    free(c->start);
    free(c->expected);
    free(c->k);
    free(c->stage);
    bench_destroy(&c->t);
}

/* k = f(stage) - r v */
static void tendency(drag_case *c)
{
    bench_rhs(&c->t, swe_fields_at(c->t.layout, c->stage), swe_fields_at(c->t.layout, c->k));
    for (size_t m = c->field; m < c->size; m++)
        c->k[m] -= rate * c->stage[m];
}

/* A step from `expected` to `expected`. */
static void step(drag_case *c, double dt)
{
    static const double weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6}, to[4] = {0.5, 0.5, 1, 0};
    double *y = bench_fields(&c->t, 3);
    memcpy(y, c->expected, c->size * sizeof *y);
    memcpy(c->stage, y, c->size * sizeof *y);
    for (int substep = 0; substep < 4; substep++) {
        tendency(c);
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
    drag_case c = drag_case_of(order, closure, n, physics);
    memcpy(c.expected, c.start, c.size * sizeof *c.start);
    for (int k = 0; k < PIPELINES_STEPS; k++)
        step(&c, courant / swe_model_courant(c.t.model, 1.0));
    double *fused = pipelines_steps(&c.t, SWE_PIPELINE_FUSED, courant, c.start);
    double *staged = pipelines_steps(&c.t, SWE_PIPELINE_STAGED, courant, c.start);
    pipelines_check_same(&c.t, staged, c.expected, 1e-13);
    pipelines_check_same(&c.t, fused, c.expected, 1e-13);
    for (int threads = 2; threads <= 3; threads++) {
        bench shared = bench_of_physics(order, closure, n, threads, physics);
        double *end = pipelines_steps(&shared, SWE_PIPELINE_FUSED, courant, c.start);
        CHECK_SAME_BITS(end, fused, c.size);
        free(end);
        bench_destroy(&shared);
    }
    free(fused);
    free(staged);
    drag_case_destroy(&c);
}

static void steps_have_drag(void **state)
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
        cmocka_unit_test(steps_have_drag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
