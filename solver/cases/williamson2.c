/* Steady nonlinear zonal flow in geostrophic balance: case 2 of Williamson, Drake, Hack, Jakob and
 * Swarztrauber, J. Comput. Phys. 102 (1992) 211, equations 90 to 96:
 *     u = u0 cos(lat) east,  g h = g H0 - (a Omega u0 + u0^2 / 2) sin^2 lat,
 * u0 = 2 pi a / period, H0 = physics.depth. Published constants: period 12 days, g H0 = 2.94e4 m2
 * s-2.
 *
 * Flow and rotation have the same axis; otherwise the flow is not steady. The published alpha is
 * the angle between this axis and the pole of the grid: physics.axis_lon 180, axis_lat 90 - alpha.
 *
 * Case `geostrophic` is the linearised flow, an exact solution of the linear equations, with the
 * same u and the height h = a Omega u0 / g (1/3 - sin^2 lat) of mean 0. */
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
    return c->physics.depth - swe_balanced_slope(&c->physics, speed_of(c)) * sin_lat * sin_lat;
}

static double linear_height(const swe_case *c, double t, const double r[3])
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

const swe_case_kind swe_case_williamson2 = {.name = "williamson2",
                                            .keys = "period",
                                            .equations = SWE_FOR_NONLINEAR,
                                            .reference = swe_reference_exact,
                                            .height = height,
                                            .velocity = velocity};

const swe_case_kind swe_case_geostrophic = {.name = "geostrophic",
                                            .keys = "period",
                                            .equations = SWE_FOR_LINEAR,
                                            .reference = swe_reference_exact,
                                            .height = linear_height,
                                            .velocity = velocity};
