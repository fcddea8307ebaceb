/* Two rows of v1 and of v2 of inner cells in SIMD vectors. Rows that both read are loaded once. */
#ifndef SWE_SWEEPS_SIMD_MOMENTUM_SIMD_H
#define SWE_SWEEPS_SIMD_MOMENTUM_SIMD_H

#include "stages/velocity_point.h"
#include "sweeps/momentum/momentum_point.h"
#include "sweeps/simd/simd_cpu.h"
#include "sweeps/simd/simd_rows_cpu.h"

/* The vectors at column i of both rows of v1 and of v2. */
SWE_POINT void v_vectors(int order, int substep, simd_where where, const swe_params *params,
                         real weight, const simd_v *v, rows_range cells, int i)
{
    const ptrdiff_t up = params->layout.pitch;
    const real scale = gradient_scale(params);
    BOTH_ROWS({
        const ptrdiff_t at = i + r * up;
        const simd dv = scale * simd_difference(order, v->row1->head + at, 1) +
                        simd_mean(order, v->row1->pv_flux + at, 1);
        const rk4_arrays next = rk4_arrays_at(v->row1->v, at);
        simd_rk4(substep, where, weight, VELOCITY_TENDENCY(params, dv, simd_load(next.in)), next,
                 cells, i);
    });
    BOTH_ROWS({
        const ptrdiff_t at = i + r * up;
        const simd dv = scale * simd_difference(order, v->row2->head + at, up) +
                        simd_mean(order, v->row2->pv_flux + at, up);
        const rk4_arrays next = rk4_arrays_at(v->row2->v, at);
        simd_rk4(substep, where, weight, VELOCITY_TENDENCY(params, dv, simd_load(next.in)), next,
                 v->tile->vertices, i);
    });
}

SWE_POINT void v_rows_of(int order, int substep, const swe_params *params, real weight,
                         const simd_v *v, tile_prefetch *prefetch)
{
    const rows_range vertices = v->tile->vertices,
                     cells = rows_within(v->tile->cells, rows_of(rows_cells(order, params)));
    const rows_range both = rows_within(cells, vertices);
    const rows_range inside = {both.first, both.last - SIMD_WIDTH + 1};
    SIMD_ALONG(v->first, vertices.last, inside, {
        simd_prefetch(where, prefetch, k);
        v_vectors(order, substep, where, params, weight, v, cells, k);
    });
}

static void v_rows(const swe_params *params, int substep, real weight, const simd_v *v,
                   tile_prefetch *prefetch)
{
    RK4_WITH_SUBSTEP(substep, SWE_WITH_ORDER(params->sbp.order, v_rows_of(ORDER, SUBSTEP, params,
                                                                          weight, v, prefetch)));
}

#endif
