/* Cross terms and fluxes along a piece of row j; fields and metric terms point at its first
 * value. */
#ifndef SWE_STAGES_CONTRAVARIANT_ROWS_H
#define SWE_STAGES_CONTRAVARIANT_ROWS_H

#include "stages/contravariant/contravariant_point.h"
#include "stages/rows_cpu.h"

SWE_POINT void contravariant_cross1_row(swe_equations equations, int order,
                                        const swe_params *params, rows_range vertices,
                                        const real *SWE_RESTRICT metric12,
                                        const real *SWE_RESTRICT h, const real *SWE_RESTRICT v1,
                                        real *SWE_RESTRICT out)
{
    ROWS_ALONG(vertices, rows_vertices(order, params->layout.n),
               out[k] = contravariant_cross1_point(equations, order, where, params, i, metric12[k],
                                                   h + k, v1 + k));
}

SWE_POINT void contravariant_cross2_row_in(swe_equations equations, int order, sbp_region where,
                                           const swe_params *params, int j, int count,
                                           const real *SWE_RESTRICT metric12,
                                           const real *SWE_RESTRICT h, const real *SWE_RESTRICT v2,
                                           real *SWE_RESTRICT out)
{
    const ptrdiff_t pitch = params->layout.pitch;
#pragma omp simd
    for (int k = 0; k < count; k++)
        out[k] = contravariant_cross2_point(equations, order, where, params, j, metric12[k], h + k,
                                            v2 + k, pitch);
}

SWE_POINT void contravariant_cross2_row(swe_equations equations, int order,
                                        const swe_params *params, int j, int count,
                                        const real *SWE_RESTRICT metric12,
                                        const real *SWE_RESTRICT h, const real *SWE_RESTRICT v2,
                                        real *SWE_RESTRICT out)
{
    ROWS_AT_VERTEX(order, params->layout.n, j,
                   contravariant_cross2_row_in(equations, order, (sbp_region)REGION, params, j,
                                               count, metric12, h, v2, out));
}

/* `cross2` points at the vertex of the first cell. */
SWE_POINT void contravariant_flux1_row(swe_equations equations, int order, const swe_params *params,
                                       rows_range cells, const real *SWE_RESTRICT metric11,
                                       const real *SWE_RESTRICT h, const real *SWE_RESTRICT v1,
                                       const real *SWE_RESTRICT cross2, real *SWE_RESTRICT out)
{
    ROWS_ALONG(cells, rows_cells(order, params->layout.n),
               out[k] = contravariant_flux1_point(equations, order, where, params, i, metric11[k],
                                                  h + k, v1 + k, cross2 + k));
}

SWE_POINT void contravariant_flux2_row_in(swe_equations equations, int order, sbp_region where,
                                          const swe_params *params, int j, int count,
                                          const real *SWE_RESTRICT metric22,
                                          const real *SWE_RESTRICT h, const real *SWE_RESTRICT v2,
                                          const real *SWE_RESTRICT cross1, ptrdiff_t up_cross,
                                          real *SWE_RESTRICT out)
{
    const ptrdiff_t pitch = params->layout.pitch;
#pragma omp simd
    for (int k = 0; k < count; k++)
        out[k] = contravariant_flux2_point(equations, order, where, params, j, metric22[k], h + k,
                                           v2 + k, pitch, cross1 + k, up_cross);
}

/* `up_cross` is the stride of `cross1` along xi2. */
SWE_POINT void contravariant_flux2_row(swe_equations equations, int order, const swe_params *params,
                                       int j, int count, const real *SWE_RESTRICT metric22,
                                       const real *SWE_RESTRICT h, const real *SWE_RESTRICT v2,
                                       const real *SWE_RESTRICT cross1, ptrdiff_t up_cross,
                                       real *SWE_RESTRICT out)
{
    ROWS_AT_CELL(order, params->layout.n, j,
                 contravariant_flux2_row_in(equations, order, (sbp_region)REGION, params, j, count,
                                            metric22, h, v2, cross1, up_cross, out));
}

#endif
