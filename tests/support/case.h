/* Cases as tests make them: published constants, points of the sphere, differences along it. */
#ifndef SUPPORT_CASE_H
#define SUPPORT_CASE_H

#include "support/check.h"

#include "cases/case.h"
#include "cases/frame.h"
#include "support/random.h"

static const swe_physics case_earth = {.gravity = 9.80616,
                                       .depth = 2.94e4 / 9.80616,
                                       .radius = 6.37122e6,
                                       .equations = SWE_NONLINEAR,
                                       .rotation = 7.292e-5,
                                       .axis_lon = 0.0,
                                       .axis_lat = 90.0};

/* The Earth with other equations, depth and axis. */
static inline swe_physics case_physics(swe_equations equations, double depth, double axis_lon,
                                       double axis_lat)
{
    swe_physics physics = case_earth;
    physics.equations = equations;
    physics.depth = depth;
    physics.axis_lon = axis_lon;
    physics.axis_lat = axis_lat;
    return physics;
}

static inline swe_case *case_of(const swe_initial *initial, const swe_physics *physics)
{
    swe_context ctx = {""};
    swe_case *test_case = NULL;
    CHECK_OK(&ctx, swe_case_create(&ctx, initial, physics, &test_case));
    return test_case;
}

/* Unit vector at a longitude and latitude [degree]. */
static inline void case_point(double lon, double lat, double r[3])
{
    const swe_frame frame = swe_frame_about(lon, lat);
    for (int k = 0; k < 3; k++)
        r[k] = frame.axis[k];
}

/* Any point of the sphere. */
static inline void case_random_point(random_source *random, double r[3])
{
    double square = 0.0;
    do {
        for (int k = 0; k < 3; k++)
            r[k] = random_next(random);
        square = swe_dot(r, r);
    } while (square > 1.0 || square < 0.01);
    for (int k = 0; k < 3; k++)
        r[k] /= sqrt(square);
}

/* Two unit vectors e that make (e[0], e[1], r) right-handed. */
static inline void case_tangents(const double r[3], double e[2][3])
{
    const double aside[3] = {fabs(r[0]) < 0.5, fabs(r[0]) >= 0.5, 0.0};
    swe_cross(aside, r, e[0]);
    const double length = sqrt(swe_dot(e[0], e[0]));
    for (int k = 0; k < 3; k++)
        e[0][k] /= length;
    swe_cross(r, e[0], e[1]);
}

/* The point an angle from r towards e. */
static inline void case_step(const double r[3], const double e[3], double angle, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = cos(angle) * r[k] + sin(angle) * e[k];
}

/* Central difference of order 4 of values at -2, -1, 1, 2 steps. */
static inline double case_difference(const double f[4], double step)
{
    return (8.0 * (f[2] - f[1]) - (f[3] - f[0])) / (12.0 * step);
}

/* Fields of a case at time t on all panels (cases/case.h). */

static inline void case_heights(const swe_case *c, const swe_grid *grid, double t, double *h)
{
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int j = 0; j <= grid->layout.n; j++)
            swe_case_height_row(c, grid, t, panel, j, h + swe_at(&grid->layout, panel, j, 0));
}

static inline void case_velocities(const swe_case *c, const swe_grid *grid, double t, double *v1,
                                   double *v2)
{
    const int n = grid->layout.n;
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int j = 0; j <= n; j++) {
            const ptrdiff_t at = swe_at(&grid->layout, panel, j, 0);
            swe_case_v1_row(c, grid, t, panel, j, v1 + at);
            if (j < n)
                swe_case_v2_row(c, grid, t, panel, j, v2 + at);
        }
}

static inline void case_bottoms(const swe_case *c, const swe_grid *grid, double *b)
{
    for (int panel = 0; panel < SWE_PANELS; panel++)
        for (int j = 0; j <= grid->layout.n; j++)
            swe_case_bottom_row(c, grid, panel, j, b + swe_at(&grid->layout, panel, j, 0));
}

#endif
