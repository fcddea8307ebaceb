#include "stages/exchange.h"
#include "stages/launch_cuda.h"
#include "stages/momentum/momentum_point.h"
#include "stages/rk4/rk4_point.h"
#include "stages/stages.h"

template <int ORDER>
static __global__ void momentum_kernel(SWE_GRID_CONSTANT(swe_params) params, int substep,
                                       real weight, const real *head, const real *pv_flux1,
                                       const real *pv_flux2, rk4_arrays arrays)
{
    const launch_point p = launch_point_of(&params);
    const int n = params.layout.n;
    const ptrdiff_t field = params.layout.field;
    if (!p.exists)
        return;
    if (p.i < n)
        rk4_point(substep, weight,
                  momentum_point1(ORDER, SBP_ANYWHERE, &params, p.i, head + p.at, pv_flux1 + p.at),
                  rk4_arrays_at(arrays, field + p.at));
    if (p.j < n)
        rk4_point(substep, weight,
                  momentum_point2(ORDER, SBP_ANYWHERE, &params, p.j, head + p.at, pv_flux2 + p.at,
                                  params.layout.pitch),
                  rk4_arrays_at(arrays, 2 * field + p.at));
}

void swe_momentum_cuda(const swe_execution *execution, const swe_params *params, int substep,
                       real weight, const real *head, const real *pv_flux1, const real *pv_flux2,
                       real *y, real *next)
{
    const ptrdiff_t field = params->layout.field;
    const rk4_arrays arrays = rk4_arrays_of(params, substep, y, next);
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_LAUNCH((momentum_kernel<ORDER>), launch_grid(params), launch_block(), 0,
                              launch_stream(execution), *params, substep, weight, head, pv_flux1,
                              pv_flux2, arrays));
    EXCHANGE(cuda, execution, params, EXCHANGE_GHOSTS(arrays.out + field),
             EXCHANGE_GHOSTS(arrays.out + 2 * field));
}
