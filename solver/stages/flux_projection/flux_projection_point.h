/* Projection between the two sweeps of the fused pipeline of rotational flows (transport_point.h),
 * at one shared point: h, the head and the vorticity become the average of their copies, and the
 * potential-vorticity flux is computed from the average velocity. The first sweep stores each
 * panel's own flux and vorticity there; the vorticity in `edge_vorticity` (6, 4, n + 1), by panel,
 * side and index along the side. */
#ifndef SWE_STAGES_FLUX_PROJECTION_POINT_H
#define SWE_STAGES_FLUX_PROJECTION_POINT_H

#include "stages/coriolis/coriolis_point.h"

/* Offset of index k of a side in edge_vorticity; and of the shared vertex (j, i), where a cube
 * vertex counts to the south or north side. */
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

/* in: h before the substep; h: its result. All are whole fields. With blocks
 * edge_vorticity is a field, whose foreign copies are exchanged. */
SWE_POINT void flux_projection_point(swe_equations equations, int are_blocks,
                                     const swe_params *params, const topology_copies *copies,
                                     const real *SWE_RESTRICT in, real *SWE_RESTRICT h,
                                     real *SWE_RESTRICT head, real *SWE_RESTRICT pv_flux1,
                                     real *SWE_RESTRICT pv_flux2, real *SWE_RESTRICT edge_vorticity)
{
    const int n = params->layout.n;
    ptrdiff_t at[3] = {0, 0, 0}, side[3] = {0, 0, 0};
    TOPOLOGY_FOR_COPIES(copies->count, {
        at[m] = copies->at[m];
        side[m] = are_blocks ? at[m]
                             : flux_projection_edge_place(n, copies->panel[m], copies->side[m],
                                                          copies->place[m]);
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
