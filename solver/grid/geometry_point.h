/* Geometry of the equiangular cubed sphere at one point. Shared by the CPU and CUDA.
 *
 * A point of a panel is given by X = tan xi1, Y = tan xi2; with delta^2 = 1 + X^2 + Y^2 it lies at
 * r = a (e0 + X e1 + Y e2) / delta, (e0, e1, e2) being the panel's frame. Vectors are Cartesian;
 * "frame components" are the components along e0, e1, e2. a is the sphere's radius [m]. */
#ifndef SWE_GRID_GEOMETRY_POINT_H
#define SWE_GRID_GEOMETRY_POINT_H

#include "base/real.h"

/* Component k (0..2) of frame vector e_m (m = 0..2) of a panel; right-handed, entries 0 and +-1. */
SWE_POINT int geometry_frame(int panel, int m, int k)
{
    /* Per panel, the axes of e0, e1, e2: +-1, +-2, +-3 for +-x, +-y, +-z. */
    const int axes[6][3] = {{1, 2, 3}, {2, -1, 3}, {-1, -2, 3}, {-2, 1, 3}, {3, 2, -1}, {-3, 2, 1}};
    const int axis = axes[panel][m];
    return axis == k + 1 ? 1 : axis == -(k + 1) ? -1 : 0;
}

/* delta^2 = 1 + X^2 + Y^2; symmetric in X and Y to the last bit. */
SWE_POINT real geometry_delta2(real x, real y)
{
    return 1 + (x * x + y * y);
}

/* Jacobian J = sqrt(det g) [m2]. */
SWE_POINT real geometry_jacobian(real radius, real x, real y)
{
    const real delta2 = geometry_delta2(x, y);
    return radius * radius * ((1 + x * x) * (1 + y * y)) / (delta2 * real_sqrt(delta2));
}

/* J g^11, J g^12, J g^22 [1]: independent of the radius. */
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

/* Unit vector of a point. */
SWE_POINT void geometry_position(int panel, real x, real y, real r[3])
{
    const real inverse = 1 / real_sqrt(geometry_delta2(x, y));
    for (int k = 0; k < 3; k++)
        r[k] = inverse * (geometry_frame(panel, 0, k) + x * geometry_frame(panel, 1, k) +
                          y * geometry_frame(panel, 2, k));
}

/* Cartesian velocity v1 a^1 + v2 a^2 [m s-1] of covariant components v1, v2 [m2 s-1]. */
SWE_POINT void geometry_velocity(real radius, int panel, real x, real y, real v1, real v2,
                                 real velocity[3])
{
    const real scale = real_sqrt(geometry_delta2(x, y)) / radius;
    const real w1 = scale * v1 / (1 + x * x);
    const real w2 = scale * v2 / (1 + y * y);
    const real w0 = -(x * w1 + y * w2);
    for (int k = 0; k < 3; k++)
        velocity[k] = geometry_frame(panel, 0, k) * w0 + geometry_frame(panel, 1, k) * w1 +
                      geometry_frame(panel, 2, k) * w2;
}

/* Contravariant fluxes J u^1, J u^2 [m2 s-1] of a Cartesian velocity: J V . a^k. */
SWE_POINT real geometry_flux1(real radius, int panel, real x, real y, const real v[3])
{
    real along0 = 0, along1 = 0;
    for (int k = 0; k < 3; k++) {
        along0 += geometry_frame(panel, 0, k) * v[k];
        along1 += geometry_frame(panel, 1, k) * v[k];
    }
    return radius * (1 + y * y) / geometry_delta2(x, y) * (along1 - x * along0);
}

SWE_POINT real geometry_flux2(real radius, int panel, real x, real y, const real v[3])
{
    real along0 = 0, along2 = 0;
    for (int k = 0; k < 3; k++) {
        along0 += geometry_frame(panel, 0, k) * v[k];
        along2 += geometry_frame(panel, 2, k) * v[k];
    }
    return radius * (1 + x * x) / geometry_delta2(x, y) * (along2 - y * along0);
}

#endif
