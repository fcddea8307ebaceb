#include "stages/flux_projection/flux_projection_point.h"
#include "stages/rk4/rk4_point.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

SWE_POINT void flux_projection_of(swe_equations equations, const swe_params *params, const real *in,
                                  real *h, real *head, real *pv_flux1, real *pv_flux2,
                                  real *edge_vorticity)
{
    FOR_SHARED_POINTS(params, copies,
                      flux_projection_point(equations, ARE_BLOCKS, params, &copies, in, h, head,
                                            pv_flux1, pv_flux2, edge_vorticity));
}

SWE_CLONES
static void flux_projection(const swe_params *params, const real *in, real *h, real *head,
                            real *pv_flux1, real *pv_flux2, real *edge_vorticity)
{
    SWE_WITH_EQUATIONS(
        params->physics.equations,
        flux_projection_of(EQUATIONS, params, in, h, head, pv_flux1, pv_flux2, edge_vorticity));
}

void swe_flux_projection_cpu(const swe_execution *execution, const swe_params *params, int substep,
                             real *y, real *next, real *head, real *pv_flux1, real *pv_flux2,
                             real *edge_vorticity)
{
    const rk4_arrays a = rk4_arrays_of(params, substep, y, next);
    thread_begin(execution);
    flux_projection(params, a.in, a.out, head, pv_flux1, pv_flux2, edge_vorticity);
    thread_end(execution);
    threads_wait(execution);
}
