#include "stages/sat/sat_point.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

SWE_POINT void consensus_of(swe_equations equations, int order, const swe_view *view, const real *h,
                            const real *v1, const real *v2, int edge, real *out)
{
    for (int k = 0; k <= view->layout.n; k++)
        out[k] = sat_consensus_point(equations, order, view, h, v1, v2, edge, k);
}

SWE_POINT void exchange_of_order(int order, const swe_view *view, const real *f1, const real *f2,
                                 const real *consensus, int panel, real *dh)
{
    const int n = view->layout.n;
    for (int side = 0; side < SWE_SIDES; side++)
        for (int k = 0; k <= n; k++)
            if (sat_owns(side, k, n))
                dh[panel * view->layout.panel + topology_side_at(&view->layout, side, k)] +=
                    sat_vertex_point(order, view, f1, f2, consensus, panel, side, k);
}

SWE_CLONES
static void consensus_edge(const swe_view *view, const real *h, const real *v1, const real *v2,
                           int edge, real *out)
{
    SWE_WITH_ORDER(view->sbp.order,
                   SWE_WITH_EQUATIONS(view->equations,
                                      consensus_of(EQUATIONS, ORDER, view, h, v1, v2, edge, out)));
}

SWE_CLONES
static void exchange_panel(const swe_view *view, const real *f1, const real *f2,
                           const real *consensus, int panel, real *dh)
{
    SWE_WITH_ORDER(view->sbp.order, exchange_of_order(ORDER, view, f1, f2, consensus, panel, dh));
}

void swe_sat_cpu(const swe_view *view, const real *h, const real *v1, const real *v2,
                 const real *f1, const real *f2, real *edge, real *dh)
{
    const int places = view->layout.n + 1;
    thread_begin(view);
#pragma omp for schedule(static) nowait
    for (int e = 0; e < SWE_EDGES; e++)
        consensus_edge(view, h, v1, v2, e, edge + e * places);
    thread_end(view);
#pragma omp barrier
    thread_begin(view);
#pragma omp for schedule(static) nowait
    for (int panel = 0; panel < SWE_PANELS; panel++)
        exchange_panel(view, f1, f2, edge, panel, dh);
    thread_end(view);
#pragma omp barrier
}
