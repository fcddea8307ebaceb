#include "stages/flux_projection/flux_projection_point.h"
#include "stages/launch_cuda.h"
#include "stages/rk4/rk4_point.h"
#include "stages/stages.h"

template <swe_equations EQUATIONS>
static __global__ void flux_projection_kernel(SWE_GRID_CONSTANT(swe_params) params, const real *in,
                                              real *h, real *head, real *pv_flux1, real *pv_flux2,
                                              real *edge_vorticity)
{
    const topology_copies copies = launch_copies(&params);
    if (copies.count > 0)
        flux_projection_point(EQUATIONS, params.blocks != nullptr, &params, &copies, in, h, head,
                              pv_flux1, pv_flux2, edge_vorticity);
}

void swe_flux_projection_cuda(const swe_execution *execution, const swe_params *params, int substep,
                              real *y, real *next, real *head, real *pv_flux1, real *pv_flux2,
                              real *edge_vorticity)
{
    const rk4_arrays a = rk4_arrays_of(params, substep, y, next);
    SWE_WITH_EQUATIONS(params->physics.equations,
                       SWE_LAUNCH((flux_projection_kernel<EQUATIONS>), launch_shared_points(params),
                                  dim3(LAUNCH_BLOCK_LINE), 0, launch_stream(execution), *params,
                                  a.in, a.out, head, pv_flux1, pv_flux2, edge_vorticity));
}
