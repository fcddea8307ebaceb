#include "stages/damping/damping_point.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

SWE_POINT void damp_edge_of(swe_equations equations, int order, const swe_view *view, real weight,
                            const real *h, const real *f1, const real *f2, int edge, real *v1,
                            real *v2)
{
    for (int k = 1; k < view->layout.n; k++)
        damping_point(equations, order, view, weight, h, f1, f2, edge, k, v1, v2);
}

SWE_CLONES
static void damp_edge(const swe_view *view, real weight, const real *h, const real *f1,
                      const real *f2, int edge, real *v1, real *v2)
{
    SWE_WITH_ORDER(view->sbp.order,
                   SWE_WITH_EQUATIONS(view->equations, damp_edge_of(EQUATIONS, ORDER, view, weight,
                                                                    h, f1, f2, edge, v1, v2)));
}

void swe_damping_cpu(const swe_view *view, real weight, const real *h, const real *f1,
                     const real *f2, real *v1, real *v2)
{
    thread_begin(view);
#pragma omp for schedule(static) nowait
    for (int edge = 0; edge < SWE_EDGES; edge++)
        damp_edge(view, weight, h, f1, f2, edge, v1, v2);
    thread_end(view);
#pragma omp barrier
}
