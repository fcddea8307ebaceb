#include "fields/fields.h"
#include "stages/exchange.h"
#include "stages/launch_cuda.h"
#include "stages/velocity_point.h"
#include "stages/stages.h"

/* One thread per value of the flow's fields, padding included. */
static __global__ void rk4_kernel(SWE_GRID_CONSTANT(swe_params) params, int substep, real weight,
                                  const real *k, rk4_arrays arrays)
{
    const ptrdiff_t at = (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (at < params.layout.field)
        rk4_point(substep, weight, k[at], rk4_arrays_at(arrays, at));
    else if (at < SWE_FLOW_FIELDS * params.layout.field)
        velocity_rk4(&params, substep, weight, k[at], rk4_arrays_at(arrays, at));
}

void swe_rk4_cuda(const swe_execution *execution, const swe_params *params, int substep,
                  real weight, const real *k, real *y, real *next)
{
    const ptrdiff_t count = SWE_FLOW_FIELDS * params->layout.field;
    const rk4_arrays arrays = rk4_arrays_of(params, substep, y, next);
    SWE_LAUNCH(rk4_kernel,
               dim3((unsigned)((count + LAUNCH_BLOCK_VALUES - 1) / LAUNCH_BLOCK_VALUES)),
               dim3(LAUNCH_BLOCK_VALUES), 0, launch_stream(execution), *params, substep, weight, k,
               arrays);
    EXCHANGE(cuda, execution, params, EXCHANGE_BOTH(arrays.out),
             EXCHANGE_GHOSTS(arrays.out + params->layout.field),
             EXCHANGE_GHOSTS(arrays.out + 2 * params->layout.field));
}
