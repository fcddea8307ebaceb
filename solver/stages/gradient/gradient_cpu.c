#include "stages/gradient/gradient_cpu.h"

#include "stages/gradient/gradient_point.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

SWE_POINT void row1_of(int result, int order, const swe_params *params, real weight,
                       rows_range cells, const real *SWE_RESTRICT h, real *SWE_RESTRICT v1)
{
    ROWS_ALONG(
        cells, rows_cells(order, params),
        gradient_put(result, weight, gradient_point1(order, where, params, i, h + k), v1 + k));
}

SWE_CLONES
void swe_gradient_row1(const swe_params *params, gradient_result result, real weight,
                       rows_range cells, const real *h, real *v1)
{
    GRADIENT_WITH_RESULT(result, SWE_WITH_ORDER(params->sbp.order, row1_of(RESULT, ORDER, params,
                                                                           weight, cells, h, v1)));
}

SWE_POINT void row2_of(int result, int order, sbp_region where, const swe_params *params,
                       real weight, int j, int count, const real *SWE_RESTRICT h,
                       real *SWE_RESTRICT v2)
{
    const ptrdiff_t up = params->layout.pitch;
#pragma omp simd
    for (int k = 0; k < count; k++)
        gradient_put(result, weight, gradient_point2(order, where, params, j, h + k, up), v2 + k);
}

SWE_CLONES
void swe_gradient_row2(const swe_params *params, gradient_result result, real weight, int j,
                       int count, const real *h, real *v2)
{
    GRADIENT_WITH_RESULT(
        result,
        SWE_WITH_ORDER(params->sbp.order, ROWS_AT_CELL(ORDER, params, j,
                                                       row2_of(RESULT, ORDER, (sbp_region)REGION,
                                                               params, weight, j, count, h, v2))));
}

void swe_gradient_cpu(const swe_execution *execution, const swe_params *params, const real *h,
                      real *dv1, real *dv2)
{
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const ptrdiff_t at = b.at + j * params->layout.pitch + b.i.first;
        swe_gradient_row1(params, GRADIENT_STORED, 0, rows_cells_of(params->layout.n, b.i), h + at,
                          dv1 + at);
        if (j < params->layout.n)
            swe_gradient_row2(params, GRADIENT_STORED, 0, j, b.i.last - b.i.first, h + at,
                              dv2 + at);
    });
    thread_end(execution);
    threads_wait(execution);
}
