/* The cases: published values, orientation relative to the grid, refused combinations. */
#include "support/case.h"

#include "base/memory.h"
#include "support/quadrature.h"
#include "grid/geometry_point.h"
#include "support/field.h"

#include <stdlib.h>

static double height(const swe_case *c, double lon, double lat)
{
    double r[3];
    case_point(lon, lat, r);
    return swe_case_height_at(c, 0.0, r);
}

static double bottom(const swe_case *c, double lon, double lat)
{
    double r[3];
    case_point(lon, lat, r);
    return swe_case_bottom_at(c, r);
}

/* Zonal velocity. */
static double zonal(const swe_case *c, double lon, double lat)
{
    double r[3], u[3];
    const swe_frame frame = swe_frame_about(lon, lat);
    case_point(lon, lat, r);
    swe_case_velocity_at(c, 0.0, r, u);
    return swe_dot(u, frame.e2);
}

static swe_case *standard(swe_initial_kind kind, double depth)
{
    const swe_initial initial = {
        .kind = kind, .period = 1036800.0, .angle = 45.0, .wavenumber = 4, .perturbed = true};
    const swe_physics p = case_physics(SWE_NONLINEAR, depth, 0.0, 90.0);
    return case_of(&initial, &p);
}

static void williamson2_as_published(void **state)
{
    (void)state;
    const double u0 = 2.0 * SWE_PI * 6.37122e6 / (12.0 * 86400.0);
    swe_case *c = standard(SWE_INITIAL_WILLIAMSON2, 2.94e4 / 9.80616);
    CHECK_CLOSE(zonal(c, 77.0, 0.0), u0, 1e-12);
    CHECK_CLOSE(zonal(c, 77.0, 60.0), 0.5 * u0, 1e-12);
    CHECK_CLOSE(9.80616 * height(c, -3.0, 0.0), 2.94e4, 1e-10);
    CHECK_CLOSE(height(c, 0.0, 90.0), height(c, 50.0, -90.0), 1e-11);
    CHECK_CLOSE(height(c, 0.0, 90.0),
                (2.94e4 - (6.37122e6 * 7.292e-5 * u0 + 0.5 * u0 * u0)) / 9.80616, 1e-10);
    assert_false(swe_case_has_bottom(c));
    swe_case_destroy(&c);
}

/* Equations 91, 93 and 95: the rotated flow in longitude and latitude of the grid. */
static void williamson2_rotated_is_that_of_the_paper(void **state)
{
    (void)state;
    const double alpha = swe_radians(45.0), u0 = 2.0 * SWE_PI * 6.37122e6 / (12.0 * 86400.0);
    const swe_initial initial = {.kind = SWE_INITIAL_WILLIAMSON2, .period = 1036800.0};
    const swe_physics p = case_physics(SWE_NONLINEAR, 2.94e4 / 9.80616, 180.0, 45.0);
    swe_case *c = case_of(&initial, &p);
    for (double lon = -170.0; lon < 180.0; lon += 50.0)
        for (double lat = -80.0; lat < 90.0; lat += 40.0) {
            const double x = swe_radians(lon), y = swe_radians(lat);
            const double s = -cos(x) * cos(y) * sin(alpha) + sin(y) * cos(alpha);
            CHECK_CLOSE(zonal(c, lon, lat),
                        u0 * (cos(y) * cos(alpha) + cos(x) * sin(y) * sin(alpha)), 1e-12);
            CHECK_CLOSE(9.80616 * height(c, lon, lat),
                        2.94e4 - (6.37122e6 * 7.292e-5 * u0 + 0.5 * u0 * u0) * s * s, 1e-9);
        }
    swe_case_destroy(&c);
}

static void williamson5_as_published(void **state)
{
    (void)state;
    swe_case *c = standard(SWE_INITIAL_WILLIAMSON5, 5960.0);
    CHECK_CLOSE(bottom(c, 270.0, 30.0), 2000.0, 1e-9);
    CHECK_CLOSE(bottom(c, -90.0, 40.0), 1000.0, 1e-9);
    CHECK_CLOSE(bottom(c, -80.0, 30.0), 1000.0, 1e-9);
    assert_true(bottom(c, -90.0, 50.1) == 0.0 && bottom(c, -111.0, 30.0) == 0.0);
    CHECK_CLOSE(zonal(c, 10.0, 0.0), 20.0, 1e-12);
    CHECK_CLOSE(height(c, 0.0, 0.0), 5960.0, 1e-9);
    CHECK_CLOSE(height(c, -90.0, 30.0) + 2000.0, height(c, 90.0, 30.0), 1e-9);
    swe_case_destroy(&c);
}

/* Jet of about 100 m/s, depth between the values that published pictures show. */
static void williamson6_as_published(void **state)
{
    (void)state;
    swe_case *c = standard(SWE_INITIAL_WILLIAMSON6, 8000.0);
    CHECK_CLOSE(height(c, 20.0, 90.0), 8000.0, 1e-9);
    CHECK_CLOSE(height(c, 10.0, 25.0), height(c, 100.0, 25.0), 1e-9); /* wavenumber 4 */
    CHECK_CLOSE(height(c, 10.0, 25.0), height(c, 80.0, -25.0), 1e-9);
    CHECK_CLOSE(zonal(c, 0.0, 0.0), 0.0, 1e-12);
    CHECK_CLOSE(zonal(c, 45.0, 0.0), 2.0 * 6.37122e6 * 7.848e-6, 1e-11);
    double high = 0.0;
    for (double lat = 0.0; lat < 90.0; lat += 0.5)
        for (double lon = 0.0; lon < 90.0; lon += 0.5)
            high = fmax(high, height(c, lon, lat));
    CHECK_WITHIN(high, 10500.0, 10600.0);
    swe_case_destroy(&c);
}

static void galewsky_as_published(void **state)
{
    (void)state;
    swe_case *c = standard(SWE_INITIAL_GALEWSKY, 10000.0);
    CHECK_CLOSE(zonal(c, 12.0, 45.0), 80.0, 1e-12); /* the middle of the jet */
    assert_true(zonal(c, 12.0, 180.0 / 7.0 - 1e-9) == 0.0 && zonal(c, 12.0, 65.0) == 0.0);
    CHECK_CLOSE(height(c, 0.0, 45.0) - height(c, 180.0, 45.0), 120.0 * cos(SWE_PI / 4.0), 1e-9);
    CHECK_CLOSE(height(c, 180.0, 0.0), 10158.186170454619, 1e-6); /* h0 of published codes */
    swe_case_destroy(&c);
}

/* A grid, the quadrature of order 6 on it, and a whole state. */
typedef struct bench {
    swe_grid *grid;
    quadrature q;
    double *h, *v1, *v2;
} bench;

static bench bench_of(int n)
{
    swe_context ctx = {""};
    const swe_sbp *sbp = NULL;
    bench t = {0};
    CHECK_OK(&ctx, swe_sbp_find(&ctx, 6, SWE_CLOSURE_MOVED, n, &sbp));
    CHECK_OK(&ctx, swe_grid_create(&ctx, n, swe_sbp_points(6, SWE_CLOSURE_MOVED), case_earth.radius,
                                   &t.grid));
    CHECK_OK(&ctx, quadrature_create(&ctx, t.grid, sbp, &t.q));
    CHECK_OK(&ctx, swe_memory_doubles(&ctx, 3 * (size_t)t.grid->layout.field, &t.h));
    t.v1 = t.h + t.grid->layout.field;
    t.v2 = t.v1 + t.grid->layout.field;
    return t;
}

static void bench_destroy(bench *t)
{
    quadrature_destroy(&t->q);
    swe_grid_destroy(&t->grid);
    free(t->h);
}

static void galewskys_mean_depth_is_that_of_the_physics(void **state)
{
    (void)state;
    bench t = bench_of(96);
    const swe_initial initial = {.kind = SWE_INITIAL_GALEWSKY};
    const swe_physics p = case_physics(SWE_NONLINEAR, 10000.0, 0.0, 90.0);
    swe_case *c = case_of(&initial, &p);
    case_heights(c, t.grid, 0.0, t.h);
    const double area = 4.0 * SWE_PI * p.radius * p.radius;
    CHECK_CLOSE(quadrature_h(&t.q, t.h) / area, 10000.0, 1e-2);
    swe_case_destroy(&c);
    bench_destroy(&t);
}

/* All kinds, in physics that suit them. */
static const swe_initial all[] = {
    {.kind = SWE_INITIAL_GAUSSIAN, .lon = 20.0, .lat = 30.0, .amplitude = 1.0, .width = 0.1},
    {.kind = SWE_INITIAL_STANDING_WAVE, .amplitude = 1.0, .degree = 3},
    {.kind = SWE_INITIAL_HOUGH, .amplitude = 1.0, .wavenumber = 2, .mode = 1},
    {.kind = SWE_INITIAL_MATSUNO, .amplitude = 1.0, .wavenumber = 5, .mode = 1},
    {.kind = SWE_INITIAL_WILLIAMSON2, .period = 1036800.0},
    {.kind = SWE_INITIAL_WILLIAMSON5},
    {.kind = SWE_INITIAL_WILLIAMSON6, .wavenumber = 4},
    {.kind = SWE_INITIAL_GALEWSKY, .perturbed = true},
    {.kind = SWE_INITIAL_LAEUTER, .period = 1036800.0, .angle = 45.0},
    {.kind = SWE_INITIAL_LAKE_AT_REST, .lon = 40.0, .amplitude = 1000.0, .width = 0.1}};

enum { ALL = sizeof all / sizeof all[0] };

static const swe_physics *tilted(void)
{
    static swe_physics p;
    p = case_physics(SWE_NONLINEAR, 9000.0, 30.0, 40.0);
    return &p;
}

/* The component along a side at its point k. */
static double along(const bench *t, int panel, int side, int k)
{
    const double *v = side == SWE_SOUTH || side == SWE_NORTH ? t->v1 : t->v2;
    return v[panel * t->grid->layout.panel + topology_side_at(&t->grid->layout, side, k)];
}

static void check_edge(const bench *t, const swe_edge *edge)
{
    const int n = t->grid->layout.n;
    for (int k = 0; k < n; k++) {
        const double a = along(t, edge->panel_a, edge->side_a, k);
        const double b = along(t, edge->panel_b, edge->side_b, edge->reversed ? n - 1 - k : k);
        assert_true(a == (edge->reversed ? -b : b));
    }
    for (int k = 0; k <= n; k++) {
        const swe_layout *layout = &t->grid->layout;
        const ptrdiff_t a = topology_side_at(layout, edge->side_a, k);
        const ptrdiff_t b = topology_side_at(layout, edge->side_b, edge->reversed ? n - k : k);
        assert_true(t->h[edge->panel_a * layout->panel + a] ==
                    t->h[edge->panel_b * layout->panel + b]);
    }
}

static void panels_agree_on_their_edges_to_the_last_bit(void **state)
{
    (void)state;
    for (int n = 13; n <= 14; n++) {
        bench t = bench_of(n);
        for (int k = 0; k < ALL; k++) {
            swe_case *c = case_of(&all[k], tilted());
            case_heights(c, t.grid, 0.0, t.h);
            case_velocities(c, t.grid, 0.0, t.v1, t.v2);
            for (int e = 0; e < SWE_EDGES; e++)
                check_edge(&t, &t.grid->topology.edges[e]);
            case_bottoms(c, t.grid, t.h);
            for (int e = 0; e < SWE_EDGES; e++)
                check_edge(&t, &t.grid->topology.edges[e]);
            swe_case_destroy(&c);
        }
        bench_destroy(&t);
    }
}

/* Rotating the axis rotates the whole case: equal values at the rotated points. */
static void cases_rotate_with_the_axis(void **state)
{
    (void)state;
    const swe_physics up = case_physics(SWE_NONLINEAR, 9000.0, 0.0, 90.0);
    const swe_frame frame = swe_frame_of_rotation(tilted());
    random_source random = {3};
    for (int k = 2; k < ALL - 1; k++) { /* except cases whose centre is independent of the axis */
        swe_case *a = case_of(&all[k], &up), *b = case_of(&all[k], tilted());
        for (int point = 0; point < 20; point++) {
            double r[3], there[3], u[3], v[3];
            case_random_point(&random, r);
            for (int m = 0; m < 3; m++)
                there[m] = r[0] * frame.e1[m] + r[1] * frame.e2[m] + r[2] * frame.axis[m];
            CHECK_CLOSE(swe_case_height_at(a, 0.0, r), swe_case_height_at(b, 0.0, there), 1e-8);
            swe_case_velocity_at(a, 0.0, r, u);
            swe_case_velocity_at(b, 0.0, there, v);
            const double size = 1.0 + sqrt(swe_dot(u, u));
            CHECK_CLOSE(u[0], swe_dot(v, frame.e1), 1e-11 * size);
            CHECK_CLOSE(u[1], swe_dot(v, frame.e2), 1e-11 * size);
            CHECK_CLOSE(swe_dot(v, there), 0.0, 1e-14 * size); /* no wind out of the sphere */
        }
        swe_case_destroy(&a);
        swe_case_destroy(&b);
    }
}

/* The velocity follows from v1 and v2 at a vertex. */
static void covariant_components_are_those_of_the_velocity(void **state)
{
    (void)state;
    random_source random = {5};
    for (int point = 0; point < 60; point++) {
        const int panel = point % 6;
        const double x = random_next(&random), y = random_next(&random);
        double r[3], e[2][3], back[3];
        geometry_position(panel, x, y, r);
        case_tangents(r, e);
        const double v1 = geometry_covariant1(2.5, panel, x, y, e[0]);
        const double v2 = geometry_covariant2(2.5, panel, x, y, e[0]);
        geometry_velocity(2.5, panel, x, y, v1, v2, back);
        for (int k = 0; k < 3; k++)
            CHECK_CLOSE(back[k], e[0][k], 1e-14);
    }
}

static void h_is_the_depth_in_the_nonlinear_equations(void **state)
{
    (void)state;
    const swe_physics linear = case_physics(SWE_LINEAR, 500.0, 0.0, 90.0);
    const swe_physics nonlinear = case_physics(SWE_NONLINEAR, 500.0, 0.0, 90.0);
    for (int k = 0; k < 4; k++) {
        swe_case *a = case_of(&all[k], &linear), *b = case_of(&all[k], &nonlinear);
        CHECK_CLOSE(height(b, 20.0, 31.0) - height(a, 20.0, 31.0), 500.0, 1e-12);
        swe_case_destroy(&a);
        swe_case_destroy(&b);
    }
}

static void lake_has_one_surface(void **state)
{
    (void)state;
    swe_case *c = case_of(&all[ALL - 1], tilted());
    CHECK_CLOSE(bottom(c, 40.0, 0.0), 1000.0, 1e-12);
    for (double lon = 0.0; lon < 90.0; lon += 7.0)
        CHECK_CLOSE(height(c, lon, 10.0) + bottom(c, lon, 10.0), 9000.0, 1e-11);
    swe_case_destroy(&c);
}

static void check_refused(swe_initial initial, swe_physics physics, const char *key)
{
    swe_context ctx = {""};
    const char *found = NULL;
    swe_case *c = NULL;
    assert_int_equal(swe_case_check(&ctx, &initial, &physics, &found), SWE_CONFIG);
    assert_string_equal(found, key);
    assert_int_equal(swe_case_create(&ctx, &initial, &physics, &c), SWE_CONFIG);
    assert_null(c);
}

static void combinations_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    const swe_physics linear = case_physics(SWE_LINEAR, 500.0, 0.0, 90.0);
    swe_physics at_rest = linear;
    at_rest.rotation = 0.0;
    check_refused(all[4], linear, "physics.model");
    check_refused((swe_initial){.kind = SWE_INITIAL_GEOSTROPHIC, .period = 1.0}, *tilted(),
                  "physics.model");
    check_refused(all[2], at_rest, "physics.rotation");
    check_refused((swe_initial){.kind = SWE_INITIAL_HOUGH}, linear, "initial.wavenumber");
    check_refused((swe_initial){.kind = SWE_INITIAL_MATSUNO, .wavenumber = 1}, linear,
                  "initial.mode");
}

static void references_have_their_kind(void **state)
{
    (void)state;
    const swe_physics rotational = case_physics(SWE_LINEAR, 500.0, 0.0, 90.0);
    swe_physics at_rest = rotational;
    at_rest.rotation = 0.0;
    assert_int_equal(swe_case_reference(&all[0], &at_rest), SWE_REFERENCE_EXACT);
    assert_int_equal(swe_case_reference(&all[0], &rotational), SWE_REFERENCE_NONE);
    assert_int_equal(swe_case_reference(&all[2], &rotational), SWE_REFERENCE_EXACT);
    assert_int_equal(swe_case_reference(&all[2], tilted()), SWE_REFERENCE_NONE);
    assert_int_equal(swe_case_reference(&all[7], tilted()), SWE_REFERENCE_NONE);
    assert_false(swe_case_has_velocity(&all[0]));
    assert_true(swe_case_has_velocity(&all[2]));
    swe_case *pulse = case_of(&all[0], &at_rest);
    double r[3] = {1.0, 0.0, 0.0}, u[3];
    swe_case_velocity_at(pulse, 0.0, r, u);
    assert_true(u[0] == 0.0 && u[1] == 0.0 && u[2] == 0.0);
    swe_case_velocity_at(pulse, 1.0, r, u);
    assert_true(isnan(u[0])); /* unknown */
    swe_case_destroy(&pulse);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(williamson2_as_published),
        cmocka_unit_test(williamson2_rotated_is_that_of_the_paper),
        cmocka_unit_test(williamson5_as_published),
        cmocka_unit_test(williamson6_as_published),
        cmocka_unit_test(galewsky_as_published),
        cmocka_unit_test(galewskys_mean_depth_is_that_of_the_physics),
        cmocka_unit_test(panels_agree_on_their_edges_to_the_last_bit),
        cmocka_unit_test(cases_rotate_with_the_axis),
        cmocka_unit_test(covariant_components_are_those_of_the_velocity),
        cmocka_unit_test(h_is_the_depth_in_the_nonlinear_equations),
        cmocka_unit_test(lake_has_one_surface),
        cmocka_unit_test(combinations_that_do_not_fit_are_refused),
        cmocka_unit_test(references_have_their_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
