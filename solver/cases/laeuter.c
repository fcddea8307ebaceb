/* An unsteady exact solution of the nonlinear equations: Laeuter, Handorf and Dethloff, J. Comput.
 * Phys. 210 (2005) 535, example 3.
 *
 * In an inertial frame the fluid rotates as a solid body about a fixed vector: the rotation of the
 * sphere plus w0 along c, a unit vector at the angle alpha from the axis e3. In the frame of the
 * rotating sphere, c moves westward around the axis once a sidereal day:
 *
 *     u = a w0 c(t) x r,  w0 = 2 pi / period
 *     c(t) = -sin(alpha) (cos(Omega t) e1 - sin(Omega t) e2) + cos(alpha) e3
 *     g h = g H0 - (a (Omega e3 + w0 c) . r)^2 / 2,  g b = (a Omega e3 . r)^2 / 2
 *
 * Published constants: alpha = 45 degrees (initial.angle), period 12 days, g H0 = 133681 m2 s-2
 * (physics.depth; H0 is the largest depth). */
#include "cases/kind.h"

/* c(t), the axis of the flow. Returns the largest speed a w0 [m s-1]. */
static double flow_axis(const swe_case *c, double t, double axis[3])
{
    const double alpha = swe_radians(c->initial.angle), angle = c->physics.rotation * t;
    const double cos_alpha = cos(alpha), sin_alpha = sin(alpha);
    const double cos_t = cos(angle), sin_t = sin(angle);
    for (int k = 0; k < 3; k++)
        axis[k] = cos_alpha * c->frame.axis[k] -
                  sin_alpha * (cos_t * c->frame.e1[k] - sin_t * c->frame.e2[k]);
    return 2.0 * SWE_PI * c->physics.radius / c->initial.period;
}

/* Speed a Omega of the rotating frame at its equator [m s-1]. */
static double frame_speed(const swe_case *c)
{
    return c->physics.radius * c->physics.rotation;
}

static double height(const swe_case *c, double t, const double r[3])
{
    double axis[3];
    const double speed = flow_axis(c, t, axis);
    const double along = speed * swe_dot(axis, r) + frame_speed(c) * swe_dot(c->frame.axis, r);
    return c->physics.depth - 0.5 * along * along / c->physics.gravity;
}

static void velocity(const swe_case *c, double t, const double r[3], double u[3])
{
    double axis[3];
    const double speed = flow_axis(c, t, axis);
    swe_solid_body(axis, speed, r, u);
}

static double bottom(const swe_case *c, const double r[3])
{
    const double along = frame_speed(c) * swe_dot(c->frame.axis, r);
    return 0.5 * along * along / c->physics.gravity;
}

const swe_case_kind swe_case_laeuter = {.name = "laeuter",
                                        .keys = "angle, period",
                                        .equations = SWE_FOR_NONLINEAR,
                                        .needs_rotation = true,
                                        .reference = swe_reference_exact,
                                        .height = height,
                                        .velocity = velocity,
                                        .bottom = bottom};
