#include "stages/bernoulli/bernoulli_point.h"
#include "stages/exchange.h"
#include "stages/launch_cuda.h"
#include "stages/stages.h"

template <int ORDER>
static __global__ void bernoulli_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *h,
                                        const real *v1, const real *v2, real *head)
{
    const launch_point p = launch_point_of(&params);
    const int n = params.layout.n;
    if (!p.exists)
        return;
    const real squares = bernoulli_squares(ORDER, SBP_ANYWHERE, SBP_ANYWHERE, &params, p.j, p.i,
                                           p.metric, v1 + p.at, v2 + p.at);
    head[p.at] = bernoulli_point(
        &params, p.metric, h != NULL ? h[p.at] : (real)0, h != NULL ? params.bottom[p.at] : (real)0,
        squares, sbp_pcv(ORDER, SBP_ANYWHERE, &params.sbp, n, p.i, v1 + p.at, 1),
        sbp_pcv(ORDER, SBP_ANYWHERE, &params.sbp, n, p.j, v2 + p.at, params.layout.pitch));
}

void swe_bernoulli_cuda(const swe_execution *execution, const swe_params *params, const real *h,
                        const real *v1, const real *v2, real *head)
{
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_LAUNCH((bernoulli_kernel<ORDER>), launch_grid(params), launch_block(), 0,
                              launch_stream(execution), *params, h, v1, v2, head));
    EXCHANGE(cuda, execution, params, EXCHANGE_BOTH(head));
}
