#include "stages/launch_cuda.h"
#include "stages/projection/projection_point.h"
#include "stages/stages.h"

static __global__ void projection_kernel(SWE_GRID_CONSTANT(swe_params) params, real *field)
{
    const topology_copies copies = launch_copies(&params);
    if (copies.count > 0)
        projection_point(&copies, field);
}

void swe_projection_cuda(const swe_execution *execution, const swe_params *params, real *field)
{
    SWE_LAUNCH(projection_kernel, launch_shared_points(params), dim3(LAUNCH_BLOCK_LINE), 0,
               launch_stream(execution), *params, field);
}
