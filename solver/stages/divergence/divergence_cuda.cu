#include "stages/launch_cuda.h"
#include "stages/divergence/divergence_point.h"
#include "stages/stages.h"

template <int ORDER>
static __global__ void divergence_kernel(const __grid_constant__ swe_view view, const real *f1,
                                         const real *f2, real *dh)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (i > view.layout.n || j > view.layout.n)
        return;
    const ptrdiff_t at = swe_at(&view.layout, (int)blockIdx.z, j, i);
    dh[at] = divergence_point(DIVERGENCE_STRONG, ORDER, SBP_ANYWHERE, SBP_ANYWHERE, &view, j, i,
                              view.inverse_jacobian[swe_at(&view.layout, 0, j, i)], f1 + at,
                              f2 + at, view.layout.pitch);
}

void swe_divergence_cuda(const swe_view *view, const real *f1, const real *f2, real *dh)
{
    SWE_WITH_ORDER(view->sbp.order,
                   SWE_LAUNCH((divergence_kernel<ORDER>), launch_grid(view), launch_block(), 0,
                              launch_stream(&view->workers), *view, f1, f2, dh));
}
