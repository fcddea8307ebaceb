/* Two rows of h of the fused stage in SIMD vectors, off the closures along xi2. Rows that both read
 * are loaded once; cross terms and F1 stay in registers. */
#ifndef SWE_STAGES_FUSED_SIMD_H
#define SWE_STAGES_FUSED_SIMD_H

#include "stages/contravariant/contravariant_point.h"
#include "stages/divergence/divergence_point.h"
#include "stages/simd_cpu.h"
#include "stages/simd_rows_cpu.h"

/* ---- closures along xi1: cross terms and F1 before the SIMD loop, h after it ----------------- */

/* Cross terms of v1 of the next row, and F1 of the row itself. */
SWE_POINT void h_closures_before(int order, const swe_params *SWE_RESTRICT params, const simd_h *h,
                                 int r, int j)
{
    const int n = params->layout.n;
    const ptrdiff_t up = params->layout.pitch, row = r * up, above = (order - 1 + r) * up;
    const rows_range columns = h->tile.i;
    const real *SWE_RESTRICT v1 = h->v1, *SWE_RESTRICT v2 = h->v2;
    const real *SWE_RESTRICT metric11 = h->metric11, *SWE_RESTRICT metric12 = h->metric12;
    real *SWE_RESTRICT cross1 = h->cross1 + (order - 1 + r) * (ptrdiff_t)CPU_TILE_PITCH;
    real *SWE_RESTRICT cross2 = h->cross2[r], *SWE_RESTRICT flux1 = h->flux1[r];
    SIMD_VERTEX_CLOSURES(params, columns,
                         cross1[k] =
                             contravariant_cross1_point(SWE_LINEAR, order, where, params, i,
                                                        metric12[k + above], v1, v1 + k + above));
    SIMD_CLOSURES(n, columns, n + 1, sbp_columns(order),
                  cross2[k] =
                      contravariant_cross2_point(SWE_LINEAR, order, SBP_INTERIOR, params, j + r,
                                                 metric12[k + row], v2, v2 + k + row, up));
    SIMD_CELL_CLOSURES(params, columns,
                       flux1[k] = contravariant_flux1_point(SWE_LINEAR, order, where, params, i,
                                                            metric11[k + row], v1, v1 + k + row,
                                                            cross2 + k));
}

SWE_POINT void h_closures_after(int order, int substep, const swe_params *SWE_RESTRICT params,
                                real weight, const simd_h *h, int r, int j)
{
    const ptrdiff_t row = r * params->layout.pitch, up = CPU_TILE_PITCH;
    const real *SWE_RESTRICT flux1 = h->flux1[r], *SWE_RESTRICT flux2 = h->flux2 + r * up;
    const rk4_arrays a = rk4_arrays_at(h->h, row);
    SIMD_VERTEX_CLOSURES(
        params, h->tile.i,
        rk4_point(substep, weight,
                  divergence_point(DIVERGENCE_WEAK, order, where, SBP_INTERIOR, params, j + r, i,
                                   h->inverse_jacobian[k + row], flux1 + k, flux2 + k, up),
                  rk4_arrays_at(a, k)));
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* Values carried from one SIMD vector to the next: F1 is computed before h, by the reach of the
 * stencils, cross terms of v2 as much before F1. */
typedef struct h_neighbours {
    simd cross2[2][SIMD_NEIGHBOURS], flux1[2][SIMD_NEIGHBOURS];
} h_neighbours;

/* Shift the cross terms of v2 of row r by one SIMD vector; k is the column of h. */
SWE_POINT void h_cross2(int order, const swe_params *params, const simd_h *h, int k, int r,
                        h_neighbours *near)
{
    const ptrdiff_t up = params->layout.pitch, cross = k + 2 * SIMD_LEAD + r * up;
    simd_shift(near->cross2[r],
               simd_load(h->metric12 + cross) * simd_mean(order, h->v2 + cross - up, up));
}

/* Shift cross terms and F1 by one SIMD vector; k is the column of h. */
SWE_POINT void h_flux1(int order, simd_where where, const swe_params *params, const simd_h *h,
                       int k, h_neighbours *near)
{
    BOTH_ROWS({
        const ptrdiff_t flux = k + SIMD_LEAD + r * params->layout.pitch;
        h_cross2(order, params, h, k, r, near);
        const simd across = simd_mean_in(order, near->cross2[r], 0);
        simd f = simd_load(h->metric11 + flux) * simd_load(h->v1 + flux) + across;
        if (where == SIMD_AT_END)
            f = simd_with_closure(rows_of(rows_cells(order, params)),
                                  h->tile.i.first + k + SIMD_LEAD, f, h->flux1[r] + k + SIMD_LEAD);
        simd_shift(near->flux1[r], f);
    });
}

/* The neighbours of a tile's first SIMD vector. Nothing is stored to the west of a tile: the other
 * row's line ends there. */
SWE_POINT void h_flux1_before(int order, const swe_params *params, const simd_h *h,
                              h_neighbours *near)
{
    if (h->tile.i.first == 0)
        for (int k = -2 * SIMD_LEAD; k < 0; k += SIMD_WIDTH)
            h_flux1(order, SIMD_AT_END, params, h, k, near);
    else
        for (int k = -4 * SIMD_LEAD; k < 0; k += SIMD_WIDTH)
            h_flux1(order, SIMD_INSIDE, params, h, k, near);
}

/* Cross terms of v1 of row order - 1 + r, at its first value in `cross1`. */
SWE_POINT void h_cross1(int order, simd_where where, const swe_params *params, const simd_h *h,
                        int k, int r, real *cross1)
{
    const ptrdiff_t above = k + (order - 1 + r) * params->layout.pitch;
    const simd cross = simd_load(h->metric12 + above) * simd_mean(order, h->v1 + above - 1, 1);
    if (where == SIMD_AT_END)
        simd_with_closure(rows_of(rows_vertices(order, params)), h->tile.i.first + k, cross,
                          cross1);
    else
        simd_store(cross, cross1);
}

SWE_POINT void h_flux2(int order, simd_where where, const swe_params *params, const simd_h *h,
                       int k)
{
    const int reach = order / 2;
    const ptrdiff_t up = params->layout.pitch, up_buffer = CPU_TILE_PITCH;
    BOTH_ROWS({
        const ptrdiff_t row = k + (reach - 1 + r) * up;
        real *const cross1 = h->cross1 + k + (order - 1 + r) * up_buffer;
        h_cross1(order, where, params, h, k, r, cross1);
        const simd across = simd_mean(order, cross1 - reach * up_buffer, up_buffer);
        simd_store(simd_load(h->metric22 + row) * simd_load(h->v2 + row) + across,
                   h->flux2 + k + (reach - 1 + r) * up_buffer);
    });
}

SWE_POINT void h_vectors(int order, int substep, simd_where where, const swe_params *params,
                         real weight, const simd_h *h, int k, h_neighbours *near)
{
    const ptrdiff_t up = params->layout.pitch, up_buffer = CPU_TILE_PITCH;
    const real scale = divergence_scale(params);
    if (where == SIMD_INSIDE || h->tile.i.first + k + SIMD_LEAD < params->layout.n)
        h_flux1(order, where, params, h, k, near);
    else /* no cells there */
        BOTH_ROWS(simd_shift(near->flux1[r], (simd){0}));
    h_flux2(order, where, params, h, k);
    BOTH_ROWS({
        const ptrdiff_t at = k + r * up;
        const simd d = simd_difference_in(order, near->flux1[r], -1) +
                       simd_difference(order, h->flux2 + k + (r - 1) * up_buffer, up_buffer);
        simd_rk4(substep, where, weight, scale * simd_load(h->inverse_jacobian + at) * d,
                 rk4_arrays_at(h->h, at), rows_of(rows_vertices(order, params)),
                 h->tile.i.first + k);
    });
}

SWE_POINT void h_rows_of(int order, int substep, const swe_params *params, real weight,
                         const simd_h *h, int j, tile_prefetch *prefetch)
{
    const rows_range i = h->tile.i, inside = simd_inside(order, params->layout.n, i);
    const int last = rows_clamp(rows_vertices(order, params).last, i) - i.first;
    h_neighbours near = {0};
    BOTH_ROWS(h_closures_before(order, params, h, r, j));
    h_flux1_before(order, params, h, &near);
    SIMD_ALONG(0, last, inside, {
        simd_prefetch(where, prefetch, k);
        h_vectors(order, substep, where, params, weight, h, k, &near);
    });
    for (int k = (last + SIMD_WIDTH - 1) / SIMD_WIDTH * SIMD_WIDTH; k < i.last - i.first;
         k += SIMD_WIDTH) /* in the high closure alone */
        h_flux2(order, SIMD_AT_END, params, h, k);
    BOTH_ROWS(h_closures_after(order, substep, params, weight, h, r, j));
}

static void h_rows(const swe_params *params, int substep, real weight, const simd_h *h, int j,
                   tile_prefetch *prefetch)
{
    RK4_WITH_SUBSTEP(substep, SWE_WITH_ORDER(params->sbp.order, h_rows_of(ORDER, SUBSTEP, params,
                                                                          weight, h, j, prefetch)));
}

#endif
