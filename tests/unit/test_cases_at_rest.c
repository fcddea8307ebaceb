/* The cases that start at rest: Legendre sums, the pulse and the standing wave, each compared with
 * properties that do not follow from its implementation. */
#include "support/case.h"

#include "base/memory.h"
#include "cases/case.h"
#include "cases/legendre.h"
#include "support/quadrature.h"
#include "grid/geometry_point.h"

#include <stdlib.h>

static const double pi = 3.14159265358979323846;
static const double no_time = 1e-300; /* at which the series is summed */
static const swe_physics unit_physics = {.gravity = 1.0, .depth = 1.0, .radius = 1.0};
static const swe_physics other_physics = {.gravity = 9.8, .depth = 3.0, .radius = 2.5};

/* A grid, its quadrature at order 6 and memory for two fields. */
typedef struct bench {
    swe_grid *grid;
    quadrature q;
    double *h, *other;
} bench;

static bench bench_of(int n, const swe_physics *physics)
{
    swe_context ctx = {""};
    bench t = {0};
    const swe_sbp *sbp = NULL;
    CHECK_OK(&ctx, swe_sbp_find(&ctx, 6, SWE_CLOSURE_MOVED, n, &sbp));
    CHECK_OK(&ctx, swe_grid_create(&ctx, n, swe_sbp_points(6, SWE_CLOSURE_MOVED), physics->radius,
                                   &t.grid));
    CHECK_OK(&ctx, quadrature_create(&ctx, t.grid, sbp, &t.q));
    CHECK_OK(&ctx, swe_memory_doubles(&ctx, 2 * (size_t)t.grid->layout.field, &t.h));
    t.other = t.h + t.grid->layout.field;
    return t;
}

static void bench_destroy(bench *t)
{
    quadrature_destroy(&t->q);
    swe_grid_destroy(&t->grid);
    free(t->h);
}

static swe_case *case_at_rest(swe_initial initial, const swe_physics *physics)
{
    return case_of(&initial, physics);
}

static swe_initial pulse_at(double lon, double lat, double width)
{
    return (swe_initial){
        .kind = SWE_INITIAL_GAUSSIAN, .lon = lon, .lat = lat, .amplitude = 0.01, .width = width};
}

static swe_initial wave_of(int degree, double lon, double lat, double angle)
{
    return (swe_initial){.kind = SWE_INITIAL_STANDING_WAVE,
                         .lon = lon,
                         .lat = lat,
                         .amplitude = 0.3,
                         .degree = degree,
                         .angle = angle};
}

static void axis_of(const swe_initial *initial, double axis[3])
{
    const double lon = initial->lon * pi / 180.0, lat = initial->lat * pi / 180.0;
    axis[0] = cos(lat) * cos(lon);
    axis[1] = cos(lat) * sin(lon);
    axis[2] = sin(lat);
}

static double legendre(int degree, double x)
{
    double coefficients[64] = {0.0}, value = 0.0;
    coefficients[degree] = 1.0;
    swe_legendre_series(degree, coefficients, 1, &x, &value);
    return value;
}

/* P_degree(axis . r) at all vertices. */
static void zonal_harmonic(const bench *t, const double axis[3], int degree, double *out)
{
    const swe_layout *layout = &t->grid->layout;
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= layout->n; j++)
            for (int i = 0; i <= layout->n; i++) {
                double r[3];
                geometry_position(p, t->grid->tan_vertex[i], t->grid->tan_vertex[j], r);
                const double x = axis[0] * r[0] + axis[1] * r[1] + axis[2] * r[2];
                out[swe_at(layout, p, j, i)] = legendre(degree, x);
            }
}

static void check_rule(int count)
{
    static double nodes[1000], weights[1000];
    swe_legendre_rule(count, nodes, weights);
    for (int i = 1; i < count; i++)
        assert_true(nodes[i] > nodes[i - 1]);
    for (int degree = 0; degree < 2 * count && degree < 60; degree++) {
        double sum = 0.0;
        for (int i = 0; i < count; i++)
            sum += weights[i] * pow(nodes[i], degree);
        CHECK_CLOSE(sum, degree % 2 == 0 ? 2.0 / (degree + 1) : 0.0, 1e-13);
    }
}

static void gauss_rule_integrates_polynomials(void **state)
{
    (void)state;
    static const int counts[] = {1, 2, 3, 8, 25, 600, 999};
    for (int k = 0; k < 7; k++)
        check_rule(counts[k]);
}

static void gauss_rule_does_not_integrate_one_degree_more(void **state)
{
    (void)state;
    double nodes[4], weights[4], sum = 0.0;
    swe_legendre_rule(4, nodes, weights);
    for (int i = 0; i < 4; i++)
        sum += weights[i] * pow(nodes[i], 8);
    assert_true(fabs(sum - 2.0 / 9.0) > 1e-3);
}

static double polynomial(double x)
{
    const double p2 = (3.0 * x * x - 1.0) / 2.0, p3 = (5.0 * x * x * x - 3.0 * x) / 2.0;
    return 2.0 - x + 4.0 * p2 + 0.5 * p3;
}

/* Counts that are and are not whole batches, also in place. */
static void legendre_series_sums_polynomials(void **state)
{
    (void)state;
    const double coefficients[] = {2.0, -1.0, 4.0, 0.5};
    for (int count = 1; count <= 130; count += 43) {
        double x[130], out[130];
        for (int i = 0; i < count; i++)
            x[i] = -1.0 + 2.0 * i / 129.0;
        swe_legendre_series(3, coefficients, count, x, out);
        for (int i = 0; i < count; i++)
            CHECK_CLOSE(out[i], polynomial(x[i]), 1e-13);
        swe_legendre_series(3, coefficients, count, x, x);
        CHECK_SAME_BITS(x, out, count);
    }
    double constant = 0.0;
    swe_legendre_series(0, coefficients, 1, &(double){0.3}, &constant);
    assert_true(constant == 2.0);
}

static void check_pulse_starts(const bench *t, double lon, double lat, double width,
                               double tolerance)
{
    swe_case *test_case = case_at_rest(pulse_at(lon, lat, width), &unit_physics);
    case_heights(test_case, t->grid, no_time, t->h);
    case_heights(test_case, t->grid, 0.0, t->other);
    const int n = t->grid->layout.n;
    for (int row = 0; row < SWE_PANELS * (n + 1); row++)
        for (int i = 0; i <= n; i++) {
            const ptrdiff_t at = swe_at(&t->grid->layout, row / (n + 1), row % (n + 1), i);
            CHECK_CLOSE(t->h[at], t->other[at], tolerance * 0.01);
        }
    swe_case_destroy(&test_case);
    assert_null(test_case);
}

static void pulse_series_starts_as_its_closed_form(void **state)
{
    (void)state;
    /* at the ends of the allowed widths the outermost Gauss weights, and the kink of the pulse
     * opposite its centre, cost two digits */
    static const double widths[] = {1e-3, 1.0 / 16.0, 0.18, 0.3, 1e-4, 0.5};
    bench t = bench_of(16, &unit_physics);
    for (int k = 0; k < 6; k++) {
        const double tolerance = k < 4 ? 1e-11 : 1e-9;
        check_pulse_starts(&t, 0.0, 90.0, widths[k], tolerance);          /* panel centre */
        check_pulse_starts(&t, 45.0, 0.0, widths[k], tolerance);          /* edge */
        check_pulse_starts(&t, 45.0, 35.264389683, widths[k], tolerance); /* cube vertex */
        check_pulse_starts(&t, -123.4, -23.7, widths[k], tolerance);      /* nowhere special */
    }
    bench_destroy(&t);
}

static void pulse_closed_form_is_the_gaussian_of_the_distance(void **state)
{
    (void)state;
    bench t = bench_of(16, &unit_physics);
    swe_case *test_case = case_at_rest(pulse_at(0.0, 0.0, 0.18), &unit_physics);
    case_heights(test_case, t.grid, 0.0, t.h);
    /* the centre of panel 0, the middle of its east edge, the centre of panel 1 */
    CHECK_CLOSE(t.h[swe_at(&t.grid->layout, 0, 8, 8)], 0.01, 1e-17);
    CHECK_CLOSE(t.h[swe_at(&t.grid->layout, 0, 8, 16)], 0.01 * exp(-pi * pi / 16.0 / 0.18), 1e-16);
    CHECK_CLOSE(t.h[swe_at(&t.grid->layout, 1, 8, 8)], 0.01 * exp(-pi * pi / 4.0 / 0.18), 1e-16);
    swe_case_destroy(&test_case);
    bench_destroy(&t);
}

static void pulse_keeps_its_mass(void **state)
{
    (void)state;
    bench t = bench_of(48, &other_physics);
    swe_case *test_case = case_at_rest(pulse_at(20.0, 30.0, 0.18), &other_physics);
    case_heights(test_case, t.grid, 0.0, t.h);
    const double mass = quadrature_h(&t.q, t.h);
    /* int exp(-theta^2/w) 2 pi sin(theta) dtheta = pi w (1 - w/6 + w^2/60 - ...) */
    const double w = 0.18, area = 2.5 * 2.5 * pi * w * (1.0 - w / 6.0 + w * w / 60.0);
    CHECK_CLOSE(mass, 0.01 * area, 1e-4 * mass);
    for (double time = 0.1; time < 5.0; time *= 2.0) {
        case_heights(test_case, t.grid, time, t.h);
        CHECK_CLOSE(quadrature_h(&t.q, t.h), mass, 1e-6 * mass);
    }
    swe_case_destroy(&test_case);
    bench_destroy(&t);
}

static double frequency(const swe_physics *p, int l)
{
    return sqrt(p->gravity * p->depth * l * (l + 1.0)) / p->radius;
}

/* Each degree of the pulse, isolated by its product with the zonal harmonic about the centre,
 * oscillates with its own frequency. */
static void every_degree_of_the_pulse_has_its_frequency(void **state)
{
    (void)state;
    const double time = 0.37;
    const swe_initial initial = pulse_at(45.0, 35.264389683, 0.18);
    bench t = bench_of(48, &other_physics);
    swe_case *test_case = case_at_rest(initial, &other_physics);
    double axis[3];
    axis_of(&initial, axis);
    for (int l = 0; l <= 5; l++) {
        zonal_harmonic(&t, axis, l, t.other);
        case_heights(test_case, t.grid, no_time, t.h);
        const double start = quadrature_product_h(&t.q, t.h, t.other);
        case_heights(test_case, t.grid, time, t.h);
        const double now = quadrature_product_h(&t.q, t.h, t.other);
        CHECK_CLOSE(now / start, cos(frequency(&other_physics, l) * time), 1e-5);
    }
    swe_case_destroy(&test_case);
    bench_destroy(&t);
}

static void standing_wave_oscillates_with_one_frequency(void **state)
{
    (void)state;
    bench t = bench_of(16, &other_physics);
    swe_case *test_case = case_at_rest(wave_of(5, 10.0, 40.0, 25.0), &other_physics);
    case_heights(test_case, t.grid, 0.0, t.other);
    for (double time = 0.2; time < 4.0; time += 0.9) {
        case_heights(test_case, t.grid, time, t.h);
        const double factor = cos(frequency(&other_physics, 5) * time);
        for (int i = 0; i <= 16; i++)
            CHECK_CLOSE(t.h[swe_at(&t.grid->layout, 3, 5, i)],
                        factor * t.other[swe_at(&t.grid->layout, 3, 5, i)], 1e-14);
    }
    case_heights(test_case, t.grid, 0.0, t.h);
    CHECK_SAME_BITS(t.h, t.other, t.grid->layout.panel);
    swe_case_destroy(&test_case);
    bench_destroy(&t);
}

/* int Re[(e . r)^l]^2 dA / a^2 = pi int sin^(2l+1) = pi * 2 * 2*4..2l / (3*5..(2l+1)). */
static double wave_norm(int l)
{
    double value = 2.0 * pi;
    for (int k = 1; k <= l; k++)
        value *= 2.0 * k / (2.0 * k + 1.0);
    return value;
}

static void standing_wave_has_the_same_norm_in_any_orientation(void **state)
{
    (void)state;
    static const double orientations[][3] = {
        {0.0, 90.0, 0.0}, {0.0, 0.0, 30.0}, {45.0, 35.3, 0.0}, {-100.0, -67.0, 211.0}};
    bench t = bench_of(48, &unit_physics);
    for (int l = 1; l <= 7; l += 2)
        for (int k = 0; k < 4; k++) {
            const double *o = orientations[k];
            swe_case *test_case = case_at_rest(wave_of(l, o[0], o[1], o[2]), &unit_physics);
            case_heights(test_case, t.grid, 0.0, t.h);
            CHECK_CLOSE(quadrature_product_h(&t.q, t.h, t.h), 0.09 * wave_norm(l),
                        2e-6 * wave_norm(l));
            swe_case_destroy(&test_case);
        }
    bench_destroy(&t);
}

/* A function is a spherical harmonic of degree l if the zonal harmonic of degree l about any point
 * c reproduces its value there: int h P_l(c . r) dA = 4 pi / (2 l + 1) h(c), and others give 0. */
static void standing_wave_is_a_harmonic_of_its_degree(void **state)
{
    (void)state;
    bench t = bench_of(48, &unit_physics);
    for (int l = 1; l <= 6; l++) {
        swe_case *test_case = case_at_rest(wave_of(l, 70.0, 20.0, 10.0), &unit_physics);
        case_heights(test_case, t.grid, 0.0, t.h);
        double c[3];
        geometry_position(2, t.grid->tan_vertex[31], t.grid->tan_vertex[11], c);
        const double value = t.h[swe_at(&t.grid->layout, 2, 11, 31)];
        for (int m = 0; m <= 7; m++) {
            zonal_harmonic(&t, c, m, t.other);
            CHECK_CLOSE(quadrature_product_h(&t.q, t.h, t.other),
                        m == l ? 4.0 * pi / (2 * l + 1) * value : 0.0, 1e-5 * 0.3);
        }
        swe_case_destroy(&test_case);
    }
    bench_destroy(&t);
}

static double wave_at_centre(const bench *t, swe_initial wave, int panel)
{
    swe_case *test_case = case_at_rest(wave, &unit_physics);
    case_heights(test_case, t->grid, 0.0, t->h);
    swe_case_destroy(&test_case);
    const int middle = t->grid->layout.n / 2;
    return t->h[swe_at(&t->grid->layout, panel, middle, middle)] / 0.3;
}

/* Before the rotation by initial.angle, (e . r)^l is 0 at (lon, lat), 1 at the point 90 degrees
 * east and i^l at the point 90 degrees north. */
static void standing_wave_lies_about_its_axis(void **state)
{
    (void)state;
    bench t = bench_of(14, &unit_physics);
    CHECK_CLOSE(wave_at_centre(&t, wave_of(2, 0.0, 0.0, 0.0), 0), 0.0, 1e-15);
    CHECK_CLOSE(wave_at_centre(&t, wave_of(2, 0.0, 0.0, 0.0), 1), 1.0, 1e-15);
    CHECK_CLOSE(wave_at_centre(&t, wave_of(2, 0.0, 0.0, 0.0), 4), -1.0, 1e-15);
    CHECK_CLOSE(wave_at_centre(&t, wave_of(1, 0.0, 0.0, 90.0), 4), 1.0, 1e-15);
    CHECK_CLOSE(wave_at_centre(&t, wave_of(1, 0.0, 90.0, 0.0), 1), 1.0, 1e-15);
    CHECK_CLOSE(wave_at_centre(&t, wave_of(1, 90.0, 0.0, 0.0), 2), 1.0, 1e-15);
    wave_at_centre(&t, wave_of(1, 45.0, 35.264389682754654, 33.0), 0);
    CHECK_CLOSE(t.h[swe_at(&t.grid->layout, 0, 14, 14)], 0.0, 1e-15); /* a cube vertex */
    bench_destroy(&t);
}

static void a_state_from_a_file_is_not_a_case(void **state)
{
    (void)state;
    swe_context ctx = {""};
    const swe_initial initial = {.kind = SWE_INITIAL_FILE};
    swe_case *test_case = NULL;
    assert_int_equal(swe_case_create(&ctx, &initial, &unit_physics, &test_case), SWE_INTERNAL);
    assert_string_not_equal(ctx.message, "");
    assert_null(test_case);
    swe_case_destroy(&test_case);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gauss_rule_integrates_polynomials),
        cmocka_unit_test(gauss_rule_does_not_integrate_one_degree_more),
        cmocka_unit_test(legendre_series_sums_polynomials),
        cmocka_unit_test(pulse_series_starts_as_its_closed_form),
        cmocka_unit_test(pulse_closed_form_is_the_gaussian_of_the_distance),
        cmocka_unit_test(pulse_keeps_its_mass),
        cmocka_unit_test(every_degree_of_the_pulse_has_its_frequency),
        cmocka_unit_test(standing_wave_oscillates_with_one_frequency),
        cmocka_unit_test(standing_wave_has_the_same_norm_in_any_orientation),
        cmocka_unit_test(standing_wave_is_a_harmonic_of_its_degree),
        cmocka_unit_test(standing_wave_lies_about_its_axis),
        cmocka_unit_test(a_state_from_a_file_is_not_a_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
