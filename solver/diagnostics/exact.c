#include "diagnostics/exact.h"

#include <math.h>
#include <stdlib.h>

#include "base/constants.h"
#include "base/memory.h"
#include "diagnostics/legendre.h"
#include "grid/geometry_point.h"

enum { MOST_DEGREES = 2000 }; /* enough for the narrowest pulse that the configuration allows */

struct swe_exact {
    swe_initial initial;
    double rate;         /* sqrt(g H0) / a [s-1] */
    double axis[3];      /* centre of the pulse, axis of the wave */
    double e1[3], e2[3]; /* wave: orthonormal, normal to the axis */
    int degrees;         /* pulse: last degree of the series */
    double *series;      /* pulse: (degrees + 1) h_l [m] */
};

static double frequency(const swe_exact *exact, int l)
{
    return exact->rate * sqrt((double)l * (l + 1.0));
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Angle between two unit vectors, accurate near 0 and pi too. */
static double angle_between(const double a[3], const double b[3])
{
    const double cross[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                             a[0] * b[1] - a[1] * b[0]};
    return atan2(sqrt(dot(cross, cross)), dot(a, b));
}

static double pulse(const swe_exact *exact, double theta)
{
    return exact->initial.amplitude * exp(-theta * theta / exact->initial.width);
}

/* Orthonormal frame: axis at (lon, lat), e1 and e2 east and north of it turned by `angle`. */
static void orient(swe_exact *exact)
{
    const double lon = exact->initial.lon * SWE_PI / 180.0,
                 lat = exact->initial.lat * SWE_PI / 180.0;
    const double turn = exact->initial.angle * SWE_PI / 180.0;
    const double axis[3] = {cos(lat) * cos(lon), cos(lat) * sin(lon), sin(lat)};
    const double east[3] = {-sin(lon), cos(lon), 0.0};
    const double north[3] = {-sin(lat) * cos(lon), -sin(lat) * sin(lon), cos(lat)};
    for (int k = 0; k < 3; k++) {
        exact->axis[k] = axis[k];
        exact->e1[k] = cos(turn) * east[k] + sin(turn) * north[k];
        exact->e2[k] = -sin(turn) * east[k] + cos(turn) * north[k];
    }
}

/* The coefficients of a pulse fall like exp(-l^2 width / 4): degrees until they are below 1e-20.
 * The widths that are allowed are narrow enough for the pulse to vanish at the antipode, where its
 * slope jumps, and wide enough for the quadrature: the series is exact to 1e-11 of the amplitude.
 */
static int pulse_degrees(double width)
{
    const double degrees = ceil(sqrt(4.0 * 46.0 / width)) + 20.0;
    return degrees < MOST_DEGREES ? (int)degrees : MOST_DEGREES;
}

static swe_status expand(swe_context *ctx, swe_exact *exact)
{
    exact->degrees = pulse_degrees(exact->initial.width);
    const int points = 2 * exact->degrees + 64;
    double *memory = NULL;
    SWE_TRY(swe_memory_doubles(ctx, (size_t)exact->degrees + 1, &exact->series));
    SWE_TRY(swe_memory_doubles(ctx, 4 * (size_t)points, &memory));
    double *nodes = memory, *weighted = nodes + points;
    double *before = weighted + points, *value = before + points;
    swe_legendre_rule(points, nodes, weighted);
    for (int i = 0; i < points; i++) {
        weighted[i] *= pulse(exact, acos(nodes[i]));
        value[i] = 1.0; /* P_0; before is P_-1 = 0 */
    }
    for (int l = 0; l <= exact->degrees; l++) {
        double sum = 0.0;
        for (int i = 0; i < points; i++) {
            sum += weighted[i] * value[i];
            const double next = ((2 * l + 1) * nodes[i] * value[i] - l * before[i]) / (l + 1);
            before[i] = value[i];
            value[i] = next;
        }
        exact->series[l] = 0.5 * (2 * l + 1) * sum;
    }
    free(memory);
    return SWE_OK;
}

/* What a kind needs beyond its configuration. */
static swe_status prepare(swe_context *ctx, swe_exact *exact)
{
    switch (exact->initial.kind) {
    case SWE_INITIAL_GAUSSIAN:
        return expand(ctx, exact);
    case SWE_INITIAL_STANDING_WAVE:
        return SWE_OK;
    case SWE_INITIAL_FILE:
        break;
    }
    return swe_fail(ctx, SWE_INTERNAL, "this initial state has no exact solution");
}

swe_status swe_exact_create(swe_context *ctx, const swe_initial *initial,
                            const swe_physics *physics, swe_exact **out)
{
    *out = NULL;
    swe_exact *exact = calloc(1, sizeof *exact);
    if (exact == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the exact solution");
    exact->initial = *initial;
    exact->rate = sqrt(physics->gravity * physics->depth) / physics->radius;
    orient(exact);
    const swe_status status = prepare(ctx, exact);
    if (status != SWE_OK) {
        swe_exact_destroy(&exact);
        return status;
    }
    *out = exact;
    return SWE_OK;
}

void swe_exact_destroy(swe_exact **exact)
{
    if (*exact == NULL)
        return;
    free((*exact)->series);
    free(*exact);
    *exact = NULL;
}

/* Real part of (e1 . r + i e2 . r)^l. */
static double wave_shape(const swe_exact *exact, const double r[3])
{
    const double u = dot(exact->e1, r), v = dot(exact->e2, r);
    double real = 1.0, imaginary = 0.0;
    for (int l = 0; l < exact->initial.degree; l++) {
        const double next = real * u - imaginary * v;
        imaginary = real * v + imaginary * u;
        real = next;
    }
    return real;
}

/* The parts of a solution that depend on time alone: of a pulse, its coefficients; of a wave, the
 * one factor of its shape. */
typedef struct moment {
    double scale;
    double coefficients[MOST_DEGREES + 1];
} moment;

static void fill_moment(const swe_exact *exact, double t, moment *out)
{
    out->scale = exact->initial.amplitude * cos(frequency(exact, exact->initial.degree) * t);
    for (int l = 0; l <= exact->degrees && exact->series != NULL; l++)
        out->coefficients[l] = exact->series[l] * cos(frequency(exact, l) * t);
}

/* One row of vertices. */
static void height_row(const swe_exact *exact, const swe_grid *grid, int panel, int j,
                       const moment *now, double *row)
{
    const int n = grid->layout.n;
    for (int i = 0; i <= n; i++) {
        double r[3];
        geometry_position(panel, grid->tan_vertex[i], grid->tan_vertex[j], r);
        switch (exact->initial.kind) {
        case SWE_INITIAL_GAUSSIAN: /* cos theta, of which the series is taken below */
            row[i] = fmin(1.0, fmax(-1.0, dot(exact->axis, r)));
            break;
        case SWE_INITIAL_STANDING_WAVE:
            row[i] = now->scale * wave_shape(exact, r);
            break;
        case SWE_INITIAL_FILE:
            break;
        }
    }
    if (exact->initial.kind == SWE_INITIAL_GAUSSIAN)
        swe_legendre_series(exact->degrees, now->coefficients, n + 1, row, row);
}

void swe_exact_height(const swe_exact *exact, const swe_grid *grid, int threads, double t,
                      double *h)
{
    const int side = grid->layout.n + 1;
    moment now;
    fill_moment(exact, t, &now);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (int r = 0; r < SWE_PANELS * side; r++)
        height_row(exact, grid, r / side, r % side, &now,
                   h + swe_at(&grid->layout, r / side, r % side, 0));
}

/* The closed form at t = 0 at a point. */
static double initial_height(const swe_exact *exact, const double r[3])
{
    switch (exact->initial.kind) {
    case SWE_INITIAL_GAUSSIAN:
        return pulse(exact, angle_between(exact->axis, r));
    case SWE_INITIAL_STANDING_WAVE:
        return exact->initial.amplitude * wave_shape(exact, r);
    case SWE_INITIAL_FILE:
        break;
    }
    return NAN;
}

void swe_exact_initial_height(const swe_exact *exact, const swe_grid *grid, double *h)
{
    const int n = grid->layout.n;
    for (int p = 0; p < SWE_PANELS; p++)
        for (int j = 0; j <= n; j++)
            for (int i = 0; i <= n; i++) {
                double r[3];
                geometry_position(p, grid->tan_vertex[i], grid->tan_vertex[j], r);
                h[swe_at(&grid->layout, p, j, i)] = initial_height(exact, r);
            }
}
