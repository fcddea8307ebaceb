/* Steady zonal flow about the axis of rotation in geostrophic balance, an exact solution of the
 * linear equations: the linearised case 2 of Williamson et al., J. Comput. Phys. 102 (1992) 211, a
 * solid-body rotation with u0 = 2 pi a / period at the equator, u = u0 cos(lat) east,  h = a Omega
 * u0 / g (1/3 - sin^2 lat),  of mean 0. */
#include "cases/kind.h"

/* u0 [m s-1]. */
static double speed_of(const swe_case *c)
{
    return 2.0 * SWE_PI * c->physics.radius / c->initial.period;
}

static double height(const swe_case *c, double t, const double r[3])
{
    (void)t;
    const double sin_lat = swe_dot(c->frame.axis, r);
    const double slope = c->physics.radius * c->physics.rotation * speed_of(c) / c->physics.gravity;
    return slope * (1.0 / 3.0 - sin_lat * sin_lat);
}

static void velocity(const swe_case *c, double t, const double r[3], double u[3])
{
    (void)t;
    swe_solid_body(c->frame.axis, speed_of(c), r, u);
}

const swe_case_kind swe_case_geostrophic = {.name = "geostrophic",
                                            .keys = "period",
                                            .equations = SWE_FOR_LINEAR,
                                            .reference = swe_reference_exact,
                                            .height = height,
                                            .velocity = velocity};
