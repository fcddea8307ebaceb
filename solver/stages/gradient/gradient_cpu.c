#include "stages/gradient/gradient_point.h"
#include "stages/rows_cpu.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* `h` and `out` point at the first value of a section of row j. */

/* dv1 at cells of a row of vertices. */
SWE_POINT void gradient_row1(int order, const swe_params *params, rows_range cells,
                             const real *SWE_RESTRICT h, real *SWE_RESTRICT out)
{
    ROWS_ALONG(cells, rows_cells(order, params),
               out[k] = gradient_point1(order, where, params, i, h + k));
}

SWE_POINT void gradient_row2_in(int order, sbp_region where, const swe_params *params, int j,
                                int count, const real *SWE_RESTRICT h, ptrdiff_t up,
                                real *SWE_RESTRICT out)
{
#pragma omp simd
    for (int k = 0; k < count; k++)
        out[k] = gradient_point2(order, where, params, j, h + k, up);
}

/* dv2 at `count` vertices of row j of cells. */
SWE_POINT void gradient_row2(int order, const swe_params *params, int j, int count,
                             const real *SWE_RESTRICT h, ptrdiff_t up, real *SWE_RESTRICT out)
{
    ROWS_AT_CELL(order, params, j,
                 gradient_row2_in(order, (sbp_region)REGION, params, j, count, h, up, out));
}

SWE_POINT void gradient_rows_of_order(int order, const swe_params *params, rows_range vertices,
                                      const real *h, int j, real *dv1, real *dv2)
{
    const int n = params->layout.n;
    gradient_row1(order, params, rows_cells_of(n, vertices), h, dv1);
    if (j < n)
        gradient_row2(order, params, j, vertices.last - vertices.first, h, params->layout.pitch,
                      dv2);
}

SWE_CLONES
static void gradient_rows(const swe_params *params, rows_range vertices, const real *h, int j,
                          real *dv1, real *dv2)
{
    SWE_WITH_ORDER(params->sbp.order,
                   gradient_rows_of_order(ORDER, params, vertices, h, j, dv1, dv2));
}

void swe_gradient_cpu(const swe_execution *execution, const swe_params *params, const real *h,
                      real *dv1, real *dv2)
{
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const ptrdiff_t at = b.at + j * params->layout.pitch + b.i.first;
        gradient_rows(params, b.i, h + at, j, dv1 + at, dv2 + at);
    });
    thread_end(execution);
    threads_wait(execution);
}
