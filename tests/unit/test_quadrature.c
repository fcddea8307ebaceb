/* The reference integrals: values and accuracy. */
#include "support/check.h"

#include "base/memory.h"
#include "support/quadrature.h"
#include "base/sum.h"
#include "grid/geometry_point.h"
#include "stages/stages.h"
#include "support/field.h"

#include <stdlib.h>

static const double pi = 3.14159265358979323846;
static const double radius = 2.5;

/* A grid, its quadrature and memory for three fields. */
typedef struct bench {
    swe_grid *grid;
    const swe_sbp *sbp;
    quadrature q;
    double *a, *b, *c;
} bench;

static bench bench_of(int order, int n)
{
    swe_context ctx = {""};
    bench t = {0};
    CHECK_OK(&ctx, swe_sbp_find(&ctx, order, SWE_CLOSURE_MOVED, n, &t.sbp));
    CHECK_OK(&ctx,
             swe_grid_create(&ctx, n, swe_sbp_points(order, SWE_CLOSURE_MOVED), radius, &t.grid));
    CHECK_OK(&ctx, quadrature_create(&ctx, t.grid, t.sbp, &t.q));
    const size_t field = (size_t)t.grid->layout.field;
    CHECK_OK(&ctx, swe_memory_doubles(&ctx, 3 * field, &t.a));
    t.b = t.a + field;
    t.c = t.b + field;
    return t;
}

static void bench_destroy(bench *t)
{
    quadrature_destroy(&t->q);
    swe_grid_destroy(&t->grid);
    free(t->a);
}

/* A function of the Cartesian position at all vertices. */
static void fill(const bench *t, double (*f)(const double r[3]), double *out)
{
    const swe_layout *layout = &t->grid->layout;
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= layout->n; j++)
            for (int i = 0; i <= layout->n; i++) {
                double r[3];
                geometry_position(p, t->grid->tan_vertex[i], t->grid->tan_vertex[j], r);
                out[swe_at(layout, p, j, i)] = f(r);
            }
}

static double one(const double r[3])
{
    (void)r;
    return 1.0;
}

static double odd(const double r[3])
{
    return r[0] + 2.0 * r[1] - r[2];
}

static double z(const double r[3])
{
    return r[2];
}

static double square(const double r[3])
{
    return r[0] * r[0];
}

static double quartic(const double r[3])
{
    return 15.0 * r[0] * r[0] * r[1] * r[1];
}

static double smooth(const double r[3])
{
    return exp(r[0] + 0.5 * r[1]) + r[2] * r[2];
}

static void integrals_of_polynomials_are_those_of_the_sphere(void **state)
{
    (void)state;
    const double area = 4.0 * pi * radius * radius;
    static const double tolerance[] = {0, 0, 4e-3, 0, 2e-5, 0, 5e-6}; /* at n = 24, by order */
    for (int order = 2; order <= 6; order += 2) {
        bench t = bench_of(order, 24);
        const double within = tolerance[order] * area;
        fill(&t, one, t.a);
        CHECK_CLOSE(quadrature_h(&t.q, t.a), area, within);
        fill(&t, square, t.a);
        CHECK_CLOSE(quadrature_h(&t.q, t.a), area / 3.0, within);
        CHECK_CLOSE(quadrature_product_h(&t.q, t.a, t.a), area / 5.0, within);
        fill(&t, quartic, t.a);
        CHECK_CLOSE(quadrature_h(&t.q, t.a), area, within);
        bench_destroy(&t);
    }
}

static double square_error(int order, int n)
{
    bench t = bench_of(order, n);
    fill(&t, square, t.a);
    const double error = quadrature_h(&t.q, t.a) / (4.0 / 3.0 * pi * radius * radius) - 1.0;
    bench_destroy(&t);
    return fabs(error);
}

static void integrals_converge_with_the_order(void **state)
{
    (void)state;
    for (int order = 2; order <= 6; order += 2) {
        const int n = order == 4 ? 96 : 48;
        CHECK_WITHIN(log2(square_error(order, n) / square_error(order, 2 * n)), order - 0.4,
                     order + 0.4);
    }
}

static void odd_functions_cancel_to_rounding(void **state)
{
    (void)state;
    bench t = bench_of(4, 24);
    fill(&t, odd, t.a);
    CHECK_CLOSE(quadrature_h(&t.q, t.a), 0.0, 1e-14 * quadrature_absolute_h(&t.q, t.a));
    bench_destroy(&t);
}

static void absolute_integral_uses_the_absolute_value(void **state)
{
    (void)state;
    bench t = bench_of(2, 48);
    fill(&t, z, t.a);
    /* int |z| dA = 2 pi a^2 */
    CHECK_CLOSE(quadrature_absolute_h(&t.q, t.a), 2.0 * pi * radius * radius, 0.05);
    bench_destroy(&t);
}

static void fill_constant(const bench *t, field_place place, double value, double *f)
{
    const swe_layout *layout = &t->grid->layout;
    for (int row = 0; row < SWE_PANELS * field_rows(layout, place); row++)
        for (int i = 0; i < field_columns(layout, place); i++)
            f[field_row(layout, place, row) + i] = value;
}

static void velocity_products_measure_coordinates(void **state)
{
    (void)state;
    const double area = SWE_PANELS * 0.25 * pi * pi; /* of the six squares (xi1, xi2) */
    bench t = bench_of(6, 19);
    fill_constant(&t, AT_V1, 2.0, t.a);
    fill_constant(&t, AT_V1, 3.0, t.b);
    CHECK_CLOSE(quadrature_product_v1(&t.q, t.a, t.b), 6.0 * area, 1e-12);
    fill_constant(&t, AT_V2, -1.0, t.a);
    fill_constant(&t, AT_V2, 5.0, t.b);
    CHECK_CLOSE(quadrature_product_v2(&t.q, t.a, t.b), -5.0 * area, 1e-12);
    bench_destroy(&t);
}

/* v1 = -y/2, v2 = x/2 in the coordinates of each panel: vorticity 1. */
static void circulation_is_the_integral_of_the_vorticity(void **state)
{
    (void)state;
    bench t = bench_of(4, 17);
    const swe_layout *layout = &t.grid->layout;
    const double spacing = t.grid->spacing, *place = t.grid->place;
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= layout->n; j++)
            for (int i = 0; i <= layout->n; i++) {
                t.a[swe_at(layout, p, j, i)] = -0.5 * spacing * place[j];
                t.b[swe_at(layout, p, j, i)] = 0.5 * spacing * place[i];
            }
    CHECK_CLOSE(quadrature_circulation(&t.q, t.a, t.b), SWE_PANELS * 0.25 * pi * pi, 1e-12);
    bench_destroy(&t);
}

static void a_gradient_has_no_circulation(void **state)
{
    (void)state;
    for (int order = 2; order <= 6; order += 2) {
        bench t = bench_of(order, 16);
        const swe_params params = {.layout = t.grid->layout,
                                   .sbp = *t.sbp,
                                   .inverse_spacing = 1.0 / t.grid->spacing,
                                   .gravity = 1.0};
        const swe_execution execution = {.threads = 1};
        fill(&t, smooth, t.a);
        swe_gradient_cpu(&execution, &params, t.a, t.b, t.c);
        CHECK_CLOSE(quadrature_circulation(&t.q, t.b, t.c), 0.0, 1e-12);
        bench_destroy(&t);
    }
}

static void padding_is_not_read(void **state)
{
    (void)state;
    bench t = bench_of(6, 13);
    random_source random = {6};
    field_random(&t.grid->layout, AT_H, &random, t.a);
    memcpy(t.b, t.a, (size_t)t.grid->layout.field * sizeof(double));
    double before[3], after[3];
    before[0] = quadrature_product_h(&t.q, t.a, t.b);
    before[1] = quadrature_product_v1(&t.q, t.a, t.a);
    before[2] = quadrature_product_v2(&t.q, t.b, t.b);
    field_poison(&t.grid->layout, AT_H, SWE_PANELS, t.a);
    field_poison(&t.grid->layout, AT_H, SWE_PANELS, t.b);
    after[0] = quadrature_product_h(&t.q, t.a, t.b);
    field_poison(&t.grid->layout, AT_V1, SWE_PANELS, t.a);
    field_poison(&t.grid->layout, AT_V2, SWE_PANELS, t.b);
    after[1] = quadrature_product_v1(&t.q, t.a, t.a);
    after[2] = quadrature_product_v2(&t.q, t.b, t.b);
    CHECK_SAME_BITS(after, before, 3);
    assert_true(isfinite(quadrature_circulation(&t.q, t.a, t.b)));
    bench_destroy(&t);
}

static double sum_of(const double *terms, int count)
{
    swe_sum sum = {0.0, 0.0};
    for (int i = 0; i < count; i++)
        swe_sum_add(&sum, terms[i]);
    return swe_sum_total(sum);
}

static void compensated_sum_keeps_small_terms(void **state)
{
    (void)state;
    const double small_then_large[] = {1.0, 1e16, 1.0, -1e16};
    const double large_then_small[] = {1e100, 1.0, -1e100};
    assert_true(sum_of(small_then_large, 4) == 2.0);
    assert_true(sum_of(large_then_small, 3) == 1.0);
    assert_true(sum_of(NULL, 0) == 0.0);
}

static void compensated_sum_does_not_drift_with_the_number_of_terms(void **state)
{
    (void)state;
    swe_sum sum = {0.0, 0.0};
    for (int i = 0; i < 1000000; i++)
        swe_sum_add(&sum, 0.1);
    CHECK_CLOSE(swe_sum_total(sum), 1e5, 2e-11); /* a plain sum is 1e-6 off */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrals_of_polynomials_are_those_of_the_sphere),
        cmocka_unit_test(integrals_converge_with_the_order),
        cmocka_unit_test(odd_functions_cancel_to_rounding),
        cmocka_unit_test(absolute_integral_uses_the_absolute_value),
        cmocka_unit_test(velocity_products_measure_coordinates),
        cmocka_unit_test(circulation_is_the_integral_of_the_vorticity),
        cmocka_unit_test(a_gradient_has_no_circulation),
        cmocka_unit_test(padding_is_not_read),
        cmocka_unit_test(compensated_sum_keeps_small_terms),
        cmocka_unit_test(compensated_sum_does_not_drift_with_the_number_of_terms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
