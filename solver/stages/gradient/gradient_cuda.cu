#include "stages/launch_cuda.h"
#include "stages/gradient/gradient_point.h"
#include "stages/stages.h"

template <int ORDER>
static __global__ void gradient_kernel(const __grid_constant__ swe_view view, const real *h,
                                       real *dv1, real *dv2)
{
    const launch_point p = launch_point_of(&view);
    const int n = view.layout.n;
    if (!p.exists)
        return;
    if (p.i < n)
        dv1[p.at] = gradient_point1(ORDER, SBP_ANYWHERE, &view, p.i, h + p.at);
    if (p.j < n)
        dv2[p.at] = gradient_point2(ORDER, SBP_ANYWHERE, &view, p.j, h + p.at, view.layout.pitch);
}

void swe_gradient_cuda(const swe_view *view, const real *h, real *dv1, real *dv2)
{
    SWE_WITH_ORDER(view->sbp.order,
                   SWE_LAUNCH((gradient_kernel<ORDER>), launch_grid(view), launch_block(), 0,
                              launch_stream(&view->workers), *view, h, dv1, dv2));
}
