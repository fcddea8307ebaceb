/* Geometry of the equiangular cubed sphere at one point. Shared by the CPU and CUDA.
 *
 * A point of a panel is given by X = tan xi1, Y = tan xi2; with delta^2 = 1 + X^2 + Y^2 it lies at
 * r = a (e0 + X e1 + Y e2) / delta, (e0, e1, e2) being the panel's frame. Vectors are Cartesian;
 * "frame components" are the components along e0, e1, e2. a is the sphere's radius [m]. */
#ifndef SWE_GRID_GEOMETRY_POINT_H
#define SWE_GRID_GEOMETRY_POINT_H

#include <math.h>

#include "base/point.h"

/* Component k (0..2) of frame vector e_m (m = 0..2) of a panel; right-handed, entries 0 and +-1. */
SWE_POINT int geometry_frame(int panel, int m, int k)
{
    /* Per panel, the axes of e0, e1, e2: +-1, +-2, +-3 for +-x, +-y, +-z. */
    const int axes[6][3] = {{1, 2, 3}, {2, -1, 3}, {-1, -2, 3}, {-2, 1, 3}, {3, 2, -1}, {-3, 2, 1}};
    const int axis = axes[panel][m];
    return axis == k + 1 ? 1 : axis == -(k + 1) ? -1 : 0;
}

/* delta^2 = 1 + X^2 + Y^2; symmetric in X and Y to the last bit. */
SWE_POINT double geometry_delta2(double x, double y)
{
    return 1.0 + (x * x + y * y);
}

/* Jacobian J = sqrt(det g) [m2]. */
SWE_POINT double geometry_jacobian(double radius, double x, double y)
{
    const double delta2 = geometry_delta2(x, y);
    return radius * radius * ((1.0 + x * x) * (1.0 + y * y)) / (delta2 * sqrt(delta2));
}

/* J g^11, J g^12, J g^22 [1]: independent of the radius. */
SWE_POINT double geometry_metric11(double x, double y)
{
    return (1.0 + y * y) / sqrt(geometry_delta2(x, y));
}

SWE_POINT double geometry_metric12(double x, double y)
{
    return x * y / sqrt(geometry_delta2(x, y));
}

SWE_POINT double geometry_metric22(double x, double y)
{
    return (1.0 + x * x) / sqrt(geometry_delta2(x, y));
}

/* Unit vector of a point. */
SWE_POINT void geometry_position(int panel, double x, double y, double r[3])
{
    const double inverse = 1.0 / sqrt(geometry_delta2(x, y));
    for (int k = 0; k < 3; k++)
        r[k] = inverse * (geometry_frame(panel, 0, k) + x * geometry_frame(panel, 1, k) +
                          y * geometry_frame(panel, 2, k));
}

/* Cartesian velocity v1 a^1 + v2 a^2 [m s-1] of covariant components v1, v2 [m2 s-1]. */
SWE_POINT void geometry_velocity(double radius, int panel, double x, double y, double v1, double v2,
                                 double velocity[3])
{
    const double scale = sqrt(geometry_delta2(x, y)) / radius;
    const double w1 = scale * v1 / (1.0 + x * x);
    const double w2 = scale * v2 / (1.0 + y * y);
    const double w0 = -(x * w1 + y * w2);
    for (int k = 0; k < 3; k++)
        velocity[k] = geometry_frame(panel, 0, k) * w0 + geometry_frame(panel, 1, k) * w1 +
                      geometry_frame(panel, 2, k) * w2;
}

/* Contravariant fluxes J u^1, J u^2 [m2 s-1] of a Cartesian velocity: J V . a^k. */
SWE_POINT double geometry_flux1(double radius, int panel, double x, double y, const double v[3])
{
    double along0 = 0.0, along1 = 0.0;
    for (int k = 0; k < 3; k++) {
        along0 += geometry_frame(panel, 0, k) * v[k];
        along1 += geometry_frame(panel, 1, k) * v[k];
    }
    return radius * (1.0 + y * y) / geometry_delta2(x, y) * (along1 - x * along0);
}

SWE_POINT double geometry_flux2(double radius, int panel, double x, double y, const double v[3])
{
    double along0 = 0.0, along2 = 0.0;
    for (int k = 0; k < 3; k++) {
        along0 += geometry_frame(panel, 0, k) * v[k];
        along2 += geometry_frame(panel, 2, k) * v[k];
    }
    return radius * (1.0 + x * x) / geometry_delta2(x, y) * (along2 - y * along0);
}

#endif
