#include "stages/damping/damping_point.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

SWE_POINT void make_changes_of(swe_equations equations, int order, const swe_view *view,
                               real weight, const real *h, const real *v1, const real *v2,
                               real *changes)
{
    const int n = view->layout.n;
    FOR_OWN_PLACES(
        view, edge, k, if (k > 0 && k < n) {
            changes[edge * (n + 1) + k] =
                damping_change(equations, order, view, weight, h, v1, v2, edge, k);
        });
}

SWE_POINT void add_changes_of(int order, const swe_view *view, const real *changes, real *v1,
                              real *v2)
{
    const int n = view->layout.n;
    FOR_OWN_PLACES(
        view, edge, k, if (k > 0 && k < n) {
            damping_add(order, view, changes[edge * (n + 1) + k], edge, k, v1, v2);
        });
}

SWE_CLONES
static void make_changes(const swe_view *view, real weight, const real *h, const real *v1,
                         const real *v2, real *changes)
{
    SWE_WITH_ORDER(
        view->sbp.order,
        SWE_WITH_EQUATIONS(view->equations,
                           make_changes_of(EQUATIONS, ORDER, view, weight, h, v1, v2, changes)));
}

SWE_CLONES
static void add_changes(const swe_view *view, const real *changes, real *v1, real *v2)
{
    SWE_WITH_ORDER(view->sbp.order, add_changes_of(ORDER, view, changes, v1, v2));
}

void swe_damping_cpu(const swe_view *view, real weight, const real *h, real *v1, real *v2,
                     real *changes)
{
    thread_begin(view);
    make_changes(view, weight, h, v1, v2, changes);
    thread_end(view);
    threads_wait(view);
    thread_begin(view);
    add_changes(view, changes, v1, v2);
    thread_end(view);
    threads_wait(view);
}
