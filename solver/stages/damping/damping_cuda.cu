#include "stages/damping/damping_point.h"
#include "stages/launch_cuda.h"
#include "stages/stages.h"

/* x: index along an edge, y: edge. */

/* First pass: change of the velocity at the edge. */
template <int ORDER, swe_equations EQUATIONS>
static __global__ void change_kernel(SWE_GRID_CONSTANT(swe_params) params, real weight,
                                     const real *h, const real *v1, const real *v2, real *changes)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x), edge = (int)blockIdx.y;
    if (k >= 1 && k < params.layout.n)
        changes[edge * (params.layout.n + 1) + k] =
            damping_change(EQUATIONS, ORDER, &params, weight, h, v1, v2, edge, k);
}

/* Second pass: the velocity. */
template <int ORDER>
static __global__ void damping_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *changes,
                                      real *v1, real *v2)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x), edge = (int)blockIdx.y;
    if (k >= 1 && k < params.layout.n)
        damping_add(ORDER, &params, changes[edge * (params.layout.n + 1) + k], edge, k, v1, v2);
}

void swe_damping_cuda(const swe_execution *execution, const swe_params *params, real weight,
                      const real *h, real *v1, real *v2, real *changes)
{
    const cudaStream_t stream = launch_stream(execution);
    const dim3 places = launch_lines(params->layout.n + 1, SWE_EDGES), block(LAUNCH_BLOCK_LINE);
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_WITH_EQUATIONS(params->equations,
                                      SWE_LAUNCH((change_kernel<ORDER, EQUATIONS>), places, block,
                                                 0, stream, *params, weight, h, v1, v2, changes)));
    SWE_WITH_ORDER(params->sbp.order, SWE_LAUNCH((damping_kernel<ORDER>), places, block, 0, stream,
                                                 *params, changes, v1, v2));
}
