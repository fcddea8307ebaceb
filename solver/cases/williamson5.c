/* Zonal flow over an isolated mountain: case 5 of Williamson et al., J. Comput. Phys. 102 (1992)
 * 211. The flow is the flow of case 2 with u0 = 20 m s-1 and H0 = 5960 m (physics.depth). The
 * mountain is a cone,
 *
 *     b = 2000 m (1 - d / R),  R = pi/9,  d^2 = min(R^2, (lon - lon_c)^2 + (lat - lat_c)^2)
 *
 * at lon_c = -pi/2, lat_c = pi/6 relative to the axis of rotation. The surface h + b is in balance
 * with the flow at t = 0. No solution in closed form is known. */
#include "cases/kind.h"

static const double speed = 20.0;    /* u0 [m s-1] */
static const double summit = 2000.0; /* [m] */
static const double radius = SWE_PI / 9.0;
static const double centre_lon = -0.5 * SWE_PI, centre_lat = SWE_PI / 6.0;

static double bottom(const swe_case *c, const double r[3])
{
    const swe_place place = swe_place_in(&c->frame, r);
    const double east = remainder(place.lon - centre_lon, 2.0 * SWE_PI);
    const double distance = hypot(east, place.lat - centre_lat);
    return distance < radius ? summit * (1.0 - distance / radius) : 0.0;
}

static double height(const swe_case *c, double t, const double r[3])
{
    (void)t;
    const double sin_lat = swe_dot(c->frame.axis, r);
    return c->physics.depth - swe_balanced_slope(&c->physics, speed) * sin_lat * sin_lat -
           bottom(c, r);
}

static void velocity(const swe_case *c, double t, const double r[3], double u[3])
{
    (void)t;
    swe_solid_body(c->frame.axis, speed, r, u);
}

const swe_case_kind swe_case_williamson5 = {.name = "williamson5",
                                            .keys = "",
                                            .equations = SWE_FOR_NONLINEAR,
                                            .why_inexact = SWE_NO_CLOSED_FORM,
                                            .reference = swe_reference_none,
                                            .height = height,
                                            .velocity = velocity,
                                            .bottom = bottom};
