/* Conditions that abort a nonlinear run, and their messages. */
#include "support/rotational.h"

#include <stdio.h>

#include "diagnostics/limits.h"

static void check_stop(const bench *t, double dt, const char *what, swe_extreme place)
{
    swe_context ctx = {""};
    swe_integrals found;
    char where[64];
    CHECK_OK(&ctx, swe_integrals_measure(&ctx, t->model, &found));
    assert_int_equal(swe_limits_check(&ctx, t->model, &found, dt, 12), SWE_INTERNAL);
    snprintf(where, sizeof where, "at step 12 (panel %d, j %d, i %d)", place.panel, place.j,
             place.i);
    assert_non_null(strstr(ctx.message, where));
    assert_non_null(strstr(ctx.message, what));
}

/* With viscosity of h whose limit is dt, too, half of the step is allowed. */
static void check_viscosity_of_h(const bench *t, const swe_integrals *found, double dt)
{
    swe_context ctx = {""};
    swe_physics *physics = &t->model->physics;
    physics->viscosity = 1.0;
    physics->viscosity_order = 2;
    physics->viscosity = swe_physics_viscosity_limit(physics, t->model->grid->spacing,
                                                     swe_sbp_courant_limit(4, SWE_CLOSURE_MOVED)) /
                         dt;
    CHECK_OK(&ctx, swe_limits_check(&ctx, t->model, found, 0.999 * dt, 12));
    physics->viscosity_of_h = true;
    CHECK_OK(&ctx, swe_limits_check(&ctx, t->model, found, 0.499 * dt, 12));
    check_stop(t, 0.501 * dt, "Courant number", found->fastest);
    physics->viscosity_of_h = false;
}

/* A depth that is not positive, a velocity that is not finite, a flow too fast for its time step.
 */
static void a_nonlinear_run_is_aborted_at_its_limits(void **state)
{
    (void)state;
    bench t = rotational_bench(4, 13);
    swe_context ctx = {""};
    double *start = rotational_state(&t);
    swe_integrals found;
    CHECK_OK(&ctx, model_set_state(&ctx, t.model, start));
    CHECK_OK(&ctx, swe_integrals_measure(&ctx, t.model, &found));
    const double limit = swe_sbp_courant_limit(4, SWE_CLOSURE_MOVED);
    const double dt = limit / swe_limits_flow_courant(t.model, &found, 1.0);
    CHECK_OK(&ctx, swe_limits_check(&ctx, t.model, &found, 0.999 * dt, 12));
    check_stop(&t, 1.001 * dt, "Courant number", found.fastest);
    check_viscosity_of_h(&t, &found, dt);
    const swe_extreme place = {0.0, 3, 7, 6};
    const ptrdiff_t point = swe_at(t.layout, 3, 7, 6);
    for (int k = 0; k < 2; k++) {
        t.fields.y.h[point] = k == 0 ? 0.0 : -0.5;
        check_stop(&t, dt, k == 0 ? "depth is 0 m" : "depth is -0.5 m", place);
    }
    t.fields.y.h[point] = NAN;
    check_stop(&t, dt, "h is not finite", place);
    t.fields.y.h[point] = 2.0;
    t.fields.y.v1[point] =
        NAN; /* the first vertex whose stencil reads it is one before, in the same row */
    check_stop(&t, dt, "velocity is not finite", (swe_extreme){0.0, 3, 7, 5});
    free(start);
    bench_destroy(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_nonlinear_run_is_aborted_at_its_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
