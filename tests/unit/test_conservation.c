/* Conservation by the right-hand side, energy loss of RK4, and its stability limits. */
#include "support/bench.h"

#include <string.h>

#include "grid/geometry_point.h"

static const double gravity = 9.8, depth = 0.3, radius = 2.5; /* of bench_of */

/* dy = f(P y) by the bench's pipeline. The fused one has dh as a work field. It adds dt B mean to
 * v, here with h for the mean and a weight so large that v is rounded away. */
static void find_tendency(bench *t, swe_fields y, swe_fields dy)
{
    const double weight = 0x1p60;
    const ptrdiff_t field = t->layout->field;
    double *work = t->fields.next.h, *mean = work + 2 * field;
    if (t->model->pipeline == SWE_PIPELINE_STAGED) {
        bench_rhs(t, y, dy);
        return;
    }
    t->stages->projection(t->execution, t->params, y.h);
    memcpy(dy.h, y.h, 3 * (size_t)field * sizeof *y.h);
    memcpy(mean, y.h, (size_t)field * sizeof *y.h);
    t->stages->fused(t->execution, t->params, 0, weight, 1, dy.h, work);
    for (ptrdiff_t at = 0; at < 2 * field; at++)
        dy.v1[at] /= weight;
    t->stages->fused(t->execution, t->params, 0, weight, 0, y.h, work);
    memcpy(dy.h, work, (size_t)field * sizeof *y.h);
}

static void check_mass(bench *t)
{
    const swe_fields y = t->fields.y, dy = t->fields.k;
    bench_random_state(t, y);
    find_tendency(t, y, dy);
    CHECK_CLOSE(quadrature_h(&t->q, dy.h), 0.0, 1e-14 * quadrature_absolute_h(&t->q, dy.h));
}

static void mass_does_not_change(void **state)
{
    (void)state;
    for_all_benches_and_pipelines(check_mass);
}

/* dE/dt = g <h, dh> + H0 (<F1, dv1> + <F2, dv2>), whose two parts cancel. */
static void check_energy(bench *t)
{
    const swe_fields y = t->fields.y, dy = t->fields.k;
    bench_random_state(t, y);
    find_tendency(t, y, dy);
    bench_fluxes(t, y.v1, y.v2);
    const double potential = gravity * quadrature_product_h(&t->q, y.h, dy.h);
    const double kinetic = depth * bench_times_fluxes(t, dy.v1, dy.v2);
    const double scale = gravity * sqrt(quadrature_product_h(&t->q, y.h, y.h) *
                                        quadrature_product_h(&t->q, dy.h, dy.h));
    assert_true(fabs(potential) > 1e-6 * scale); /* otherwise the cancellation proves nothing */
    CHECK_CLOSE(potential + kinetic, 0.0, 1e-14 * scale);
}

static void energy_does_not_change(void **state)
{
    (void)state;
    for_all_benches_and_pipelines(check_energy);
}

static void check_circulation(bench *t)
{
    const swe_fields y = t->fields.y, dy = t->fields.k;
    bench_random_state(t, y);
    find_tendency(t, y, dy);
    const double largest =
        fmax(field_max(t->layout, AT_V1, dy.v1), field_max(t->layout, AT_V2, dy.v2));
    CHECK_CLOSE(quadrature_circulation(&t->q, dy.v1, dy.v2), 0.0,
                1e-14 * largest / t->model->grid->spacing);
}

static void circulation_does_not_change(void **state)
{
    (void)state;
    for_all_benches_and_pipelines(check_circulation);
}

static void check_symmetry(bench *t)
{
    const swe_fields v = t->fields.y, w = t->fields.next;
    bench_random_state(t, v);
    bench_random_state(t, w);
    bench_fluxes(t, v.v1, v.v2);
    const double w_times_fv = bench_times_fluxes(t, w.v1, w.v2);
    const double v_times_fv = bench_times_fluxes(t, v.v1, v.v2);
    bench_fluxes(t, w.v1, w.v2);
    const double v_times_fw = bench_times_fluxes(t, v.v1, v.v2);
    CHECK_CLOSE(v_times_fw, w_times_fv, 1e-14 * v_times_fv);
}

static void flux_operator_is_symmetric(void **state)
{
    (void)state;
    for_all_benches(check_symmetry);
}

static void check_positive(bench *t)
{
    const swe_fields v = t->fields.y;
    for (int trial = 0; trial < 20; trial++) {
        bench_random_state(t, v);
        bench_fluxes(t, v.v1, v.v2);
        const double squares =
            quadrature_product_v1(&t->q, v.v1, v.v1) + quadrature_product_v2(&t->q, v.v2, v.v2);
        assert_true(bench_times_fluxes(t, v.v1, v.v2) > 0.1 * squares);
    }
}

static void kinetic_energy_of_random_velocities_is_positive(void **state)
{
    (void)state;
    for_all_benches(check_positive);
}

/* The least kinetic energy of any v, by power iteration with (shift - F). Default closures only:
 * the published one has no proof. */
static double least_kinetic_energy(bench *t)
{
    const double shift = 4.0; /* above the largest eigenvalue of F */
    const swe_work work = t->fields.work;
    const swe_fields v = t->fields.y;
    double quotient = 0.0;
    bench_random_state(t, v);
    for (int step = 0; step < 500; step++) {
        bench_fluxes(t, v.v1, v.v2);
        const double squares =
            quadrature_product_v1(&t->q, v.v1, v.v1) + quadrature_product_v2(&t->q, v.v2, v.v2);
        quotient = bench_times_fluxes(t, v.v1, v.v2) / squares;
        for (ptrdiff_t at = 0; at < t->layout->field; at++) {
            v.v1[at] = (shift * v.v1[at] - work.f1[at]) / sqrt(squares);
            v.v2[at] = (shift * v.v2[at] - work.f2[at]) / sqrt(squares);
        }
    }
    return quotient;
}

static void no_velocity_has_negative_kinetic_energy(void **state)
{
    (void)state;
    for (int order = 2; order <= 6; order += 2) {
        bench t = bench_of(order, SWE_CLOSURE_MOVED, 16);
        CHECK_WITHIN(least_kinetic_energy(&t), 0.1, 1.0);
        bench_destroy(&t);
    }
}

static double energy(const bench *t)
{
    const swe_fields y = t->fields.y;
    bench_fluxes(t, y.v1, y.v2);
    return 0.5 * gravity * quadrature_product_h(&t->q, y.h, y.h) +
           0.5 * depth * bench_times_fluxes(t, y.v1, y.v2);
}

/* A smooth hill away from the centres of the panels, at rest. */
static void set_hill(bench *t)
{
    swe_context ctx = {""};
    double *state = bench_fields(t, 3);
    const swe_grid *grid = t->model->grid;
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= t->layout->n; j++)
            for (int i = 0; i <= t->layout->n; i++) {
                double r[3];
                geometry_position(p, grid->tan_vertex[i], grid->tan_vertex[j], r);
                state[swe_at(t->layout, p, j, i)] = exp(2.0 * (r[0] + r[1] + 0.5 * r[2]));
            }
    CHECK_OK(&ctx, model_set_state(&ctx, t->model, state));
    free(state);
}

/* Relative loss of energy over a fixed time, in `steps` steps. */
static double energy_loss(int order, swe_closure closure, swe_pipeline pipeline, long steps)
{
    bench t = bench_of(order, closure, 16);
    const double time = 5.0 * radius / sqrt(gravity * depth);
    t.model->pipeline = pipeline;
    set_hill(&t);
    const double before = energy(&t);
    bench_advance(&t, time / (double)steps, steps);
    const double after = energy(&t);
    bench_destroy(&t);
    return (before - after) / before;
}

static void energy_lost_by_rk4_falls_with_the_fifth_power_of_the_step(void **state)
{
    (void)state;
    static const swe_closure closures[] = {SWE_CLOSURE_MOVED, SWE_CLOSURE_MOVED, SWE_CLOSURE_MOVED,
                                           SWE_CLOSURE_PUBLISHED};
    static const int orders[] = {2, 4, 6, 4};
    for (int k = 0; k < 4 * SWE_PIPELINES; k++) {
        const swe_pipeline pipeline = (swe_pipeline)(k / 4);
        const double coarse = energy_loss(orders[k % 4], closures[k % 4], pipeline, 100);
        const double fine = energy_loss(orders[k % 4], closures[k % 4], pipeline, 200);
        assert_true(fine > 1e-12); /* above rounding */
        CHECK_WITHIN(coarse / fine, 25.0, 40.0);
    }
}

/* Spectral radius in units of c/(a D) by power iteration: the right-hand side is antisymmetric in
 * the energy norm, so that ||f(y)|| / ||y|| increases to it. */
static double spectral_radius(int order, swe_closure closure, int n, int steps)
{
    bench t = bench_of(order, closure, n);
    swe_fields y = t.fields.y, dy = t.fields.k;
    bench_random_state(&t, y);
    t.stages->projection(t.execution, t.params, y.h);
    double before = sqrt(2.0 * energy(&t)), ratio = 0.0;
    for (int step = 0; step < steps; step++) {
        bench_rhs(&t, y, dy);
        for (ptrdiff_t at = 0; at < 3 * t.layout->field; at++)
            y.h[at] = dy.h[at] / before;
        ratio = sqrt(2.0 * energy(&t));
        before = ratio;
    }
    const double unit = sqrt(gravity * depth) / (radius * t.model->grid->spacing);
    bench_destroy(&t);
    return ratio / unit;
}

static void check_radius(int order, swe_closure closure, double expected)
{
    const double found = spectral_radius(order, closure, 16, 1500);
    CHECK_CLOSE(found, expected, 0.03);
    CHECK_WITHIN(swe_sbp_courant_limit(order, closure), 0.95 * 2.0 * sqrt(2.0) / found,
                 2.0 * sqrt(2.0) / found);
}

static void courant_limits_follow_from_the_spectral_radii(void **state)
{
    (void)state;
    check_radius(2, SWE_CLOSURE_MOVED, 3.39);
    check_radius(4, SWE_CLOSURE_EQUISPACED, 4.39);
    check_radius(6, SWE_CLOSURE_EQUISPACED, 4.52);
    check_radius(4, SWE_CLOSURE_MOVED, 5.32);
    check_radius(6, SWE_CLOSURE_MOVED, 5.33);
}

static void published_closure_is_stable_at_the_limit_of_order_4(void **state)
{
    (void)state;
    const double found = spectral_radius(4, SWE_CLOSURE_PUBLISHED, 16, 1500);
    CHECK_WITHIN(swe_sbp_courant_limit(4, SWE_CLOSURE_PUBLISHED) * found, 0.0, 2.0 * sqrt(2.0));
}

/* The radii grow with n: towards 2 sqrt 3 at order 2, the value of a uniform grid with the metric
 * of a cube vertex. */
static void courant_limits_hold_on_finer_grids(void **state)
{
    (void)state;
    for (int order = 2; order <= 6; order += 2)
        for (swe_closure closure = SWE_CLOSURE_MOVED; closure <= SWE_CLOSURE_EQUISPACED; closure++)
            CHECK_WITHIN(swe_sbp_courant_limit(order, closure) *
                             spectral_radius(order, closure, 64, 500),
                         0.0, 2.0 * sqrt(2.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_does_not_change),
        cmocka_unit_test(energy_does_not_change),
        cmocka_unit_test(circulation_does_not_change),
        cmocka_unit_test(flux_operator_is_symmetric),
        cmocka_unit_test(kinetic_energy_of_random_velocities_is_positive),
        cmocka_unit_test(no_velocity_has_negative_kinetic_energy),
        cmocka_unit_test(energy_lost_by_rk4_falls_with_the_fifth_power_of_the_step),
        cmocka_unit_test(courant_limits_follow_from_the_spectral_radii),
        cmocka_unit_test(published_closure_is_stable_at_the_limit_of_order_4),
        cmocka_unit_test(courant_limits_hold_on_finer_grids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
