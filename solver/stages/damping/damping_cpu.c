#include "stages/damping/damping_point.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* The two passes along an edge, of whose changes `changes` is the first. */

SWE_CLONES
static void make_changes(const swe_view *view, real weight, const real *h, const real *v1,
                         const real *v2, int edge, real *changes)
{
    SWE_WITH_ORDER(
        view->sbp.order,
        SWE_WITH_EQUATIONS(view->equations,
                           for (int k = 1; k < view->layout.n; k++) changes[k] =
                               damping_change(EQUATIONS, ORDER, view, weight, h, v1, v2, edge, k)));
}

SWE_CLONES
static void add_changes(const swe_view *view, const real *changes, int edge, real *v1, real *v2)
{
    SWE_WITH_ORDER(view->sbp.order, for (int k = 1; k < view->layout.n; k++)
                                        damping_add(ORDER, view, changes[k], edge, k, v1, v2));
}

void swe_damping_cpu(const swe_view *view, real weight, const real *h, real *v1, real *v2,
                     real *changes)
{
    const int places = view->layout.n + 1;
    thread_begin(view);
#pragma omp for schedule(static) nowait
    for (int edge = 0; edge < SWE_EDGES; edge++)
        make_changes(view, weight, h, v1, v2, edge, changes + edge * places);
    thread_end(view);
#pragma omp barrier
    thread_begin(view);
#pragma omp for schedule(static) nowait
    for (int edge = 0; edge < SWE_EDGES; edge++)
        add_changes(view, changes + edge * places, edge, v1, v2);
    thread_end(view);
#pragma omp barrier
}
