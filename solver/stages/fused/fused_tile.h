/* THE FUSED PIPELINE: one substep of a Runge-Kutta step in one sweep over the state, and the
 * projection of its h.
 *
 *     F1, F2 = the contravariant flux of v                  (contravariant_point.h)
 *     dh     = the weak divergence of F                     (divergence_point.h)
 *     dv_k   = -g Dvc_k h                                   (gradient_point.h)
 *     out    = the substep's result at every point             (rk4_point.h)
 *
 * Cross terms and fluxes live only while a tile of vertices is worked on, in a cache or in a GPU's
 * shared memory; the state is read once and written once, for two substeps where it streams from
 * memory (fused_pair_cpu.h, fused_two_substeps_cuda.h). The mean of the weak divergence over the
 * copies of a shared point is what the staged pipeline's divergence, SAT and projection make; a
 * substep is linear in dh, so that the projection of its h comes to the same.
 *
 * Which places the operators take, along one direction; tiles differ from whole panels in nothing
 * else. */
#ifndef SWE_STAGES_FUSED_TILE_H
#define SWE_STAGES_FUSED_TILE_H

#include "operators/sbp_point.h"

/* First of the cells that Dcv and Pcv take at vertices v, v + 1, ... */
SWE_POINT int fused_first_cell(int order, int n, int v)
{
    const int interior = v - order / 2, closure = n - sbp_columns(order);
    if (v < sbp_vertex_rows(order))
        return 0;
    return interior < closure ? interior : closure;
}

/* Last of those that they take at vertices ..., v - 1, v. */
SWE_POINT int fused_last_cell(int order, int n, int v)
{
    return n - 1 - fused_first_cell(order, n, n - v);
}

/* First of the vertices that Dvc and Pvc take at cells c, c + 1, ... */
SWE_POINT int fused_first_vertex(int order, int n, int c)
{
    const int interior = c + 1 - order / 2, closure = n + 1 - sbp_columns(order);
    if (c < sbp_cell_rows(order))
        return 0;
    return interior < closure ? interior : closure;
}

/* Last of those that they take at cells ..., c - 1, c. */
SWE_POINT int fused_last_vertex(int order, int n, int c)
{
    return n - fused_first_vertex(order, n, n - 1 - c);
}

#endif
