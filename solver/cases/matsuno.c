/* Equatorial waves: Shamir, Yacoby, Ziskin Ziv and Paldor, Geosci. Model Dev. 12 (2019) 2181, after
 * Matsuno, J. Meteorol. Soc. Japan 44 (1966) 25. With a small equivalent depth H0, waves are
 * trapped near the equator, where the equations of the beta plane apply, y = a lat,
 * beta = 2 Omega / a:
 *
 *     v = V(y) cos(phase),  u = -U(y) sin(phase),  h = -Z(y) sin(phase),  phase = k lon - omega t
 *     V = A psi_n(xi),  xi = eps^(1/4) lat,  eps = (2 Omega a)^2 / (g H0),
 *     U = (omega beta y V - q g H0 V') / (omega^2 - q^2 g H0),  q = k / a
 *     Z = H0 (q beta y V - omega V') / (omega^2 - q^2 g H0)
 *     omega^3 = (g H0 q^2 + (2 n + 1) beta sqrt(g H0)) omega + beta g H0 q
 *
 * psi_n is the orthonormal Hermite function. On the sphere this is a solution up to terms of
 * relative size eps^(-1/2). Published constants: H0 = 30 m, k = 5, n = 1, A = 1e-5 m s-1. */
#include "cases/kind.h"

typedef struct matsuno {
    double omega;    /* [s-1] */
    double speed2;   /* g H0 [m2 s-2] */
    double beta;     /* [m-1 s-1] */
    double trapping; /* eps^(1/4) */
    double q;        /* k / a [m-1] */
} matsuno;

/* The root of omega^3 = p omega + s, s > 0, of a type of wave. All three roots are real: Viete's
 * trigonometric formula, then two Newton steps to recover all digits. */
static double frequency_of(swe_wave_type wave, double p, double s)
{
    static const double branch[] = {-1.0, 0.0, 1.0}; /* rossby, eastward, westward */
    const double angle = acos(fmin(1.0, 1.5 * s / p * sqrt(3.0 / p)));
    double omega = 2.0 * sqrt(p / 3.0) * cos((angle + 2.0 * SWE_PI * branch[wave]) / 3.0);
    for (int k = 0; k < 2; k++)
        omega -= (omega * (omega * omega - p) - s) / (3.0 * omega * omega - p);
    return omega;
}

static swe_status prepare(swe_context *ctx, swe_case *c)
{
    (void)ctx;
    matsuno *d = c->derived;
    const swe_physics *p = &c->physics;
    d->q = c->initial.wavenumber / p->radius;
    d->speed2 = p->gravity * p->depth;
    d->beta = 2.0 * p->rotation / p->radius;
    const double speed = sqrt(d->speed2), q = d->q;
    d->trapping = sqrt(d->beta * p->radius * p->radius / speed);
    d->omega = frequency_of(c->initial.wave,
                            d->speed2 * q * q + (2 * c->initial.mode + 1) * d->beta * speed,
                            d->beta * d->speed2 * q);
    return SWE_OK;
}

/* psi_n(xi) and its derivative, by the three-term recursion of orthonormal Hermite functions. */
static double hermite(int n, double xi, double *derivative)
{
    double before = 0.0, value = pow(SWE_PI, -0.25) * exp(-0.5 * xi * xi);
    for (int k = 0; k < n; k++) {
        const double next = sqrt(2.0 / (k + 1)) * xi * value - sqrt(k / (k + 1.0)) * before;
        before = value;
        value = next;
    }
    *derivative = sqrt(2.0 * n) * before - xi * value;
    return value;
}

/* V, U and Z at a latitude. */
static void profiles(const swe_case *c, double lat, double *v, double *u, double *z)
{
    const matsuno *d = c->derived;
    const double amplitude = c->initial.amplitude, radius = c->physics.radius;
    const double q = d->q, omega = d->omega;
    double slope = 0.0;
    *v = amplitude * hermite(c->initial.mode, d->trapping * lat, &slope);
    slope *= amplitude * d->trapping / radius;           /* V' */
    const double coriolis = d->beta * radius * lat * *v; /* beta y V */
    const double scale = 1.0 / (omega * omega - q * q * d->speed2);
    *u = scale * (omega * coriolis - q * d->speed2 * slope);
    *z = scale * c->physics.depth * (q * coriolis - omega * slope);
}

static double height(const swe_case *c, double t, const double r[3])
{
    const matsuno *d = c->derived;
    const swe_place place = swe_place_in(&c->frame, r);
    double v = 0.0, u = 0.0, z = 0.0;
    profiles(c, place.lat, &v, &u, &z);
    return -z * sin(c->initial.wavenumber * place.lon - d->omega * t);
}

static void velocity(const swe_case *c, double t, const double r[3], double out[3])
{
    const matsuno *d = c->derived;
    const swe_place place = swe_place_in(&c->frame, r);
    const double phase = c->initial.wavenumber * place.lon - d->omega * t;
    double v = 0.0, u = 0.0, z = 0.0;
    profiles(c, place.lat, &v, &u, &z);
    swe_place_vector(&place, -u * sin(phase), v * cos(phase), out);
}

static double frequency(const swe_case *c)
{
    return ((const matsuno *)c->derived)->omega;
}

static swe_reference reference(const swe_initial *initial, const swe_physics *physics)
{
    (void)initial;
    (void)physics;
    return SWE_REFERENCE_APPROXIMATE;
}

const swe_case_kind swe_case_matsuno = {
    .name = "matsuno",
    .keys = "amplitude, wavenumber, mode, wave",
    .equations = SWE_FOR_LINEAR | SWE_FOR_NONLINEAR,
    .needs_rotation = true,
    .above_rest = true,
    .why_inexact = "its reference is a wave of the equatorial beta plane, from which the wave of "
                   "the sphere differs on every grid; converge hough, which is exact on the sphere",
    .reference = reference,
    .derived_size = sizeof(matsuno),
    .prepare = prepare,
    .height = height,
    .velocity = velocity,
    .frequency = frequency};
