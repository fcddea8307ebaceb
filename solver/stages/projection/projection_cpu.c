#include "stages/projection/projection_point.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

void swe_projection_cpu(const swe_view *view, real *h)
{
    const int n = view->layout.n;
    thread_begin(view);
#pragma omp for schedule(static) nowait
    for (int edge = 0; edge < SWE_EDGES; edge++)
        for (int k = 1; k < n; k++)
            projection_edge_point(view, edge, k, h);
#pragma omp for schedule(static) nowait
    for (int corner = 0; corner < SWE_CORNERS; corner++)
        projection_corner_point(view, corner, h);
    thread_end(view);
#pragma omp barrier
}
