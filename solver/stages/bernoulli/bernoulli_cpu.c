#include "stages/bernoulli/bernoulli_point.h"
#include "stages/rows_cpu.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* The head along row j of vertices, at which fields point. */
SWE_POINT void bernoulli_row_in(int order, sbp_region where_j, const swe_view *view, int j,
                                const real *SWE_RESTRICT h, const real *SWE_RESTRICT bottom,
                                const real *SWE_RESTRICT v1, const real *SWE_RESTRICT v2,
                                real *SWE_RESTRICT head)
{
    const int n = view->layout.n;
    const ptrdiff_t pitch = view->layout.pitch;
    const rows_range vertices = {0, n + 1};
    ROWS_ALONG(vertices, rows_vertices(order, n),
               head[k] = bernoulli_point(view, j * pitch + i, h[k], bottom[k],
                                         bernoulli_squares(order, where, where_j, view, j, i,
                                                           j * pitch + i, v1 + k, v2 + k),
                                         sbp_pcv(order, where, &view->sbp, n, i, v1 + k, 1),
                                         sbp_pcv(order, where_j, &view->sbp, n, j, v2 + k, pitch)));
}

/* Both closures along j in one form: with a form for each clang makes no vectors of rows. */
SWE_CLONES
static void bernoulli_row(const swe_view *view, int j, const real *h, const real *bottom,
                          const real *v1, const real *v2, real *head)
{
    SWE_WITH_ORDER(
        view->sbp.order,
        ROWS_AT_VERTEX(ORDER, view->layout.n, j,
                       bernoulli_row_in(
                           ORDER, (sbp_region)REGION == SBP_INTERIOR ? SBP_INTERIOR : SBP_ANYWHERE,
                           view, j, h, bottom, v1, v2, head)));
}

void swe_bernoulli_cpu(const swe_view *view, const real *h, const real *v1, const real *v2,
                       real *head)
{
    thread_begin(view);
    FOR_OWN_ROWS(view, row, j, {
        const ptrdiff_t at = row * view->layout.pitch;
        bernoulli_row(view, j, h + at, view->bottom + at, v1 + at, v2 + at, head + at);
    });
    thread_end(view);
    threads_wait(view);
}
