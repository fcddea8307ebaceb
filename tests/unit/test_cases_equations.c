/* The solutions of the cases satisfy their equations. Residuals use finite differences along great
 * circles and in time, at points all over the sphere, and no operator of the solver. */
#include "support/case.h"

enum { POINTS = 60 };

static const double step_wide = 0.02, step_fine = 0.005; /* [rad] */

/* A case and its physics at a time, to differentiate. */
typedef struct flow {
    const swe_case *test_case;
    const swe_physics *p;
    double t;
    double step; /* [rad] */
} flow;

/* Derivatives along e [m-1] of velocity, depth and surface. */
typedef struct slopes {
    double u[3], h, surface;
} slopes;

static void differences(double values[4][5], double step, slopes *out)
{
    double along[5];
    for (int m = 0; m < 5; m++) {
        const double f[4] = {values[0][m], values[1][m], values[2][m], values[3][m]};
        along[m] = case_difference(f, step);
    }
    for (int k = 0; k < 3; k++)
        out->u[k] = along[k];
    out->h = along[3];
    out->surface = along[4];
}

static const double offsets[4] = {-2.0, -1.0, 1.0, 2.0};

static void sample(const flow *f, double t, const double r[3], double out[5])
{
    swe_case_velocity_at(f->test_case, t, r, out);
    out[3] = swe_case_height_at(f->test_case, t, r);
    out[4] = out[3] + swe_case_bottom_at(f->test_case, r);
}

static slopes slopes_along(const flow *f, const double r[3], const double e[3])
{
    double values[4][5];
    slopes out;
    for (int k = 0; k < 4; k++) {
        double there[3];
        case_step(r, e, offsets[k] * f->step, there);
        sample(f, f->t, there, values[k]);
    }
    differences(values, f->step * f->p->radius, &out);
    return out;
}

static slopes slopes_in_time(const flow *f, const double r[3])
{
    const double step = f->step / (2.0 * f->p->rotation); /* [s] */
    double values[4][5];
    slopes out;
    for (int k = 0; k < 4; k++)
        sample(f, f->t + offsets[k] * step, r, values[k]);
    differences(values, step, &out);
    return out;
}

/* Residuals of the equations at a point: tangential momentum [m s-2] and continuity [m s-1]. */
typedef struct residual {
    double momentum[3], continuity;
} residual;

static residual residual_at(const flow *f, const double r[3])
{
    const swe_physics *p = f->p;
    const swe_frame frame = swe_frame_of_rotation(p);
    const double coriolis = 2.0 * p->rotation * swe_dot(frame.axis, r);
    const int nonlinear = p->equations == SWE_NONLINEAR;
    double e[2][3], u[3], pv_flux[3], h = swe_case_height_at(f->test_case, f->t, r);
    case_tangents(r, e);
    swe_case_velocity_at(f->test_case, f->t, r, u);
    swe_cross(r, u, pv_flux);
    const slopes now = slopes_in_time(f, r);
    residual left = {{0.0}, now.h};
    for (int k = 0; k < 3; k++)
        left.momentum[k] = now.u[k] + coriolis * pv_flux[k];
    for (int m = 0; m < 2; m++) {
        const slopes along = slopes_along(f, r, e[m]);
        const double towards = nonlinear ? swe_dot(u, e[m]) : 0.0;
        for (int k = 0; k < 3; k++)
            left.momentum[k] += towards * along.u[k] + p->gravity * along.surface * e[m][k];
        left.continuity += towards * along.h + (nonlinear ? h : p->depth) * swe_dot(along.u, e[m]);
    }
    const double outward = swe_dot(left.momentum, r);
    for (int k = 0; k < 3; k++)
        left.momentum[k] -= outward * r[k]; /* the constraint force of the sphere is normal */
    return left;
}

/* Largest residuals over the points, relative to the accelerations of rotation and waves at the
 * speed and depth range of the flow. */
typedef struct largest {
    double momentum, continuity;
} largest;

static largest largest_residual(const swe_case *test_case, const swe_physics *p, double t,
                                double step)
{
    const flow f = {test_case, p, t, step};
    random_source random = {7};
    largest found = {0.0, 0.0};
    double speed = 0.0, low = INFINITY, high = -INFINITY;
    for (int k = 0; k < POINTS; k++) {
        double r[3], u[3];
        case_random_point(&random, r);
        const residual left = residual_at(&f, r);
        swe_case_velocity_at(test_case, t, r, u);
        const double h = swe_case_height_at(test_case, t, r) + swe_case_bottom_at(test_case, r);
        speed = fmax(speed, sqrt(swe_dot(u, u)));
        low = fmin(low, h);
        high = fmax(high, h);
        found.momentum = fmax(found.momentum, sqrt(swe_dot(left.momentum, left.momentum)));
        found.continuity = fmax(found.continuity, fabs(left.continuity));
    }
    found.momentum /= 2.0 * p->rotation * speed;
    found.continuity /= 2.0 * p->rotation * (high - low);
    return found;
}

/* Both residuals vanish at the order of the finite differences. */
static void check_exact(const swe_initial *initial, const swe_physics *p, double t,
                        double tolerance)
{
    swe_case *test_case = case_of(initial, p);
    const largest wide = largest_residual(test_case, p, t, step_wide);
    const largest fine = largest_residual(test_case, p, t, step_fine);
    assert_int_equal(swe_case_reference(initial, p), SWE_REFERENCE_EXACT);
    CHECK_WITHIN(fine.momentum, 0.0, tolerance);
    CHECK_WITHIN(fine.continuity, 0.0, tolerance);
    CHECK_WITHIN(fine.momentum, 0.0, wide.momentum / 100.0 + 1e-9);
    CHECK_WITHIN(fine.continuity, 0.0, wide.continuity / 100.0 + 1e-9);
    swe_case_destroy(&test_case);
}

static void steady_flows_are_in_balance(void **state)
{
    (void)state;
    static const double axes[][2] = {{0.0, 90.0}, {180.0, 45.0}, {33.0, -20.0}, {0.0, -90.0}};
    for (int k = 0; k < 4; k++) {
        const swe_physics linear = case_physics(SWE_LINEAR, 3000.0, axes[k][0], axes[k][1]);
        const swe_physics deep = case_physics(SWE_NONLINEAR, 10000.0, axes[k][0], axes[k][1]);
        check_exact(&(swe_initial){.kind = SWE_INITIAL_GEOSTROPHIC, .period = 1036800.0}, &linear,
                    1e5, 1e-7);
        check_exact(&(swe_initial){.kind = SWE_INITIAL_WILLIAMSON2, .period = 1036800.0}, &deep,
                    1e5, 1e-7);
        /* the sides of the jet are steep for these differences */
        check_exact(&(swe_initial){.kind = SWE_INITIAL_GALEWSKY}, &deep, 1e5, 2e-3);
    }
}

static void laeuters_solution_satisfies_the_unsteady_equations(void **state)
{
    (void)state;
    static const double angles[] = {45.0, 0.0, 90.0, -120.0};
    for (int k = 0; k < 4; k++) {
        const swe_initial initial = {
            .kind = SWE_INITIAL_LAEUTER, .angle = angles[k], .period = 1036800.0};
        const swe_physics p =
            case_physics(SWE_NONLINEAR, 133681.0 / 9.80616, 20.0 * k, 90.0 - 30 * k);
        check_exact(&initial, &p, 0.0, 1e-6);
        check_exact(&initial, &p, 1e5, 1e-6);
    }
}

static void hough_modes_are_free_waves(void **state)
{
    (void)state;
    static const double depths[] = {10000.0, 100.0};
    static const int waves[][2] = {{1, 0}, {1, 1}, {2, 3}, {5, 2}};
    for (int d = 0; d < 2; d++)
        for (int k = 0; k < 4; k++)
            for (int type = 0; type < 3; type++) {
                const swe_physics p = case_physics(SWE_LINEAR, depths[d], 30.0, 40.0);
                const swe_initial initial = {.kind = SWE_INITIAL_HOUGH,
                                             .amplitude = 10.0,
                                             .wavenumber = waves[k][0],
                                             .mode = waves[k][1],
                                             .wave = (swe_wave_type)type};
                check_exact(&initial, &p, 2e4, 5e-5);
            }
}

static void waves_of_wavenumber_zero_oscillate(void **state)
{
    (void)state;
    const swe_physics p = case_physics(SWE_LINEAR, 10000.0, 30.0, 40.0);
    for (int mode = 0; mode < 4; mode++) {
        const swe_initial initial = {
            .kind = SWE_INITIAL_HOUGH, .amplitude = 10.0, .mode = mode, .wave = SWE_WAVE_EASTWARD};
        check_exact(&initial, &p, 1e4, 1e-5);
    }
}

/* Waves of the beta plane leave a residual on the sphere that decreases with the depth of the
 * layer.
 */
static void matsunos_waves_are_solutions_near_the_equator(void **state)
{
    (void)state;
    static const double depths[] = {30.0, 0.3, 0.003};
    for (int type = 0; type < 3; type++) {
        double before = INFINITY;
        for (int d = 0; d < 3; d++) {
            const swe_physics p = case_physics(SWE_LINEAR, depths[d], 0.0, 90.0);
            const swe_initial initial = {.kind = SWE_INITIAL_MATSUNO,
                                         .amplitude = 1e-5,
                                         .wavenumber = 5,
                                         .mode = 1,
                                         .wave = (swe_wave_type)type};
            assert_int_equal(swe_case_reference(&initial, &p), SWE_REFERENCE_APPROXIMATE);
            swe_case *test_case = case_of(&initial, &p);
            double largest = 0.0, speed = 0.0;
            for (int k = 0; k < 41; k++) {
                const flow f = {test_case, &p, 0.0, 1e-4};
                double r[3], u[3];
                case_point(9.0 + k,
                           180.0 / SWE_PI * 3.0 * (k - 20) / 20.0 *
                               pow(9.80616 * depths[d] / 863000.0, 0.25),
                           r);
                const residual left = residual_at(&f, r);
                swe_case_velocity_at(test_case, 0.0, r, u);
                speed = fmax(speed, sqrt(swe_dot(u, u)));
                largest = fmax(largest, sqrt(swe_dot(left.momentum, left.momentum)));
            }
            const double omega = fabs(swe_case_frequency(test_case));
            CHECK_WITHIN(largest / (omega * speed), 0.0, 0.5 * before);
            before = largest / (omega * speed);
            swe_case_destroy(&test_case);
        }
        CHECK_WITHIN(before, 0.0, 0.05);
    }
}

/* The initial Rossby-Haurwitz wave has no divergence, and none is generated: its height is defined
 * so. */
static void rossby_haurwitz_wave_generates_no_divergence(void **state)
{
    (void)state;
    const swe_physics p = case_physics(SWE_NONLINEAR, 8000.0, 0.0, 90.0);
    const swe_initial initial = {.kind = SWE_INITIAL_WILLIAMSON6, .wavenumber = 4};
    swe_case *test_case = case_of(&initial, &p);
    const flow f = {test_case, &p, 0.0, 2e-3};
    random_source random = {11};
    for (int k = 0; k < POINTS; k++) {
        double r[3], e[2][3], flow_divergence = 0.0, divergence = 0.0;
        case_random_point(&random, r);
        case_tangents(r, e);
        for (int m = 0; m < 2; m++) {
            double towards[4];
            flow_divergence += swe_dot(slopes_along(&f, r, e[m]).u, e[m]);
            for (int s = 0; s < 4; s++) {
                double there[3];
                case_step(r, e[m], offsets[s] * f.step, there);
                const residual left = residual_at(&f, there);
                towards[s] = swe_dot(left.momentum, e[m]);
            }
            divergence += case_difference(towards, f.step * p.radius);
        }
        CHECK_CLOSE(flow_divergence, 0.0, 1e-11); /* small relative to a vorticity of 1e-4 s-1 */
        CHECK_CLOSE(divergence, 0.0, 1e-13);      /* small relative to f times that, 1e-8 s-2 */
    }
    swe_case_destroy(&test_case);
}

/* The check detects flows that are not solutions: an unsteady wave, and a flow onto a mountain. */
static void flows_that_are_no_solution_leave_a_residual(void **state)
{
    (void)state;
    const swe_physics p = case_physics(SWE_NONLINEAR, 10000.0, 0.0, 90.0);
    const swe_initial wave = {.kind = SWE_INITIAL_WILLIAMSON6, .wavenumber = 4};
    const swe_initial mountain = {.kind = SWE_INITIAL_WILLIAMSON5};
    swe_case *test_case = case_of(&wave, &p);
    const largest left = largest_residual(test_case, &p, 0.0, step_fine);
    assert_true(left.momentum > 1e-2 && left.continuity > 1e-2);
    swe_case_destroy(&test_case);
    test_case = case_of(&mountain, &p);
    const flow f = {test_case, &p, 0.0, step_fine};
    double r[3];
    case_point(-95.0, 30.0, r); /* 20 m/s up the slope of 2000 m in 20 degrees */
    CHECK_CLOSE(residual_at(&f, r).continuity,
                -20.0 * cos(SWE_PI / 6.0) * 2000.0 / (SWE_PI / 9.0) / cos(SWE_PI / 6.0) / p.radius,
                1e-6);
    swe_case_destroy(&test_case);
}

/* The velocity of each term is r x grad psi of its streamfunction; and their sum in time is the
 * velocity, no faster than its bound. */
static void check_terms(const swe_initial *initial)
{
    swe_physics p = case_physics(SWE_NONLINEAR, 1000.0, 40.0, 30.0);
    p.is_prescribed = true;
    const swe_wind wind = swe_case_wind(initial, &p);
    swe_case *test_case = case_of(initial, &p), *term = case_of(initial, &p);
    random_source random = {3};
    for (int point = 0; point < POINTS; point++) {
        const double t = initial->period * (random_next(&random) + 1.0) / 2.0;
        double r[3], e[2][3], u[3], sum[3] = {0.0, 0.0, 0.0}, factors[SWE_WIND_TERMS];
        case_random_point(&random, r);
        case_tangents(r, e);
        swe_case_velocity_at(test_case, t, r, u);
        CHECK_WITHIN(sqrt(swe_dot(u, u)), 0.0, wind.speed * (1.0 + 1e-12));
        swe_wind_factors_at(&wind, t, factors);
        for (int m = 0; m < wind.terms; m++) {
            double of_term[3], slope[3], grad[3] = {0.0, 0.0, 0.0};
            swe_case_select_term(term, m);
            swe_case_velocity_at(term, t, r, of_term);
            for (int k = 0; k < 3; k++)
                sum[k] += factors[m] * of_term[k];
            if (initial->kind == SWE_INITIAL_DEFORMATION && initial->mode == 3) {
                assert_true(isnan(swe_case_stream_at(term, r)));
                continue;
            }
            for (int d = 0; d < 2; d++) {
                double values[4], there[3];
                for (int k = 0; k < 4; k++) {
                    case_step(r, e[d], offsets[k] * step_fine, there);
                    values[k] = swe_case_stream_at(term, there);
                }
                for (int k = 0; k < 3; k++)
                    grad[k] += case_difference(values, step_fine * p.radius) * e[d][k];
            }
            swe_cross(r, grad, slope);
            for (int k = 0; k < 3; k++)
                CHECK_CLOSE(of_term[k], slope[k], 1e-6 * wind.speed);
        }
        for (int k = 0; k < 3; k++)
            CHECK_CLOSE(u[k], sum[k], 1e-12 * wind.speed);
    }
    swe_case_destroy(&term);
    swe_case_destroy(&test_case);
}

static void prescribed_velocities_have_their_terms(void **state)
{
    (void)state;
    check_terms(&(swe_initial){.kind = SWE_INITIAL_WILLIAMSON1, .period = 1036800.0});
    for (int mode = 1; mode <= 4; mode++)
        check_terms(
            &(swe_initial){.kind = SWE_INITIAL_DEFORMATION, .mode = mode, .period = 1036800.0});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prescribed_velocities_have_their_terms),
        cmocka_unit_test(steady_flows_are_in_balance),
        cmocka_unit_test(laeuters_solution_satisfies_the_unsteady_equations),
        cmocka_unit_test(hough_modes_are_free_waves),
        cmocka_unit_test(waves_of_wavenumber_zero_oscillate),
        cmocka_unit_test(matsunos_waves_are_solutions_near_the_equator),
        cmocka_unit_test(rossby_haurwitz_wave_generates_no_divergence),
        cmocka_unit_test(flows_that_are_no_solution_leave_a_residual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
