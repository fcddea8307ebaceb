#include "stages/bernoulli/bernoulli_point.h"
#include "stages/launch_cuda.h"
#include "stages/stages.h"

template <int ORDER>
static __global__ void bernoulli_kernel(const __grid_constant__ swe_view view, const real *h,
                                        const real *v1, const real *v2, real *head)
{
    const launch_point p = launch_point_of(&view);
    const int n = view.layout.n;
    if (!p.exists)
        return;
    const real squares = bernoulli_squares(ORDER, SBP_ANYWHERE, SBP_ANYWHERE, &view, p.j, p.i,
                                           p.in_panel, v1 + p.at, v2 + p.at);
    head[p.at] = bernoulli_point(
        &view, p.in_panel, h[p.at], view.bottom[p.at], squares,
        sbp_pcv(ORDER, SBP_ANYWHERE, &view.sbp, n, p.i, v1 + p.at, 1),
        sbp_pcv(ORDER, SBP_ANYWHERE, &view.sbp, n, p.j, v2 + p.at, view.layout.pitch));
}

void swe_bernoulli_cuda(const swe_view *view, const real *h, const real *v1, const real *v2,
                        real *head)
{
    SWE_WITH_ORDER(view->sbp.order,
                   SWE_LAUNCH((bernoulli_kernel<ORDER>), launch_grid(view), launch_block(), 0,
                              launch_stream(&view->workers), *view, h, v1, v2, head));
}
