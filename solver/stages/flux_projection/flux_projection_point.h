/* What joins the panels between the two sweeps of the fused pipeline (transport_point.h), at one
 * shared point: the mean of h, of the head and of the vorticity over its copies, and the pv_flux
 * flux of the mean velocity. The first sweep left a panel's own flux and vorticity there; the
 * vorticity in `edge_vorticity` (6, 4, n + 1), places of each side. */
#ifndef SWE_STAGES_FLUX_PROJECTION_POINT_H
#define SWE_STAGES_FLUX_PROJECTION_POINT_H

#include "stages/coriolis/coriolis_point.h"

/* Values of a edge_vorticity. */
SWE_POINT size_t flux_projection_edge_size(int n)
{
    return (size_t)SWE_PANELS * SWE_SIDES * ((size_t)n + 1);
}

/* Place k of a side in a edge_vorticity; and the shared vertex (j, i): a cube vertex is on the
 * south or north side. */
SWE_POINT ptrdiff_t flux_projection_edge_place(int n, int panel, int side, int k)
{
    return ((ptrdiff_t)panel * SWE_SIDES + side) * (n + 1) + k;
}

SWE_POINT ptrdiff_t flux_projection_edge_at(int n, int panel, int j, int i)
{
    const int side = j == 0 ? SWE_SOUTH : j == n ? SWE_NORTH : i == 0 ? SWE_WEST : SWE_EAST;
    return flux_projection_edge_place(n, panel, side,
                                      side == SWE_SOUTH || side == SWE_NORTH ? i : j);
}

/* in: the h that was transported; h: the substep's. All whole fields. */
SWE_POINT void flux_projection_point(swe_equations equations, const swe_params *params,
                                     const topology_copies *copies, const real *SWE_RESTRICT in,
                                     real *SWE_RESTRICT h, real *SWE_RESTRICT head,
                                     real *SWE_RESTRICT pv_flux1, real *SWE_RESTRICT pv_flux2,
                                     real *SWE_RESTRICT edge_vorticity)
{
    const int n = params->layout.n;
    ptrdiff_t at[3] = {0, 0, 0}, side[3] = {0, 0, 0};
    TOPOLOGY_FOR_COPIES(copies->count, {
        at[m] = swe_at(&params->layout, copies->panel[m], copies->j[m], copies->i[m]);
        side[m] =
            flux_projection_edge_place(n, copies->panel[m], copies->side[m], copies->place[m]);
    })
    projection_average(copies->count, at, h);
    real vorticity = 0;
    if (equations == SWE_NONLINEAR) {
        projection_average(copies->count, at, head);
        vorticity = projection_average(copies->count, side, edge_vorticity);
    }
    coriolis_project(params, copies,
                     coriolis_rate(equations, &vorticity, params->coriolis[at[0]], in + at[0]),
                     pv_flux1, pv_flux2);
}

#endif
