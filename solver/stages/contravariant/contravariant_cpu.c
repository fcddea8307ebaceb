#include "stages/contravariant/contravariant_point.h"
#include "stages/rows_cpu.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* The four rows below write row j of their field; pointers are at the panel's first value. */

SWE_POINT void cross1_row(int order, const swe_view *view, const double *SWE_RESTRICT v1, int j,
                          double *SWE_RESTRICT out)
{
    const int n = view->layout.n;
    const rows_interior interior = rows_vertices(order, n);
    for (int i = 0; i < interior.first; i++)
        out[i] = contravariant_cross1_point(order, SBP_ANYWHERE, view, v1, j, i);
#pragma omp simd
    for (int i = interior.first; i < interior.last; i++)
        out[i] = contravariant_cross1_point(order, SBP_INTERIOR, view, v1, j, i);
    for (int i = interior.last; i <= n; i++)
        out[i] = contravariant_cross1_point(order, SBP_ANYWHERE, view, v1, j, i);
}

SWE_POINT void cross2_row(int order, sbp_region where, const swe_view *view,
                          const double *SWE_RESTRICT v2, int j, double *SWE_RESTRICT out)
{
#pragma omp simd
    for (int i = 0; i <= view->layout.n; i++)
        out[i] = contravariant_cross2_point(order, where, view, v2, j, i);
}

SWE_POINT void flux1_row(int order, const swe_view *view, const double *SWE_RESTRICT v1,
                         const double *SWE_RESTRICT cross2, int j, double *SWE_RESTRICT out)
{
    const int n = view->layout.n;
    const rows_interior interior = rows_cells(order, n);
    for (int i = 0; i < interior.first; i++)
        out[i] = contravariant_flux1_point(order, SBP_ANYWHERE, view, v1, cross2, j, i);
#pragma omp simd
    for (int i = interior.first; i < interior.last; i++)
        out[i] = contravariant_flux1_point(order, SBP_INTERIOR, view, v1, cross2, j, i);
    for (int i = interior.last; i < n; i++)
        out[i] = contravariant_flux1_point(order, SBP_ANYWHERE, view, v1, cross2, j, i);
}

SWE_POINT void flux2_row(int order, sbp_region where, const swe_view *view,
                         const double *SWE_RESTRICT v2, const double *SWE_RESTRICT cross1, int j,
                         double *SWE_RESTRICT out)
{
#pragma omp simd
    for (int i = 0; i <= view->layout.n; i++)
        out[i] = contravariant_flux2_point(order, where, view, v2, cross1, j, i);
}

/* First pass and F1, whose cross term lies in the same row. */
SWE_POINT void cross_rows_of_order(int order, const swe_view *view, const double *v1,
                                   const double *v2, int j, double *cross1, double *cross2,
                                   double *f1)
{
    const ptrdiff_t row = j * view->layout.pitch;
    cross1_row(order, view, v1, j, cross1 + row);
    if (rows_is_interior(rows_vertices(order, view->layout.n), j))
        cross2_row(order, SBP_INTERIOR, view, v2, j, cross2 + row);
    else
        cross2_row(order, SBP_ANYWHERE, view, v2, j, cross2 + row);
    flux1_row(order, view, v1, cross2, j, f1 + row);
}

SWE_POINT void flux2_rows_of_order(int order, const swe_view *view, const double *v2,
                                   const double *cross1, int j, double *f2)
{
    const ptrdiff_t row = j * view->layout.pitch;
    if (rows_is_interior(rows_cells(order, view->layout.n), j))
        flux2_row(order, SBP_INTERIOR, view, v2, cross1, j, f2 + row);
    else
        flux2_row(order, SBP_ANYWHERE, view, v2, cross1, j, f2 + row);
}

SWE_CLONES
static void cross_rows(const swe_view *view, const double *v1, const double *v2, int j,
                       double *cross1, double *cross2, double *f1)
{
    SWE_WITH_ORDER(view->sbp.order,
                   cross_rows_of_order(ORDER, view, v1, v2, j, cross1, cross2, f1));
}

SWE_CLONES
static void flux2_rows(const swe_view *view, const double *v2, const double *cross1, int j,
                       double *f2)
{
    SWE_WITH_ORDER(view->sbp.order, flux2_rows_of_order(ORDER, view, v2, cross1, j, f2));
}

void swe_contravariant_cpu(const swe_view *view, const double *v1, const double *v2, double *cross1,
                           double *cross2, double *f1, double *f2)
{
    const ptrdiff_t panel = view->layout.panel;
    const int n = view->layout.n;
#pragma omp parallel num_threads(view->threads)
    {
        thread_begin(view);
#pragma omp for schedule(static) nowait
        for (int row = 0; row < SWE_PANELS * (n + 1); row++) {
            const ptrdiff_t p = row / (n + 1) * panel;
            cross_rows(view, v1 + p, v2 + p, row % (n + 1), cross1 + p, cross2 + p, f1 + p);
        }
        thread_end(view);
#pragma omp barrier
        thread_begin(view);
#pragma omp for schedule(static) nowait
        for (int row = 0; row < SWE_PANELS * n; row++) {
            const ptrdiff_t p = row / n * panel;
            flux2_rows(view, v2 + p, cross1 + p, row % n, f2 + p);
        }
        thread_end(view);
    }
}
