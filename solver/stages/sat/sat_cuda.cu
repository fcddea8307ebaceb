#include "stages/launch_cuda.h"
#include "stages/sat/sat_point.h"
#include "stages/stages.h"

/* First pass. x: index along an edge, y: edge. */
template <int ORDER, swe_equations EQUATIONS>
static __global__ void consensus_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *h,
                                        const real *v1, const real *v2, real *edge)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x), n = params.layout.n;
    if (k <= n)
        edge[blockIdx.y * (n + 1) + k] =
            sat_consensus_point(EQUATIONS, ORDER, &params, h, v1, v2, (int)blockIdx.y, k);
}

/* Second pass. x: index along a side, y: panel and side. */
template <int ORDER>
static __global__ void exchange_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *f1,
                                       const real *f2, const real *edge, real *dh)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x), n = params.layout.n;
    const int panel = (int)blockIdx.y / SWE_SIDES, side = (int)blockIdx.y % SWE_SIDES;
    if (k > n || !sat_owns(side, k, n))
        return;
    dh[panel * params.layout.panel + topology_side_at(&params.layout, side, k)] +=
        sat_vertex_point(ORDER, &params, f1, f2, edge, panel, side, k);
}

void swe_sat_cuda(const swe_execution *execution, const swe_params *params, const real *h,
                  const real *v1, const real *v2, const real *f1, const real *f2, real *edge,
                  real *dh)
{
    const int places = params->layout.n + 1;
    const cudaStream_t stream = launch_stream(execution);
    SWE_WITH_ORDER(
        params->sbp.order,
        SWE_WITH_EQUATIONS(params->equations,
                           SWE_LAUNCH((consensus_kernel<ORDER, EQUATIONS>),
                                      launch_lines(places, SWE_EDGES), dim3(LAUNCH_BLOCK_LINE), 0,
                                      stream, *params, h, v1, v2, edge)));
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_LAUNCH((exchange_kernel<ORDER>),
                              launch_lines(places, SWE_PANELS * SWE_SIDES), dim3(LAUNCH_BLOCK_LINE),
                              0, stream, *params, f1, f2, edge, dh));
}
