#include "stages/damping/damping_point.h"
#include "stages/launch_cuda.h"
#include "stages/stages.h"

/* x: place along an edge, y: edge. */
template <int ORDER, swe_equations EQUATIONS>
static __global__ void damping_kernel(const __grid_constant__ swe_view view, real weight,
                                      const real *h, const real *f1, const real *f2, real *v1,
                                      real *v2)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (k >= 1 && k < view.layout.n)
        damping_point(EQUATIONS, ORDER, &view, weight, h, f1, f2, (int)blockIdx.y, k, v1, v2);
}

void swe_damping_cuda(const swe_view *view, real weight, const real *h, const real *f1,
                      const real *f2, real *v1, real *v2)
{
    SWE_WITH_ORDER(
        view->sbp.order,
        SWE_WITH_EQUATIONS(view->equations,
                           SWE_LAUNCH((damping_kernel<ORDER, EQUATIONS>),
                                      launch_lines(view->layout.n + 1, SWE_EDGES),
                                      dim3(LAUNCH_BLOCK_LINE), 0, launch_stream(&view->workers),
                                      *view, weight, h, f1, f2, v1, v2)));
}
