/* Edge damping, the dissipative part of the SAT, at one point of a panel edge: the normal velocity
 * of each panel is reduced by half the jump of the outward flux F between the two panels,
 *
 *     v_n -= dt sigma c/a  (Hc D)^-1 l  (F_a + F_b)/2 / (h J g^nn)
 *
 * l extrapolates to the edge. h and J g^nn are values at the edge; linear equations have no h. The
 * energy decreases by the square of the jump. Cube vertices are not changed, so that the velocity
 * along an edge stays equal on both panels.
 *
 * Two passes: the change of the velocity at the edge, and its distribution to the cells that l
 * reads. F depends on velocities that other points change, so the first pass ends before the second
 * begins. Each point writes only its own values. */
#ifndef SWE_STAGES_DAMPING_POINT_H
#define SWE_STAGES_DAMPING_POINT_H

#include "stages/contravariant/contravariant_point.h"
#include "stages/sat/sat_point.h"

/* J g^nn at index k of a side. */
SWE_POINT real damping_metric(const swe_params *params, int side, int k)
{
    const real x = sat_tan1(params, side, k), y = sat_tan2(params, side, k);
    return side == SWE_WEST || side == SWE_EAST ? geometry_metric11(x, y) : geometry_metric22(x, y);
}

/* The line across a side at its index k, from the side inwards: its first vertex and first cell in
 * a panel, and the stride. The line from a high end mirrors the line from a low end; the operators'
 * closures are mirrored, too. */
typedef struct damping_line {
    int is_1, is_high; /* whether the line runs along xi1, and from the high end */
    ptrdiff_t vertex, cell, along;
} damping_line;

SWE_POINT damping_line damping_line_of(const swe_params *params, int side, int k)
{
    damping_line line;
    line.is_1 = side == SWE_WEST || side == SWE_EAST;
    line.is_high = side == SWE_EAST || side == SWE_NORTH;
    line.along = (line.is_1 ? 1 : params->layout.pitch) * (line.is_high ? -1 : 1);
    line.vertex = topology_side_at(&params->layout, side, k);
    line.cell = line.vertex + (line.is_high ? line.along : 0);
    return line;
}

/* A panel's own flux out of a side, extrapolated to index k. h, v1 and v2 point at vertex (0, 0) of
 * the panel, which is at `metric` in metric terms. */
SWE_POINT real damping_flux_out(swe_equations equations, int order, const swe_params *params,
                                ptrdiff_t metric, const real *h, const real *v1, const real *v2,
                                int side, int k)
{
    const damping_line line = damping_line_of(params, side, k);
    const real *normal = line.is_1 ? v1 : v2, *tangential = line.is_1 ? v2 : v1;
    const real *metric_nn = (line.is_1 ? params->metric11 : params->metric22) + metric;
    const ptrdiff_t across = line.is_1 ? params->layout.pitch : 1;
    real cross[SBP_COLUMNS], flux[SBP_ROWS] = {0};
    SWE_UNROLL for (int v = 0; v < sbp_columns(order); v++)
    {
        const ptrdiff_t at = line.vertex + v * line.along;
        cross[v] = contravariant_cross(equations, params->metric12[metric + at], h + at,
                                       sbp_pcv(order, SBP_ANYWHERE, &params->sbp, params->layout.n,
                                               k, tangential + at, across));
    }
    SWE_UNROLL for (int c = 0; c < sbp_edge_length(order); c++)
    {
        const ptrdiff_t at = line.cell + c * line.along;
        flux[c] = contravariant_flux(equations, order, SBP_LOW, params, c, metric_nn[at],
                                     h + line.vertex + c * line.along, normal + at, line.along,
                                     cross + c, 1);
    }
    const real inwards = sbp_edge_low(order, &params->sbp, flux, 1);
    return line.is_high ? inwards : -inwards;
}

/* Change of the outward velocity at a point of an edge, the same on both sides. `jump` is the sum
 * of the outward fluxes of both panels, k the index along side a, h the depth. weight: dt sigma
 * c/(a D) [1]. */
SWE_POINT real damping_change_of(swe_equations equations, const swe_params *params, real weight,
                                 real jump, real h, int side_a, int k)
{
    const real metric = damping_metric(params, side_a, k);
    return -weight * (real)0.5 * jump / (equations == SWE_LINEAR ? metric : h * metric);
}

/* The same at index k = 1..n-1 of an edge. */
SWE_POINT real damping_change(swe_equations equations, int order, const swe_params *params,
                              real weight, const real *h, const real *v1, const real *v2, int edge,
                              int k)
{
    const swe_edge e = params->topology.edges[edge];
    const int k_b = topology_place_of_b(params->layout.n, e, k);
    const ptrdiff_t a = e.panel_a * params->layout.panel, b = e.panel_b * params->layout.panel;
    const real jump =
        damping_flux_out(equations, order, params, 0, h + a, v1 + a, v2 + a, e.side_a, k) +
        damping_flux_out(equations, order, params, 0, h + b, v1 + b, v2 + b, e.side_b, k_b);
    const ptrdiff_t at = a + topology_side_at(&params->layout, e.side_a, k);
    return damping_change_of(equations, params, weight, jump, equations == SWE_LINEAR ? 0 : h[at],
                             e.side_a, k);
}

/* Distribute the change of the outward velocity at the edge to the cells that l reads. */
SWE_POINT void damping_add_side(int order, const swe_params *params, int side, int k, real change,
                                real *v1, real *v2)
{
    const damping_line line = damping_line_of(params, side, k);
    real *cells = (line.is_1 ? v1 : v2) + line.cell;
    for (int c = 0; c < sbp_edge_length(order); c++)
        cells[c * line.along] +=
            (line.is_high ? change : -change) * (params->sbp.edge[c] / params->sbp.hc[c]);
}

/* The same for both sides of index k of an edge. */
SWE_POINT void damping_add(int order, const swe_params *params, real change, int edge, int k,
                           real *v1, real *v2)
{
    const swe_edge e = params->topology.edges[edge];
    const int k_b = topology_place_of_b(params->layout.n, e, k);
    const ptrdiff_t a = e.panel_a * params->layout.panel, b = e.panel_b * params->layout.panel;
    damping_add_side(order, params, e.side_a, k, change, v1 + a, v2 + a);
    damping_add_side(order, params, e.side_b, k_b, change, v1 + b, v2 + b);
}

#endif
