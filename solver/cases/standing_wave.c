/* A standing wave of degree l, at rest at t = 0: an exact solution of the linear equations without
 * rotation, because (e . r)^l is a spherical harmonic of degree l:
 *     h = A Re[(e . r)^l] cos(omega t),  omega^2 = g H0 l (l + 1) / a^2,
 * e = e1 + i e2 with orthonormal e1, e2, which point east and north at the wave's axis, rotated by
 * initial.angle. */
#include "cases/kind.h"

typedef struct standing_wave {
    double e1[3], e2[3];
    double omega; /* [s-1] */
} standing_wave;

static swe_status prepare(swe_context *ctx, swe_case *c)
{
    (void)ctx;
    standing_wave *d = c->derived;
    const swe_frame frame = swe_frame_about(c->initial.lon, c->initial.lat);
    const double angle = swe_radians(c->initial.angle);
    for (int k = 0; k < 3; k++) {
        const double east = frame.e2[k], north = -frame.e1[k];
        d->e1[k] = cos(angle) * east + sin(angle) * north;
        d->e2[k] = -sin(angle) * east + cos(angle) * north;
    }
    const double l = c->initial.degree;
    const swe_physics *p = &c->physics;
    d->omega = sqrt(p->gravity * p->depth) / p->radius * sqrt(l * (l + 1.0));
    return SWE_OK;
}

static double height(const swe_case *c, double t, const double r[3])
{
    const standing_wave *d = c->derived;
    const double x = swe_dot(d->e1, r), y = swe_dot(d->e2, r);
    double real = 1.0, imaginary = 0.0;
    for (int l = 0; l < c->initial.degree; l++) {
        const double next = real * x - imaginary * y;
        imaginary = real * y + imaginary * x;
        real = next;
    }
    return c->initial.amplitude * cos(d->omega * t) * real;
}

const swe_case_kind swe_case_standing_wave = {.name = "standing_wave",
                                              .keys = "lon, lat, amplitude, degree, angle",
                                              .equations = SWE_FOR_LINEAR | SWE_FOR_NONLINEAR,
                                              .above_rest = true,
                                              .why_inexact = SWE_ONLY_LINEAR_AT_REST,
                                              .reference = swe_reference_at_rest,
                                              .derived_size = sizeof(standing_wave),
                                              .prepare = prepare,
                                              .height = height};
