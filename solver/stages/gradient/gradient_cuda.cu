#include "stages/launch_cuda.h"
#include "stages/gradient/gradient_point.h"
#include "stages/stages.h"

template <int ORDER>
static __global__ void gradient_kernel(const __grid_constant__ swe_view view, const real *h,
                                       real *dv1, real *dv2)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    const int n = view.layout.n;
    if (i > n || j > n)
        return;
    const ptrdiff_t at = swe_at(&view.layout, (int)blockIdx.z, j, i);
    if (i < n)
        dv1[at] = gradient_point1(ORDER, SBP_ANYWHERE, &view, i, h + at);
    if (j < n)
        dv2[at] = gradient_point2(ORDER, SBP_ANYWHERE, &view, j, h + at, view.layout.pitch);
}

void swe_gradient_cuda(const swe_view *view, const real *h, real *dv1, real *dv2)
{
    SWE_WITH_ORDER(view->sbp.order,
                   SWE_LAUNCH((gradient_kernel<ORDER>), launch_grid(view), launch_block(), 0,
                              launch_stream(&view->workers), *view, h, dv1, dv2));
}
