#include "stages/damping/damping_point.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

SWE_POINT void compute_changes_of(swe_equations equations, int order, const swe_params *params,
                                  real weight, const real *h, const real *v1, const real *v2,
                                  real *changes)
{
    const int n = params->layout.n;
    FOR_THREAD_EDGE_POINTS(
        params, edge, k, if (k > 0 && k < n) {
            changes[edge * (n + 1) + k] =
                damping_change(equations, order, params, weight, h, v1, v2, edge, k);
        });
}

SWE_POINT void add_changes_of(int order, const swe_params *params, const real *changes, real *v1,
                              real *v2)
{
    const int n = params->layout.n;
    FOR_THREAD_EDGE_POINTS(
        params, edge, k, if (k > 0 && k < n) {
            damping_add(order, params, changes[edge * (n + 1) + k], edge, k, v1, v2);
        });
}

SWE_CLONES
static void compute_changes(const swe_params *params, real weight, const real *h, const real *v1,
                            const real *v2, real *changes)
{
    SWE_WITH_ORDER(
        params->sbp.order,
        SWE_WITH_EQUATIONS(params->equations, compute_changes_of(EQUATIONS, ORDER, params, weight,
                                                                 h, v1, v2, changes)));
}

SWE_CLONES
static void add_changes(const swe_params *params, const real *changes, real *v1, real *v2)
{
    SWE_WITH_ORDER(params->sbp.order, add_changes_of(ORDER, params, changes, v1, v2));
}

void swe_damping_cpu(const swe_execution *execution, const swe_params *params, real weight,
                     const real *h, real *v1, real *v2, real *changes)
{
    thread_begin(execution);
    compute_changes(params, weight, h, v1, v2, changes);
    thread_end(execution);
    threads_wait(execution);
    thread_begin(execution);
    add_changes(params, changes, v1, v2);
    thread_end(execution);
    threads_wait(execution);
}
