#include "stages/projection/projection_point.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

SWE_CLONES
static void average(const swe_params *params, real *h)
{
    FOR_SHARED_POINTS(params, copies, projection_point(params, &copies, h));
}

void swe_projection_cpu(const swe_execution *execution, const swe_params *params, real *h)
{
    thread_begin(execution);
    average(params, h);
    thread_end(execution);
    threads_wait(execution);
}
