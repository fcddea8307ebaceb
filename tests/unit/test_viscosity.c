/* Viscosity: its operator is symmetric in the product of the energy and takes energy from every
 * flow; eigenfunctions of the sphere decay at their rates, at the order of the operators. */
#include "grid/geometry_point.h"
#include "support/bench.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_symmetric_and_takes_energy),
                                       cmocka_unit_test(eigenfunctions_decay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
