/* A barotropically unstable jet: Galewsky, Scott and Polvani, Tellus 56A (2004) 429.
 *
 *     u = u_max / e_n exp(1 / ((lat - lat_0) (lat - lat_1))) east,  lat_0 < lat < lat_1,
 *     u_max = 80 m s-1, lat_0 = pi/7, lat_1 = pi/2 - lat_0, e_n = exp(-4 / (lat_1 - lat_0)^2)
 *
 * h is in gradient-wind balance, g dh/dlat = -a u (f + tan(lat) u / a), with mean physics.depth
 * (published: 10000 m). Without the perturbation the jet is steady. The perturbation of h is
 *     120 m cos(lat) exp(-(3 lon)^2) exp(-(15 (pi/4 - lat))^2) */
#include "cases/kind.h"
#include "cases/legendre.h"

/* Gauss-Legendre rule on each of the intervals across the jet: exact to rounding errors. */
enum { INTERVALS = 64, NODES = 24 };

static const double strongest = 80.0, bump = 120.0; /* [m s-1], [m] */
static const double south = SWE_PI / 7.0, north = SWE_PI / 2.0 - SWE_PI / 7.0;

typedef struct galewsky {
    double south_depth; /* h south of the jet [m] */
    double node[NODES], weight[NODES];
    double drop[INTERVALS + 1]; /* decrease of g h from the southern edge to an interval [m2 s-2] */
} galewsky;

/* u [m s-1] at a latitude [rad]. */
static double zonal(double lat)
{
    if (lat <= south || lat >= north)
        return 0.0;
    const double width = north - south;
    return strongest * exp(4.0 / (width * width) + 1.0 / ((lat - south) * (lat - north)));
}

/* -g dh/dlat [m2 s-2]. */
static double steepness(const swe_case *c, double lat)
{
    const double u = zonal(lat);
    return u * (c->physics.radius * 2.0 * c->physics.rotation * sin(lat) + tan(lat) * u);
}

static double steepness_times_sine(const swe_case *c, double lat)
{
    return steepness(c, lat) * sin(lat);
}

static double integrate(const swe_case *c, double from, double to,
                        double (*f)(const swe_case *, double))
{
    const galewsky *d = c->derived;
    const double half = 0.5 * (to - from), middle = 0.5 * (to + from);
    double sum = 0.0;
    for (int k = 0; k < NODES; k++)
        sum += d->weight[k] * f(c, middle + half * d->node[k]);
    return half * sum;
}

static double start_of(int interval)
{
    return south + (north - south) * interval / INTERVALS;
}

/* Decrease of g h [m2 s-2] from the southern edge to a latitude. */
static double drop_to(const swe_case *c, double lat)
{
    const galewsky *d = c->derived;
    if (lat <= south)
        return 0.0;
    if (lat >= north)
        return d->drop[INTERVALS];
    const double along = (lat - south) / (north - south) * INTERVALS;
    const int interval = along < INTERVALS ? (int)along : INTERVALS - 1;
    return d->drop[interval] + integrate(c, start_of(interval), lat, steepness);
}

/* Fill `drop`; return its mean over the sphere, 1/2 int drop cos(lat) dlat, integrated by parts. */
static double tabulate(const swe_case *c)
{
    galewsky *d = c->derived;
    double moment = 0.0;
    for (int k = 0; k < INTERVALS; k++) {
        const double from = start_of(k), to = start_of(k + 1);
        d->drop[k + 1] = d->drop[k] + integrate(c, from, to, steepness);
        moment += integrate(c, from, to, steepness_times_sine);
    }
    return 0.5 * (d->drop[INTERVALS] - moment);
}

static swe_status prepare(swe_context *ctx, swe_case *c)
{
    (void)ctx;
    galewsky *d = c->derived;
    swe_legendre_rule(NODES, d->node, d->weight);
    d->south_depth = c->physics.depth + tabulate(c) / c->physics.gravity;
    return SWE_OK;
}

static double height(const swe_case *c, double t, const double r[3])
{
    (void)t;
    const galewsky *d = c->derived;
    const swe_place place = swe_place_in(&c->frame, r);
    const double x = 3.0 * place.lon, y = 15.0 * (0.25 * SWE_PI - place.lat);
    const double perturbation = c->initial.perturbed ? bump : 0.0;
    return d->south_depth - drop_to(c, place.lat) / c->physics.gravity +
           perturbation * place.cos_lat * exp(-x * x) * exp(-y * y);
}

static void velocity(const swe_case *c, double t, const double r[3], double u[3])
{
    (void)t;
    const swe_place place = swe_place_in(&c->frame, r);
    swe_place_vector(&place, zonal(place.lat), 0.0, u);
}

static swe_reference reference(const swe_initial *initial, const swe_physics *physics)
{
    (void)physics;
    return initial->perturbed ? SWE_REFERENCE_NONE : SWE_REFERENCE_EXACT;
}

const swe_case_kind swe_case_galewsky = {
    .name = "galewsky",
    .keys = "perturbation",
    .equations = SWE_FOR_NONLINEAR,
    .resolved_n = 192,
    .why_inexact = SWE_NO_CLOSED_FORM,
    .caution = "the jet is unstable: after a day or two its error measures how the imprint of the "
               "grid grows; for the order of the scheme use --set time.end=86400",
    .reference = reference,
    .derived_size = sizeof(galewsky),
    .prepare = prepare,
    .height = height,
    .velocity = velocity};
