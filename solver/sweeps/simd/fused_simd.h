/* Two rows of A v of the fused stage in SIMD vectors, off the closures along xi2, and the two rows
 * of v computed before them. Rows that both read are loaded once. Neighbours of v1, cross terms of
 * v2 and F1 stay in registers. */
#ifndef SWE_SWEEPS_SIMD_FUSED_SIMD_H
#define SWE_SWEEPS_SIMD_FUSED_SIMD_H

#include "stages/contravariant/contravariant_point.h"
#include "stages/divergence/divergence_point.h"
#include "stages/gradient/gradient_point.h"
#include "sweeps/simd/simd_cpu.h"
#include "sweeps/simd/simd_rows_cpu.h"

/* ---- v and its cross terms ------------------------------------------------------------------- */

SWE_POINT simd velocity_of(int result, real weight, simd dv, const real *v)
{
    return result == GRADIENT_ADDED ? simd_load(v) + weight * dv : dv;
}

SWE_POINT void v1_closures(int order, int result, const swe_params *SWE_RESTRICT params,
                           const simd_velocity *v, int r)
{
    const ptrdiff_t row = r * params->layout.pitch;
    const real *SWE_RESTRICT head = v->head1 + row;
    real *SWE_RESTRICT v1 = v->v1 + row;
    SIMD_CELL_CLOSURES(params, v->columns,
                       gradient_put(result, v->weight,
                                    gradient_point1(order, where, params, i, head + k), v1 + k));
}

SWE_POINT void cross1_closures(int order, const swe_params *SWE_RESTRICT params,
                               const simd_velocity *v, int r)
{
    const ptrdiff_t row = r * params->layout.pitch;
    const real *SWE_RESTRICT v1 = v->v1 + row, *SWE_RESTRICT metric12 = v->metric12 + row;
    real *SWE_RESTRICT cross1 = v->cross1 + r * (ptrdiff_t)CPU_TILE_PITCH;
    SIMD_VERTEX_CLOSURES(params, v->columns,
                         cross1[k] = contravariant_cross1_point(SWE_LINEAR, order, where, params, i,
                                                                metric12[k], v1, v1 + k));
}

typedef struct v_neighbours {
    simd head[2][SIMD_NEIGHBOURS], v1[2][SIMD_NEIGHBOURS];
} v_neighbours;

/* Shift v1 of row r by one vector, whose column is k; store it. */
SWE_POINT void v1_next(int order, int result, simd_where where, const swe_params *params,
                       const simd_velocity *v, int k, int r, v_neighbours *near)
{
    const ptrdiff_t at = k + r * params->layout.pitch;
    if (result != GRADIENT_GIVEN)
        simd_shift(near->head[r], simd_load(v->head1 + at + SIMD_LEAD));
    if (where == SIMD_AT_END && v->columns.first + k >= params->layout.n) { /* no cells there */
        simd_shift(near->v1[r], (simd){0});
        return;
    }
    simd v1;
    if (result == GRADIENT_GIVEN) {
        v1 = simd_load(v->v1 + at);
    } else {
        v1 = velocity_of(result, v->weight,
                         gradient_scale(params) * simd_difference_in(order, near->head[r], 0),
                         v->v1 + at);
        if (where == SIMD_AT_END)
            v1 = simd_with_closure(rows_of(rows_cells(order, params)), v->columns.first + k, v1,
                                   v->v1 + at);
        else
            simd_store(v1, v->v1 + at);
    }
    simd_shift(near->v1[r], v1);
}

SWE_POINT void v2_vectors(int order, int result, simd_where where, const swe_params *params,
                          const simd_velocity *v, int k)
{
    const ptrdiff_t up = params->layout.pitch;
    const rows_range all = {0, params->layout.n + 1};
    BOTH_ROWS({
        const ptrdiff_t at = k + r * up;
        const simd dv = gradient_scale(params) * simd_difference(order, v->head2 + at, up);
        simd_store_where(where, all, v->columns.first + k,
                         velocity_of(result, v->weight, dv, v->v2 + at), v->v2 + at);
    });
}

SWE_POINT void cross1_vectors(int order, simd_where where, const swe_params *params,
                              const simd_velocity *v, int k, const v_neighbours *near)
{
    BOTH_ROWS({
        const simd cross = simd_load(v->metric12 + k + r * params->layout.pitch) *
                           simd_mean_in(order, near->v1[r], -1);
        simd_store_where(where, rows_of(rows_vertices(order, params)), v->columns.first + k, cross,
                         v->cross1 + k + r * (ptrdiff_t)CPU_TILE_PITCH);
    });
}

SWE_POINT void velocity_rows_of(int order, int result, const swe_params *params,
                                const simd_velocity *v, tile_prefetch *prefetch)
{
    const rows_range i = v->columns, inside = simd_inside(order, params->layout.n, i);
    const int begin = v->begin, end = v->end;
    v_neighbours near = {0};
    if (result != GRADIENT_GIVEN)
        BOTH_ROWS(v1_closures(order, result, params, v, r));
    if (result != GRADIENT_GIVEN)
        for (int k = begin - 2 * SIMD_LEAD; k < begin; k += SIMD_WIDTH)
            BOTH_ROWS(simd_shift(near.head[r],
                                 simd_load(v->head1 + k + SIMD_LEAD + r * params->layout.pitch)));
    for (int k = begin; k < begin + SIMD_LEAD; k += SIMD_WIDTH)
        BOTH_ROWS(v1_next(order, result, SIMD_AT_END, params, v, k, r, &near));
    SIMD_ALONG(begin, end, inside, {
        simd_prefetch(where, prefetch, k);
        BOTH_ROWS(v1_next(order, result, where, params, v, k + SIMD_LEAD, r, &near));
        if (result != GRADIENT_GIVEN)
            v2_vectors(order, result, where, params, v, k);
        if (k >= 0 && k < i.last - i.first)
            cross1_vectors(order, where, params, v, k, &near);
    });
    BOTH_ROWS(cross1_closures(order, params, v, r));
}

static void velocity_rows(const swe_params *params, gradient_result result, const simd_velocity *v,
                          tile_prefetch *prefetch)
{
    GRADIENT_WITH_RESULT(
        result,
        SWE_WITH_ORDER(params->sbp.order, velocity_rows_of(ORDER, RESULT, params, v, prefetch)));
}

/* ---- closures along xi1: cross terms of v2 and F1 before the SIMD loop, A v after it --------- */

SWE_POINT void h_closures_before(int order, const swe_params *SWE_RESTRICT params, const simd_h *h,
                                 int r, int j)
{
    const int n = params->layout.n;
    const ptrdiff_t up = params->layout.pitch, row = r * up;
    const rows_range columns = h->tile.i;
    const real *SWE_RESTRICT v1 = h->v1, *SWE_RESTRICT v2 = h->v2;
    const real *SWE_RESTRICT metric11 = h->metric11, *SWE_RESTRICT metric12 = h->metric12;
    real *SWE_RESTRICT cross2 = h->cross2[r], *SWE_RESTRICT flux1 = h->flux1[r];
    SIMD_CLOSURES(n, columns, n + 1, sbp_columns(order),
                  cross2[k] =
                      contravariant_cross2_point(SWE_LINEAR, order, SBP_INTERIOR, params, j + r,
                                                 metric12[k + row], v2, v2 + k + row, up));
    SIMD_CELL_CLOSURES(params, columns,
                       flux1[k] = contravariant_flux1_point(SWE_LINEAR, order, where, params, i,
                                                            metric11[k + row], v1, v1 + k + row,
                                                            cross2 + k));
}

SWE_POINT void h_closures_after(int order, const swe_params *SWE_RESTRICT params, const simd_h *h,
                                int r, int j)
{
    const ptrdiff_t row = r * params->layout.pitch, up = CPU_TILE_PITCH;
    const real *SWE_RESTRICT flux1 = h->flux1[r], *SWE_RESTRICT flux2 = h->flux2 + r * up;
    real *SWE_RESTRICT out = h->out + row;
    SIMD_VERTEX_CLOSURES(params, h->tile.i,
                         out[k] = divergence_point(DIVERGENCE_WEAK, order, where, SBP_INTERIOR,
                                                   params, j + r, i, h->inverse_jacobian[k + row],
                                                   flux1 + k, flux2 + k, up));
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* Values carried from one SIMD vector to the next. F1 is computed SIMD_LEAD columns before h, as
 * far as stencils reach, and the cross terms of v2 SIMD_LEAD columns before F1. */
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

/* The neighbours of a tile's first SIMD vector. Values west of the tile are not stored, because the
 * line of the other row ends there. */
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

SWE_POINT void h_flux2(int order, const swe_params *params, const simd_h *h, int k)
{
    const int reach = order / 2;
    const ptrdiff_t up = params->layout.pitch, up_buffer = CPU_TILE_PITCH;
    BOTH_ROWS({
        const ptrdiff_t row = k + (reach - 1 + r) * up;
        const simd across =
            simd_mean(order, h->cross1 + k + (reach - 1 + r) * up_buffer, up_buffer);
        simd_store(simd_load(h->metric22 + row) * simd_load(h->v2 + row) + across,
                   h->flux2 + k + (reach - 1 + r) * up_buffer);
    });
}

SWE_POINT void h_vectors(int order, simd_where where, const swe_params *params, const simd_h *h,
                         int k, h_neighbours *near)
{
    const ptrdiff_t up = params->layout.pitch, up_buffer = CPU_TILE_PITCH;
    const real scale = divergence_scale(params);
    if (where == SIMD_INSIDE || h->tile.i.first + k + SIMD_LEAD < params->layout.n)
        h_flux1(order, where, params, h, k, near);
    else /* no cells there */
        BOTH_ROWS(simd_shift(near->flux1[r], (simd){0}));
    h_flux2(order, params, h, k);
    BOTH_ROWS({
        const ptrdiff_t at = k + r * up;
        const simd d = simd_difference_in(order, near->flux1[r], -1) +
                       simd_difference(order, h->flux2 + k + (r - 1) * up_buffer, up_buffer);
        simd_store_where(where, rows_of(rows_vertices(order, params)), h->tile.i.first + k,
                         scale * simd_load(h->inverse_jacobian + at) * d, h->out + at);
    });
}

SWE_POINT void h_rows_of(int order, const swe_params *params, const simd_h *h, int j,
                         tile_prefetch *prefetch)
{
    const rows_range i = h->tile.i, inside = simd_inside(order, params->layout.n, i);
    const int last = rows_clamp(rows_vertices(order, params).last, i) - i.first;
    h_neighbours near = {0};
    BOTH_ROWS(h_closures_before(order, params, h, r, j));
    h_flux1_before(order, params, h, &near);
    SIMD_ALONG(0, last, inside, {
        simd_prefetch(where, prefetch, k);
        h_vectors(order, where, params, h, k, &near);
    });
    for (int k = (last + SIMD_WIDTH - 1) / SIMD_WIDTH * SIMD_WIDTH; k < i.last - i.first;
         k += SIMD_WIDTH) /* in the high closure alone */
        h_flux2(order, params, h, k);
    BOTH_ROWS(h_closures_after(order, params, h, r, j));
}

static void h_rows(const swe_params *params, const simd_h *h, int j, tile_prefetch *prefetch)
{
    SWE_WITH_ORDER(params->sbp.order, h_rows_of(ORDER, params, h, j, prefetch));
}

#endif
