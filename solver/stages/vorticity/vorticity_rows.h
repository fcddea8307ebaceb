/* Shears along a section of a row; fields point at its first value. */
#ifndef SWE_STAGES_VORTICITY_ROWS_H
#define SWE_STAGES_VORTICITY_ROWS_H

#include "stages/rows_cpu.h"
#include "stages/vorticity/vorticity_point.h"

/* `mean2` points at the vertex of the first cell. */
SWE_POINT void vorticity_shear1_row(int order, const swe_params *params, rows_range cells,
                                    const real *SWE_RESTRICT mean2, real *SWE_RESTRICT out)
{
    ROWS_ALONG(cells, rows_cells(order, params),
               out[k] = vorticity_shear1_point(order, where, params, i, mean2 + k));
}

SWE_POINT void vorticity_shear2_row_in(int order, sbp_region where, const swe_params *params, int j,
                                       int count, const real *SWE_RESTRICT mean1, ptrdiff_t up,
                                       real *SWE_RESTRICT out)
{
#pragma omp simd
    for (int k = 0; k < count; k++)
        out[k] = vorticity_shear2_point(order, where, params, j, mean1 + k, up);
}

/* Row j of cells; `up` is the stride of mean1 along xi2. */
SWE_POINT void vorticity_shear2_row(int order, const swe_params *params, int j, int count,
                                    const real *SWE_RESTRICT mean1, ptrdiff_t up,
                                    real *SWE_RESTRICT out)
{
    ROWS_AT_CELL(
        order, params, j,
        vorticity_shear2_row_in(order, (sbp_region)REGION, params, j, count, mean1, up, out));
}

#endif
