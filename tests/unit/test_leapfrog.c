/* Leapfrog of order 4 in time: h obeys its modified equation, computed here by the staged
 * right-hand side. h and v converge to RK4 of short steps at order 4. The largest stable time step
 * is sqrt(12/8) times the one of RK4. */
#include "support/bench.h"

static const swe_physics physics = {
    .gravity = 9.8, .depth = 0.3, .radius = 2.5, .time = SWE_TIME_LEAPFROG4};

typedef struct leap {
    bench t;
    size_t field;
    double *start; /* a state */
} leap;

static leap leap_of(int order, swe_closure closure, int n)
{
    leap l = {.t = bench_of_physics(order, closure, n, 1, &physics)};
    l.field = (size_t)l.t.layout->field;
    l.start = bench_fields(&l.t, 3);
    bench_random_state(&l.t, swe_fields_at(l.t.layout, l.start));
    return l;
}

static void leap_destroy(leap *l)
{
    free(l->start);
    bench_destroy(&l->t);
}

static void begin(leap *l, swe_pipeline pipeline)
{
    swe_context ctx = {""};
    l->t.model->pipeline = pipeline;
    CHECK_OK(&ctx, model_set_state(&ctx, l->t.model, l->start));
}

static double time_step(const leap *l, double courant)
{
    return courant / swe_model_courant(l->t.model, 1.0);
}

/* g = A B h */
static void apply_twice(const leap *l, const double *h, double *g)
{
    double *memory = bench_fields(&l->t, 9);
    const swe_fields at = swe_fields_at(l->t.layout, memory),
                     slope = swe_fields_at(l->t.layout, memory + 3 * l->field),
                     out = swe_fields_at(l->t.layout, memory + 6 * l->field);
    memcpy(at.h, h, l->field * sizeof *h);
    bench_rhs(&l->t, at, slope);
    memset(slope.h, 0, l->field * sizeof *h);
    bench_rhs(&l->t, slope, out);
    memcpy(g, out.h, l->field * sizeof *h);
    free(memory);
}

static void check_equation(bench *from)
{
    enum { STEPS = 5 };
    leap l = leap_of(from->params->sbp.order, from->model->closure, from->layout->n);
    const double dt = time_step(&l, 0.3), *y = l.t.fields.y.h;
    double *h = bench_fields(&l.t, STEPS), *g = bench_fields(&l.t, 1), *gg = bench_fields(&l.t, 1);
    begin(&l, SWE_PIPELINE_FUSED);
    for (int k = 0; k < STEPS; k++) {
        memcpy(h + (size_t)k * l.field, y, l.field * sizeof *y);
        bench_advance(&l.t, dt, 1);
    }
    for (int k = 1; k + 1 < STEPS; k++) {
        const double *now = h + (size_t)k * l.field, *before = now - l.field,
                     *after = now + l.field;
        apply_twice(&l, now, g);
        apply_twice(&l, g, gg);
        for (size_t m = 0; m < l.field; m++)
            gg[m] = after[m] - 2.0 * now[m] + before[m] - dt * dt * (g[m] + dt * dt / 12.0 * gg[m]);
        assert_true(field_max(l.t.layout, AT_H, gg) < 1e-13 * field_max(l.t.layout, AT_H, now));
    }
    free(h);
    free(g);
    free(gg);
    leap_destroy(&l);
}

static void h_obeys_the_modified_equation(void **state)
{
    (void)state;
    for_all_benches(check_equation);
}

/* The state after `steps` steps until a time, into `out`. */
static void run(leap *l, swe_pipeline pipeline, double time, int steps, double *out)
{
    swe_context ctx = {""};
    begin(l, pipeline);
    CHECK_OK(&ctx, swe_model_advance(&ctx, l->t.model, time / steps, steps));
    CHECK_OK(&ctx, model_get_state(&ctx, l->t.model, out));
}

static double distance(const double *a, const double *b, size_t count)
{
    double most = 0.0;
    for (size_t k = 0; k < count; k++)
        most = fmax(most, fabs(a[k] - b[k]));
    return most;
}

static void h_and_v_converge_at_order_4(void **state)
{
    (void)state;
    for (int order = 2; order <= 6; order += 2) {
        enum { STEPS = 40 };
        leap l = leap_of(order, SWE_CLOSURE_MOVED, 15);
        const double time = STEPS * time_step(&l, 0.1);
        double *exact = bench_fields(&l.t, 3), *coarse = bench_fields(&l.t, 3),
               *fine = bench_fields(&l.t, 3);
        run(&l, SWE_PIPELINE_STAGED, time, 16 * STEPS, exact);
        run(&l, SWE_PIPELINE_FUSED, time, STEPS, coarse);
        run(&l, SWE_PIPELINE_FUSED, time, 2 * STEPS, fine);
        for (size_t k = 0; k < 3; k++) {
            const size_t at = k * l.field;
            const double ratio = distance(coarse + at, exact + at, l.field) /
                                 distance(fine + at, exact + at, l.field);
            assert_in_range((int)ratio, 13, 19);
        }
        free(exact);
        free(coarse);
        free(fine);
        leap_destroy(&l);
    }
}

/* Growth of random h in some steps, at a part of the largest stable Courant number. */
static double growth(int order, swe_closure closure, double part, int steps)
{
    leap l = leap_of(order, closure, 15);
    double *end = bench_fields(&l.t, 3);
    const double limit = sqrt(1.5) * swe_sbp_courant_limit(order, closure);
    run(&l, SWE_PIPELINE_FUSED, steps * time_step(&l, part * limit), steps, end);
    const double grown = field_max(l.t.layout, AT_H, end) / field_max(l.t.layout, AT_H, l.start);
    free(end);
    leap_destroy(&l);
    return grown;
}

static void the_limit_of_the_time_step_is_stable(void **state)
{
    (void)state;
    for (int order = 2; order <= 6; order += 2)
        for (int closure = 0; closure <= SWE_CLOSURE_PUBLISHED; closure++)
            if (closure != SWE_CLOSURE_PUBLISHED || order == 4) {
                assert_true(growth(order, (swe_closure)closure, 1.0, 1000) < 10.0);
                assert_true(growth(order, (swe_closure)closure, 1.1, 100) > 1e6);
            }
}

/* Steps of another length continue from v of the state. */
static void the_time_step_may_change(void **state)
{
    (void)state;
    leap l = leap_of(4, SWE_CLOSURE_MOVED, 15);
    swe_context ctx = {""};
    const double dt = time_step(&l, 0.05);
    double *exact = bench_fields(&l.t, 3), *found = bench_fields(&l.t, 3);
    run(&l, SWE_PIPELINE_STAGED, 30 * dt, 120, exact);
    begin(&l, SWE_PIPELINE_FUSED);
    CHECK_OK(&ctx, swe_model_advance(&ctx, l.t.model, dt, 21));
    CHECK_OK(&ctx, swe_model_advance(&ctx, l.t.model, dt / 2.0, 18));
    CHECK_OK(&ctx, model_get_state(&ctx, l.t.model, found));
    for (int k = 0; k < 3; k++) {
        const size_t at = (size_t)k * l.field;
        assert_true(distance(found + at, exact + at, l.field) <
                    1e-4 * field_max(l.t.layout, (field_place)k, exact + at));
    }
    free(exact);
    free(found);
    leap_destroy(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(h_obeys_the_modified_equation),
        cmocka_unit_test(h_and_v_converge_at_order_4),
        cmocka_unit_test(the_limit_of_the_time_step_is_stable),
        cmocka_unit_test(the_time_step_may_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
