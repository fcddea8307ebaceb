/* v on the CPU, of non-rotating and of rotational flows: rows of a sweep, and what a sweep leaves.
 *
 * A sweep computes h of the following state and, from the rows of head and W that it completes, v
 * of inner cells, whose operators read no shared point and no row of another thread. The rest of v
 * follows when projection has averaged the values at shared points. */
#ifndef SWE_STAGES_MOMENTUM_CPU_H
#define SWE_STAGES_MOMENTUM_CPU_H

#include "stages/rk4/rk4_point.h"
#include "stages/tiles_cpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Head, W and the substep's arrays of one component of v, at the first value of a panel or of a
 * row. Rows are one pitch of the layout apart. In the linear equations h is the head. Non-rotating
 * flows have no W: pv_flux equals `head` and is not read. */
typedef struct momentum_row {
    const real *head, *pv_flux;
    rk4_arrays v;
} momentum_row;

SWE_POINT momentum_row momentum_row_at(momentum_row r, ptrdiff_t at)
{
    const momentum_row moved = {r.head + at, r.pv_flux + at, rk4_arrays_at(r.v, at)};
    return moved;
}

/* The values of v that a sweep computes: columns and rows of v1, columns and rows of v2. Rows of
 * head and W from `end` on may not be read. */
typedef struct momentum_tile {
    rows_range cells, rows1, vertices, rows2;
    int end;
} momentum_tile;

/* The inner cells of some columns of vertices, for a thread's `share` of rows. */
momentum_tile swe_momentum_inner(const swe_params *params, rows_range columns, rows_range share,
                                 int end);

/* Compute `count` (1 or 2) rows of v1 from j1 on and of v2 from j2 on, those of them that are in
 * the tile. row1 points at row j1 of v1, row2 at row j2 of v2, both at the panel's first column.
 * Issues one step of `prefetch` with each cache line of two rows. */
void swe_momentum_rows(const swe_params *params, int substep, real weight, const momentum_tile *t,
                       int count, int j1, const momentum_row *row1, int j2,
                       const momentum_row *row2, tile_prefetch *prefetch);

/* All of v in the rows of this thread but inner cells: closures, panel edges, rows next to other
 * threads'. panel1 points at the panel's first value of v1, panel2 at that of v2. */
void swe_momentum_rest(const swe_params *params, int substep, real weight,
                       const momentum_row *panel1, const momentum_row *panel2);

#ifdef __cplusplus
}
#endif
#endif
