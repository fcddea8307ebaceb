/* Projection at one shared point: the H-orthogonal projection onto continuous fields.
 *
 * Its weights J Hv Hv are the same for all copies of a point, by symmetry of the closures and of
 * the metric, so it is the mean of the copies. Each shared point is read and written by one caller.
 * The mean does not depend on the order of the copies, and is exact where they already agree. */
#ifndef SWE_STAGES_PROJECTION_POINT_H
#define SWE_STAGES_PROJECTION_POINT_H

#include "stages/view.h"

/* Mean of three values, the same for every order of them. */
SWE_POINT real projection_mean3(real a, real b, real c)
{
    const real low = a < b ? a : b, high = a < b ? b : a;
    const real least = c < low ? c : low, greatest = c > high ? c : high;
    const real middle = c < low ? low : c > high ? high : c;
    if (least == greatest)
        return least; /* 3 x / 3 is not always x */
    return ((least + greatest) + middle) / 3;
}

/* Place k = 1..n-1 of an edge; its ends are corners. */
SWE_POINT void projection_edge_point(const swe_view *view, int edge, int k, real *h)
{
    const swe_edge e = view->topology.edges[edge];
    const swe_layout *layout = &view->layout;
    const int k_b = e.reversed ? layout->n - k : k;
    real *a = h + e.panel_a * layout->panel + topology_side_at(layout, e.side_a, k);
    real *b = h + e.panel_b * layout->panel + topology_side_at(layout, e.side_b, k_b);
    const real mean = (real)0.5 * (*a + *b);
    *a = mean;
    *b = mean;
}

SWE_POINT void projection_corner_point(const swe_view *view, int corner, real *h)
{
    const swe_corner c = view->topology.corners[corner];
    const int n = view->layout.n;
    real *copy[3];
    for (int m = 0; m < 3; m++)
        copy[m] = h + swe_at(&view->layout, c.panel[m], c.high_j[m] ? n : 0, c.high_i[m] ? n : 0);
    const real mean = projection_mean3(*copy[0], *copy[1], *copy[2]);
    for (int m = 0; m < 3; m++)
        *copy[m] = mean;
}

#endif
