/* Rossby-Haurwitz wave: case 6 of Williamson et al., J. Comput. Phys. 102 (1992) 211, equations 141
 * to 149. The wave solves the nondivergent barotropic vorticity equation, in which it travels with
 * constant shape; no solution of the shallow-water equations that starts from it is known in closed
 * form. Published constants: omega = K = 7.848e-6 s-1, wavenumber R = 4, H0 = 8000 m
 * (physics.depth). */
#include "cases/kind.h"

static const double omega = 7.848e-6; /* and K [s-1] */

/* g h = g H0 + a^2 (A + B cos(R lon) + D cos(2 R lon)). */
static double height(const swe_case *c, double t, const double r[3])
{
    (void)t;
    const swe_place place = swe_place_in(&c->frame, r);
    const swe_physics *p = &c->physics;
    const double n = c->initial.wavenumber, c2 = place.cos_lat * place.cos_lat;
    const double cr = pow(place.cos_lat, n), k2 = omega * omega;
    const double a = 0.5 * omega * (2.0 * p->rotation + omega) * c2 +
                     0.25 * k2 * cr * cr * ((n + 1.0) * c2 + (2.0 * n * n - n - 2.0)) -
                     0.5 * k2 * n * n * pow(place.cos_lat, 2.0 * n - 2.0);
    const double b = 2.0 * (p->rotation + omega) * omega / ((n + 1.0) * (n + 2.0)) * cr *
                     ((n * n + 2.0 * n + 2.0) - (n + 1.0) * (n + 1.0) * c2);
    const double d = 0.25 * k2 * cr * cr * ((n + 1.0) * c2 - (n + 2.0));
    return p->depth + p->radius * p->radius / p->gravity *
                          (a + b * cos(n * place.lon) + d * cos(2.0 * n * place.lon));
}

static void velocity(const swe_case *c, double t, const double r[3], double u[3])
{
    (void)t;
    const swe_place place = swe_place_in(&c->frame, r);
    const double n = c->initial.wavenumber, scale = c->physics.radius * omega;
    const double k = place.cos_lat, s = place.sin_lat, k1 = pow(k, n - 1.0);
    const double zonal = scale * (k + k1 * (n * s * s - k * k) * cos(n * place.lon));
    swe_place_vector(&place, zonal, -scale * n * k1 * s * sin(n * place.lon), u);
}

const swe_case_kind swe_case_williamson6 = {.name = "williamson6",
                                            .keys = "wavenumber",
                                            .equations = SWE_FOR_NONLINEAR,
                                            .why_inexact = SWE_NO_CLOSED_FORM,
                                            .reference = swe_reference_none,
                                            .height = height,
                                            .velocity = velocity};
