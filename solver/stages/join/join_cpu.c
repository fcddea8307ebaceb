#include "stages/join/join_point.h"
#include "stages/rk4/rk4_point.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

SWE_POINT void join_of(swe_equations equations, const swe_params *params, const real *in, real *h,
                       real *head, real *turned1, real *turned2, real *margin)
{
    FOR_SHARED_POINTS(
        params, copies,
        join_point(equations, params, &copies, in, h, head, turned1, turned2, margin));
}

SWE_CLONES
static void join(const swe_params *params, const real *in, real *h, real *head, real *turned1,
                 real *turned2, real *margin)
{
    SWE_WITH_EQUATIONS(params->equations,
                       join_of(EQUATIONS, params, in, h, head, turned1, turned2, margin));
}

void swe_join_cpu(const swe_execution *execution, const swe_params *params, int part, real *y,
                  real *next, real *head, real *turned1, real *turned2, real *margin)
{
    const rk4_arrays a = rk4_arrays_of(params, part, y, next);
    thread_begin(execution);
    join(params, a.in, a.out, head, turned1, turned2, margin);
    thread_end(execution);
    threads_wait(execution);
}
