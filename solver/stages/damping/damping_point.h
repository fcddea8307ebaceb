/* Damping at one place of a panel edge, the dissipative part of the SAT: each panel's normal
 * velocity gives way to half the jump of the outward flux F, of both sides together,
 *
 *     v_n -= dt sigma c/a  (Hc D)^-1 l  (F_a + F_b)/2 / (h J g^nn)
 *
 * l: the extrapolation to the edge; h and J g^nn those of the edge; linear: without h. It takes
 * from the energy the square of the jump. Nothing is done at cube vertices, so that the velocity
 * along a panel's side stays what it is on both sides. A place writes only its own values. */
#ifndef SWE_STAGES_DAMPING_POINT_H
#define SWE_STAGES_DAMPING_POINT_H

#include "stages/sat/sat_point.h"

/* J g^nn at place k of a side. */
SWE_POINT real damping_metric(const swe_view *view, int side, int k)
{
    const real x = sat_tan1(view, side, k), y = sat_tan2(view, side, k);
    return side == SWE_WEST || side == SWE_EAST ? geometry_metric11(x, y) : geometry_metric22(x, y);
}

/* A panel's own flux out of a side, extrapolated to its place k. f1, f2 are whole fields. */
SWE_POINT real damping_flux_out(int order, const swe_view *view, const real *f1, const real *f2,
                                int panel, int side, int k)
{
    const real *f = (side == SWE_WEST || side == SWE_EAST ? f1 : f2) + panel * view->layout.panel;
    const real flux = sat_extrapolate(order, view, f, side, k);
    return side == SWE_EAST || side == SWE_NORTH ? flux : -flux;
}

/* `change` of the outward velocity at the edge, brought to the cells that l takes. */
SWE_POINT void damping_add(int order, const swe_view *view, int panel, int side, int k, real change,
                           real *v1, real *v2)
{
    const int is_high = side == SWE_EAST || side == SWE_NORTH;
    const int is_1 = side == SWE_WEST || side == SWE_EAST, n = view->layout.n;
    const ptrdiff_t pitch = view->layout.pitch, along = is_1 ? 1 : pitch;
    real *first = (is_1 ? v1 + k * pitch : v2 + k) + panel * view->layout.panel +
                  (is_high ? (n - 1) * along : 0);
    for (int m = 0; m < sbp_edge_length(order); m++)
        first[is_high ? -m * along : m * along] +=
            (is_high ? change : -change) * (view->sbp.edge[m] / view->sbp.hc[m]);
}

/* Both sides of place k = 1..n-1 of an edge; weight: dt sigma c/(a D) [1]. */
SWE_POINT void damping_point(swe_equations equations, int order, const swe_view *view, real weight,
                             const real *h, const real *f1, const real *f2, int edge, int k,
                             real *v1, real *v2)
{
    const swe_edge e = view->topology.edges[edge];
    const int k_b = e.reversed ? view->layout.n - k : k;
    const real jump = damping_flux_out(order, view, f1, f2, e.panel_a, e.side_a, k) +
                      damping_flux_out(order, view, f1, f2, e.panel_b, e.side_b, k_b);
    const real metric = damping_metric(view, e.side_a, k);
    const ptrdiff_t at =
        e.panel_a * view->layout.panel + topology_side_at(&view->layout, e.side_a, k);
    const real change =
        -weight * (real)0.5 * jump / (equations == SWE_LINEAR ? metric : h[at] * metric);
    damping_add(order, view, e.panel_a, e.side_a, k, change, v1, v2);
    damping_add(order, view, e.panel_b, e.side_b, k_b, change, v1, v2);
}

#endif
