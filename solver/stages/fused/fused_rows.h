/* Rows of a tile of the fused stage; fields point at the row's first value. */
#ifndef SWE_STAGES_FUSED_ROWS_H
#define SWE_STAGES_FUSED_ROWS_H

#include "stages/divergence/divergence_point.h"
#include "stages/gradient/gradient_point.h"
#include "stages/rk4/rk4_point.h"
#include "stages/rows_cpu.h"

/* The substep's h, v1 and v2. */

SWE_POINT void fused_h_of(int order, sbp_region where_j, const swe_params *SWE_RESTRICT params,
                          int substep, real weight, rows_range vertices, int j,
                          const real *SWE_RESTRICT inverse_jacobian, const real *SWE_RESTRICT flux1,
                          const real *SWE_RESTRICT flux2, ptrdiff_t up, rk4_arrays a)
{
    ROWS_ALONG(vertices, rows_vertices(order, params->layout.n),
               rk4_point(substep, weight,
                         divergence_point(DIVERGENCE_WEAK, order, where, where_j, params, j, i,
                                          inverse_jacobian[k], flux1 + k, flux2 + k, up),
                         rk4_arrays_at(a, k)));
}

SWE_POINT void fused_v1_of(int order, const swe_params *SWE_RESTRICT params, int substep,
                           real weight, rows_range cells, const real *SWE_RESTRICT h, rk4_arrays a)
{
    ROWS_ALONG(cells, rows_cells(order, params->layout.n),
               rk4_point(substep, weight, gradient_point1(order, where, params, i, h + k),
                         rk4_arrays_at(a, k)));
}

/* Vertices on a panel edge are separate, so that the vector loop begins at a cache line. */
SWE_POINT void fused_v2_of(int order, sbp_region where_j, const swe_params *SWE_RESTRICT params,
                           int substep, real weight, rows_range vertices, int j,
                           const real *SWE_RESTRICT h, rk4_arrays a)
{
    const rows_range off_edges = {1, params->layout.n};
    const ptrdiff_t pitch = params->layout.pitch;
    ROWS_ALONG(vertices, off_edges, {
        (void)where;
        rk4_point(substep, weight, gradient_point2(order, where_j, params, j, h + k, pitch),
                  rk4_arrays_at(a, k));
    });
}

#endif
