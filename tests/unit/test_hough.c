/* The eigenmodes of Laplace's tidal equations: frequencies in limits with a closed form, otherwise
 * compared with a dense eigenproblem, and the numbering of modes. test_cases_equations.c shows that
 * they satisfy the equations. */
#include "support/case.h"

#include "cases/hough_mode.h"

#include <stdlib.h>

static double sigma_of(double gamma, int wavenumber, swe_wave_type type, int index)
{
    static hough_mode mode;
    swe_context ctx = {""};
    CHECK_OK(&ctx, hough_mode_find(&ctx, gamma, wavenumber, type, index, &mode));
    return mode.sigma;
}

/* Limit of large gamma: a deep layer has gravity waves sqrt(gamma l (l + 1)) of every degree, and
 * the Rossby waves -s / (l (l + 1)) of a nondivergent flow. */
static void a_deep_layer_has_waves_of_one_degree(void **state)
{
    (void)state;
    const double gamma = 1e8;
    for (int s = 1; s <= 5; s += 2)
        for (int index = 0; index < 6; index++) {
            const double root = (s + index) * (s + index + 1.0);
            const double gravity = sqrt(gamma * root);
            CHECK_CLOSE(sigma_of(gamma, s, SWE_WAVE_EASTWARD, index), gravity, 1e-4 * gravity);
            CHECK_CLOSE(sigma_of(gamma, s, SWE_WAVE_WESTWARD, index), -gravity, 1e-4 * gravity);
            CHECK_CLOSE(sigma_of(gamma, s, SWE_WAVE_ROSSBY, index), -s / root, 1e-7);
        }
}

/* Frequency over 2 Omega of Matsuno's wave. */
static double matsuno_sigma(double depth, int wavenumber, swe_wave_type type, int mode)
{
    const swe_physics p = case_physics(SWE_LINEAR, depth, 0.0, 90.0);
    const swe_initial initial = {.kind = SWE_INITIAL_MATSUNO,
                                 .amplitude = 1.0,
                                 .wavenumber = wavenumber,
                                 .mode = mode,
                                 .wave = type};
    swe_case *test_case = case_of(&initial, &p);
    const double omega = swe_case_frequency(test_case);
    swe_case_destroy(&test_case);
    return omega / (2.0 * p.rotation);
}

/* Limit of small gamma: a shallow layer traps waves at the equator, where Matsuno's dispersion
 * relation holds up to terms of order sqrt(gamma). His meridional mode n has index n + 1 among
 * eastward waves, n among Rossby waves and n - 1 among westward waves. */
static void a_shallow_layer_has_the_waves_of_the_equatorial_plane(void **state)
{
    (void)state;
    static const int shift[] = {0, 1, -1};
    const double unit = 2.0 * case_earth.rotation * case_earth.radius;
    for (int type = 0; type < 3; type++)
        for (int n = 1; n <= 3; n++)
            for (double depth = 30.0; depth > 1e-2; depth /= 30.0) {
                const double gamma = case_earth.gravity * depth / (unit * unit);
                const double plane = matsuno_sigma(depth, 5, (swe_wave_type)type, n);
                const double sphere = sigma_of(gamma, 5, (swe_wave_type)type, n + shift[type]);
                CHECK_CLOSE(sphere / plane, 1.0, sqrt(gamma));
            }
}

static void the_kelvin_wave_goes_at_the_speed_of_gravity_waves(void **state)
{
    (void)state;
    for (int s = 1; s <= 7; s += 3)
        CHECK_CLOSE(sigma_of(1e-6, s, SWE_WAVE_EASTWARD, 0), 1e-3 * s, 1e-3 * 1e-3 * s);
}

/* For an atmosphere of 10 km, the symmetric Rossby mode of wavenumber 1 is the observed 5-day wave,
 * and the Kelvin wave has a period of some 33 hours (Kasahara 1976, Madden 1979). */
static void the_five_day_wave(void **state)
{
    (void)state;
    const double unit = 2.0 * case_earth.rotation * case_earth.radius;
    const double gamma = 9.80616 * 1e4 / (unit * unit);
    const double day = 86400.0, turn = SWE_PI / case_earth.rotation; /* 2 pi / (2 Omega) */
    CHECK_WITHIN(turn / -sigma_of(gamma, 1, SWE_WAVE_ROSSBY, 1) / day, 4.8, 5.2);
    CHECK_WITHIN(turn / sigma_of(gamma, 1, SWE_WAVE_EASTWARD, 0) / 3600.0, 31.0, 35.0);
}

/* All frequencies of one parity from the dense matrix, by Jacobi's method: slow and independent. */
enum { PLACES = 30, SIZE = 45 }; /* number of A and B; with the C */

static void fill_matrix(double gamma, int s, int divergent, double m[SIZE][SIZE])
{
    int extra = PLACES;
    memset(m, 0, sizeof(double) * SIZE * SIZE);
    for (int i = 0; i < PLACES; i++) {
        const double l = s + i, c = l * (l + 1.0);
        m[i][i] = -s / c;
        if (i > 0) {
            const double e = sqrt((l * l - s * s) / (4.0 * l * l - 1.0));
            m[i][i - 1] = m[i - 1][i] = e * sqrt(l * l - 1.0) / l;
        }
        if (i % 2 == divergent) {
            m[i][extra] = m[extra][i] = -sqrt(gamma * c);
            extra++;
        }
    }
}

static void rotate(double m[SIZE][SIZE], int p, int q)
{
    if (m[p][q] == 0.0)
        return;
    const double angle = 0.5 * atan2(2.0 * m[p][q], m[q][q] - m[p][p]);
    const double c = cos(angle), s = sin(angle);
    for (int k = 0; k < SIZE; k++) {
        const double a = m[k][p], b = m[k][q];
        m[k][p] = c * a - s * b;
        m[k][q] = s * a + c * b;
    }
    for (int k = 0; k < SIZE; k++) {
        const double a = m[p][k], b = m[q][k];
        m[p][k] = c * a - s * b;
        m[q][k] = s * a + c * b;
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void eigenvalues(double m[SIZE][SIZE], double out[SIZE])
{
    for (int sweep = 0; sweep < 30; sweep++)
        for (int p = 0; p < SIZE; p++)
            for (int q = p + 1; q < SIZE; q++)
                rotate(m, p, q);
    for (int k = 0; k < SIZE; k++)
        out[k] = m[k][k];
    qsort(out, SIZE, sizeof out[0], ascending);
}

static void all_frequencies_are_those_of_the_dense_matrix(void **state)
{
    (void)state;
    static double m[SIZE][SIZE];
    const double gamma = 0.1; /* Longuet-Higgins' epsilon 10 */
    for (int s = 1; s <= 3; s += 2)
        for (int divergent = 0; divergent < 2; divergent++) {
            double found[SIZE];
            fill_matrix(gamma, s, divergent, m);
            eigenvalues(m, found);
            for (int k = 0; k < 4; k++) {
                const int gravity = 2 * k + divergent, rossby = 2 * k + 1 - divergent;
                CHECK_CLOSE(sigma_of(gamma, s, SWE_WAVE_WESTWARD, gravity), found[14 - k], 1e-12);
                CHECK_CLOSE(sigma_of(gamma, s, SWE_WAVE_ROSSBY, rossby), found[15 + k], 1e-12);
                CHECK_CLOSE(sigma_of(gamma, s, SWE_WAVE_EASTWARD, gravity), found[30 + k], 1e-12);
            }
        }
}

static void modes_are_even_or_odd(void **state)
{
    (void)state;
    static hough_mode mode;
    swe_context ctx = {""};
    for (int type = 0; type < 3; type++)
        for (int index = 0; index < 5; index++) {
            CHECK_OK(&ctx, hough_mode_find(&ctx, 0.1, 2, (swe_wave_type)type, index, &mode));
            const hough_profile north = hough_mode_at(&mode, 0.6, 0.8);
            const hough_profile south = hough_mode_at(&mode, -0.6, 0.8);
            const double sign = (index + (type == SWE_WAVE_ROSSBY)) % 2 == 0 ? 1.0 : -1.0;
            CHECK_CLOSE(south.height, sign * north.height, 1e-14);
            CHECK_CLOSE(south.zonal, sign * north.zonal, 1e-14);
            CHECK_CLOSE(south.meridional, -sign * north.meridional, 1e-14);
        }
}

static void modes_of_too_many_degrees_are_refused(void **state)
{
    (void)state;
    static hough_mode mode;
    swe_context ctx = {""};
    assert_int_equal(hough_mode_find(&ctx, 1e-16, 1, SWE_WAVE_ROSSBY, 0, &mode), SWE_CONFIG);
    assert_non_null(strstr(ctx.message, "degrees"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_deep_layer_has_waves_of_one_degree),
        cmocka_unit_test(a_shallow_layer_has_the_waves_of_the_equatorial_plane),
        cmocka_unit_test(the_kelvin_wave_goes_at_the_speed_of_gravity_waves),
        cmocka_unit_test(the_five_day_wave),
        cmocka_unit_test(all_frequencies_are_those_of_the_dense_matrix),
        cmocka_unit_test(modes_are_even_or_odd),
        cmocka_unit_test(modes_of_too_many_degrees_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
