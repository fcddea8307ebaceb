/* THE FUSED PIPELINE OF ROTATIONAL FLOWS (with rotation, or nonlinear): one substep in two sweeps
 * over the state, with a projection between them.
 *
 *     transport        mean_k = Pcv_k v_k, and the cross terms and shears of these means
 *                      F     contravariant flux of v         (contravariant_point.h)
 *                      h     from the weak divergence of F   (divergence_point.h, rk4_point.h)
 *                      head  Bernoulli head                  (bernoulli_point.h)
 *                      W     potential-vorticity flux        (vorticity_point.h, coriolis_point.h)
 *     flux_projection  h, head and W single-valued at shared points    (flux_projection_point.h)
 *     momentum         v_k   from Pvc_k W_k - g Dvc_k head             (momentum_point.h)
 *
 * Means, shears, cross terms and fluxes exist only while a tile of vertices is processed. In the
 * linear equations h is the head.
 *
 * On a CPU head and W, too, exist only while a strip of rows is processed (transport_row_cpu.h).
 * There transport computes v of inner cells, whose operators read no shared point and no row of
 * another thread. For the other cells it stores head and W, and momentum computes their v.
 *
 * This header computes head, W and vorticity of one vertex on a GPU, once the tile has F;
 * transport_rows.h computes rows on a CPU. */
#ifndef SWE_SWEEPS_TRANSPORT_POINT_H
#define SWE_SWEEPS_TRANSPORT_POINT_H

#include "stages/bernoulli/bernoulli_point.h"
#include "stages/coriolis/coriolis_point.h"
#include "stages/flux_projection/flux_projection_point.h"
#include "stages/vorticity/vorticity_point.h"

/* Inputs of vertex (j, i) from its tile. flux1 and shear1 = Dvc_1 mean_2 point at the value between
 * this vertex and the next along xi1; flux2 and shear2 = Dvc_2 mean_1 point at the value between
 * this vertex and the next along xi2, and `up` is their stride along xi2. mean1 and mean2 are Pcv_k
 * v_k at the vertex. Spacing 1. */
typedef struct transport_vertex {
    const real *flux1, *flux2, *shear1, *shear2;
    ptrdiff_t up;
    real mean1, mean2;
} transport_vertex;

/* Addresses of a vertex's outputs for the second sweep; transport_out_at shifts them by `at`. */
typedef struct transport_out {
    real *head, *pv_flux1, *pv_flux2;
} transport_out;

SWE_POINT transport_out transport_out_at(transport_out out, ptrdiff_t at)
{
    const transport_out moved = {out.head + at, out.pv_flux1 + at, out.pv_flux2 + at};
    return moved;
}

/* Values of a vertex for the second sweep. Vorticity is stored only at shared points, for
 * flux_projection. */
typedef struct transport_values {
    real head, pv_flux1, pv_flux2, vorticity;
} transport_values;

/* Compute W and, in the nonlinear equations, head and vorticity of vertex (j, i). At shared points
 * pv_flux_k is G_k = Pcv_k F_k of this panel, from which flux_projection computes W. h, v1, v2,
 * bottom and coriolis point at element (j, i) of the panel; `in_panel` is its offset in the metric
 * arrays, which hold one panel. */
SWE_POINT transport_values transport_point(swe_equations equations, int order, sbp_region where_i,
                                           sbp_region where_j, const swe_params *params, int j,
                                           int i, ptrdiff_t in_panel, const real *SWE_RESTRICT h,
                                           const real *SWE_RESTRICT v1, const real *SWE_RESTRICT v2,
                                           const real *SWE_RESTRICT bottom,
                                           const real *SWE_RESTRICT coriolis, transport_vertex at)
{
    const int n = params->layout.n;
    const int is_interior = where_i == SBP_INTERIOR && where_j == SBP_INTERIOR;
    const int is_shared = is_interior ? 0 : topology_is_shared(n, j, i);
    const real g1 = sbp_pcv(order, where_i, &params->sbp, n, i, at.flux1, 1);
    const real g2 = sbp_pcv(order, where_j, &params->sbp, n, j, at.flux2, at.up);
    transport_values values = {0, 0, 0, 0};
    if (equations == SWE_NONLINEAR) {
        const real squares =
            bernoulli_squares(order, where_i, where_j, params, j, i, in_panel, v1, v2);
        values.head = bernoulli_point(params, in_panel, *h, *bottom, squares, at.mean1, at.mean2);
        values.vorticity =
            vorticity_point(order, where_i, where_j, params, j, i,
                            params->inverse_jacobian[in_panel], at.shear1, at.shear2, at.up);
    }
    coriolis_pv_flux(is_shared, coriolis_rate(equations, &values.vorticity, *coriolis, h), g1, g2,
                     &values.pv_flux1, &values.pv_flux2);
    return values;
}

#endif
