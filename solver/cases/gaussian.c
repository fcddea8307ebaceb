/* A Gaussian pulse of h, at rest at t = 0. An exact solution of the linear equations without
 * rotation, in which each Legendre degree l oscillates with omega_l^2 = g H0 l (l + 1) / a^2
 * (eigenvalues of the Laplacian on the sphere): h = sum_l h_l cos(omega_l t) P_l(cos theta),  theta
 * the angle from the centre, h_l = (2 l + 1)/2 int h0 P_l sin(theta) dtheta,  h0 = A exp(-theta^2 /
 * width) */
#include <stdlib.h>

#include "base/memory.h"
#include "cases/kind.h"
#include "cases/legendre.h"

enum { MOST_DEGREES = 2000 }; /* enough for the narrowest pulse that the configuration allows */

typedef struct gaussian {
    double axis[3];
    double rate;                     /* sqrt(g H0) / a [s-1] */
    int degrees;                     /* last degree of the series */
    double series[MOST_DEGREES + 1]; /* h_l [m] */
} gaussian;

static double pulse(const swe_case *c, double theta)
{
    return c->initial.amplitude * exp(-theta * theta / c->initial.width);
}

static swe_status prepare(swe_context *ctx, swe_case *c)
{
    gaussian *d = c->derived;
    const swe_frame frame = swe_frame_about(c->initial.lon, c->initial.lat);
    for (int k = 0; k < 3; k++)
        d->axis[k] = frame.axis[k];
    d->rate = sqrt(c->physics.gravity * c->physics.depth) / c->physics.radius;
    /* The coefficients fall like exp(-l^2 width / 4), down to 1e-20. The allowed widths are narrow
     * enough for the pulse to vanish at the antipode, where its slope is discontinuous. They are
     * wide enough for the quadrature: the series is exact to 1e-11 of the amplitude. */
    const double degrees = ceil(sqrt(4.0 * 46.0 / c->initial.width)) + 20.0;
    d->degrees = degrees < MOST_DEGREES ? (int)degrees : MOST_DEGREES;
    const int points = 2 * d->degrees + 64;
    double *memory = NULL;
    SWE_TRY(swe_memory_doubles(ctx, 4 * (size_t)points, &memory));
    double *nodes = memory, *weighted = nodes + points;
    double *before = weighted + points, *value = before + points;
    swe_legendre_rule(points, nodes, weighted);
    for (int i = 0; i < points; i++) {
        weighted[i] *= pulse(c, acos(nodes[i]));
        value[i] = 1.0; /* P_0; `before` is P_-1 = 0 */
    }
    for (int l = 0; l <= d->degrees; l++) {
        double sum = 0.0;
        for (int i = 0; i < points; i++) {
            sum += weighted[i] * value[i];
            const double next = ((2 * l + 1) * nodes[i] * value[i] - l * before[i]) / (l + 1);
            before[i] = value[i];
            value[i] = next;
        }
        d->series[l] = 0.5 * (2 * l + 1) * sum;
    }
    free(memory);
    return SWE_OK;
}

/* The closed form at t = 0, the series at t > 0. */
static void heights(const swe_case *c, double t, int count, const double (*r)[3], double *h)
{
    const gaussian *d = c->derived;
    if (t == 0.0) {
        for (int i = 0; i < count; i++)
            h[i] = pulse(c, swe_angle_between(d->axis, r[i]));
        return;
    }
    double coefficients[MOST_DEGREES + 1];
    for (int l = 0; l <= d->degrees; l++)
        coefficients[l] = d->series[l] * cos(d->rate * sqrt((double)l * (l + 1.0)) * t);
    for (int i = 0; i < count; i++)
        h[i] = fmin(1.0, fmax(-1.0, swe_dot(d->axis, r[i]))); /* cos theta */
    swe_legendre_series(d->degrees, coefficients, count, h, h);
}

const swe_case_kind swe_case_gaussian = {.name = "gaussian",
                                         .keys = "lon, lat, amplitude, width",
                                         .equations = SWE_FOR_LINEAR | SWE_FOR_NONLINEAR,
                                         .above_rest = true,
                                         .why_inexact = SWE_ONLY_LINEAR_AT_REST,
                                         .reference = swe_reference_at_rest,
                                         .derived_size = sizeof(gaussian),
                                         .prepare = prepare,
                                         .heights = heights};
