#include "stages/gradient/gradient_point.h"
#include "stages/rows_cpu.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* dv1 along one row of vertices j. */
SWE_POINT void gradient1_row(int order, const swe_view *view, const double *SWE_RESTRICT h, int j,
                             double *SWE_RESTRICT out)
{
    const int n = view->layout.n;
    const rows_interior interior = rows_cells(order, n);
    for (int i = 0; i < interior.first; i++)
        out[i] = gradient_point1(order, SBP_ANYWHERE, view, h, j, i);
#pragma omp simd
    for (int i = interior.first; i < interior.last; i++)
        out[i] = gradient_point1(order, SBP_INTERIOR, view, h, j, i);
    for (int i = interior.last; i < n; i++)
        out[i] = gradient_point1(order, SBP_ANYWHERE, view, h, j, i);
}

/* dv2 along one row of cells j. */
SWE_POINT void gradient2_row(int order, sbp_region where, const swe_view *view,
                             const double *SWE_RESTRICT h, int j, double *SWE_RESTRICT out)
{
#pragma omp simd
    for (int i = 0; i <= view->layout.n; i++)
        out[i] = gradient_point2(order, where, view, h, j, i);
}

SWE_POINT void gradient_rows_of_order(int order, const swe_view *view, const double *h, int j,
                                      double *dv1, double *dv2)
{
    const ptrdiff_t row = j * view->layout.pitch;
    gradient1_row(order, view, h, j, dv1 + row);
    if (j == view->layout.n)
        return;
    if (rows_is_interior(rows_cells(order, view->layout.n), j))
        gradient2_row(order, SBP_INTERIOR, view, h, j, dv2 + row);
    else
        gradient2_row(order, SBP_ANYWHERE, view, h, j, dv2 + row);
}

SWE_CLONES
static void gradient_rows(const swe_view *view, const double *h, int j, double *dv1, double *dv2)
{
    SWE_WITH_ORDER(view->sbp.order, gradient_rows_of_order(ORDER, view, h, j, dv1, dv2));
}

void swe_gradient_cpu(const swe_view *view, const double *h, double *dv1, double *dv2)
{
    const ptrdiff_t panel = view->layout.panel;
    const int rows_per_panel = view->layout.n + 1;
#pragma omp parallel num_threads(view->threads)
    {
        thread_begin(view);
#pragma omp for schedule(static) nowait
        for (int row = 0; row < SWE_PANELS * rows_per_panel; row++) {
            const int p = row / rows_per_panel, j = row % rows_per_panel;
            gradient_rows(view, h + p * panel, j, dv1 + p * panel, dv2 + p * panel);
        }
        thread_end(view);
    }
}
