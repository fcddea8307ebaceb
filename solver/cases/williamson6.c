/* Rossby-Haurwitz wave: case 6 of Williamson et al., J. Comput. Phys. 102 (1992) 211, equations 141
 * to 149. The wave solves the nondivergent barotropic vorticity equation, in which it travels with
 * constant shape; no solution of the shallow-water equations that starts from it is known in closed
 * form. Published constants: omega = K = 7.848e-6 s-1, wavenumber R = 4, H0 = 8000 m
 * (physics.depth). */
#include "cases/frame.h"
#include "cases/kind.h"

static const double omega = 7.848e-6; /* and K [s-1] */

typedef struct williamson6 {
    swe_frame frame;
    double radius, gravity, rotation, depth;
    int wavenumber;
} williamson6;

static swe_status create(swe_context *ctx, const swe_initial *initial, const swe_physics *physics,
                         void **out)
{
    SWE_TRY(swe_case_memory(ctx, sizeof(williamson6), out));
    williamson6 *own = *out;
    own->frame = swe_frame_of_rotation(physics);
    own->radius = physics->radius;
    own->gravity = physics->gravity;
    own->rotation = physics->rotation;
    own->depth = physics->depth;
    own->wavenumber = initial->wavenumber;
    return SWE_OK;
}

/* g h = g H0 + a^2 (A + B cos(R lon) + C cos(2 R lon)). */
static double height(const void *of, double t, const double r[3])
{
    (void)t;
    const williamson6 *own = of;
    const swe_place place = swe_place_in(&own->frame, r);
    const double n = own->wavenumber, c2 = place.cos_lat * place.cos_lat;
    const double cr = pow(place.cos_lat, n), k2 = omega * omega;
    const double a = 0.5 * omega * (2.0 * own->rotation + omega) * c2 +
                     0.25 * k2 * cr * cr * ((n + 1.0) * c2 + (2.0 * n * n - n - 2.0)) -
                     0.5 * k2 * n * n * pow(place.cos_lat, 2.0 * n - 2.0);
    const double b = 2.0 * (own->rotation + omega) * omega / ((n + 1.0) * (n + 2.0)) * cr *
                     ((n * n + 2.0 * n + 2.0) - (n + 1.0) * (n + 1.0) * c2);
    const double c = 0.25 * k2 * cr * cr * ((n + 1.0) * c2 - (n + 2.0));
    return own->depth + own->radius * own->radius / own->gravity *
                            (a + b * cos(n * place.lon) + c * cos(2.0 * n * place.lon));
}

static void velocity(const void *of, double t, const double r[3], double u[3])
{
    (void)t;
    const williamson6 *own = of;
    const swe_place place = swe_place_in(&own->frame, r);
    const double n = own->wavenumber, scale = own->radius * omega;
    const double c = place.cos_lat, s = place.sin_lat, c1 = pow(c, n - 1.0);
    const double zonal = scale * (c + c1 * (n * s * s - c * c) * cos(n * place.lon));
    swe_place_vector(&place, zonal, -scale * n * c1 * s * sin(n * place.lon), u);
}

const swe_case_kind swe_case_williamson6 = {.name = "williamson6",
                                            .keys = "wavenumber",
                                            .equations = SWE_FOR_NONLINEAR,
                                            .why_inexact = SWE_NO_CLOSED_FORM,
                                            .reference = swe_reference_none,
                                            .create = create,
                                            .height = height,
                                            .velocity = velocity};
