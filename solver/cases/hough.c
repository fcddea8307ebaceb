/* Hough modes: the free waves of the linear equations on the rotating sphere, which travel around
 * its axis with constant shape. With zonal wavenumber s, h = A Z(lat) cos(phase),  u = A U(lat)
 * cos(phase),  v = A V(lat) sin(phase), phase = s lon - omega t,  the largest |Z| being 1. omega,
 * Z, U, V solve Laplace's tidal equations, in spherical harmonics (hough_mode.h, after
 * Longuet-Higgins, Phil. Trans. R. Soc. A 262 (1968) 511). */
#include "cases/hough_mode.h"
#include "cases/kind.h"

typedef struct hough {
    double omega;        /* [s-1] */
    double height_scale; /* [m] */
    double speed_scale;  /* [m s-1] */
    hough_mode mode;
} hough;

static double largest_height(const hough_mode *mode)
{
    const int samples = 4000; /* from pole to pole */
    double largest = 0.0;
    for (int k = 0; k <= samples; k++) {
        const double lat = SWE_PI * ((double)k / samples - 0.5);
        largest = fmax(largest, fabs(hough_mode_at(mode, sin(lat), cos(lat)).height));
    }
    return largest;
}

static swe_status prepare(swe_context *ctx, swe_case *c)
{
    hough *d = c->derived;
    const swe_physics *p = &c->physics;
    const double unit = 2.0 * p->rotation * p->radius; /* of velocity [m s-1] */
    SWE_TRY(hough_mode_find(ctx, p->gravity * p->depth / (unit * unit), c->initial.wavenumber,
                            c->initial.wave, c->initial.mode, &d->mode));
    d->omega = 2.0 * p->rotation * d->mode.sigma;
    d->height_scale = c->initial.amplitude / largest_height(&d->mode);
    d->speed_scale = d->height_scale / p->depth * unit;
    return SWE_OK;
}

static double phase_at(const hough *d, const swe_place *place, double t)
{
    return d->mode.wavenumber * place->lon - d->omega * t;
}

static double height(const swe_case *c, double t, const double r[3])
{
    const hough *d = c->derived;
    const swe_place place = swe_place_in(&c->frame, r);
    return d->height_scale * hough_mode_at(&d->mode, place.sin_lat, place.cos_lat).height *
           cos(phase_at(d, &place, t));
}

static void velocity(const swe_case *c, double t, const double r[3], double u[3])
{
    const hough *d = c->derived;
    const swe_place place = swe_place_in(&c->frame, r);
    const hough_profile at = hough_mode_at(&d->mode, place.sin_lat, place.cos_lat);
    const double phase = phase_at(d, &place, t);
    swe_place_vector(&place, d->speed_scale * at.zonal * cos(phase),
                     d->speed_scale * at.meridional * sin(phase), u);
}

static double frequency(const swe_case *c)
{
    return ((const hough *)c->derived)->omega;
}

static swe_reference reference(const swe_initial *initial, const swe_physics *physics)
{
    (void)initial;
    return physics->equations == SWE_LINEAR ? SWE_REFERENCE_EXACT : SWE_REFERENCE_NONE;
}

const swe_case_kind swe_case_hough = {
    .name = "hough",
    .keys = "amplitude, wavenumber, mode, wave",
    .equations = SWE_FOR_LINEAR | SWE_FOR_NONLINEAR,
    .needs_rotation = true,
    .above_rest = true,
    .why_inexact = "its solution is that of the linear equations (physics.model=linear); of the "
                   "nonlinear ones converge williamson2 or laeuter",
    .reference = reference,
    .derived_size = sizeof(hough),
    .prepare = prepare,
    .height = height,
    .velocity = velocity,
    .frequency = frequency};
