#include "stages/sat/sat_point.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

SWE_POINT void consensus_of(swe_equations equations, int order, const swe_params *params,
                            const real *h, const real *v1, const real *v2, real *out)
{
    FOR_THREAD_EDGE_POINTS(params, edge, k,
                           out[edge * (params->layout.n + 1) + k] =
                               sat_consensus_point(equations, order, params, h, v1, v2, edge, k));
}

SWE_POINT void exchange_of_order(int order, const swe_params *params, const real *f1,
                                 const real *f2, const real *consensus, int panel, real *dh)
{
    const int n = params->layout.n;
    for (int side = 0; side < SWE_SIDES; side++)
        for (int k = 0; k <= n; k++)
            if (sat_owns(side, k, n))
                dh[panel * params->layout.panel + topology_side_at(&params->layout, side, k)] +=
                    sat_vertex_point(order, params, f1, f2, consensus, panel, side, k);
}

SWE_CLONES
static void consensus(const swe_params *params, const real *h, const real *v1, const real *v2,
                      real *out)
{
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_WITH_EQUATIONS(params->equations,
                                      consensus_of(EQUATIONS, ORDER, params, h, v1, v2, out)));
}

SWE_CLONES
static void exchange_panel(const swe_params *params, const real *f1, const real *f2,
                           const real *consensus, int panel, real *dh)
{
    SWE_WITH_ORDER(params->sbp.order,
                   exchange_of_order(ORDER, params, f1, f2, consensus, panel, dh));
}

void swe_sat_cpu(const swe_execution *execution, const swe_params *params, const real *h,
                 const real *v1, const real *v2, const real *f1, const real *f2, real *edge,
                 real *dh)
{
    thread_begin(execution);
    consensus(params, h, v1, v2, edge);
    thread_end(execution);
    threads_wait(execution);
    thread_begin(execution);
#pragma omp for schedule(static) nowait
    for (int panel = 0; panel < SWE_PANELS; panel++)
        exchange_panel(params, f1, f2, edge, panel, dh);
    thread_end(execution);
    threads_wait(execution);
}
