#include "stages/launch_cuda.h"
#include "stages/contravariant/contravariant_point.h"
#include "stages/stages.h"

/* First pass: J g^12 v_k at vertices. */
template <int ORDER>
static __global__ void cross_kernel(const __grid_constant__ swe_view view, const real *v1,
                                    const real *v2, real *cross1, real *cross2)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    if (i > view.layout.n || j > view.layout.n)
        return;
    const ptrdiff_t at = swe_at(&view.layout, (int)blockIdx.z, j, i);
    const real metric12 = view.metric12[swe_at(&view.layout, 0, j, i)];
    cross1[at] = contravariant_cross1_point(ORDER, SBP_ANYWHERE, &view, i, metric12, v1 + at);
    cross2[at] = contravariant_cross2_point(ORDER, SBP_ANYWHERE, &view, j, metric12, v2 + at,
                                            view.layout.pitch);
}

/* Second pass: the fluxes. */
template <int ORDER>
static __global__ void flux_kernel(const __grid_constant__ swe_view view, const real *v1,
                                   const real *v2, const real *cross1, const real *cross2, real *f1,
                                   real *f2)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int j = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    const int n = view.layout.n;
    if (i > n || j > n)
        return;
    const ptrdiff_t at = swe_at(&view.layout, (int)blockIdx.z, j, i);
    const ptrdiff_t in_panel = swe_at(&view.layout, 0, j, i);
    if (i < n)
        f1[at] = contravariant_flux1_point(ORDER, SBP_ANYWHERE, &view, i, view.metric11[in_panel],
                                           v1 + at, cross2 + at);
    if (j < n)
        f2[at] = contravariant_flux2_point(ORDER, SBP_ANYWHERE, &view, j, view.metric22[in_panel],
                                           v2 + at, cross1 + at, view.layout.pitch);
}

void swe_contravariant_cuda(const swe_view *view, const real *v1, const real *v2, real *cross1,
                            real *cross2, real *f1, real *f2)
{
    SWE_WITH_ORDER(view->sbp.order,
                   SWE_LAUNCH((cross_kernel<ORDER>), launch_grid(view), launch_block(), 0,
                              launch_stream(&view->workers), *view, v1, v2, cross1, cross2));
    SWE_WITH_ORDER(view->sbp.order, SWE_LAUNCH((flux_kernel<ORDER>), launch_grid(view),
                                               launch_block(), 0, launch_stream(&view->workers),
                                               *view, v1, v2, cross1, cross2, f1, f2));
}
