/* Viscosity: its operator is symmetric in the product of the energy and takes energy from every
 * flow; eigenfunctions of the sphere decay at their rates, at the order of the operators. */
#include "grid/geometry_point.h"
#include "support/bench.h"
#include "support/tracer.h"

#define SPHERE .gravity = 9.8, .depth = 2.0, .radius = 2.5, .viscosity = 0.03

static const swe_physics flows[] = {{SPHERE, .viscosity_order = 2},
                                    {SPHERE, .viscosity_order = 4},
                                    {SPHERE, .viscosity_order = 2, .equations = SWE_NONLINEAR},
                                    {SPHERE, .viscosity_order = 4, .equations = SWE_NONLINEAR}};
enum { FLOWS = sizeof flows / sizeof *flows };

/* The tendency of a state by viscosity alone; release with free(). */
static double *tendency_of(const bench *t, double *state)
{
    double *out = bench_fields(t, 3);
    t->stages->viscosity(t->execution, t->params, 0, 1.0, &t->fields.work, state, out);
    return out;
}

/* <V, F(v)> of the velocities of two states, with h of the second. */
static double product(const bench *t, const double *a, const double *b)
{
    const ptrdiff_t field = t->layout->field;
    bench_fluxes_of(t, b, b + field, b + 2 * field);
    return bench_times_fluxes(t, a + field, a + 2 * field);
}

static void check_energy(int order, swe_closure closure, int n, const swe_physics *physics)
{
    bench t = bench_of_physics(order, closure, n, 1, physics);
    const size_t field = (size_t)t.layout->field;
    double *a = bench_fields(&t, 3), *b = bench_fields(&t, 3);
    bench_random_state(&t, swe_fields_at(t.layout, a));
    bench_random_state(&t, swe_fields_at(t.layout, b));
    for (size_t m = 0; m < field; m++)
        a[m] = 2.0 + 0.1 * a[m];
    t.stages->projection(t.execution, t.params, a);
    memcpy(b, a, field * sizeof *a);
    double *of_a = tendency_of(&t, a), *of_b = tendency_of(&t, b);
    const double ab = product(&t, of_a, b), ba = product(&t, of_b, a), aa = product(&t, of_a, a);
    assert_true(aa < 0.0);
    assert_true(fabs(ab - ba) < 1e-13 * -aa);
    assert_true(fabs(ab) > 1e-6 * -aa);
    free(a);
    free(b);
    free(of_a);
    free(of_b);
    bench_destroy(&t);
}

static void it_is_symmetric_and_takes_energy(void **state)
{
    (void)state;
    for (int flow = 0; flow < FLOWS; flow++)
        for (int order = 2; order <= 6; order += 2) {
            check_energy(order, SWE_CLOSURE_MOVED, 14, &flows[flow]);
            check_energy(order, SWE_CLOSURE_EQUISPACED, 23, &flows[flow]);
        }
}

/* The gradient of xyz at a point r of the unit sphere, as is; or turned, r x it. Both are
 * eigenfunctions of grad div - curl curl, with the eigenvalue -12. */
static void gradient_of_xyz(bool is_turned, const real r[3], real u[3])
{
    const real three = 3 * r[0] * r[1] * r[2];
    const real g[3] = {r[1] * r[2] - three * r[0], r[2] * r[0] - three * r[1],
                       r[0] * r[1] - three * r[2]};
    for (int k = 0; k < 3; k++) {
        const int next = (k + 1) % 3, last = (k + 2) % 3;
        u[k] = is_turned ? r[next] * g[last] - r[last] * g[next] : g[k];
    }
}

static double velocity_at(const swe_grid *grid, bool is_turned, int k, int panel, int j, int i)
{
    const real x = k == 1 ? grid->tan_cell[i] : grid->tan_vertex[i],
               y = k == 2 ? grid->tan_cell[j] : grid->tan_vertex[j];
    real r[3], u[3];
    geometry_position(panel, x, y, r);
    gradient_of_xyz(is_turned, r, u);
    return k == 1 ? geometry_covariant1(grid->radius, panel, x, y, u)
                  : geometry_covariant2(grid->radius, panel, x, y, u);
}

static void fill(const bench *t, bool is_turned, double h, double *state)
{
    const swe_grid *grid = t->model->grid;
    const int n = t->layout->n;
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int j = 0; j <= n; j++)
            for (int i = 0; i <= n; i++) {
                const ptrdiff_t at = swe_at(t->layout, panel, j, i), field = t->layout->field;
                state[at] = h;
                if (i < n)
                    state[field + at] = velocity_at(grid, is_turned, 1, panel, j, i);
                if (j < n)
                    state[2 * field + at] = velocity_at(grid, is_turned, 2, panel, j, i);
            }
}

/* The error of the decay over `life` mean lives, without gravity, in the norm of the energy and
 * relative to the decay. */
static double error_of_decay(int order, int n, bool is_turned, double life, const swe_physics *of)
{
    swe_physics physics = *of;
    physics.gravity = 1e-30;
    bench t = bench_of_physics(order, SWE_CLOSURE_MOVED, n, 1, &physics);
    double *start = bench_fields(&t, 3), *end = bench_fields(&t, 3);
    fill(&t, is_turned, physics.equations == SWE_LINEAR ? 0.0 : 2.0, start);
    for (ptrdiff_t m = t.layout->field; m < 3 * t.layout->field; m++)
        start[m] *= 1e-6; /* so that products of velocities do not count */
    swe_context ctx = {""};
    CHECK_OK(&ctx, model_set_state(&ctx, t.model, start));
    const double rate = physics.viscosity *
                        pow(12.0 / (physics.radius * physics.radius), physics.viscosity_order / 2);
    const double limit =
        0.5 * swe_physics_viscosity_limit(&physics, t.model->grid->spacing,
                                          swe_sbp_courant_limit(order, SWE_CLOSURE_MOVED));
    const long steps = (long)ceil(life / rate / limit);
    bench_advance(&t, life / rate / (double)steps, steps);
    CHECK_OK(&ctx, model_get_state(&ctx, t.model, end));
    for (ptrdiff_t m = t.layout->field; m < 3 * t.layout->field; m++)
        end[m] -= exp(-life) * start[m];
    memcpy(start, end, (size_t)t.layout->field * sizeof *end); /* h is equal */
    const double error = sqrt(product(&t, end, end) / product(&t, start, start));
    free(start);
    free(end);
    bench_destroy(&t);
    return error / (1.0 - exp(-life));
}

static void eigenfunctions_decay(void **state)
{
    (void)state;
    static const double rate[] = {0.9, 2.3, 3.7}; /* Pcv and Pvc at panel edges have less order */
    for (int order = 2; order <= 6; order += 2)
        for (int is_turned = 1; is_turned >= 0; is_turned--) {
            const double coarse = error_of_decay(order, 16, is_turned, 0.5, &flows[0]),
                         fine = error_of_decay(order, 32, is_turned, 0.5, &flows[0]);
            print_message("order %d, %s: %.2e %.2e\n", order, is_turned ? "turned" : "gradient",
                          coarse, fine);
            assert_true(log2(coarse / fine) > rate[order / 2 - 1]);
        }
    for (int flow = 1; flow < FLOWS; flow++) {
        const double error = error_of_decay(4, 16, true, 0.01, &flows[flow]);
        print_message("flow %d: %.2e\n", flow, error);
        assert_true(error < 0.1);
    }
}

/* ---- h and a tracer -------------------------------------------------------------------------- */

static const swe_field_set *fields_with_a_constant_tracer(void)
{
    static swe_field field[SWE_FLOW_FIELDS + 1];
    static const swe_field_set set = {SWE_FLOW_FIELDS + 1, field};
    memcpy(field, fields_with_a_tracer()->field, sizeof field);
    field[SWE_FLOW_FIELDS].decay = field[SWE_FLOW_FIELDS].source = 0.0;
    return &set;
}

static bench bench_of_scalars(int order, int n, const swe_physics *of)
{
    swe_physics physics = *of;
    physics.equations = SWE_NONLINEAR;
    physics.gravity = 1e-30;
    physics.viscosity_of_h = physics.viscosity_of_tracers = true;
    return bench_of_fields(order, SWE_CLOSURE_MOVED, n, 1, &physics,
                           fields_with_a_constant_tracer());
}

/* From rough scalars over a rough bottom: the integrals of h and q stay, and the integral of
 * h c^2 falls. */
static void check_scalars(int order, const swe_physics *of)
{
    bench t = bench_of_scalars(order, 14, of);
    const ptrdiff_t field = t.layout->field;
    double *bottom = bench_fields(&t, 1), *state = bench_fields(&t, 4), *q = state + 3 * field;
    field_random(t.layout, AT_H, &t.random, bottom);
    field_random(t.layout, AT_H, &t.random, state);
    field_random(t.layout, AT_H, &t.random, q);
    for (ptrdiff_t m = 0; m < field; m++)
        state[m] = 2.0 + 0.1 * state[m];
    swe_context ctx = {""};
    CHECK_OK(&ctx, set_whole(&ctx, t.model, 1, bottom, SWE_BOTTOM));
    t.stages->projection(t.execution, t.params, state);
    t.stages->projection(t.execution, t.params, q);
    double *out = bench_fields(&t, 4), *one = bench_fields(&t, 1), *c = bench_fields(&t, 1);
    t.stages->viscosity(t.execution, t.params, 0, 1.0, &t.fields.work, state, out);
    for (ptrdiff_t m = 0; m < field; m++) {
        one[m] = 1.0;
        c[m] = q[m] / state[m];
    }
    for (int k = 0; k < 4; k += 3) {
        const double *change = out + k * field,
                     size = sqrt(quadrature_product_h(&t.q, change, change));
        assert_true(size > 1e-3);
        assert_true(fabs(quadrature_product_h(&t.q, change, one)) < 1e-13 * size * 80.0);
    }
    assert_true(quadrature_product_h(&t.q, out + 3 * field, c) < 0.0);
    free(bottom);
    free(state);
    free(out);
    free(one);
    free(c);
    bench_destroy(&t);
}

static void scalars_keep_their_integrals(void **state)
{
    (void)state;
    for (int order = 2; order <= 6; order += 2)
        for (int of = 0; of < 2; of++)
            check_scalars(order, &flows[of]);
}

/* The error of the decay of h - 2 and of c over `life` mean lives, where both are xyz at first. */
static void error_of_scalars(int order, int n, double life, const swe_physics *of, double error[2])
{
    bench t = bench_of_scalars(order, n, of);
    const swe_grid *grid = t.model->grid;
    const ptrdiff_t field = t.layout->field;
    double *start = bench_fields(&t, 4), *end = bench_fields(&t, 4);
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int j = 0; j <= n; j++)
            for (int i = 0; i <= n; i++) {
                const ptrdiff_t at = swe_at(t.layout, panel, j, i);
                real r[3];
                geometry_position(panel, grid->tan_vertex[i], grid->tan_vertex[j], r);
                start[at] = 2.0 + 1e-8 * r[0] * r[1] * r[2];
                start[3 * field + at] = start[at] * r[0] * r[1] * r[2];
            }
    swe_context ctx = {""};
    CHECK_OK(&ctx, model_set_state(&ctx, t.model, start));
    const swe_physics *physics = &t.params->physics;
    const double rate = physics->viscosity * pow(12.0 / (physics->radius * physics->radius),
                                                 physics->viscosity_order / 2);
    const double limit =
        0.5 * swe_physics_viscosity_limit(physics, grid->spacing,
                                          swe_sbp_courant_limit(order, SWE_CLOSURE_MOVED));
    const long steps = (long)ceil(life / rate / limit);
    bench_advance(&t, life / rate / (double)steps, steps);
    CHECK_OK(&ctx, model_get_state(&ctx, t.model, end));
    for (int scalar = 0; scalar < 2; scalar++) {
        double *a = start, *b = end;
        for (ptrdiff_t m = 0; m < field; m++) {
            const double before = scalar == 0 ? a[m] - 2.0 : a[m + 3 * field] / a[m];
            const double after = scalar == 0 ? b[m] - 2.0 : b[m + 3 * field] / b[m];
            t.fields.work.slope1[m] = before;
            t.fields.work.slope2[m] = after - exp(-life) * before;
        }
        const double *before = t.fields.work.slope1, *wrong = t.fields.work.slope2;
        error[scalar] = sqrt(quadrature_product_h(&t.q, wrong, wrong) /
                             quadrature_product_h(&t.q, before, before)) /
                        (1.0 - exp(-life));
    }
    free(start);
    free(end);
    bench_destroy(&t);
}

static void scalars_decay(void **state)
{
    (void)state;
    static const double rate[] = {1.8, 3.6, 4.6};
    for (int order = 2; order <= 6; order += 2) {
        double coarse[2], fine[2];
        error_of_scalars(order, 16, 0.5, &flows[0], coarse);
        error_of_scalars(order, 32, 0.5, &flows[0], fine);
        for (int k = 0; k < 2; k++) {
            print_message("order %d, %s: %.2e %.2e\n", order, k == 0 ? "h" : "c", coarse[k],
                          fine[k]);
            assert_true(log2(coarse[k] / fine[k]) > rate[order / 2 - 1]);
        }
    }
    double error[2];
    error_of_scalars(4, 16, 0.01, &flows[1], error);
    print_message("of order 4: %.2e %.2e\n", error[0], error[1]);
    assert_true(error[0] < 0.01 && error[1] < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_symmetric_and_takes_energy), cmocka_unit_test(eigenfunctions_decay),
        cmocka_unit_test(scalars_keep_their_integrals), cmocka_unit_test(scalars_decay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
