#include "stages/launch_cuda.h"
#include "stages/projection/projection_point.h"
#include "stages/stages.h"

/* x: place along an edge, y: edge. A line of its own, after the edges, holds the corners. */
static __global__ void projection_kernel(const __grid_constant__ swe_view view, real *h)
{
    const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x), line = (int)blockIdx.y;
    if (line < SWE_EDGES) {
        if (k >= 1 && k < view.layout.n)
            projection_edge_point(&view, line, k, h);
    } else if (k < SWE_CORNERS) {
        projection_corner_point(&view, k, h);
    }
}

void swe_projection_cuda(const swe_view *view, real *h)
{
    SWE_LAUNCH(projection_kernel, launch_lines(view->layout.n + 1, SWE_EDGES + 1),
               dim3(LAUNCH_BLOCK_LINE), 0, launch_stream(&view->workers), *view, h);
}
