#include "sweeps/momentum/momentum_cpu.h"

#include "fields/fields.h"
#include "stages/exchange.h"
#include "stages/velocity_point.h"
#include "sweeps/momentum/momentum_point.h"
#include "sweeps/simd/simd_rows_cpu.h"
#include "stages/stages.h"

/* ---- one row, of any region ------------------------------------------------------------------
 *
 * Each loop is a separate function, compiled for all orders and instruction sets: a function this
 * small keeps its values in registers. */

SWE_POINT void row1_of(int order, int substep, const swe_params *SWE_RESTRICT params, real weight,
                       rows_range cells, momentum_row at)
{
    const real *SWE_RESTRICT head = at.head, *SWE_RESTRICT pv_flux1 = at.pv_flux;
    ROWS_ALONG(cells, rows_cells(order, params),
               velocity_rk4(params, substep, weight,
                            momentum_point1(order, where, params, i, head + k, pv_flux1 + k),
                            rk4_arrays_at(at.v, k)));
}

/* v1 at `cells` of the row of vertices that begins `offset` values after `row`. */
SWE_CLONES
static void row1(const swe_params *params, int substep, real weight, rows_range cells,
                 const momentum_row *row, ptrdiff_t offset)
{
    const momentum_row at = momentum_row_at(*row, offset + cells.first);
    RK4_WITH_SUBSTEP(substep, SWE_WITH_ORDER(params->sbp.order,
                                             row1_of(ORDER, SUBSTEP, params, weight, cells, at)));
}

SWE_POINT void row2_of(int order, sbp_region where_j, int substep,
                       const swe_params *SWE_RESTRICT params, real weight, int j, int count,
                       momentum_row at)
{
    const real *SWE_RESTRICT head = at.head, *SWE_RESTRICT pv_flux2 = at.pv_flux;
#pragma omp simd
    for (int k = 0; k < count; k++)
        velocity_rk4(params, substep, weight,
                     momentum_point2(order, where_j, params, j, head + k, pv_flux2 + k,
                                     params->layout.pitch),
                     rk4_arrays_at(at.v, k));
}

/* v2 at `vertices` of row j of cells, which begins `offset` values after `row`. */
SWE_CLONES
static void row2(const swe_params *params, int substep, real weight, int j, rows_range vertices,
                 const momentum_row *row, ptrdiff_t offset)
{
    const momentum_row at = momentum_row_at(*row, offset + vertices.first);
    RK4_WITH_SUBSTEP(
        substep,
        SWE_WITH_ORDER(params->sbp.order,
                       ROWS_AT_CELL(ORDER, params, j,
                                    row2_of(ORDER, (sbp_region)REGION, SUBSTEP, params, weight, j,
                                            vertices.last - vertices.first, at))));
}

/* ---- rows of a sweep ------------------------------------------------------------------------- */

momentum_tile swe_momentum_inner(const swe_params *params, rows_range columns, rows_range share,
                                 int end)
{
    const int order = params->sbp.order, n = params->layout.n;
    const rows_range off_edges = {1, n};
    const momentum_tile t = {.cells = rows_within(columns, rows_of(rows_cells(order, params))),
                             .rows1 = off_edges,
                             .vertices = rows_within(columns, off_edges),
                             .rows2 = tiles_inner(order, params, share),
                             .end = end};
    return t;
}

static int has_rows(rows_range range, int j, int count)
{
    return j >= range.first && j + count <= range.last;
}

/* Two rows use SIMD vectors if v2 is off the closures and a readable row follows the last row that
 * they read, because vectors read beyond the end of a row. */
void swe_momentum_rows(const swe_params *params, int substep, real weight, const momentum_tile *t,
                       int count, int j1, const momentum_row *at1, int j2, const momentum_row *at2,
                       tile_prefetch *prefetch)
{
    const int order = params->sbp.order;
    if (count == 2 && simd_rows() != NULL && has_rows(t->rows1, j1, 2) &&
        has_rows(t->rows2, j2, 2) && has_rows(rows_of(rows_cells(order, params)), j2, 2) &&
        j2 + order / 2 + 2 < t->end) {
        const simd_v rows = {t, t->vertices.first / ROWS_LINE * ROWS_LINE, at1, at2};
        simd_rows()->v(params, substep, weight, &rows, prefetch);
        return;
    }
    for (int r = 0; r < count; r++) {
        if (has_rows(t->rows1, j1 + r, 1))
            row1(params, substep, weight, t->cells, at1, r * params->layout.pitch);
        if (has_rows(t->rows2, j2 + r, 1))
            row2(params, substep, weight, j2 + r, t->vertices, at2, r * params->layout.pitch);
    }
}

/* ---- the rest of v --------------------------------------------------------------------------- */

/* Rows of v1: the cells in the block's closures. */
SWE_POINT void closures1_of(int order, int substep, const swe_params *params, real weight,
                            rows_range columns, rows_range rows, momentum_row panel)
{
    const int n = params->layout.n, closed = sbp_closed_cells(order, &params->sbp);
    const int low = columns.first == 0 ? closed : 0, high = columns.last > n ? n - closed : n;
    for (int j = rows.first; j < rows.last; j++) {
        const momentum_row row = momentum_row_at(panel, j * params->layout.pitch);
        const real *SWE_RESTRICT head = row.head, *SWE_RESTRICT pv_flux1 = row.pv_flux;
        ROWS_VECTOR for (int i = 0; i < low; i++)
        {
            const real dv1 = momentum_point1(order, SBP_LOW, params, i, head + i, pv_flux1 + i);
            velocity_rk4(params, substep, weight, dv1, rk4_arrays_at(row.v, i));
        }
        ROWS_VECTOR for (int i = high; i < n; i++)
        {
            const real dv1 = momentum_point1(order, SBP_HIGH, params, i, head + i, pv_flux1 + i);
            velocity_rk4(params, substep, weight, dv1, rk4_arrays_at(row.v, i));
        }
    }
}

/* Rows of v2 of inner cells: the panel's first and last vertex, if the block has them. */
SWE_POINT void edges2_of(int order, int substep, const swe_params *params, real weight,
                         rows_range columns, rows_range rows, momentum_row panel)
{
    const int n = params->layout.n;
    const ptrdiff_t pitch = params->layout.pitch;
    for (int j = rows.first; j < rows.last; j++)
        for (int i = columns.first == 0 ? 0 : n; i < columns.last; i += n) {
            const momentum_row at = momentum_row_at(panel, j * pitch + i);
            velocity_rk4(
                params, substep, weight,
                momentum_point2(order, SBP_INTERIOR, params, j, at.head, at.pv_flux, pitch), at.v);
        }
}

SWE_CLONES
static void ends_of_rows(const swe_params *params, int substep, real weight, rows_range columns,
                         rows_range rows1, const momentum_row *panel1, rows_range rows2,
                         const momentum_row *panel2)
{
    RK4_WITH_SUBSTEP(substep, SWE_WITH_ORDER(params->sbp.order, {
                         closures1_of(ORDER, SUBSTEP, params, weight, columns, rows1, *panel1);
                         edges2_of(ORDER, SUBSTEP, params, weight, columns, rows2, *panel2);
                     }));
}

/* All of row j of v1 if the row is on an edge; all of row j of v2 if the row is in a closure or
 * next to another thread's rows. */
static void whole_rows(const swe_params *params, int substep, real weight, int j,
                       rows_range columns, rows_range inner, const momentum_row *panel1,
                       const momentum_row *panel2)
{
    const int n = params->layout.n;
    const ptrdiff_t at = j * params->layout.pitch;
    if (j == 0 || j == n)
        row1(params, substep, weight, rows_cells_of(n, columns), panel1, at);
    if (j < n && (j < inner.first || j >= inner.last))
        row2(params, substep, weight, j, columns, panel2, at);
}

/* Some columns at a cut: rows1 of v1 and rows2 of v2. */
static void columns_at_cut(const swe_params *params, int substep, real weight, rows_range columns,
                           rows_range rows1, const momentum_row *panel1, rows_range rows2,
                           const momentum_row *panel2)
{
    const ptrdiff_t pitch = params->layout.pitch;
    if (columns.first == columns.last)
        return;
    for (int j = rows1.first; j < rows1.last; j++)
        row1(params, substep, weight, columns, panel1, j * pitch);
    for (int j = rows2.first; j < rows2.last; j++)
        row2(params, substep, weight, j, columns, panel2, j * pitch);
}

void swe_momentum_rest(const swe_params *params, int substep, real weight, const swe_block *block,
                       const momentum_row *panel1, const momentum_row *panel2)
{
    const int n = params->layout.n;
    const rows_range share = threads_share_of(block->j), off_edges = {1, n},
                     rows1 = rows_within(share, off_edges),
                     rows2 = tiles_inner(params->sbp.order, params, share),
                     columns = tiles_inner_columns(n, block);
    const rows_range west = {block->i.first, columns.first}, east = {columns.last, block->i.last};
    for (int j = share.first; j < share.last; j++)
        whole_rows(params, substep, weight, j, block->i, rows2, panel1, panel2);
    ends_of_rows(params, substep, weight, block->i, rows1, panel1, rows2, panel2);
    columns_at_cut(params, substep, weight, west, rows1, panel1, rows2, panel2);
    columns_at_cut(params, substep, weight, east, rows1, panel1, rows2, panel2);
}

/* ---- the stage ------------------------------------------------------------------------------- */

void swe_momentum_cpu(const swe_execution *execution, const swe_params *params, int substep,
                      real weight, const real *head, const real *pv_flux1, const real *pv_flux2,
                      real *y, real *next)
{
    const ptrdiff_t field = params->layout.field;
    const rk4_arrays arrays = rk4_arrays_of(params, substep, y, next);
    const momentum_row whole1 = {head, pv_flux1, rk4_arrays_at(arrays, field)},
                       whole2 = {head, pv_flux2, rk4_arrays_at(arrays, 2 * field)};
    thread_begin(execution);
    FOR_BLOCKS(params, b, {
        const momentum_row panel1 = momentum_row_at(whole1, b.at),
                           panel2 = momentum_row_at(whole2, b.at);
        swe_momentum_rest(params, rk4_fused_update(params, substep), weight, &b, &panel1, &panel2);
    })
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_GHOSTS(whole1.v.out), EXCHANGE_GHOSTS(whole2.v.out));
}
