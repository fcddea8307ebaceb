#include "stages/divergence/divergence_rows.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

SWE_CLONES
static void row(const swe_view *view, int j, const real *f1, const real *f2, real *dh)
{
    const rows_range vertices = {0, view->layout.n + 1};
    const ptrdiff_t pitch = view->layout.pitch;
    SWE_WITH_ORDER(view->sbp.order,
                   divergence_row(DIVERGENCE_STRONG, ORDER, view, j, vertices,
                                  view->inverse_jacobian + j * pitch, f1, f2, pitch, dh));
}

void swe_divergence_cpu(const swe_view *view, const real *f1, const real *f2, real *dh)
{
    const int rows = view->layout.n + 1;
    thread_begin(view);
#pragma omp for schedule(static) nowait
    for (int k = 0; k < SWE_PANELS * rows; k++) {
        const ptrdiff_t at = k * view->layout.pitch;
        row(view, k % rows, f1 + at, f2 + at, dh + at);
    }
    thread_end(view);
#pragma omp barrier
}
