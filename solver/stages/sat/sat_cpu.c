#include "stages/sat/sat_point.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

SWE_POINT void consensus_of(swe_equations equations, int order, const swe_view *view, const real *h,
                            const real *v1, const real *v2, real *out)
{
    FOR_OWN_PLACES(view, edge, k,
                   out[edge * (view->layout.n + 1) + k] =
                       sat_consensus_point(equations, order, view, h, v1, v2, edge, k));
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
static void consensus(const swe_view *view, const real *h, const real *v1, const real *v2,
                      real *out)
{
    SWE_WITH_ORDER(
        view->sbp.order,
        SWE_WITH_EQUATIONS(view->equations, consensus_of(EQUATIONS, ORDER, view, h, v1, v2, out)));
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
    thread_begin(view);
    consensus(view, h, v1, v2, edge);
    thread_end(view);
    threads_wait(view);
    thread_begin(view);
#pragma omp for schedule(static) nowait
    for (int panel = 0; panel < SWE_PANELS; panel++)
        exchange_panel(view, f1, f2, edge, panel, dh);
    thread_end(view);
    threads_wait(view);
}
