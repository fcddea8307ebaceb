/* v of rotational flows on the CPU. swe_momentum_rows computes rows of v in a sweep.
 * swe_momentum_rest computes the values of v that the sweep omits.
 *
 * A sweep computes h of the next state. It also completes rows of the head and of W, and computes v
 * of inner cells from these rows. A cell is inner if its operators read no shared point, no row of
 * another thread and no column of another block. The rest of v is computed after projection has
 * averaged the values at shared points. `substep` and `weight`: stages.h, SUBSTEPS. */
#ifndef SWE_SWEEPS_MOMENTUM_CPU_H
#define SWE_SWEEPS_MOMENTUM_CPU_H

#include "stages/rk4/rk4_point.h"
#include "stages/tiles_cpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Input and output of one component v_k: the head [m], W_k [m2 s-2] and the arrays of the substep.
 * All pointers are at the first value of a panel, or of a row; rows are one pitch of the layout
 * apart. In the linear equations h is the head. */
typedef struct momentum_row {
    const real *head, *pv_flux;
    rk4_arrays v;
} momentum_row;

SWE_POINT momentum_row momentum_row_at(momentum_row r, ptrdiff_t at)
{
    const momentum_row moved = {r.head + at, r.pv_flux + at, rk4_arrays_at(r.v, at)};
    return moved;
}

/* The values of v that a sweep computes in a tile: v1 in columns `cells` of rows `rows1`, v2 in
 * columns `vertices` of rows `rows2`. Rows of the head and of W from `end` on belong to another
 * thread, or do not exist, and are not read. A vector load may run past the end of its row, but
 * must not reach row `end`. */
typedef struct momentum_tile {
    rows_range cells, rows1, vertices, rows2;
    int end;
} momentum_tile;

/* The inner cells in some inner columns of a block (tiles_inner_columns). `columns`, `share` (rows
 * of this thread) and `end` (momentum_tile) are in vertices. Pass the end of the share as `end` if
 * other threads write rows of the head at the same time, otherwise n + 1. Cell i, between vertices
 * i and i + 1, belongs to the column of vertex i, so tiles that divide the vertices also divide the
 * cells. rows2 is limited to the share. rows1 is not: pass swe_momentum_rows only rows j1 of the
 * share. */
momentum_tile swe_momentum_inner(const swe_params *params, rows_range columns, rows_range share,
                                 int end) REAL_SYMBOL(swe_momentum_inner);

/* Compute `count` (1 or 2) rows of v1 from j1 on and of v2 from j2 on. Rows outside the tile are
 * skipped. row1 points at row j1 of v1, row2 at row j2 of v2, both at the panel's first column.
 *
 * Before the call, complete the rows that are read: row j of v1 reads row j of the head and of W1;
 * row j of v2 reads rows j + 1 - order/2 to j + order/2 of the head and of W2 (in a closure more;
 * inner cells are in none). If the rows completed last are j1 to j1 + count - 1, pass j2 = j1 -
 * order/2.
 *
 * SIMD rows issue steps of `prefetch` (simd_rows_cpu.h), loops over points none. `prefetch` must
 * not be NULL; no_prefetch() issues nothing. */
void swe_momentum_rows(const swe_params *params, int substep, real weight, const momentum_tile *t,
                       int count, int j1, const momentum_row *row1, int j2,
                       const momentum_row *row2, tile_prefetch *prefetch)
    REAL_SYMBOL(swe_momentum_rows);

/* Compute v of a block at the cells that are not inner, in the calling thread's share of rows
 * (threads_cpu.h; outside of a team: all rows). These are closures, panel edges, rows next to other
 * threads' rows, and columns next to other blocks (tiles_inner_columns). Call it after the barrier
 * that ends projection, or flux_projection. panel1 points at v1 of the panel's vertex (0, 0),
 * panel2 at v2. */
void swe_momentum_rest(const swe_params *params, int substep, real weight, const swe_block *block,
                       const momentum_row *panel1, const momentum_row *panel2)
    REAL_SYMBOL(swe_momentum_rest);

#ifdef __cplusplus
}
#endif
#endif
