/* A lake at rest over a mountain, an exact steady solution of the nonlinear equations:
 *     h + b = H0 (physics.depth),  u = 0,
 *     b = A exp(-theta^2 / width),  theta the angle from the summit at (initial.lon, initial.lat).
 * It tests that the scheme is well balanced: discrete pressure and bottom gradients cancel. */
#include "cases/kind.h"

typedef struct lake_at_rest {
    double summit[3];
} lake_at_rest;

static swe_status prepare(swe_context *ctx, swe_case *c)
{
    (void)ctx;
    const swe_frame frame = swe_frame_about(c->initial.lon, c->initial.lat);
    *(lake_at_rest *)c->derived = (lake_at_rest){{frame.axis[0], frame.axis[1], frame.axis[2]}};
    return SWE_OK;
}

static double bottom(const swe_case *c, const double r[3])
{
    const lake_at_rest *d = c->derived;
    const double theta = swe_angle_between(d->summit, r);
    return c->initial.amplitude * exp(-theta * theta / c->initial.width);
}

static double height(const swe_case *c, double t, const double r[3])
{
    (void)t;
    return c->physics.depth - bottom(c, r);
}

static void velocity(const swe_case *c, double t, const double r[3], double u[3])
{
    (void)c;
    (void)t;
    (void)r;
    u[0] = u[1] = u[2] = 0.0;
}

const swe_case_kind swe_case_lake_at_rest = {
    .name = "lake_at_rest",
    .keys = "lon, lat, amplitude, width",
    .equations = SWE_FOR_NONLINEAR,
    .caution = "the lake is at rest to rounding on every grid: its errors and their rates are "
               "no measure of the order; converge williamson2 or laeuter",
    .reference = swe_reference_exact,
    .derived_size = sizeof(lake_at_rest),
    .prepare = prepare,
    .height = height,
    .velocity = velocity,
    .bottom = bottom};
