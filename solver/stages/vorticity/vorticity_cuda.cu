#include "stages/exchange.h"
#include "stages/launch_cuda.h"
#include "stages/stages.h"
#include "stages/vorticity/vorticity_point.h"

/* First pass: Pcv_k v_k at vertices. */
template <int ORDER>
static __global__ void mean_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *v1,
                                   const real *v2, real *mean1, real *mean2)
{
    bool is_own;
    const launch_point p = launch_point_of_cells(ORDER, &params, &is_own);
    const int n = params.layout.n;
    if (!p.exists)
        return;
    if (is_own)
        mean1[p.at] = sbp_pcv(ORDER, SBP_ANYWHERE, &params.sbp, n, p.i, v1 + p.at, 1);
    mean2[p.at] = sbp_pcv(ORDER, SBP_ANYWHERE, &params.sbp, n, p.j, v2 + p.at, params.layout.pitch);
}

/* Second pass: their derivatives, each along the other direction. */
template <int ORDER>
static __global__ void shear_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *mean1,
                                    const real *mean2, real *shear1, real *shear2)
{
    const launch_point p = launch_point_of(&params);
    const int n = params.layout.n;
    if (!p.exists)
        return;
    if (p.i < n)
        shear1[p.at] = vorticity_shear1_point(ORDER, SBP_ANYWHERE, &params, p.i, mean2 + p.at);
    if (p.j < n)
        shear2[p.at] = vorticity_shear2_point(ORDER, SBP_ANYWHERE, &params, p.j, mean1 + p.at,
                                              params.layout.pitch);
}

/* Third pass: the vorticity. */
template <int ORDER>
static __global__ void vorticity_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *shear1,
                                        const real *shear2, real *vorticity)
{
    const launch_point p = launch_point_of(&params);
    if (!p.exists)
        return;
    vorticity[p.at] = vorticity_point(ORDER, SBP_ANYWHERE, SBP_ANYWHERE, &params, p.j, p.i,
                                      params.inverse_jacobian[p.metric], shear1 + p.at,
                                      shear2 + p.at, params.layout.pitch);
}

void swe_vorticity_cuda(const swe_execution *execution, const swe_params *params, const real *v1,
                        const real *v2, real *mean1, real *mean2, real *shear1, real *shear2,
                        real *vorticity)
{
    const cudaStream_t stream = launch_stream(execution);
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_LAUNCH((mean_kernel<ORDER>), launch_grid_of_cells(params), launch_block(), 0,
                              stream, *params, v1, v2, mean1, mean2));
    EXCHANGE(cuda, execution, params, EXCHANGE_GHOSTS(mean1));
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_LAUNCH((shear_kernel<ORDER>), launch_grid(params), launch_block(), 0, stream,
                              *params, mean1, mean2, shear1, shear2));
    EXCHANGE(cuda, execution, params, EXCHANGE_GHOSTS(shear1), EXCHANGE_GHOSTS(shear2));
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_LAUNCH((vorticity_kernel<ORDER>), launch_grid(params), launch_block(), 0,
                              stream, *params, shear1, shear2, vorticity));
    EXCHANGE(cuda, execution, params, EXCHANGE_BOTH(vorticity));
}
