#include "stages/coriolis/coriolis_point.h"
#include "stages/exchange.h"
#include "stages/launch_cuda.h"
#include "stages/stages.h"

/* First pass: W of every panel; G at shared points. */
template <int ORDER, swe_equations EQUATIONS>
static __global__ void pv_flux_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *h,
                                      const real *vorticity, const real *f1, const real *f2,
                                      real *pv_flux1, real *pv_flux2)
{
    const launch_point p = launch_point_of(&params);
    const int n = params.layout.n;
    if (!p.exists)
        return;
    const real g1 = sbp_pcv(ORDER, SBP_ANYWHERE, &params.sbp, n, p.i, f1 + p.at, 1);
    const real g2 =
        sbp_pcv(ORDER, SBP_ANYWHERE, &params.sbp, n, p.j, f2 + p.at, params.layout.pitch);
    const real rate = coriolis_rate(EQUATIONS, vorticity + p.at, params.coriolis[p.at], h + p.at);
    coriolis_pv_flux(topology_is_shared(n, p.j, p.i), rate, g1, g2, pv_flux1 + p.at,
                     pv_flux2 + p.at);
}

/* Second pass: W at shared points. */
template <swe_equations EQUATIONS>
static __global__ void project_pv_flux_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *h,
                                              const real *vorticity, real *pv_flux1, real *pv_flux2)
{
    const topology_copies copies = launch_copies(&params);
    if (copies.count == 0)
        return;
    const ptrdiff_t at = copies.at[0];
    const real rate = coriolis_rate(EQUATIONS, vorticity + at, params.coriolis[at], h + at);
    coriolis_project(&params, &copies, rate, pv_flux1, pv_flux2);
}

/* Third pass: the tendency. */
template <int ORDER>
static __global__ void accelerate_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *pv_flux1,
                                         const real *pv_flux2, real *dv1, real *dv2)
{
    const launch_point p = launch_point_of(&params);
    if (!p.exists)
        return;
    coriolis_add(ORDER, SBP_ANYWHERE, &params, p.j, p.i, pv_flux1 + p.at, pv_flux2 + p.at,
                 dv1 + p.at, dv2 + p.at);
}

void swe_coriolis_cuda(const swe_execution *execution, const swe_params *params, const real *h,
                       const real *vorticity, const real *f1, const real *f2, real *pv_flux1,
                       real *pv_flux2, real *dv1, real *dv2)
{
    const cudaStream_t stream = launch_stream(execution);
    SWE_WITH_ORDER(
        params->sbp.order,
        SWE_WITH_EQUATIONS(params->physics.equations,
                           SWE_LAUNCH((pv_flux_kernel<ORDER, EQUATIONS>), launch_grid(params),
                                      launch_block(), 0, stream, *params, h, vorticity, f1, f2,
                                      pv_flux1, pv_flux2)));
    EXCHANGE(cuda, execution, params, EXCHANGE_BOTH(pv_flux1), EXCHANGE_BOTH(pv_flux2));
    SWE_WITH_EQUATIONS(params->physics.equations,
                       SWE_LAUNCH((project_pv_flux_kernel<EQUATIONS>), launch_shared_points(params),
                                  dim3(LAUNCH_BLOCK_LINE), 0, stream, *params, h, vorticity,
                                  pv_flux1, pv_flux2));
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_LAUNCH((accelerate_kernel<ORDER>), launch_grid(params), launch_block(), 0,
                              stream, *params, pv_flux1, pv_flux2, dv1, dv2));
}
