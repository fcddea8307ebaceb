#include "stages/join/join_point.h"
#include "stages/rk4/rk4_point.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

void swe_join_cpu(const swe_view *view, int part, real *y, real *next, real *head, real *turned1,
                  real *turned2, real *margin)
{
    const rk4_arrays a = rk4_arrays_of(view, part, y, next);
    thread_begin(view);
    FOR_SHARED_POINTS(
        view, copies,
        join_point(view->equations, view, &copies, a.in, a.out, head, turned1, turned2, margin));
    thread_end(view);
#pragma omp barrier
}
