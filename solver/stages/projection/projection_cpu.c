#include "stages/projection/projection_point.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

void swe_projection_cpu(const swe_view *view, real *h)
{
    thread_begin(view);
    FOR_SHARED_POINTS(view, copies, projection_point(view, &copies, h));
    thread_end(view);
#pragma omp barrier
}
