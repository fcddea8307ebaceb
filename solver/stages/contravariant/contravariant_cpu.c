#include "stages/contravariant/contravariant_rows.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* First pass over row j and F1, whose cross term lies in the same row. Fields point at the row. */
SWE_POINT void cross_rows_of(swe_equations equations, int order, const swe_view *view, int j,
                             const real *h, const real *v1, const real *v2, real *cross1,
                             real *cross2, real *f1)
{
    const int n = view->layout.n;
    const ptrdiff_t row = j * view->layout.pitch;
    const rows_range vertices = {0, n + 1}, cells = {0, n};
    contravariant_cross1_row(equations, order, view, vertices, view->metric12 + row, h, v1, cross1);
    contravariant_cross2_row(equations, order, view, j, n + 1, view->metric12 + row, h, v2, cross2);
    contravariant_flux1_row(equations, order, view, cells, view->metric11 + row, h, v1, cross2, f1);
}

SWE_CLONES
static void cross_rows(const swe_view *view, int j, const real *h, const real *v1, const real *v2,
                       real *cross1, real *cross2, real *f1)
{
    SWE_WITH_ORDER(view->sbp.order,
                   SWE_WITH_EQUATIONS(view->equations, cross_rows_of(EQUATIONS, ORDER, view, j, h,
                                                                     v1, v2, cross1, cross2, f1)));
}

SWE_CLONES
static void flux2_row(const swe_view *view, int j, const real *h, const real *v2,
                      const real *cross1, real *f2)
{
    const int places = view->layout.n + 1;
    const ptrdiff_t pitch = view->layout.pitch;
    const real *metric22 = view->metric22 + j * pitch;
    SWE_WITH_ORDER(view->sbp.order,
                   SWE_WITH_EQUATIONS(view->equations,
                                      contravariant_flux2_row(EQUATIONS, ORDER, view, j, places,
                                                              metric22, h, v2, cross1, pitch, f2)));
}

void swe_contravariant_cpu(const swe_view *view, const real *h, const real *v1, const real *v2,
                           real *cross1, real *cross2, real *f1, real *f2)
{
    thread_begin(view);
    FOR_OWN_ROWS(view, row, j, {
        const ptrdiff_t at = row * view->layout.pitch;
        cross_rows(view, j, h + at, v1 + at, v2 + at, cross1 + at, cross2 + at, f1 + at);
    });
    thread_end(view);
    threads_wait(view);
    thread_begin(view);
    FOR_OWN_ROWS(view, row, j, {
        const ptrdiff_t at = row * view->layout.pitch;
        if (j < view->layout.n)
            flux2_row(view, j, h + at, v2 + at, cross1 + at, f2 + at);
    });
    thread_end(view);
    threads_wait(view);
}
