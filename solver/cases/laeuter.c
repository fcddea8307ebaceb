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
#include "cases/frame.h"
#include "cases/kind.h"

typedef struct laeuter {
    swe_frame frame;
    double cos_alpha, sin_alpha;
    double speed;       /* a w0 [m s-1] */
    double frame_speed; /* a Omega [m s-1] */
    double rotation, gravity, depth;
} laeuter;

static swe_status create(swe_context *ctx, const swe_initial *initial, const swe_physics *physics,
                         void **out)
{
    SWE_TRY(swe_case_memory(ctx, sizeof(laeuter), out));
    laeuter *own = *out;
    own->frame = swe_frame_of_rotation(physics);
    own->cos_alpha = cos(swe_radians(initial->angle));
    own->sin_alpha = sin(swe_radians(initial->angle));
    own->speed = 2.0 * SWE_PI * physics->radius / initial->period;
    own->frame_speed = physics->radius * physics->rotation;
    own->rotation = physics->rotation;
    own->gravity = physics->gravity;
    own->depth = physics->depth;
    return SWE_OK;
}

/* c(t), the axis of the flow. */
static void flow_axis(const laeuter *own, double t, double c[3])
{
    const double cos_t = cos(own->rotation * t), sin_t = sin(own->rotation * t);
    for (int k = 0; k < 3; k++)
        c[k] = own->cos_alpha * own->frame.axis[k] -
               own->sin_alpha * (cos_t * own->frame.e1[k] - sin_t * own->frame.e2[k]);
}

static double height(const void *of, double t, const double r[3])
{
    const laeuter *own = of;
    double c[3];
    flow_axis(own, t, c);
    const double along =
        own->speed * swe_dot(c, r) + own->frame_speed * swe_dot(own->frame.axis, r);
    return own->depth - 0.5 * along * along / own->gravity;
}

static void velocity(const void *of, double t, const double r[3], double u[3])
{
    const laeuter *own = of;
    double c[3];
    flow_axis(own, t, c);
    swe_solid_body(c, own->speed, r, u);
}

static double bottom(const void *of, const double r[3])
{
    const laeuter *own = of;
    const double along = own->frame_speed * swe_dot(own->frame.axis, r);
    return 0.5 * along * along / own->gravity;
}

const swe_case_kind swe_case_laeuter = {.name = "laeuter",
                                        .keys = "angle, period",
                                        .equations = SWE_FOR_NONLINEAR,
                                        .needs_rotation = true,
                                        .reference = swe_reference_exact,
                                        .create = create,
                                        .height = height,
                                        .velocity = velocity,
                                        .bottom = bottom};
