#include "stages/exchange.h"
#include "stages/launch_cuda.h"
#include "stages/velocity_point.h"
#include "sweeps/momentum/momentum_point.h"
#include "stages/stages.h"

template <int ORDER>
static __device__ __forceinline__ void
update_point(const swe_params *params, const launch_point &p, int substep, real weight,
             const real *head, const real *pv_flux1, const real *pv_flux2, const rk4_arrays &arrays)
{
    const int n = params->layout.n;
    const ptrdiff_t field = params->layout.field;
    if (p.i < n)
        velocity_rk4(
            params, substep, weight,
            momentum_point1(ORDER, SBP_ANYWHERE, params, p.i, head + p.at, pv_flux1 + p.at),
            rk4_arrays_at(arrays, field + p.at));
    if (p.j < n)
        velocity_rk4(params, substep, weight,
                     momentum_point2(ORDER, SBP_ANYWHERE, params, p.j, head + p.at, pv_flux2 + p.at,
                                     params->layout.pitch),
                     rk4_arrays_at(arrays, 2 * field + p.at));
}

template <int ORDER>
static __global__ void momentum_kernel(SWE_GRID_CONSTANT(swe_params) params, int substep,
                                       real weight, const real *head, const real *pv_flux1,
                                       const real *pv_flux2, rk4_arrays arrays)
{
    const launch_point p = launch_point_of(&params);
    if (p.exists)
        update_point<ORDER>(&params, p, substep, weight, head, pv_flux1, pv_flux2, arrays);
}

/* v of the strips of blocks, or of their inside. */
template <int ORDER>
static __global__ void block_momentum_kernel(SWE_GRID_CONSTANT(swe_params) params, bool is_strip,
                                             int substep, real weight, const real *head,
                                             const real *pv_flux1, const real *pv_flux2,
                                             rk4_arrays arrays)
{
    const launch_point p =
        is_strip ? launch_strip_point_of(&params) : launch_inside_point_of(&params);
    if (p.exists)
        update_point<ORDER>(&params, p, substep, weight, head, pv_flux1, pv_flux2, arrays);
}

/* Messages overlap with the computation of the inside on a second stream, as in transport. */
static void start_blocks(const swe_execution *execution, const swe_params *params, int substep,
                         real weight, const real *head, const real *pv_flux1, const real *pv_flux2,
                         const rk4_arrays &arrays)
{
    const ptrdiff_t field = params->layout.field;
    const cudaStream_t second_stream = launch_fork(execution);
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_LAUNCH((block_momentum_kernel<ORDER>), launch_strip_grid(params),
                              launch_strip_block(), 0, launch_stream(execution), *params, true,
                              substep, weight, head, pv_flux1, pv_flux2, arrays));
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_LAUNCH((block_momentum_kernel<ORDER>), launch_grid(params), launch_block(),
                              0, second_stream, *params, false, substep, weight, head, pv_flux1,
                              pv_flux2, arrays));
    EXCHANGE(cuda, execution, params, EXCHANGE_GHOSTS(arrays.out + field),
             EXCHANGE_GHOSTS(arrays.out + 2 * field));
    launch_join(execution);
}

void swe_momentum_cuda(const swe_execution *execution, const swe_params *params, int substep,
                       real weight, const real *head, const real *pv_flux1, const real *pv_flux2,
                       real *y, real *next)
{
    const rk4_arrays arrays = rk4_arrays_of(params, substep, y, next);
    const int update = rk4_fused_update(params, substep);
    if (params->decomposition != nullptr) {
        start_blocks(execution, params, update, weight, head, pv_flux1, pv_flux2, arrays);
        return;
    }
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_LAUNCH((momentum_kernel<ORDER>), launch_grid(params), launch_block(), 0,
                              launch_stream(execution), *params, update, weight, head, pv_flux1,
                              pv_flux2, arrays));
}
