#include "stages/coriolis/coriolis_point.h"
#include "stages/launch_cuda.h"
#include "stages/stages.h"

/* First pass: W of every panel, at shared points its G. */
template <int ORDER, swe_equations EQUATIONS>
static __global__ void turn_kernel(const __grid_constant__ swe_params params, const real *h,
                                   const real *vorticity, const real *f1, const real *f2,
                                   real *turned1, real *turned2)
{
    const launch_point p = launch_point_of(&params);
    const int n = params.layout.n;
    if (!p.exists)
        return;
    const real g1 = sbp_pcv(ORDER, SBP_ANYWHERE, &params.sbp, n, p.i, f1 + p.at, 1);
    const real g2 =
        sbp_pcv(ORDER, SBP_ANYWHERE, &params.sbp, n, p.j, f2 + p.at, params.layout.pitch);
    const real rate = coriolis_rate(EQUATIONS, vorticity + p.at, params.coriolis[p.at], h + p.at);
    coriolis_turn(topology_is_shared(n, p.j, p.i), rate, g1, g2, turned1 + p.at, turned2 + p.at);
}

/* Second pass: W at shared points. */
template <swe_equations EQUATIONS>
static __global__ void unite_kernel(const __grid_constant__ swe_params params, const real *h,
                                    const real *vorticity, real *turned1, real *turned2)
{
    const topology_copies copies = launch_copies(&params);
    if (copies.count == 0)
        return;
    const ptrdiff_t at = swe_at(&params.layout, copies.panel[0], copies.j[0], copies.i[0]);
    const real rate = coriolis_rate(EQUATIONS, vorticity + at, params.coriolis[at], h + at);
    coriolis_join(&params, &copies, rate, turned1, turned2);
}

/* Third pass: the tendency. */
template <int ORDER>
static __global__ void accelerate_kernel(const __grid_constant__ swe_params params,
                                         const real *turned1, const real *turned2, real *dv1,
                                         real *dv2)
{
    const launch_point p = launch_point_of(&params);
    if (!p.exists)
        return;
    coriolis_add(ORDER, SBP_ANYWHERE, &params, p.j, p.i, turned1 + p.at, turned2 + p.at, dv1 + p.at,
                 dv2 + p.at);
}

void swe_coriolis_cuda(const swe_execution *execution, const swe_params *params, const real *h,
                       const real *vorticity, const real *f1, const real *f2, real *turned1,
                       real *turned2, real *dv1, real *dv2)
{
    const cudaStream_t stream = launch_stream(execution);
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_WITH_EQUATIONS(params->equations,
                                      SWE_LAUNCH((turn_kernel<ORDER, EQUATIONS>),
                                                 launch_grid(params), launch_block(), 0, stream,
                                                 *params, h, vorticity, f1, f2, turned1, turned2)));
    SWE_WITH_EQUATIONS(params->equations,
                       SWE_LAUNCH((unite_kernel<EQUATIONS>), launch_shared_points(params),
                                  dim3(LAUNCH_BLOCK_LINE), 0, stream, *params, h, vorticity,
                                  turned1, turned2));
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_LAUNCH((accelerate_kernel<ORDER>), launch_grid(params), launch_block(), 0,
                              stream, *params, turned1, turned2, dv1, dv2));
}
