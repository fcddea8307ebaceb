#include "stages/launch_cuda.h"
#include "stages/gradient/gradient_point.h"
#include "stages/stages.h"

template <int ORDER>
static __global__ void gradient_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *h,
                                       real *dv1, real *dv2)
{
    const launch_point p = launch_point_of(&params);
    const int n = params.layout.n;
    if (!p.exists)
        return;
    if (p.i < n)
        dv1[p.at] = gradient_point1(ORDER, SBP_ANYWHERE, &params, p.i, h + p.at);
    if (p.j < n)
        dv2[p.at] =
            gradient_point2(ORDER, SBP_ANYWHERE, &params, p.j, h + p.at, params.layout.pitch);
}

void swe_gradient_cuda(const swe_execution *execution, const swe_params *params, const real *h,
                       real *dv1, real *dv2)
{
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_LAUNCH((gradient_kernel<ORDER>), launch_grid(params), launch_block(), 0,
                              launch_stream(execution), *params, h, dv1, dv2));
}
