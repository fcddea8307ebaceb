#include "stages/damping/damping_point.h"
#include "stages/launch_cuda.h"
#include "stages/stages.h"

/* x: place along an edge, y: edge. */

/* First pass: what the velocity changes by at the edge. */
template <int ORDER, swe_equations EQUATIONS>
static __global__ void change_kernel(const __grid_constant__ swe_view view, real weight,
                                     const real *h, const real *v1, const real *v2, real *changes)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x), edge = (int)blockIdx.y;
    if (k >= 1 && k < view.layout.n)
        changes[edge * (view.layout.n + 1) + k] =
            damping_change(EQUATIONS, ORDER, &view, weight, h, v1, v2, edge, k);
}

/* Second pass: the velocity. */
template <int ORDER>
static __global__ void damping_kernel(const __grid_constant__ swe_view view, const real *changes,
                                      real *v1, real *v2)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x), edge = (int)blockIdx.y;
    if (k >= 1 && k < view.layout.n)
        damping_add(ORDER, &view, changes[edge * (view.layout.n + 1) + k], edge, k, v1, v2);
}

void swe_damping_cuda(const swe_view *view, real weight, const real *h, real *v1, real *v2,
                      real *changes)
{
    const cudaStream_t stream = launch_stream(&view->workers);
    const dim3 places = launch_lines(view->layout.n + 1, SWE_EDGES), block(LAUNCH_BLOCK_LINE);
    SWE_WITH_ORDER(view->sbp.order,
                   SWE_WITH_EQUATIONS(view->equations,
                                      SWE_LAUNCH((change_kernel<ORDER, EQUATIONS>), places, block,
                                                 0, stream, *view, weight, h, v1, v2, changes)));
    SWE_WITH_ORDER(view->sbp.order, SWE_LAUNCH((damping_kernel<ORDER>), places, block, 0, stream,
                                               *view, changes, v1, v2));
}
