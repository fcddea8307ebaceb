#include "stages/momentum/momentum_row_cpu.h"

#include "stages/momentum/momentum_point.h"

SWE_POINT void momentum1_row_of(int order, const swe_params *params, int substep, real weight,
                                rows_range cells, momentum_row at)
{
    const real *SWE_RESTRICT head = at.head, *SWE_RESTRICT pv_flux1 = at.pv_flux1;
    ROWS_ALONG(cells, rows_cells(order, params->layout.n),
               rk4_point(substep, weight,
                         momentum_point1(order, where, params, i, head + k, pv_flux1 + k),
                         rk4_arrays_at(at.v1, k)));
}

SWE_CLONES
void swe_momentum1_row(const swe_params *params, int substep, real weight, rows_range cells,
                       const momentum_row *row)
{
    const momentum_row at = momentum_row_at(*row, cells.first);
    if (substep < 3)
        SWE_WITH_ORDER(params->sbp.order, momentum1_row_of(ORDER, params, 0, weight, cells, at));
    else
        SWE_WITH_ORDER(params->sbp.order, momentum1_row_of(ORDER, params, 3, weight, cells, at));
}

/* Vertices on a panel edge are separate, so that the vector loop begins at a cache line. */
SWE_POINT void momentum2_row_of(int order, sbp_region where_j, const swe_params *params,
                                int substep, real weight, int j, rows_range vertices,
                                momentum_row at)
{
    const ptrdiff_t pitch = params->layout.pitch;
    const rows_range off_edges = {1, params->layout.n};
    const real *SWE_RESTRICT head = at.head, *SWE_RESTRICT pv_flux2 = at.pv_flux2;
    ROWS_ALONG(vertices, off_edges, {
        (void)where;
        rk4_point(substep, weight,
                  momentum_point2(order, where_j, params, j, head + k, pv_flux2 + k, pitch),
                  rk4_arrays_at(at.v2, k));
    });
}

SWE_CLONES
void swe_momentum2_row(const swe_params *params, int substep, real weight, int j,
                       rows_range vertices, const momentum_row *row)
{
    const momentum_row at = momentum_row_at(*row, vertices.first);
    if (substep < 3)
        SWE_WITH_ORDER(params->sbp.order,
                       ROWS_AT_CELL(ORDER, params->layout.n, j,
                                    momentum2_row_of(ORDER, (sbp_region)REGION, params, 0, weight,
                                                     j, vertices, at)));
    else
        SWE_WITH_ORDER(params->sbp.order,
                       ROWS_AT_CELL(ORDER, params->layout.n, j,
                                    momentum2_row_of(ORDER, (sbp_region)REGION, params, 3, weight,
                                                     j, vertices, at)));
}
