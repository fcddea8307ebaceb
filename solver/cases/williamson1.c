/* Advection by a solid-body rotation: case 1 of Williamson, Drake, Hack, Jakob and Swarztrauber, J.
 * Comput. Phys. 102 (1992) 211, equations 75 and 76. The velocity is prescribed,
 *     u = u0 cos(lat) east,  u0 = 2 pi a / period,
 * and the depth stays physics.depth. Tracers are back where they began after each period. Published
 * constants: period 12 days; the angle alpha of the axis as in williamson2.c. */
#include "cases/kind.h"

static double speed_of(const swe_initial *initial, const swe_physics *physics)
{
    return 2.0 * SWE_PI * physics->radius / initial->period;
}

static swe_wind wind(const swe_initial *initial, const swe_physics *physics)
{
    return (swe_wind){.terms = 1, .speed = speed_of(initial, physics)};
}

static void wind_term(const swe_case *c, int m, const double r[3], double u[3])
{
    (void)m;
    swe_solid_body(c->frame.axis, speed_of(&c->initial, &c->physics), r, u);
}

static double stream(const swe_case *c, int m, const double r[3])
{
    (void)m;
    return -c->physics.radius * speed_of(&c->initial, &c->physics) * swe_dot(c->frame.axis, r);
}

const swe_case_kind swe_case_williamson1 = {.name = "williamson1",
                                            .keys = "period",
                                            .equations = SWE_FOR_PRESCRIBED,
                                            .reference = swe_reference_exact,
                                            .height = swe_constant_depth,
                                            .wind = wind,
                                            .wind_term = wind_term,
                                            .stream = stream};
