/* Two rows of v1 and of v2 in SIMD vectors, off the closures along xi2, of non-rotating and of
 * rotational flows. Rows that both read are loaded once. */
#ifndef SWE_STAGES_MOMENTUM_SIMD_H
#define SWE_STAGES_MOMENTUM_SIMD_H

#include "stages/gradient/gradient_point.h"
#include "stages/simd_cpu.h"
#include "stages/simd_rows_cpu.h"

SWE_POINT void v_closures(int order, int substep, const swe_params *SWE_RESTRICT params,
                          real weight, const simd_v *v, int r)
{
    const int n = params->layout.n;
    const ptrdiff_t row = r * params->layout.pitch;
    const rows_range cells = v->tile->cells;
    const real *SWE_RESTRICT head = v->row1->head + row;
    const rk4_arrays a = rk4_arrays_at(v->row1->v, row);
    if (cells.first == 0 || cells.last == n)
        SIMD_CELL_CLOSURES(params, v->tile->vertices,
                           rk4_point(substep, weight,
                                     gradient_point1(order, where, params, i, head + i),
                                     rk4_arrays_at(a, i)));
}

/* The vectors at column i of both rows of v1 and of v2. */
SWE_POINT void v_vectors(int rotational, int order, int substep, simd_where where,
                         const swe_params *params, real weight, const simd_v *v, rows_range cells,
                         int i)
{
    const ptrdiff_t up = params->layout.pitch;
    const real scale = gradient_scale(params);
    BOTH_ROWS({
        const ptrdiff_t at = i + r * up;
        simd dv = scale * simd_difference(order, v->row1->head + at, 1);
        if (rotational)
            dv += simd_mean(order, v->row1->pv_flux + at, 1);
        simd_rk4(substep, where, weight, dv, rk4_arrays_at(v->row1->v, at), cells, i);
    });
    BOTH_ROWS({
        const ptrdiff_t at = i + r * up;
        simd dv = scale * simd_difference(order, v->row2->head + at, up);
        if (rotational)
            dv += simd_mean(order, v->row2->pv_flux + at, up);
        simd_rk4(substep, where, weight, dv, rk4_arrays_at(v->row2->v, at), v->tile->vertices, i);
    });
}

/* Closures along xi1 read shared points: a sweep computes them of non-rotating flows alone. */
SWE_POINT void v_rows_of(int rotational, int order, int substep, const swe_params *params,
                         real weight, const simd_v *v, tile_prefetch *prefetch)
{
    const rows_range vertices = v->tile->vertices,
                     cells = rows_within(v->tile->cells, rows_of(rows_cells(order, params)));
    const rows_range both = rows_within(cells, vertices);
    const rows_range inside = {both.first, both.last - SIMD_WIDTH + 1};
    SIMD_ALONG(v->first, vertices.last, inside, {
        simd_prefetch(where, prefetch, k);
        v_vectors(rotational, order, substep, where, params, weight, v, cells, k);
    });
    if (!rotational)
        BOTH_ROWS(v_closures(order, substep, params, weight, v, r));
}

static void v_rows(const swe_params *params, int substep, real weight, const simd_v *v,
                   tile_prefetch *prefetch)
{
    if (params->rotational)
        RK4_WITH_SUBSTEP(substep,
                         SWE_WITH_ORDER(params->sbp.order,
                                        v_rows_of(1, ORDER, SUBSTEP, params, weight, v, prefetch)));
    else
        RK4_WITH_SUBSTEP(substep,
                         SWE_WITH_ORDER(params->sbp.order,
                                        v_rows_of(0, ORDER, SUBSTEP, params, weight, v, prefetch)));
}

#endif
