#include "stages/rk4/rk4_point.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

SWE_POINT void update(int part, ptrdiff_t count, double dt, const double *SWE_RESTRICT k,
                      double *SWE_RESTRICT y, double *SWE_RESTRICT sum, double *SWE_RESTRICT next)
{
#pragma omp simd
    for (ptrdiff_t i = 0; i < count; i++)
        rk4_point(part, dt, k[i], y + i, sum + i, next + i);
}

SWE_CLONES
static void update_rows(int part, ptrdiff_t count, double dt, const double *k, double *y,
                        double *sum, double *next)
{
    switch (part) {
    case 0:
        update(0, count, dt, k, y, sum, next);
        break;
    case 1:
        update(1, count, dt, k, y, sum, next);
        break;
    case 2:
        update(2, count, dt, k, y, sum, next);
        break;
    default:
        update(3, count, dt, k, y, sum, next);
    }
}

void swe_rk4_cpu(const swe_view *view, int part, double dt, const double *k, double *y, double *sum,
                 double *next)
{
    const ptrdiff_t pitch = view->layout.pitch, rows = 3 * view->layout.field / pitch;
#pragma omp parallel num_threads(view->threads)
    {
        thread_begin(view);
#pragma omp for schedule(static) nowait
        for (ptrdiff_t row = 0; row < rows; row++) {
            const ptrdiff_t at = row * pitch;
            update_rows(part, pitch, dt, k + at, y + at, sum + at, next + at);
        }
        thread_end(view);
    }
}
