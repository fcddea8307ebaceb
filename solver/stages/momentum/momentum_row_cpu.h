/* v along pieces of a row, for the two stages that compute it on a CPU: `transport` for inner
 * cells, `momentum` for the others (transport_point.h). */
#ifndef SWE_STAGES_MOMENTUM_ROW_CPU_H
#define SWE_STAGES_MOMENTUM_ROW_CPU_H

#include "stages/rk4/rk4_point.h"
#include "stages/rows_cpu.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Head, W and the substep's arrays of v1 and v2, at the first value of a panel or of a row. */
typedef struct momentum_row {
    const real *head, *pv_flux1, *pv_flux2;
    rk4_arrays v1, v2;
} momentum_row;

SWE_POINT momentum_row momentum_row_at(momentum_row r, ptrdiff_t at)
{
    const momentum_row moved = {r.head + at, r.pv_flux1 + at, r.pv_flux2 + at,
                                rk4_arrays_at(r.v1, at), rk4_arrays_at(r.v2, at)};
    return moved;
}

/* v1 at `cells` of a row of vertices; v2 at `vertices` of row j of cells. Rows of head and W are
 * one pitch of the layout apart. */

void swe_momentum1_row(const swe_params *params, int substep, real weight, rows_range cells,
                       const momentum_row *row);

void swe_momentum2_row(const swe_params *params, int substep, real weight, int j,
                       rows_range vertices, const momentum_row *row);

#ifdef __cplusplus
}
#endif
#endif
