/* Steady nonlinear zonal flow in geostrophic balance: case 2 of Williamson, Drake, Hack, Jakob and
 * Swarztrauber, J. Comput. Phys. 102 (1992) 211, equations 90 to 96:
 *     u = u0 cos(lat) east,  g h = g H0 - (a Omega u0 + u0^2 / 2) sin^2 lat,
 * u0 = 2 pi a / period, H0 = physics.depth. Published constants: period 12 days, g H0 = 2.94e4 m2
 * s-2.
 *
 * Flow and rotation have the same axis; otherwise the flow is not steady. The published angle alpha
 * is that between this axis and the pole of the grid: physics.axis_lon 180, axis_lat 90 - alpha. */
#include "cases/frame.h"
#include "cases/kind.h"

typedef struct williamson2 {
    double axis[3];
    double speed; /* u0 [m s-1] */
    double depth; /* H0 [m] */
    double slope; /* (a Omega u0 + u0^2 / 2) / g [m] */
} williamson2;

static swe_status create(swe_context *ctx, const swe_initial *initial, const swe_physics *physics,
                         void **out)
{
    SWE_TRY(swe_case_memory(ctx, sizeof(williamson2), out));
    williamson2 *own = *out;
    const swe_frame frame = swe_frame_of_rotation(physics);
    for (int k = 0; k < 3; k++)
        own->axis[k] = frame.axis[k];
    own->depth = physics->depth;
    own->speed = 2.0 * SWE_PI * physics->radius / initial->period;
    own->slope =
        own->speed * (physics->radius * physics->rotation + 0.5 * own->speed) / physics->gravity;
    return SWE_OK;
}

static double height(const void *of, double t, const double r[3])
{
    (void)t;
    const williamson2 *own = of;
    const double sin_lat = swe_dot(own->axis, r);
    return own->depth - own->slope * sin_lat * sin_lat;
}

static void velocity(const void *of, double t, const double r[3], double u[3])
{
    (void)t;
    const williamson2 *own = of;
    swe_solid_body(own->axis, own->speed, r, u);
}

const swe_case_kind swe_case_williamson2 = {.name = "williamson2",
                                            .keys = "period",
                                            .equations = SWE_FOR_NONLINEAR,
                                            .reference = swe_reference_exact,
                                            .create = create,
                                            .height = height,
                                            .velocity = velocity};
