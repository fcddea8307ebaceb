/* Rows of the Coriolis and vorticity term. */
#ifndef SWE_STAGES_CORIOLIS_ROWS_H
#define SWE_STAGES_CORIOLIS_ROWS_H

#include "stages/coriolis/coriolis_point.h"
#include "stages/threads_cpu.h"

/* Add Pvc_k W_k along a section of row j of a panel; fields point at its first value. */

SWE_POINT void coriolis_add2_row(int order, sbp_region where, const swe_params *params, int count,
                                 int j, const real *SWE_RESTRICT pv_flux2, real *SWE_RESTRICT dv2)
{
#pragma omp simd
    for (int k = 0; k < count; k++)
        dv2[k] += coriolis_point2(order, where, params, j, pv_flux2 + k, params->layout.pitch);
}

SWE_POINT void coriolis_add_row(int order, const swe_params *params, rows_range vertices, int j,
                                const real *SWE_RESTRICT pv_flux1, const real *pv_flux2,
                                real *SWE_RESTRICT dv1, real *dv2)
{
    const int n = params->layout.n, count = vertices.last - vertices.first;
    const rows_range all = {0, n}, cells = rows_within(vertices, all);
    ROWS_ALONG(cells, rows_cells(order, params),
               dv1[k] += coriolis_point1(order, where, params, i, pv_flux1 + k));
    if (j < n)
        ROWS_AT_CELL(order, params, j,
                     coriolis_add2_row(order, (sbp_region)REGION, params, count, j, pv_flux2, dv2));
}

SWE_CLONES
static void coriolis_add_section(const swe_params *params, rows_range vertices, int j,
                                 const real *pv_flux1, const real *pv_flux2, real *dv1, real *dv2)
{
    SWE_WITH_ORDER(params->sbp.order,
                   coriolis_add_row(ORDER, params, vertices, j, pv_flux1, pv_flux2, dv1, dv2));
}

/* Add Pvc_k W_k to whole fields, in the rows of each thread. All threads call it; they do not wait.
 */
static void coriolis_add_rows(const swe_execution *execution, const swe_params *params,
                              const real *pv_flux1, const real *pv_flux2, real *dv1, real *dv2)
{
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const ptrdiff_t at = b.at + j * params->layout.pitch + b.i.first;
        coriolis_add_section(params, b.i, j, pv_flux1 + at, pv_flux2 + at, dv1 + at, dv2 + at);
    });
    thread_end(execution);
}

#endif
