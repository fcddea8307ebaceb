#include "stages/coriolis/coriolis_rows.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* One row of vertices: h, f and the vorticity, fluxes; fields point at the row. */
typedef struct coriolis_row {
    int j;
    const real *h, *coriolis, *vorticity, *f1, *f2;
} coriolis_row;

SWE_POINT void turn_row_in(swe_equations equations, int order, sbp_region where_j,
                           const swe_view *view, coriolis_row r, real *SWE_RESTRICT turned1,
                           real *SWE_RESTRICT turned2)
{
    const int n = view->layout.n;
    const rows_range vertices = {0, n + 1};
    ROWS_ALONG(vertices, rows_vertices(order, n), {
        const int is_shared =
            where_j == SBP_INTERIOR && where == SBP_INTERIOR ? 0 : topology_is_shared(n, r.j, i);
        const real g1 = sbp_pcv(order, where, &view->sbp, n, i, r.f1 + k, 1);
        const real g2 = sbp_pcv(order, where_j, &view->sbp, n, r.j, r.f2 + k, view->layout.pitch);
        const real rate = coriolis_rate(equations, r.vorticity + k, r.coriolis[k], r.h + k);
        coriolis_turn(is_shared, rate, g1, g2, turned1 + k, turned2 + k);
    });
}

SWE_POINT void turn_row_of(swe_equations equations, int order, const swe_view *view, coriolis_row r,
                           real *turned1, real *turned2)
{
    ROWS_AT_VERTEX(order, view->layout.n, r.j,
                   turn_row_in(equations, order, (sbp_region)REGION, view, r, turned1, turned2));
}

SWE_CLONES
static void turn_row(const swe_view *view, const coriolis_row *r, real *turned1, real *turned2)
{
    SWE_WITH_ORDER(view->sbp.order,
                   SWE_WITH_EQUATIONS(view->equations,
                                      turn_row_of(EQUATIONS, ORDER, view, *r, turned1, turned2)));
}

SWE_CLONES
static void add_rows(const swe_view *view, int j, const real *turned1, const real *turned2,
                     real *dv1, real *dv2)
{
    SWE_WITH_ORDER(view->sbp.order, coriolis_add_row(ORDER, view, j, turned1, turned2, dv1, dv2));
}

SWE_POINT void join_of(swe_equations equations, const swe_view *view, const real *SWE_RESTRICT h,
                       const real *SWE_RESTRICT vorticity, real *turned1, real *turned2)
{
    FOR_SHARED_POINTS(view, copies, {
        const ptrdiff_t at = swe_at(&view->layout, copies.panel[0], copies.j[0], copies.i[0]);
        const real rate = coriolis_rate(equations, vorticity + at, view->coriolis[at], h + at);
        coriolis_join(view, &copies, rate, turned1, turned2);
    });
}

SWE_CLONES
static void join(const swe_view *view, const real *h, const real *vorticity, real *turned1,
                 real *turned2)
{
    SWE_WITH_EQUATIONS(view->equations, join_of(EQUATIONS, view, h, vorticity, turned1, turned2));
}

void swe_coriolis_cpu(const swe_view *view, const real *h, const real *vorticity, const real *f1,
                      const real *f2, real *turned1, real *turned2, real *dv1, real *dv2)
{
    thread_begin(view);
    FOR_OWN_ROWS(view, row, j, {
        const ptrdiff_t at = row * view->layout.pitch;
        const coriolis_row r = {j, h + at, view->coriolis + at, vorticity + at, f1 + at, f2 + at};
        turn_row(view, &r, turned1 + at, turned2 + at);
    });
    thread_end(view);
    threads_wait(view);
    thread_begin(view);
    join(view, h, vorticity, turned1, turned2);
    thread_end(view);
    threads_wait(view);
    thread_begin(view);
    FOR_OWN_ROWS(view, row, j, {
        const ptrdiff_t at = row * view->layout.pitch;
        add_rows(view, j, turned1 + at, turned2 + at, dv1 + at, dv2 + at);
    });
    thread_end(view);
    threads_wait(view);
}
