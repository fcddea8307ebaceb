/* A lake at rest over a mountain, an exact steady solution of the nonlinear equations:
 *     h + b = H0 (physics.depth),  u = 0,
 *     b = A exp(-theta^2 / width),  theta the angle from the summit at (initial.lon, initial.lat).
 * It tests that the scheme is well balanced: discrete pressure and bottom gradients cancel. */
#include "cases/frame.h"
#include "cases/kind.h"

typedef struct lake_at_rest {
    double summit[3], amplitude, width;
    double depth; /* H0 [m] */
} lake_at_rest;

static swe_status create(swe_context *ctx, const swe_initial *initial, const swe_physics *physics,
                         void **out)
{
    SWE_TRY(swe_case_memory(ctx, sizeof(lake_at_rest), out));
    lake_at_rest *own = *out;
    const swe_frame frame = swe_frame_about(initial->lon, initial->lat);
    for (int k = 0; k < 3; k++)
        own->summit[k] = frame.axis[k];
    own->amplitude = initial->amplitude;
    own->width = initial->width;
    own->depth = physics->depth;
    return SWE_OK;
}

static double bottom(const void *of, const double r[3])
{
    const lake_at_rest *own = of;
    const double theta = swe_angle_between(own->summit, r);
    return own->amplitude * exp(-theta * theta / own->width);
}

static double height(const void *of, double t, const double r[3])
{
    (void)t;
    const lake_at_rest *own = of;
    return own->depth - bottom(of, r);
}

static void velocity(const void *of, double t, const double r[3], double u[3])
{
    (void)of;
    (void)t;
    (void)r;
    u[0] = u[1] = u[2] = 0.0;
}

const swe_case_kind swe_case_lake_at_rest = {
    .name = "lake_at_rest",
    .keys = "lon, lat, amplitude, width",
    .equations = SWE_FOR_NONLINEAR,
    .caution = "the lake is at rest to rounding on every grid: its errors and their rates say "
               "nothing of the order; converge williamson2 or laeuter",
    .reference = swe_reference_exact,
    .create = create,
    .height = height,
    .velocity = velocity,
    .bottom = bottom};
