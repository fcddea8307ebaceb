/* Vorticity and divergence of exact flows: convergence, integrals, and equal values at the copies
 * of shared points; by blocks and in single precision, too. */
#include "support/case.h"

#include "base/memory.h"
#include "grid/geometry_point.h"
#include "stages/stages.h"
#include "state/host_fields.h"
#include "support/field.h"
#include "support/quadrature.h"
#include "support/whole_state.h"

#include <stdlib.h>

/* A model, and fields on its grid. */
typedef struct bench {
    swe_model *model;
    const swe_grid *grid;
    quadrature q;
    double *state, *v1, *v2, *out, *expected, *difference;
} bench;

static bench bench_with(const swe_model_options *options)
{
    swe_context ctx = {""};
    bench t = {0};
    CHECK_OK(&ctx, swe_model_create(&ctx, options, &t.model));
    t.grid = t.model->grid;
    CHECK_OK(&ctx, quadrature_create(&ctx, t.grid, t.model->sbp, &t.q));
    const size_t field = (size_t)t.grid->layout.field;
    CHECK_OK(&ctx, swe_memory_doubles(&ctx, 6 * field, &t.state));
    t.v1 = t.state + field;
    t.v2 = t.v1 + field;
    t.out = t.v2 + field;
    t.expected = t.out + field;
    t.difference = t.expected + field;
    for (size_t k = 0; k < field; k++)
        t.state[k] = 1000.0;
    return t;
}

static swe_model_options options_of(int order, int n)
{
    return (swe_model_options){.n = n,
                               .order = order,
                               .physics = case_physics(SWE_NONLINEAR, 1e4, 30.0, 50.0),
                               .pipeline = SWE_PIPELINE_FUSED,
                               .backend = "cpu",
                               .threads = 2};
}

static bench bench_of(int order, int n)
{
    const swe_model_options options = options_of(order, n);
    return bench_with(&options);
}

/* From v1 and v2 to `out`. */
static void derive(const bench *t, swe_derivative derivative)
{
    swe_context ctx = {""};
    swe_host_fields *f = NULL;
    CHECK_OK(&ctx, model_set_state(&ctx, t->model, t->state));
    CHECK_OK(&ctx, swe_host_fields_create(&ctx, t->model, 1, &f));
    CHECK_OK(&ctx, swe_host_fields_derive(&ctx, f, 0, derivative));
    const whole_fields whole = {t->grid->layout, t->out};
    copy_panels(swe_host_fields_panels(f), 1, &whole, false);
    swe_host_fields_destroy(&f);
}

static void bench_destroy(bench *t)
{
    quadrature_destroy(&t->q);
    swe_model_destroy(&t->model);
    free(t->state);
}

/* A flow relative to a tilted axis e: solid-body rotation, with vorticity 2 u0/a e.r; or the
 * gradient of a u0 e.r, with divergence -2 u0/a e.r. */
static const double u0 = 40.0, axis[3] = {0.6, -0.48, 0.64};

static void rotational(const double r[3], double u[3])
{
    swe_solid_body(axis, u0, r, u);
}

static void converging(const double r[3], double u[3])
{
    for (int k = 0; k < 3; k++)
        u[k] = u0 * (axis[k] - swe_dot(axis, r) * r[k]);
}

/* Covariant components of a Cartesian velocity at a point of a panel. */
static void covariant(double x, double y, int panel, void (*flow)(const double r[3], double u[3]),
                      double v[2])
{
    double r[3], u[3], basis[2][3];
    geometry_position(panel, x, y, r);
    flow(r, u);
    for (int m = 0; m < 2; m++) { /* the direction m is dr/dxi^m, by the chain rule */
        const double t = m == 0 ? x : y, scale = case_earth.radius * (1.0 + t * t);
        double w[3];
        geometry_from_frame(panel, 0.0, m == 0, m == 1, w);
        for (int k = 0; k < 3; k++)
            basis[m][k] = scale / sqrt(geometry_delta2(x, y)) * (w[k] - swe_dot(w, r) * r[k]);
        v[m] = swe_dot(u, basis[m]);
    }
}

static void set_flow(const bench *t, void (*flow)(const double r[3], double u[3]), double of_axis)
{
    const swe_layout *layout = &t->grid->layout;
    const int n = layout->n;
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= n; j++)
            for (int i = 0; i <= n; i++) {
                const double x = t->grid->tan_vertex[i], y = t->grid->tan_vertex[j];
                const ptrdiff_t at = swe_at(layout, p, j, i);
                double v[2], r[3];
                geometry_position(p, x, y, r);
                t->expected[at] = of_axis * u0 / case_earth.radius * swe_dot(axis, r);
                if (i < n) {
                    covariant(t->grid->tan_cell[i], y, p, flow, v);
                    t->v1[at] = v[0];
                }
                if (j < n) {
                    covariant(x, t->grid->tan_cell[j], p, flow, v);
                    t->v2[at] = v[1];
                }
            }
}

/* Root mean square error, in units of u0/a. */
static double error_of(const bench *t)
{
    for (ptrdiff_t k = 0; k < t->grid->layout.field; k++)
        t->difference[k] = t->out[k] - t->expected[k];
    return sqrt(quadrature_product_h(&t->q, t->difference, t->difference) / (4.0 * SWE_PI)) / u0;
}

static double error_at(int order, int n, swe_derivative derivative,
                       void (*flow)(const double r[3], double u[3]), double of_axis)
{
    bench t = bench_of(order, n);
    set_flow(&t, flow, of_axis);
    derive(&t, derivative);
    const double error = error_of(&t);
    bench_destroy(&t);
    return error;
}

/* l2 errors. The closures at panel edges determine the rates; the rates of the divergence are lower
 * because an extrapolated flux is differenced. */
static const double vorticity_rates[] = {1.4, 2.3, 3.1}, divergence_rates[] = {0.9, 1.3, 2.2};

static void check_convergence(swe_derivative derivative,
                              void (*flow)(const double r[3], double u[3]), double of_axis,
                              const double rate[])
{
    for (int order = 2; order <= 6; order += 2) {
        const double coarse = error_at(order, 24, derivative, flow, of_axis);
        const double fine = error_at(order, 48, derivative, flow, of_axis);
        CHECK_WITHIN(fine, 0.0, 2e-2);
        CHECK_WITHIN(log2(coarse / fine), rate[order / 2 - 1], 10.0);
    }
}

static void vorticity_of_a_solid_body_converges(void **state)
{
    (void)state;
    check_convergence(SWE_VORTICITY, rotational, 2.0, vorticity_rates);
}

static void a_potential_flow_has_no_vorticity(void **state)
{
    (void)state;
    check_convergence(SWE_VORTICITY, converging, 0.0, vorticity_rates);
}

static void divergence_of_a_flow_to_a_pole_converges(void **state)
{
    (void)state;
    check_convergence(SWE_DIVERGENCE, converging, -2.0, divergence_rates);
}

static void a_solid_body_has_no_divergence(void **state)
{
    (void)state;
    check_convergence(SWE_DIVERGENCE, rotational, 0.0, divergence_rates);
}

static const swe_derivative derivatives[] = {SWE_VORTICITY, SWE_DIVERGENCE};

/* For any velocity whose tangential component agrees along panel edges: the jet of galewsky, about
 * any axis. */
static void both_integrate_to_zero(void **state)
{
    (void)state;
    const swe_initial initial = {.kind = SWE_INITIAL_GALEWSKY};
    const swe_physics physics = case_physics(SWE_NONLINEAR, 1e4, 30.0, 50.0);
    swe_case *jet = case_of(&initial, &physics);
    for (int order = 2; order <= 6; order += 2) {
        bench t = bench_of(order, 16);
        case_velocities(jet, t.grid, 0.0, t.v1, t.v2);
        for (int k = 0; k < 2; k++) {
            derive(&t, derivatives[k]);
            const double whole = quadrature_absolute_h(&t.q, t.out);
            assert_true(whole > 0.0);
            CHECK_CLOSE(quadrature_h(&t.q, t.out), 0.0, 1e-14 * whole);
        }
        bench_destroy(&t);
    }
    swe_case_destroy(&jet);
}

/* For any velocity, another projection changes no bit. */
static void a_shared_point_has_one_value(void **state)
{
    (void)state;
    bench t = bench_of(4, 12);
    random_source random = {1};
    const swe_layout layout = t.grid->layout;
    field_random(&layout, AT_V1, &random, t.v1);
    field_random(&layout, AT_V2, &random, t.v2);
    const swe_params params = {.layout = layout, .topology = t.grid->topology};
    const swe_execution execution = {.threads = 1};
    for (int k = 0; k < 2; k++) {
        derive(&t, derivatives[k]);
        memcpy(t.expected, t.out, (size_t)layout.field * sizeof(double));
        swe_stages_cpu.projection(&execution, &params, t.expected);
        field_check_same_bits(&layout, AT_H, t.out, t.expected);
    }
    bench_destroy(&t);
}

/* Blocks, the flow, its pipeline, and what a step leaves in the scratch change no bit. */
static void every_model_derives_the_same(void **state)
{
    (void)state;
    swe_context ctx = {""};
    const swe_model_options first = options_of(4, 24);
    swe_model_options others[4] = {first, first, first, first};
    others[0].pipeline = SWE_PIPELINE_STAGED;
    others[1].blocks_1 = 1;
    others[1].blocks_2 = 2;
    others[2].physics.equations = SWE_LINEAR;
    others[3].physics.equations = SWE_LINEAR;
    others[3].physics.rotation = 0.0;
    for (int k = 0; k < 2; k++)
        for (int m = 0; m < 4; m++) {
            bench a = bench_with(&first), b = bench_with(&others[m]);
            set_flow(&a, converging, 0.0);
            set_flow(&b, converging, 0.0);
            CHECK_OK(&ctx, model_set_state(&ctx, b.model, b.state));
            CHECK_OK(&ctx, swe_model_advance(&ctx, b.model, 10.0, 1));
            derive(&a, derivatives[k]);
            derive(&b, derivatives[k]);
            field_check_same_bits(&a.grid->layout, AT_H, a.out, b.out);
            bench_destroy(&a);
            bench_destroy(&b);
        }
}

/* As accurate as differences of 32-bit values, n/(pi/2) of them a radian, can be. */
static void single_precision_derives_them(void **state)
{
    (void)state;
    swe_model_options options = options_of(4, 24);
    options.precision = SWE_PRECISION_SINGLE;
    for (int k = 0; k < 2; k++) {
        bench a = bench_of(4, 24), b = bench_with(&options);
        set_flow(&a, k == 0 ? rotational : converging, 0.0);
        set_flow(&b, k == 0 ? rotational : converging, 0.0);
        derive(&a, derivatives[k]);
        derive(&b, derivatives[k]);
        memcpy(b.expected, a.out, (size_t)a.grid->layout.field * sizeof(double));
        const double error = error_of(&b);
        assert_true(error > 1e-9);
        CHECK_WITHIN(error, 0.0, 1e-5);
        bench_destroy(&a);
        bench_destroy(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_derives_the_same),
        cmocka_unit_test(single_precision_derives_them),
        cmocka_unit_test(vorticity_of_a_solid_body_converges),
        cmocka_unit_test(a_potential_flow_has_no_vorticity),
        cmocka_unit_test(divergence_of_a_flow_to_a_pole_converges),
        cmocka_unit_test(a_solid_body_has_no_divergence),
        cmocka_unit_test(both_integrate_to_zero),
        cmocka_unit_test(a_shared_point_has_one_value),
    };
    return cmocka_run_group_tests_name("vorticity and divergence", tests, NULL, NULL);
}
