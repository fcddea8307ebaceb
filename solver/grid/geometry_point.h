/* Geometry of the equiangular cubed sphere at one point. Shared by the CPU and CUDA.
 *
 * Coordinates xi1, xi2 in [-pi/4, pi/4], X = tan xi1, Y = tan xi2, delta^2 = 1 + X^2 + Y^2:
 *
 *     position            r = a (e0 + X e1 + Y e2) / delta
 *     covariant basis     a_k = dr/dxi_k
 *     metric              g_kl = a_k . a_l,  J = sqrt(det g),  g^kl the inverse of g_kl
 *     contravariant basis a^k = g^kl a_l
 *
 * (e0, e1, e2) is the frame of a panel: an orthonormal, right-handed basis whose e0 points at the
 * panel's centre. Vectors are Cartesian; "frame components" are components along e0, e1, e2. a is
 * the radius [m].
 *
 * Source: Ronchi, Iacono and Paolucci, J. Comput. Phys. 124 (1996) 93, where the coordinates are
 * introduced; the formulas below follow from the definitions above. */
#ifndef SWE_GRID_GEOMETRY_POINT_H
#define SWE_GRID_GEOMETRY_POINT_H

#include "base/real.h"

/* Cartesian component k (0..2) of frame vector e_m (m = 0..2) of a panel: 0, 1 or -1. */
SWE_POINT int geometry_frame(int panel, int m, int k)
{
    /* The axes of e0, e1, e2: +-1, +-2, +-3 for +-x, +-y, +-z. Panels 0 to 5 have
     *     e0  +1 +2 -1 -2 +3 -3      e1  +2 -1 -2 +1 +2 +2      e2  +3 +3 +3 +3 -1 +1
     * stored plus 4, one hexadecimal digit a panel, panel 0 lowest. A table would cost memory
     * reads on a GPU. */
    const int digits = m == 0 ? 0x172365 : m == 1 ? 0x665236 : 0x537777;
    const int axis = ((digits >> (4 * panel)) & 15) - 4;
    return (axis == k + 1) - (axis == -(k + 1));
}

/* delta^2 = 1 + X^2 + Y^2 [1]; symmetric in X and Y to the last bit. */
SWE_POINT real geometry_delta2(real x, real y)
{
    return 1 + (x * x + y * y);
}

/* Jacobian J = sqrt(det g) = a^2 (1 + X^2) (1 + Y^2) / delta^3 [m2]. */
SWE_POINT real geometry_jacobian(real radius, real x, real y)
{
    const real delta2 = geometry_delta2(x, y);
    return radius * radius * ((1 + x * x) * (1 + y * y)) / (delta2 * real_sqrt(delta2));
}

/* Metric terms [1], independent of the radius:
 *     J g^11 = (1 + Y^2)/delta,  J g^12 = X Y/delta,  J g^22 = (1 + X^2)/delta */
SWE_POINT real geometry_metric11(real x, real y)
{
    return (1 + y * y) / real_sqrt(geometry_delta2(x, y));
}

SWE_POINT real geometry_metric12(real x, real y)
{
    return x * y / real_sqrt(geometry_delta2(x, y));
}

SWE_POINT real geometry_metric22(real x, real y)
{
    return (1 + x * x) / real_sqrt(geometry_delta2(x, y));
}

/* Unit vector r/a = (e0 + X e1 + Y e2) / delta of a point. */
SWE_POINT void geometry_position(int panel, real x, real y, real r[3])
{
    const real inverse = 1 / real_sqrt(geometry_delta2(x, y));
    for (int k = 0; k < 3; k++)
        r[k] = inverse * (geometry_frame(panel, 0, k) + x * geometry_frame(panel, 1, k) +
                          y * geometry_frame(panel, 2, k));
}

/* Cartesian vector v = w0 e0 + w1 e1 + w2 e2 of frame components. */
SWE_POINT void geometry_from_frame(int panel, real w0, real w1, real w2, real v[3])
{
    for (int k = 0; k < 3; k++)
        v[k] = geometry_frame(panel, 0, k) * w0 + geometry_frame(panel, 1, k) * w1 +
               geometry_frame(panel, 2, k) * w2;
}

/* Frame component v . e_m of a Cartesian vector. */
SWE_POINT real geometry_along_frame(int panel, int m, const real v[3])
{
    real along = 0;
    for (int k = 0; k < 3; k++)
        along += geometry_frame(panel, m, k) * v[k];
    return along;
}

/* Cartesian velocity V = v1 a^1 + v2 a^2 [m s-1] of covariant components v_k = V . a_k [m2 s-1];
 * a^1 = delta/(a (1 + X^2)) (e1 - X e0), a^2 = delta/(a (1 + Y^2)) (e2 - Y e0). */
SWE_POINT void geometry_velocity(real radius, int panel, real x, real y, real v1, real v2,
                                 real velocity[3])
{
    const real scale = real_sqrt(geometry_delta2(x, y)) / radius;
    const real w1 = scale * v1 / (1 + x * x);
    const real w2 = scale * v2 / (1 + y * y);
    geometry_from_frame(panel, -(x * w1 + y * w2), w1, w2, velocity);
}

/* Velocity V = (f1 a_1 + f2 a_2)/J [m s-1] of contravariant fluxes f_k = J u^k [m2 s-1], the
 * inverse of geometry_flux1 and geometry_flux2. First its frame components, then the Cartesian
 * vector. */
SWE_POINT void geometry_frame_of_fluxes(real radius, real x, real y, real f1, real f2, real *w0,
                                        real *w1, real *w2)
{
    const real along1 = 1 + x * x, along2 = 1 + y * y;
    const real scale = 1 / (radius * along1 * along2);
    const real scaled1 = along1 * scale * f1, scaled2 = along2 * scale * f2;
    const real out1 = x * scaled1, out2 = y * scaled2;
    *w0 = -(out1 + out2);
    *w1 = along2 * scaled1 - x * out2;
    *w2 = along1 * scaled2 - y * out1;
}

SWE_POINT void geometry_velocity_of_fluxes(real radius, int panel, real x, real y, real f1, real f2,
                                           real velocity[3])
{
    real w0, w1, w2;
    geometry_frame_of_fluxes(radius, x, y, f1, f2, &w0, &w1, &w2);
    geometry_from_frame(panel, w0, w1, w2, velocity);
}

/* Covariant components v_k = w . a_k of a vector with frame components w0, w1, w2, not necessarily
 * tangential; scale = a/delta^3. */
SWE_POINT void geometry_covariants_of_frame(real scale, real x, real y, real w0, real w1, real w2,
                                            real *v1, real *v2)
{
    const real along1 = 1 + x * x, along2 = 1 + y * y;
    *v1 = scale * along1 * (along2 * w1 - x * (w0 + y * w2));
    *v2 = scale * along2 * (along1 * w2 - y * (w0 + x * w1));
}

/* Covariant components V . a_1, V . a_2 [m2 s-1] of a Cartesian velocity V tangential to the
 * sphere: V . a_1 = a (1 + X^2)/delta (V . e1),  V . a_2 = a (1 + Y^2)/delta (V . e2) The component
 * along a panel edge depends only on quantities that both panels share (V along the edge of the
 * cube, and the position on it), so both panels compute the same bits except for the sign. */
SWE_POINT real geometry_covariant1(real radius, int panel, real x, real y, const real v[3])
{
    const real along1 = geometry_along_frame(panel, 1, v);
    return radius * (1 + x * x) / real_sqrt(geometry_delta2(x, y)) * along1;
}

SWE_POINT real geometry_covariant2(real radius, int panel, real x, real y, const real v[3])
{
    const real along2 = geometry_along_frame(panel, 2, v);
    return radius * (1 + y * y) / real_sqrt(geometry_delta2(x, y)) * along2;
}

/* Contravariant fluxes J u^k = J V . a^k [m2 s-1] of a Cartesian velocity V:
 *     J u^1 = a (1 + Y^2)/delta^2 (V . e1 - X V . e0)
 *     J u^2 = a (1 + X^2)/delta^2 (V . e2 - Y V . e0) */
SWE_POINT real geometry_flux1(real radius, int panel, real x, real y, const real v[3])
{
    const real along0 = geometry_along_frame(panel, 0, v);
    const real along1 = geometry_along_frame(panel, 1, v);
    return radius * (1 + y * y) / geometry_delta2(x, y) * (along1 - x * along0);
}

SWE_POINT real geometry_flux2(real radius, int panel, real x, real y, const real v[3])
{
    const real along0 = geometry_along_frame(panel, 0, v);
    const real along2 = geometry_along_frame(panel, 2, v);
    return radius * (1 + x * x) / geometry_delta2(x, y) * (along2 - y * along0);
}

#endif
