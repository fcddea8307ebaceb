#include "stages/join/join_point.h"
#include "stages/launch_cuda.h"
#include "stages/rk4/rk4_point.h"
#include "stages/stages.h"

template <swe_equations EQUATIONS>
static __global__ void join_kernel(const __grid_constant__ swe_params params, const real *in,
                                   real *h, real *head, real *turned1, real *turned2, real *margin)
{
    const topology_copies copies = launch_copies(&params);
    if (copies.count > 0)
        join_point(EQUATIONS, &params, &copies, in, h, head, turned1, turned2, margin);
}

void swe_join_cuda(const swe_execution *execution, const swe_params *params, int part, real *y,
                   real *next, real *head, real *turned1, real *turned2, real *margin)
{
    const rk4_arrays a = rk4_arrays_of(params, part, y, next);
    SWE_WITH_EQUATIONS(params->equations,
                       SWE_LAUNCH((join_kernel<EQUATIONS>), launch_shared_points(params),
                                  dim3(LAUNCH_BLOCK_LINE), 0, launch_stream(execution), *params,
                                  a.in, a.out, head, turned1, turned2, margin));
}
