#include "stages/launch_cuda.h"
#include "stages/projection/projection_point.h"
#include "stages/stages.h"

static __global__ void projection_kernel(const __grid_constant__ swe_view view, real *h)
{
    const topology_copies copies = launch_copies(&view);
    if (copies.count > 0)
        projection_point(&view, &copies, h);
}

void swe_projection_cuda(const swe_view *view, real *h)
{
    SWE_LAUNCH(projection_kernel, launch_shared_points(view), dim3(LAUNCH_BLOCK_LINE), 0,
               launch_stream(&view->workers), *view, h);
}
