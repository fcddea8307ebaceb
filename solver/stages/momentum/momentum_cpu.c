#include "stages/momentum/momentum_point.h"
#include "stages/momentum/momentum_row_cpu.h"
#include "stages/stages.h"
#include "stages/tiles_cpu.h"

/* v of the cells that `transport` does not compute on a CPU: their operators read shared points or
 * rows of another thread. */

/* Rows of vertices: cells in the closures. */
SWE_POINT void make_ends1_of(int order, const swe_params *params, int substep, real weight,
                             rows_range rows, momentum_row panel)
{
    const int n = params->layout.n, closed = sbp_cell_rows(order);
    for (int j = rows.first; j < rows.last; j++) {
        const momentum_row row = momentum_row_at(panel, j * params->layout.pitch);
        const real *SWE_RESTRICT head = row.head, *SWE_RESTRICT pv_flux1 = row.pv_flux1;
        ROWS_VECTOR for (int i = 0; i < closed; i++)
        {
            const real dv1 = momentum_point1(order, SBP_LOW, params, i, head + i, pv_flux1 + i);
            rk4_point(substep, weight, dv1, rk4_arrays_at(row.v1, i));
        }
        ROWS_VECTOR for (int i = n - closed; i < n; i++)
        {
            const real dv1 = momentum_point1(order, SBP_HIGH, params, i, head + i, pv_flux1 + i);
            rk4_point(substep, weight, dv1, rk4_arrays_at(row.v1, i));
        }
    }
}

SWE_CLONES
static void make_ends1(const swe_params *params, int substep, real weight, rows_range rows,
                       const momentum_row *panel)
{
    if (substep < 3)
        SWE_WITH_ORDER(params->sbp.order, make_ends1_of(ORDER, params, 0, weight, rows, *panel));
    else
        SWE_WITH_ORDER(params->sbp.order, make_ends1_of(ORDER, params, 3, weight, rows, *panel));
}

/* Rows of inner cells: the first and the last vertex. */
SWE_POINT void make_ends2_of(int order, const swe_params *params, int substep, real weight,
                             rows_range rows, momentum_row panel)
{
    const ptrdiff_t pitch = params->layout.pitch;
    for (int j = rows.first; j < rows.last; j++)
        for (int i = 0; i <= params->layout.n; i += params->layout.n) {
            const momentum_row at = momentum_row_at(panel, j * pitch + i);
            rk4_point(substep, weight,
                      momentum_point2(order, SBP_INTERIOR, params, j, at.head, at.pv_flux2, pitch),
                      at.v2);
        }
}

SWE_CLONES
static void make_ends2(const swe_params *params, int substep, real weight, rows_range rows,
                       const momentum_row *panel)
{
    if (substep < 3)
        SWE_WITH_ORDER(params->sbp.order, make_ends2_of(ORDER, params, 0, weight, rows, *panel));
    else
        SWE_WITH_ORDER(params->sbp.order, make_ends2_of(ORDER, params, 3, weight, rows, *panel));
}

/* All of row j of vertices on an edge; all of row j of cells in a closure or next to another
 * thread's rows. */
static void make_whole_rows(const swe_params *params, int substep, real weight, int j,
                            rows_range inner, const momentum_row *panel)
{
    const int n = params->layout.n;
    const rows_range cells = {0, n}, vertices = {0, n + 1};
    const momentum_row row = momentum_row_at(*panel, j * params->layout.pitch);
    if (j == 0 || j == n)
        swe_momentum1_row(params, substep, weight, cells, &row);
    if (j < n && (j < inner.first || j >= inner.last))
        swe_momentum2_row(params, substep, weight, j, vertices, &row);
}

static void make_panel(const swe_params *params, int substep, real weight, momentum_row panel)
{
    const int n = params->layout.n;
    const rows_range own = threads_piece(n + 1), off_edges = {1, n},
                     inner = tiles_inner(params->sbp.order, n, own);
    const rows_range rows = rows_within(own, off_edges);
    for (int j = own.first; j < own.last; j++)
        make_whole_rows(params, substep, weight, j, inner, &panel);
    make_ends1(params, substep, weight, rows, &panel);
    make_ends2(params, substep, weight, inner, &panel);
}

void swe_momentum_cpu(const swe_execution *execution, const swe_params *params, int substep,
                      real weight, const real *head, const real *pv_flux1, const real *pv_flux2,
                      real *y, real *next)
{
    const ptrdiff_t field = params->layout.field;
    const rk4_arrays arrays = rk4_arrays_of(params, substep, y, next);
    const momentum_row whole = {head, pv_flux1, pv_flux2, rk4_arrays_at(arrays, field),
                                rk4_arrays_at(arrays, 2 * field)};
    thread_begin(execution);
    for (int panel = 0; panel < SWE_PANELS; panel++)
        make_panel(params, substep, weight, momentum_row_at(whole, panel * params->layout.panel));
    thread_end(execution);
    threads_wait(execution);
}
