/* A standing wave of degree l, at rest at t = 0: an exact solution of the linear equations without
 * rotation, because (e . r)^l is a spherical harmonic of degree l:
 *     h = A Re[(e . r)^l] cos(omega t),  omega^2 = g H0 l (l + 1) / a^2,
 * e = e1 + i e2 with orthonormal e1, e2, which point east and north at the wave's axis, rotated by
 * initial.angle. */
#include "cases/frame.h"
#include "cases/kind.h"

typedef struct standing_wave {
    double e1[3], e2[3];
    double amplitude, omega;
    int degree;
} standing_wave;

static swe_status create(swe_context *ctx, const swe_initial *initial, const swe_physics *physics,
                         void **out)
{
    SWE_TRY(swe_case_memory(ctx, sizeof(standing_wave), out));
    standing_wave *own = *out;
    const swe_frame frame = swe_frame_about(initial->lon, initial->lat);
    const double turn = swe_radians(initial->angle);
    for (int k = 0; k < 3; k++) {
        const double east = frame.e2[k], north = -frame.e1[k];
        own->e1[k] = cos(turn) * east + sin(turn) * north;
        own->e2[k] = -sin(turn) * east + cos(turn) * north;
    }
    const double l = initial->degree;
    own->degree = initial->degree;
    own->amplitude = initial->amplitude;
    own->omega = sqrt(physics->gravity * physics->depth) / physics->radius * sqrt(l * (l + 1.0));
    return SWE_OK;
}

static double height(const void *of, double t, const double r[3])
{
    const standing_wave *own = of;
    const double x = swe_dot(own->e1, r), y = swe_dot(own->e2, r);
    double real = 1.0, imaginary = 0.0;
    for (int l = 0; l < own->degree; l++) {
        const double next = real * x - imaginary * y;
        imaginary = real * y + imaginary * x;
        real = next;
    }
    return own->amplitude * cos(own->omega * t) * real;
}

const swe_case_kind swe_case_standing_wave = {.name = "standing_wave",
                                              .keys = "lon, lat, amplitude, degree, angle",
                                              .equations = SWE_FOR_LINEAR | SWE_FOR_NONLINEAR,
                                              .above_rest = true,
                                              .why_inexact = SWE_ONLY_LINEAR_AT_REST,
                                              .reference = swe_reference_at_rest,
                                              .create = create,
                                              .height = height};
