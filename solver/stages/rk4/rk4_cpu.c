#include "stages/rk4/rk4_point.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* out = the part's result at every value, of the tendency k. */
SWE_POINT void rk4_row(int part, real weight, ptrdiff_t count, const real *SWE_RESTRICT k,
                       rk4_arrays a)
{
#pragma omp simd
    for (ptrdiff_t i = 0; i < count; i++)
        rk4_point(part, weight, k[i], rk4_arrays_at(a, i));
}

SWE_CLONES
static void row(int part, real weight, ptrdiff_t count, const real *k, const rk4_arrays *a)
{
    if (part < 3)
        rk4_row(0, weight, count, k, *a);
    else
        rk4_row(3, weight, count, k, *a);
}

void swe_rk4_cpu(const swe_view *view, int part, real weight, const real *k, real *y, real *next)
{
    const ptrdiff_t pitch = view->layout.pitch, rows = 3 * view->layout.field / pitch;
    const rk4_arrays arrays = rk4_arrays_of(view, part, y, next);
    thread_begin(view);
#pragma omp for schedule(static) nowait
    for (ptrdiff_t r = 0; r < rows; r++) {
        const rk4_arrays at_row = rk4_arrays_at(arrays, r * pitch);
        row(part, weight, pitch, k + r * pitch, &at_row);
    }
    thread_end(view);
#pragma omp barrier
}
