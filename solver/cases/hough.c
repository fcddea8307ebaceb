/* Hough modes: the free waves of the linear equations on the rotating sphere, which travel around
 * its axis with constant shape. With zonal wavenumber s, h = A Z(lat) cos(phase),  u = A U(lat)
 * cos(phase),  v = A V(lat) sin(phase), phase = s lon - omega t,  the largest |Z| being 1. omega,
 * Z, U, V solve Laplace's tidal equations, in spherical harmonics (hough_mode.h, after
 * Longuet-Higgins, Phil. Trans. R. Soc. A 262 (1968) 511). */
#include "cases/frame.h"
#include "cases/hough_mode.h"
#include "cases/kind.h"

typedef struct hough {
    swe_frame frame;
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

static swe_status create(swe_context *ctx, const swe_initial *initial, const swe_physics *physics,
                         void **out)
{
    SWE_TRY(swe_case_memory(ctx, sizeof(hough), out));
    hough *own = *out;
    const double unit = 2.0 * physics->rotation * physics->radius; /* of velocity [m s-1] */
    SWE_TRY(hough_mode_find(ctx, physics->gravity * physics->depth / (unit * unit),
                            initial->wavenumber, initial->wave, initial->mode, &own->mode));
    own->frame = swe_frame_of_rotation(physics);
    own->omega = 2.0 * physics->rotation * own->mode.sigma;
    own->height_scale = initial->amplitude / largest_height(&own->mode);
    own->speed_scale = own->height_scale / physics->depth * unit;
    return SWE_OK;
}

static double phase_at(const hough *own, const swe_place *place, double t)
{
    return own->mode.wavenumber * place->lon - own->omega * t;
}

static double height(const void *of, double t, const double r[3])
{
    const hough *own = of;
    const swe_place place = swe_place_in(&own->frame, r);
    return own->height_scale * hough_mode_at(&own->mode, place.sin_lat, place.cos_lat).height *
           cos(phase_at(own, &place, t));
}

static void velocity(const void *of, double t, const double r[3], double u[3])
{
    const hough *own = of;
    const swe_place place = swe_place_in(&own->frame, r);
    const hough_profile at = hough_mode_at(&own->mode, place.sin_lat, place.cos_lat);
    const double phase = phase_at(own, &place, t);
    swe_place_vector(&place, own->speed_scale * at.zonal * cos(phase),
                     own->speed_scale * at.meridional * sin(phase), u);
}

static double frequency(const void *of)
{
    const hough *own = of;
    return own->omega;
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
    .create = create,
    .height = height,
    .velocity = velocity,
    .frequency = frequency};
