#include "stages/exchange.h"
#include "stages/launch_cuda.h"
#include "stages/contravariant/contravariant_point.h"
#include "stages/stages.h"

/* First pass: J g^12 v_k at vertices. */
template <int ORDER, swe_equations EQUATIONS>
static __global__ void cross_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *h,
                                    const real *v1, const real *v2, real *cross1, real *cross2)
{
    bool is_own;
    const launch_point p = launch_point_of_cells(ORDER, &params, &is_own);
    if (!p.exists)
        return;
    const real metric12 = params.metric12[p.metric];
    if (is_own)
        cross1[p.at] = contravariant_cross1_point(EQUATIONS, ORDER, SBP_ANYWHERE, &params, p.i,
                                                  metric12, h + p.at, v1 + p.at);
    cross2[p.at] = contravariant_cross2_point(EQUATIONS, ORDER, SBP_ANYWHERE, &params, p.j,
                                              metric12, h + p.at, v2 + p.at, params.layout.pitch);
}

/* Second pass: the fluxes. */
template <int ORDER, swe_equations EQUATIONS>
static __global__ void flux_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *h,
                                   const real *v1, const real *v2, const real *cross1,
                                   const real *cross2, real *f1, real *f2)
{
    const launch_point p = launch_point_of(&params);
    const int n = params.layout.n;
    if (!p.exists)
        return;
    if (p.i < n)
        f1[p.at] = contravariant_flux1_point(EQUATIONS, ORDER, SBP_ANYWHERE, &params, p.i,
                                             params.metric11[p.metric], h + p.at, v1 + p.at,
                                             cross2 + p.at);
    if (p.j < n)
        f2[p.at] = contravariant_flux2_point(
            EQUATIONS, ORDER, SBP_ANYWHERE, &params, p.j, params.metric22[p.metric], h + p.at,
            v2 + p.at, params.layout.pitch, cross1 + p.at, params.layout.pitch);
}

void swe_contravariant_cuda(const swe_execution *execution, const swe_params *params, const real *h,
                            const real *v1, const real *v2, real *cross1, real *cross2, real *f1,
                            real *f2)
{
    const cudaStream_t stream = launch_stream(execution);
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_WITH_EQUATIONS(params->physics.equations,
                                      SWE_LAUNCH((cross_kernel<ORDER, EQUATIONS>),
                                                 launch_grid_of_cells(params), launch_block(), 0,
                                                 stream, *params, h, v1, v2, cross1, cross2)));
    EXCHANGE(cuda, execution, params, EXCHANGE_GHOSTS(cross1));
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_WITH_EQUATIONS(params->physics.equations,
                                      SWE_LAUNCH((flux_kernel<ORDER, EQUATIONS>),
                                                 launch_grid(params), launch_block(), 0, stream,
                                                 *params, h, v1, v2, cross1, cross2, f1, f2)));
    EXCHANGE(cuda, execution, params, EXCHANGE_GHOSTS(f1), EXCHANGE_GHOSTS(f2));
}
