#include "stages/launch_cuda.h"
#include "stages/momentum/momentum_point.h"
#include "stages/rk4/rk4_point.h"
#include "stages/stages.h"

template <int ORDER>
static __global__ void momentum_kernel(const __grid_constant__ swe_view view, int part, real weight,
                                       const real *head, const real *turned1, const real *turned2,
                                       rk4_arrays arrays)
{
    const launch_point p = launch_point_of(&view);
    const int n = view.layout.n;
    const ptrdiff_t field = view.layout.field;
    if (!p.exists)
        return;
    if (p.i < n)
        rk4_point(part, weight,
                  momentum_point1(ORDER, SBP_ANYWHERE, &view, p.i, head + p.at, turned1 + p.at),
                  rk4_arrays_at(arrays, field + p.at));
    if (p.j < n)
        rk4_point(part, weight,
                  momentum_point2(ORDER, SBP_ANYWHERE, &view, p.j, head + p.at, turned2 + p.at,
                                  view.layout.pitch),
                  rk4_arrays_at(arrays, 2 * field + p.at));
}

void swe_momentum_cuda(const swe_view *view, int part, real weight, const real *head,
                       const real *turned1, const real *turned2, real *y, real *next)
{
    SWE_WITH_ORDER(view->sbp.order,
                   SWE_LAUNCH((momentum_kernel<ORDER>), launch_grid(view), launch_block(), 0,
                              launch_stream(&view->workers), *view, part, weight, head, turned1,
                              turned2, rk4_arrays_of(view, part, y, next)));
}
