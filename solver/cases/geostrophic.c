/* Steady zonal flow about the axis of rotation in geostrophic balance, an exact solution of the
 * linear equations: the linearised case 2 of Williamson et al., J. Comput. Phys. 102 (1992) 211, a
 * solid-body rotation with u0 = 2 pi a / period at the equator, u = u0 cos(lat) east,  h = a Omega
 * u0 / g (1/3 - sin^2 lat),  of mean 0. */
#include "cases/frame.h"
#include "cases/kind.h"

typedef struct geostrophic {
    double axis[3];
    double speed; /* u0 [m s-1] */
    double slope; /* a Omega u0 / g [m] */
} geostrophic;

static swe_status create(swe_context *ctx, const swe_initial *initial, const swe_physics *physics,
                         void **out)
{
    SWE_TRY(swe_case_memory(ctx, sizeof(geostrophic), out));
    geostrophic *own = *out;
    const swe_frame frame = swe_frame_of_rotation(physics);
    for (int k = 0; k < 3; k++)
        own->axis[k] = frame.axis[k];
    own->speed = 2.0 * SWE_PI * physics->radius / initial->period;
    own->slope = physics->radius * physics->rotation * own->speed / physics->gravity;
    return SWE_OK;
}

static double height(const void *of, double t, const double r[3])
{
    (void)t;
    const geostrophic *own = of;
    const double sin_lat = swe_dot(own->axis, r);
    return own->slope * (1.0 / 3.0 - sin_lat * sin_lat);
}

static void velocity(const void *of, double t, const double r[3], double u[3])
{
    (void)t;
    const geostrophic *own = of;
    swe_solid_body(own->axis, own->speed, r, u);
}

const swe_case_kind swe_case_geostrophic = {.name = "geostrophic",
                                            .keys = "period",
                                            .equations = SWE_FOR_LINEAR,
                                            .reference = swe_reference_exact,
                                            .create = create,
                                            .height = height,
                                            .velocity = velocity};
