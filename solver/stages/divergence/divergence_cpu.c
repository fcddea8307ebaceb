#include "stages/divergence/divergence_point.h"
#include "stages/rows_cpu.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* dh along row j of vertices, at which fields point. */
SWE_POINT void divergence_row_in(int order, sbp_region where_j, const swe_view *view, int j,
                                 const real *SWE_RESTRICT f1, const real *SWE_RESTRICT f2,
                                 real *SWE_RESTRICT out)
{
    const ptrdiff_t pitch = view->layout.pitch;
    const real *SWE_RESTRICT inverse_jacobian = view->inverse_jacobian + j * pitch;
    const rows_range vertices = {0, view->layout.n + 1};
    ROWS_ALONG(vertices, rows_vertices(order, view->layout.n),
               out[k] = divergence_point(DIVERGENCE_STRONG, order, where, where_j, view, j, i,
                                         inverse_jacobian[k], f1 + k, f2 + k, pitch));
}

SWE_CLONES
static void divergence_row(const swe_view *view, int j, const real *f1, const real *f2, real *dh)
{
    SWE_WITH_ORDER(view->sbp.order, ROWS_AT_VERTEX(ORDER, view->layout.n, j,
                                                   divergence_row_in(ORDER, (sbp_region)REGION,
                                                                     view, j, f1, f2, dh)));
}

void swe_divergence_cpu(const swe_view *view, const real *f1, const real *f2, real *dh)
{
    thread_begin(view);
    FOR_OWN_ROWS(view, row, j, {
        const ptrdiff_t at = row * view->layout.pitch;
        divergence_row(view, j, f1 + at, f2 + at, dh + at);
    });
    thread_end(view);
    threads_wait(view);
}
