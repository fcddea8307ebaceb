#include "stages/launch_cuda.h"
#include "stages/momentum/momentum_point.h"
#include "stages/rk4/rk4_point.h"
#include "stages/stages.h"

template <int ORDER>
static __global__ void momentum_kernel(const __grid_constant__ swe_params params, int part,
                                       real weight, const real *head, const real *turned1,
                                       const real *turned2, rk4_arrays arrays)
{
    const launch_point p = launch_point_of(&params);
    const int n = params.layout.n;
    const ptrdiff_t field = params.layout.field;
    if (!p.exists)
        return;
    if (p.i < n)
        rk4_point(part, weight,
                  momentum_point1(ORDER, SBP_ANYWHERE, &params, p.i, head + p.at, turned1 + p.at),
                  rk4_arrays_at(arrays, field + p.at));
    if (p.j < n)
        rk4_point(part, weight,
                  momentum_point2(ORDER, SBP_ANYWHERE, &params, p.j, head + p.at, turned2 + p.at,
                                  params.layout.pitch),
                  rk4_arrays_at(arrays, 2 * field + p.at));
}

void swe_momentum_cuda(const swe_execution *execution, const swe_params *params, int part,
                       real weight, const real *head, const real *turned1, const real *turned2,
                       real *y, real *next)
{
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_LAUNCH((momentum_kernel<ORDER>), launch_grid(params), launch_block(), 0,
                              launch_stream(execution), *params, part, weight, head, turned1,
                              turned2, rk4_arrays_of(params, part, y, next)));
}
