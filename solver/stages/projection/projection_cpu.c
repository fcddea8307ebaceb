#include "stages/projection/projection_point.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

SWE_CLONES
static void unite(const swe_view *view, real *h)
{
    FOR_SHARED_POINTS(view, copies, projection_point(view, &copies, h));
}

void swe_projection_cpu(const swe_view *view, real *h)
{
    thread_begin(view);
    unite(view, h);
    thread_end(view);
    threads_wait(view);
}
