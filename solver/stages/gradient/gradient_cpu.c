#include "stages/gradient/gradient_point.h"
#include "stages/rows_cpu.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* `h` and `out` point at the first place of row j. */

/* dv1 at cells of a row of vertices. */
SWE_POINT void gradient_row1(int order, const swe_view *view, rows_range cells,
                             const real *SWE_RESTRICT h, real *SWE_RESTRICT out)
{
    ROWS_ALONG(cells, rows_cells(order, view->layout.n),
               out[k] = gradient_point1(order, where, view, i, h + k));
}

SWE_POINT void gradient_row2_in(int order, sbp_region where, const swe_view *view, int j, int count,
                                const real *SWE_RESTRICT h, ptrdiff_t up, real *SWE_RESTRICT out)
{
#pragma omp simd
    for (int k = 0; k < count; k++)
        out[k] = gradient_point2(order, where, view, j, h + k, up);
}

/* dv2 at `count` vertices of row j of cells. */
SWE_POINT void gradient_row2(int order, const swe_view *view, int j, int count,
                             const real *SWE_RESTRICT h, ptrdiff_t up, real *SWE_RESTRICT out)
{
    ROWS_AT_CELL(order, view->layout.n, j,
                 gradient_row2_in(order, (sbp_region)REGION, view, j, count, h, up, out));
}

SWE_POINT void gradient_rows_of_order(int order, const swe_view *view, const real *h, int j,
                                      real *dv1, real *dv2)
{
    const int n = view->layout.n;
    const rows_range cells = {0, n};
    gradient_row1(order, view, cells, h, dv1);
    if (j < n)
        gradient_row2(order, view, j, n + 1, h, view->layout.pitch, dv2);
}

SWE_CLONES
static void gradient_rows(const swe_view *view, const real *h, int j, real *dv1, real *dv2)
{
    SWE_WITH_ORDER(view->sbp.order, gradient_rows_of_order(ORDER, view, h, j, dv1, dv2));
}

void swe_gradient_cpu(const swe_view *view, const real *h, real *dv1, real *dv2)
{
    thread_begin(view);
    FOR_OWN_ROWS(view, row, j, {
        const ptrdiff_t at = row * view->layout.pitch;
        gradient_rows(view, h + at, j, dv1 + at, dv2 + at);
    });
    thread_end(view);
    threads_wait(view);
}
