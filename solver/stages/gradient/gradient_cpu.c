#include "stages/gradient/gradient_rows.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

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
    const int rows = view->layout.n + 1;
    thread_begin(view);
#pragma omp for schedule(static) nowait
    for (int row = 0; row < SWE_PANELS * rows; row++) {
        const ptrdiff_t at = row * view->layout.pitch;
        gradient_rows(view, h + at, row % rows, dv1 + at, dv2 + at);
    }
    thread_end(view);
#pragma omp barrier
}
