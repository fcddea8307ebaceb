#include "stages/divergence/divergence_point.h"
#include "stages/rows_cpu.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

SWE_POINT void divergence_row(int order, sbp_region where_j, const swe_view *view,
                              const double *SWE_RESTRICT f1, const double *SWE_RESTRICT f2, int j,
                              double *SWE_RESTRICT out)
{
    const int n = view->layout.n;
    const rows_interior interior = rows_vertices(order, n);
    for (int i = 0; i < interior.first; i++)
        out[i] = divergence_point(order, SBP_ANYWHERE, SBP_ANYWHERE, view, f1, f2, j, i);
#pragma omp simd
    for (int i = interior.first; i < interior.last; i++)
        out[i] = divergence_point(order, SBP_INTERIOR, where_j, view, f1, f2, j, i);
    for (int i = interior.last; i <= n; i++)
        out[i] = divergence_point(order, SBP_ANYWHERE, SBP_ANYWHERE, view, f1, f2, j, i);
}

SWE_POINT void divergence_row_of_order(int order, const swe_view *view, const double *f1,
                                       const double *f2, int j, double *dh)
{
    double *out = dh + j * view->layout.pitch;
    if (rows_is_interior(rows_vertices(order, view->layout.n), j))
        divergence_row(order, SBP_INTERIOR, view, f1, f2, j, out);
    else
        divergence_row(order, SBP_ANYWHERE, view, f1, f2, j, out);
}

SWE_CLONES
static void divergence_rows(const swe_view *view, const double *f1, const double *f2, int j,
                            double *dh)
{
    SWE_WITH_ORDER(view->sbp.order, divergence_row_of_order(ORDER, view, f1, f2, j, dh));
}

void swe_divergence_cpu(const swe_view *view, const double *f1, const double *f2, double *dh)
{
    const ptrdiff_t panel = view->layout.panel;
    const int rows_per_panel = view->layout.n + 1;
#pragma omp parallel num_threads(view->threads)
    {
        thread_begin(view);
#pragma omp for schedule(static) nowait
        for (int row = 0; row < SWE_PANELS * rows_per_panel; row++) {
            const ptrdiff_t p = row / rows_per_panel * panel;
            divergence_rows(view, f1 + p, f2 + p, row % rows_per_panel, dh + p);
        }
        thread_end(view);
    }
}
