/* The Cartesian SAT at one point of a panel edge, in two passes:
 *
 * 1. sat_consensus_point: each panel extrapolates the covariant component across the edge to the
 * vertex, interpolates the other one along the edge, and forms a Cartesian vector. The mean of the
 * two vectors, transformed back, gives the consensus flux F* out of side a and into side b.
 *
 * 2. sat_vertex_point: each panel replaces its own extrapolated flux by F*: dh += -H0/J Hv^-1 (F* -
 * own), both counted outward. A cube vertex belongs to two sides of a panel.
 *
 * Each point writes only its own value, so results do not depend on the order of work. */
#ifndef SWE_STAGES_SAT_POINT_H
#define SWE_STAGES_SAT_POINT_H

#include "grid/geometry_point.h"
#include "operators/sbp_point.h"
#include "stages/params.h"

/* Extrapolation of `f` along the normal to index k of a side: along xi1 for west and east (f
 * staggered along i), along xi2 for south and north. `f` points at the panel's first value. */
SWE_POINT real sat_extrapolate(int order, const swe_params *params, const real *f, int side, int k)
{
    const int n = params->layout.n;
    const ptrdiff_t pitch = params->layout.pitch;
    switch (side) {
    case SWE_WEST:
        return sbp_edge_low(order, &params->sbp, f + k * pitch, 1);
    case SWE_EAST:
        return sbp_edge_high(order, &params->sbp, n, f + k * pitch, 1);
    case SWE_SOUTH:
        return sbp_edge_low(order, &params->sbp, f + k, pitch);
    default:
        return sbp_edge_high(order, &params->sbp, n, f + k, pitch);
    }
}

/* X = tan xi1 and Y = tan xi2 at index k of a side. */
SWE_POINT real sat_tan1(const swe_params *params, int side, int k)
{
    return side == SWE_WEST ? -1 : side == SWE_EAST ? 1 : params->tan_vertex[k];
}

SWE_POINT real sat_tan2(const swe_params *params, int side, int k)
{
    return side == SWE_SOUTH ? -1 : side == SWE_NORTH ? 1 : params->tan_vertex[k];
}

/* Cartesian velocity of one panel at index k of one of its sides. v1 and v2 point at vertex (0, 0)
 * of the panel. */
SWE_POINT void sat_velocity_point(int order, const swe_params *params, const real *v1,
                                  const real *v2, int panel, int side, int k, real velocity[3])
{
    const int n = params->layout.n;
    const ptrdiff_t pitch = params->layout.pitch;
    const int normal_is_1 = side == SWE_WEST || side == SWE_EAST;
    const real *normal = normal_is_1 ? v1 : v2;
    const real *tangential = (normal_is_1 ? v2 : v1) + topology_side_at(&params->layout, side, k);
    const real vn = sat_extrapolate(order, params, normal, side, k);
    const real vt =
        sbp_pcv(order, SBP_ANYWHERE, &params->sbp, n, k, tangential, normal_is_1 ? pitch : 1);
    geometry_velocity(params->radius, panel, sat_tan1(params, side, k), sat_tan2(params, side, k),
                      normal_is_1 ? vn : vt, normal_is_1 ? vt : vn, velocity);
}

/* Consensus flux out of side a at index k of an edge, from the velocities of both panels: flux of
 * the velocity [m2 s-1]; nonlinear: mass flux [m3 s-1] with depth h. */
SWE_POINT real sat_consensus(swe_equations equations, const swe_params *params, swe_edge e, int k,
                             const real a[3], const real b[3], real h)
{
    real mean[3];
    for (int m = 0; m < 3; m++)
        mean[m] = (real)0.5 * (a[m] + b[m]);
    const real x = sat_tan1(params, e.side_a, k), y = sat_tan2(params, e.side_a, k);
    const real flux = e.side_a == SWE_WEST || e.side_a == SWE_EAST
                          ? geometry_flux1(params->radius, e.panel_a, x, y, mean)
                          : geometry_flux2(params->radius, e.panel_a, x, y, mean);
    const real outward = e.side_a == SWE_EAST || e.side_a == SWE_NORTH ? flux : -flux;
    return equations == SWE_LINEAR ? outward : h * outward;
}

/* The same from whole fields. */
SWE_POINT real sat_consensus_point(swe_equations equations, int order, const swe_params *params,
                                   const real *h, const real *v1, const real *v2, int edge, int k)
{
    const swe_edge e = params->topology.edges[edge];
    const ptrdiff_t at_a = e.panel_a * params->layout.panel,
                    at_b = e.panel_b * params->layout.panel;
    real a[3], b[3];
    sat_velocity_point(order, params, v1 + at_a, v2 + at_a, e.panel_a, e.side_a, k, a);
    sat_velocity_point(order, params, v1 + at_b, v2 + at_b, e.panel_b, e.side_b,
                       topology_place_of_b(params->layout.n, e, k), b);
    return sat_consensus(
        equations, params, e, k, a, b,
        equations == SWE_LINEAR ? 0 : h[at_a + topology_side_at(&params->layout, e.side_a, k)]);
}

/* Outward F* minus the panel's own outward extrapolated flux, at index k of a side. f1 and f2 point
 * at vertex (0, 0) of the panel. out_of_a: F*, out of side a of the edge. */
SWE_POINT real sat_jump(int order, const swe_params *params, const real *f1, const real *f2,
                        real out_of_a, int panel, int side, int k)
{
    const real *f = side == SWE_WEST || side == SWE_EAST ? f1 : f2;
    const real own = sat_extrapolate(order, params, f, side, k);
    return (params->topology.sides[panel][side].is_b ? -out_of_a : out_of_a) -
           (side == SWE_EAST || side == SWE_NORTH ? own : -own);
}

/* The same from whole fields; consensus is (12, n + 1). */
SWE_POINT real sat_jump_point(int order, const swe_params *params, const real *f1, const real *f2,
                              const real *consensus, int panel, int side, int k)
{
    const int n = params->layout.n;
    const swe_side s = params->topology.sides[panel][side];
    const ptrdiff_t at = panel * params->layout.panel;
    return sat_jump(order, params, f1 + at, f2 + at,
                    consensus[s.edge * (n + 1) + (s.reversed ? n - k : k)], panel, side, k);
}

/* Whether a side writes its index k: south and north own the corners. */
SWE_POINT int sat_owns(int side, int k, int n)
{
    return side == SWE_SOUTH || side == SWE_NORTH || (k > 0 && k < n);
}

/* Contribution of a jump to dh. */
SWE_POINT real sat_tendency(const swe_params *params, real inverse_jacobian, real jump)
{
    const real weight = params->inverse_spacing / params->sbp.hv[0];
    return -params->depth * inverse_jacobian * weight * jump;
}

/* Contribution of the SAT to dh at index k that a side owns; at a corner it includes the exchange
 * of the west or east side. */
SWE_POINT real sat_vertex_point(int order, const swe_params *params, const real *f1, const real *f2,
                                const real *consensus, int panel, int side, int k)
{
    const int n = params->layout.n;
    real jump = sat_jump_point(order, params, f1, f2, consensus, panel, side, k);
    if (k == 0 || k == n)
        jump += sat_jump_point(order, params, f1, f2, consensus, panel,
                               k == 0 ? SWE_WEST : SWE_EAST, side == SWE_SOUTH ? 0 : n);
    return sat_tendency(params,
                        params->inverse_jacobian[topology_side_at(&params->layout, side, k)], jump);
}

#endif
