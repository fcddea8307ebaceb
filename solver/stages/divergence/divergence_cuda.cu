#include "stages/launch_cuda.h"
#include "stages/divergence/divergence_point.h"
#include "stages/stages.h"

template <int ORDER>
static __global__ void divergence_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *f1,
                                         const real *f2, real *dh)
{
    const launch_point p = launch_point_of(&params);
    if (!p.exists)
        return;
    dh[p.at] = divergence_point(DIVERGENCE_STRONG, ORDER, SBP_ANYWHERE, SBP_ANYWHERE, &params, p.j,
                                p.i, params.inverse_jacobian[p.metric], f1 + p.at, f2 + p.at,
                                params.layout.pitch);
}

void swe_divergence_cuda(const swe_execution *execution, const swe_params *params, const real *f1,
                         const real *f2, real *dh)
{
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_LAUNCH((divergence_kernel<ORDER>), launch_grid(params), launch_block(), 0,
                              launch_stream(execution), *params, f1, f2, dh));
}
