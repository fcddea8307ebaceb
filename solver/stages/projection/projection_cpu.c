#include "stages/projection/projection_point.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

SWE_CLONES
static void average(const swe_params *params, real *field)
{
    FOR_SHARED_POINTS(params, copies, projection_point(&copies, field));
}

void swe_projection_cpu(const swe_execution *execution, const swe_params *params, real *field)
{
    thread_begin(execution);
    average(params, field);
    thread_end(execution);
    threads_wait(execution);
}
