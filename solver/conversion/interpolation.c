#include "conversion/interpolation.h"

#include <math.h>

#include "base/constants.h"
#include "grid/geometry_point.h"
#include "grid/grid.h"

enum { MOST_POINTS = 6 };

/* A panel of four cells has only five vertices. */
static int points_of(const swe_layout *layout)
{
    return layout->n + 1 < MOST_POINTS ? layout->n + 1 : MOST_POINTS;
}

static double along(int panel, int m, const double r[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++)
        sum += geometry_frame(panel, m, k) * r[k];
    return sum;
}

/* The first vertex of the stencil around a coordinate [cells]; what is left of it. */
static int stencil_of(int n, int points, double *s)
{
    *s = fmin(fmax(*s, 0.0), n); /* a point on an edge may lie beyond by rounding */
    const int first = (int)*s - (points / 2 - 1);
    const int inside = first < 0 ? 0 : first > n + 1 - points ? n + 1 - points : first;
    *s -= inside;
    return inside;
}

swe_interpolation_point swe_interpolation_place(const swe_layout *layout, const double r[3])
{
    int panel = 0;
    for (int p = 1; p < SWE_PANELS; p++)
        if (along(p, 0, r) > along(panel, 0, r))
            panel = p;
    const double out = along(panel, 0, r), spacing = swe_grid_spacing(layout->n);
    swe_interpolation_point place = {0, (atan(along(panel, 1, r) / out) + SWE_PI / 4.0) / spacing,
                                     (atan(along(panel, 2, r) / out) + SWE_PI / 4.0) / spacing};
    const int points = points_of(layout);
    const int i = stencil_of(layout->n, points, &place.x);
    const int j = stencil_of(layout->n, points, &place.y);
    place.at = swe_at(layout, panel, j, i);
    return place;
}

/* Lagrange polynomials through 0, 1, ... at x: exactly 0 and 1 if x is one of them. */
static void weights_at(double x, int points, double *weights)
{
    for (int m = 0; m < points; m++) {
        double above = 1.0, below = 1.0;
        for (int k = 0; k < points; k++)
            if (k != m) {
                above *= x - k;
                below *= m - k;
            }
        weights[m] = above / below;
    }
}

double swe_interpolation_value(const swe_layout *layout, const swe_interpolation_point *place,
                               const double *values)
{
    double across[MOST_POINTS], up[MOST_POINTS];
    const int points = points_of(layout);
    weights_at(place->x, points, across);
    weights_at(place->y, points, up);
    /* differences from the nearest vertex, so that constants stay as they are */
    const double *from = values + place->at;
    const double base = from[lround(place->y) * layout->pitch + lround(place->x)];
    double sum = 0.0;
    for (int j = 0; j < points; j++) {
        double row = 0.0;
        for (int i = 0; i < points; i++)
            row += across[i] * (from[j * layout->pitch + i] - base);
        sum += up[j] * row;
    }
    return base + sum;
}
