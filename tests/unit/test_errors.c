/* Errors against an exact field: normalisation, propagation of NaN, and independence of threads and
 * blocks. */
#include "support/check.h"

#include "base/memory.h"
#include "cases/frame.h"
#include "cases/kind.h"
#include "diagnostics/areas.h"
#include "diagnostics/errors.h"
#include "grid/geometry_point.h"
#include "support/field.h"
#include "support/quadrature.h"
#include "support/random.h"

#include <stdlib.h>

enum { N = 13 };

/* A grid and the fields of a comparison. */
typedef struct bench {
    swe_grid *grid;
    quadrature q;
    swe_comparison comparison;
    double *h, *exact, *difference;
} bench;

static bench bench_of(void)
{
    swe_context ctx = {""};
    bench t = {0};
    const swe_sbp *sbp = NULL;
    CHECK_OK(&ctx, swe_sbp_find(&ctx, 4, SWE_CLOSURE_MOVED, N, &sbp));
    CHECK_OK(&ctx, swe_grid_create(&ctx, N, swe_sbp_points(4, SWE_CLOSURE_MOVED), 2.0, &t.grid));
    CHECK_OK(&ctx, quadrature_create(&ctx, t.grid, sbp, &t.q));
    t.comparison = (swe_comparison){.grid = t.grid, .sbp = sbp};
    const size_t field = (size_t)t.grid->layout.field;
    CHECK_OK(&ctx, swe_memory_doubles(&ctx, 3 * field, &t.h));
    t.exact = t.h + field;
    t.difference = t.exact + field;
    return t;
}

static void bench_destroy(bench *t)
{
    quadrature_destroy(&t->q);
    swe_grid_destroy(&t->grid);
    free(t->h);
}

/* Add row j of a panel of errors and of exact values. */
static void add_row(const bench *t, int p, int j, const double *error, const double *exact,
                    swe_error_sums *sums)
{
    double areas[N + 1], row[SWE_ERROR_ROW];
    const ptrdiff_t at = swe_at(&t->grid->layout, p, j, 0);
    swe_areas_row(t->grid, t->comparison.sbp, j, areas);
    swe_errors_sum_row(N + 1, areas, error + at, exact + at, row);
    swe_errors_add_row(row, sums);
}

static swe_errors measure(const bench *t)
{
    swe_error_sums sums = {.error_most = 0.0};
    for (ptrdiff_t k = 0; k < t->grid->layout.field; k++)
        t->difference[k] = t->h[k] - t->exact[k];
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= N; j++)
            add_row(t, p, j, t->difference, t->exact, &sums);
    return swe_errors_of(&sums, N);
}

/* Compare v1 and v2, f[0] and f[1], with f[2] and f[3], which become the differences. The speed is
 * f[4]; f[5] becomes the lengths. */
static swe_velocity_errors measure_velocity(const bench *t, double *const f[6])
{
    const swe_layout *layout = &t->grid->layout;
    swe_error_sums sums = {.error_most = 0.0};
    for (ptrdiff_t k = 0; k < layout->field; k++) {
        f[2][k] = f[0][k] - f[2][k];
        f[3][k] = f[1][k] - f[3][k];
    }
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= N; j++) {
            const ptrdiff_t at = swe_at(layout, p, j, 0);
            swe_errors_length_row(&t->comparison, p, j, f[2] + at, f[3] + at, f[5] + at);
            add_row(t, p, j, f[5], f[4], &sums);
        }
    return swe_velocity_errors_of(&sums);
}

/* exact = `constant` + x, h = factor exact + offset, x the Cartesian coordinate. */
static void fill(const bench *t, double constant, double slope, double factor, double offset)
{
    const swe_layout *layout = &t->grid->layout;
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= N; j++)
            for (int i = 0; i <= N; i++) {
                double r[3];
                geometry_position(p, t->grid->tan_vertex[i], t->grid->tan_vertex[j], r);
                const ptrdiff_t at = swe_at(layout, p, j, i);
                t->exact[at] = constant + slope * r[0];
                t->h[at] = factor * t->exact[at] + offset;
            }
}

static void the_exact_field_has_no_error(void **state)
{
    (void)state;
    bench t = bench_of();
    fill(&t, 0.1, 1.0, 1.0, 0.0);
    const swe_errors e = measure(&t);
    assert_true(e.l1 == 0.0 && e.l2 == 0.0 && e.linf == 0.0);
    assert_true(e.l2_abs == 0.0 && e.linf_abs == 0.0 && e.rms == 0.0);
    bench_destroy(&t);
}

static void a_constant_offset_is_found_in_every_norm(void **state)
{
    (void)state;
    bench t = bench_of();
    fill(&t, 2.0, 0.0, 1.0, -0.5);
    const double area = quadrature_h(&t.q, t.exact) / 2.0;
    const swe_errors e = measure(&t);
    CHECK_CLOSE(e.l1, 0.25, 1e-14);
    CHECK_CLOSE(e.l2, 0.25, 1e-14);
    CHECK_CLOSE(e.linf, 0.25, 1e-14);
    CHECK_CLOSE(e.linf_abs, 0.5, 1e-14);
    CHECK_CLOSE(e.rms, 0.5, 1e-14);
    CHECK_CLOSE(e.l2_abs, 0.5 * sqrt(area), 1e-13);
    bench_destroy(&t);
}

static void a_relative_error_is_normalised_by_the_exact_field(void **state)
{
    (void)state;
    bench t = bench_of();
    fill(&t, 0.0, 7.0, 1.03, 0.0);
    const swe_errors e = measure(&t);
    CHECK_CLOSE(e.l1, 0.03, 1e-14);
    CHECK_CLOSE(e.l2, 0.03, 1e-14);
    CHECK_CLOSE(e.linf, 0.03, 1e-14);
    bench_destroy(&t);
}

/* h = 0 against x: the norms of x, by their own integrals. */
static void norms_of_a_known_field(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    bench t = bench_of();
    fill(&t, 0.0, 1.0, 0.0, 0.0);
    const swe_errors e = measure(&t);
    double squares = 0.0, largest = 0.0;
    const swe_layout *layout = &t.grid->layout;
    for (int row = 0; row < SWE_PANELS * (N + 1); row++)
        for (int i = 0; i <= N; i++) {
            const double x = t.exact[swe_at(layout, row / (N + 1), row % (N + 1), i)];
            squares += x * x;
            largest = fmax(largest, fabs(x));
        }
    CHECK_CLOSE(e.l1, 1.0, 1e-14);
    CHECK_CLOSE(e.l2, 1.0, 1e-14);
    CHECK_CLOSE(e.linf, 1.0, 1e-14);
    CHECK_CLOSE(e.linf_abs, largest, 0.0);
    CHECK_CLOSE(e.rms, sqrt(squares / (6.0 * (N + 1) * (N + 1))), 1e-14);
    CHECK_CLOSE(e.l2_abs, sqrt(4.0 / 3.0 * pi * 4.0), 1e-3); /* int x^2 dA, a = 2 */
    bench_destroy(&t);
}

static void one_wrong_point_is_the_largest_error(void **state)
{
    (void)state;
    bench t = bench_of();
    fill(&t, 4.0, 0.0, 1.0, 0.0);
    t.h[swe_at(&t.grid->layout, 5, N, N)] = 1.0;
    const swe_errors e = measure(&t);
    CHECK_CLOSE(e.linf_abs, 3.0, 0.0);
    CHECK_CLOSE(e.linf, 0.75, 1e-15);
    CHECK_CLOSE(e.rms, sqrt(9.0 / (6.0 * (N + 1) * (N + 1))), 1e-15);
    bench_destroy(&t);
}

static void check_not_finite(const bench *t, double *f, int panel, int j, int i, double bad)
{
    fill(t, 1.0, 0.5, 1.1, 0.0);
    f[swe_at(&t->grid->layout, panel, j, i)] = bad;
    const swe_errors e = measure(t);
    assert_false(isfinite(e.l1));
    assert_false(isfinite(e.l2));
    assert_false(isfinite(e.linf));
    assert_false(isfinite(e.l2_abs));
    assert_false(isfinite(e.linf_abs));
    assert_false(isfinite(e.rms));
}

static void a_value_that_is_not_finite_shows_in_every_norm(void **state)
{
    (void)state;
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    bench t = bench_of();
    for (int k = 0; k < 3; k++) {
        check_not_finite(&t, t.h, 0, 0, 0, bad[k]);
        check_not_finite(&t, t.h, 0, 0, 1, bad[k]);
        check_not_finite(&t, t.h, 2, 6, 7, bad[k]);
        check_not_finite(&t, t.h, 5, N, N, bad[k]);
    }
    check_not_finite(&t, t.exact, 3, 2, 1, NAN);
    bench_destroy(&t);
}

static void padding_is_not_read(void **state)
{
    (void)state;
    bench t = bench_of();
    fill(&t, 1.0, 0.5, 1.1, 0.0);
    const swe_errors before = measure(&t);
    field_poison(&t.grid->layout, AT_H, SWE_PANELS, t.h);
    field_poison(&t.grid->layout, AT_H, SWE_PANELS, t.exact);
    const swe_errors after = measure(&t);
    assert_memory_equal(&before, &after, sizeof before);
    bench_destroy(&t);
}

/* v1, v2 of a solid-body rotation about an axis, and its speed at vertices. */
static void fill_velocity(const bench *t, const double axis[3], double *v1, double *v2,
                          double *speed)
{
    const swe_layout *layout = &t->grid->layout;
    const double *vertex = t->grid->tan_vertex, *cell = t->grid->tan_cell;
    for (int row = 0; row < SWE_PANELS * (N + 1); row++)
        for (int i = 0; i <= N; i++) {
            const int p = row / (N + 1), j = row % (N + 1);
            const ptrdiff_t at = swe_at(layout, p, j, i);
            double r[3], u[3];
            if (i < N) {
                geometry_position(p, cell[i], vertex[j], r);
                swe_solid_body(axis, 3.0, r, u);
                v1[at] = geometry_covariant1(2.0, p, cell[i], vertex[j], u);
            }
            if (j < N) {
                geometry_position(p, vertex[i], cell[j], r);
                swe_solid_body(axis, 3.0, r, u);
                v2[at] = geometry_covariant2(2.0, p, vertex[i], cell[j], u);
            }
            geometry_position(p, vertex[i], vertex[j], r);
            swe_solid_body(axis, 3.0, r, u);
            speed[at] = sqrt(swe_dot(u, u));
        }
}

/* Memory for v1, v2, d1, d2, speed and length. */
static double *velocity_room(const bench *t, double *f[6])
{
    swe_context ctx = {""};
    const size_t field = (size_t)t->grid->layout.field;
    double *room = NULL;
    CHECK_OK(&ctx, swe_memory_doubles(&ctx, 6 * field, &room));
    for (int k = 0; k < 6; k++)
        f[k] = room + (size_t)k * field;
    return room;
}

/* Solid-body rotations about two axes: their difference is a solid-body rotation about the
 * difference of the axes, with its length times the speed. */
static void errors_of_velocity_are_those_of_the_vector(void **state)
{
    (void)state;
    const double a[3] = {0.0, 0.6, 0.8}, b[3] = {0.0, 0.62, 0.784}, c[3] = {0.0, -0.02, 0.016};
    const double ratio = sqrt(swe_dot(c, c) / swe_dot(b, b));
    bench t = bench_of();
    double *f[6];
    double *room = velocity_room(&t, f);
    swe_velocity_errors e;
    fill_velocity(&t, a, f[0], f[1], f[4]);
    fill_velocity(&t, b, f[2], f[3], f[4]);
    e = measure_velocity(&t, f);
    CHECK_CLOSE(e.l1, ratio, 1e-3 * ratio); /* the norms are as accurate as the operators */
    CHECK_CLOSE(e.l2, ratio, 1e-3 * ratio);
    CHECK_CLOSE(e.linf, ratio, 1e-2 * ratio);
    CHECK_CLOSE(e.linf_abs, 3.0 * ratio * sqrt(swe_dot(b, b)), 1e-2 * ratio * 3.0);
    free(room);
    bench_destroy(&t);
}

static void a_velocity_that_is_right_has_no_error(void **state)
{
    (void)state;
    const double a[3] = {0.0, 0.6, 0.8};
    bench t = bench_of();
    double *f[6];
    double *room = velocity_room(&t, f);
    swe_velocity_errors e;
    fill_velocity(&t, a, f[0], f[1], f[4]);
    fill_velocity(&t, a, f[2], f[3], f[4]);
    e = measure_velocity(&t, f);
    assert_true(e.l1 == 0.0 && e.l2 == 0.0 && e.linf == 0.0 && e.linf_abs == 0.0);
    f[0][swe_at(&t.grid->layout, 4, 6, 7)] = NAN;
    fill_velocity(&t, a, f[2], f[3], f[4]);
    e = measure_velocity(&t, f);
    assert_true(isnan(e.l1) && isnan(e.l2) && isnan(e.linf) && isnan(e.linf_abs));
    free(room);
    bench_destroy(&t);
}

/* Relative errors are undefined for a reference at rest. */
static void a_reference_at_rest_leaves_the_largest_error(void **state)
{
    (void)state;
    const double a[3] = {0.0, 0.6, 0.8}, none[3] = {0.0, 0.0, 0.0};
    bench t = bench_of();
    double *f[6];
    double *room = velocity_room(&t, f);
    swe_velocity_errors e;
    fill_velocity(&t, a, f[0], f[1], f[4]);
    fill_velocity(&t, none, f[2], f[3], f[4]);
    e = measure_velocity(&t, f);
    assert_true(isnan(e.l1) && isnan(e.l2) && isnan(e.linf));
    CHECK_CLOSE(e.linf_abs, 3.0, 2e-2);
    free(room);
    bench_destroy(&t);
}

/* Rows with factors of 2^-100 to 2^99: their sums depend on the order of rows even with
 * compensation. The reference is x, and a velocity about the polar axis. */
static double x_of(const swe_case *c, double t, const double r[3])
{
    (void)c, (void)t;
    return r[0];
}

static void spin_of(const swe_case *c, double t, const double r[3], double u[3])
{
    static const double axis[3] = {0.0, 0.0, 1.0};
    (void)c, (void)t;
    swe_solid_body(axis, 1.0, r, u);
}

static void fill_wildly(const swe_model *model, swe_host_fields *state, double *room)
{
    const swe_layout *layout = &model->grid->layout;
    random_source random = {5};
    for (int k = 0; k < SWE_FLOW_FIELDS; k++)
        for (int p = 0; p < SWE_PANELS; p++) {
            for (ptrdiff_t at = 0; at < layout->panel; at++)
                room[at] = random_next(&random) *
                           exp2((double)((at + p * layout->panel) / layout->pitch % 200) - 100.0);
            swe_panels_set(swe_host_fields_panels(state), k, p, room);
        }
}

/* Errors of a wild state on a model of blocks and threads. */
static void measure_wild(int blocks, int threads, swe_errors *errors, swe_velocity_errors *velocity)
{
    static const swe_case_kind kind = {.name = "test", .height = x_of, .velocity = spin_of};
    swe_context ctx = {""};
    const swe_model_options options = {.n = 48,
                                       .order = 6,
                                       .physics = {.gravity = 1.0, .depth = 1.0, .radius = 1.0},
                                       .blocks_1 = blocks,
                                       .blocks_2 = blocks,
                                       .backend = "cpu",
                                       .threads = threads};
    swe_model *model = NULL;
    swe_host_fields *state = NULL;
    swe_case *test_case = NULL;
    double *room = NULL;
    CHECK_OK(&ctx, swe_model_create(&ctx, &options, &model));
    CHECK_OK(&ctx, swe_host_fields_create(&ctx, model, SWE_FLOW_FIELDS, &state));
    CHECK_OK(&ctx, swe_memory_doubles(&ctx, (size_t)model->grid->layout.panel, &room));
    CHECK_OK(&ctx, swe_case_of_kind(&ctx, &kind, &test_case));
    fill_wildly(model, state, room);
    const swe_comparison comparison = {test_case, model->grid, model->sbp, threads, true};
    CHECK_OK(&ctx, swe_comparison_measure(&ctx, &comparison, 0.0, state, errors, velocity));
    swe_case_destroy(&test_case);
    free(room);
    swe_host_fields_destroy(&state);
    swe_model_destroy(&model);
}

static void threads_and_blocks_change_no_bit(void **state)
{
    (void)state;
    swe_errors one, found;
    swe_velocity_errors one_velocity, found_velocity;
    measure_wild(1, 1, &one, &one_velocity);
    assert_true(one.l2 > 1.0 && one_velocity.l2 > 1.0);
    for (int blocks = 1; blocks <= 2; blocks++)
        for (int threads = 1; threads <= 3; threads++) {
            measure_wild(blocks, threads, &found, &found_velocity);
            CHECK_SAME_BITS((const double *)&found, (const double *)&one, 6);
            CHECK_SAME_BITS((const double *)&found_velocity, (const double *)&one_velocity, 4);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exact_field_has_no_error),
        cmocka_unit_test(a_constant_offset_is_found_in_every_norm),
        cmocka_unit_test(a_relative_error_is_normalised_by_the_exact_field),
        cmocka_unit_test(norms_of_a_known_field),
        cmocka_unit_test(one_wrong_point_is_the_largest_error),
        cmocka_unit_test(a_value_that_is_not_finite_shows_in_every_norm),
        cmocka_unit_test(padding_is_not_read),
        cmocka_unit_test(threads_and_blocks_change_no_bit),
        cmocka_unit_test(errors_of_velocity_are_those_of_the_vector),
        cmocka_unit_test(a_velocity_that_is_right_has_no_error),
        cmocka_unit_test(a_reference_at_rest_leaves_the_largest_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
