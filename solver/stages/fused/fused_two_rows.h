/* Two rows of a substep at a time, off the closures along xi2. Rows that both read are loaded once;
 * cross terms and F1 stay in registers. Within the closures along xi1 it uses the rows of
 * fused_rows.h. Where tiles are cut decides which rows are computed here, so the bits equal those
 * of single rows: sums are written in the order of the point functions, in which the compiler
 * contracts multiplications (ctest -R 'test_pipelines|test_invariance').
 *
 * A source that includes this file defines TWO_ROWS, the name of the compiled table. */
#ifndef SWE_STAGES_FUSED_TWO_ROWS_H
#define SWE_STAGES_FUSED_TWO_ROWS_H

#include "stages/contravariant/contravariant_point.h"
#include "stages/divergence/divergence_point.h"
#include "stages/fused/fused_two_cpu.h"
#include "stages/gradient/gradient_point.h"
#include "stages/simd_rows_cpu.h"

/* Do a statement for both rows, r = 0 and 1. */
#define BOTH_ROWS(...)                                                                             \
    do {                                                                                           \
        {                                                                                          \
            enum { r = 0 };                                                                        \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
        {                                                                                          \
            enum { r = 1 };                                                                        \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    } while (0)

/* ---- closures along xi1: cross terms and F1 before the SIMD loop, h after it ----------------- */

/* Cross terms of v1 of the next row, and F1 of the row itself. */
SWE_POINT void two_ends_before(int order, const swe_params *SWE_RESTRICT params, const two_h *h,
                               int r, int j)
{
    const int n = params->layout.n;
    const ptrdiff_t up = params->layout.pitch, row = r * up, above = (order - 1 + r) * up;
    const rows_range columns = h->tile.i;
    const real *SWE_RESTRICT v1 = h->v1, *SWE_RESTRICT v2 = h->v2;
    const real *SWE_RESTRICT metric11 = h->metric11, *SWE_RESTRICT metric12 = h->metric12;
    real *SWE_RESTRICT cross1 = h->cross1 + (order - 1 + r) * (ptrdiff_t)CPU_TILE_PITCH;
    real *SWE_RESTRICT cross2 = h->cross2[r], *SWE_RESTRICT flux1 = h->flux1[r];
    SIMD_ENDS(n, columns, n + 1, sbp_vertex_rows(order),
              cross1[k] = contravariant_cross1_point(SWE_LINEAR, order, where, params, i,
                                                     metric12[k + above], v1, v1 + k + above));
    SIMD_ENDS(n, columns, n + 1, sbp_columns(order),
              cross2[k] = contravariant_cross2_point(SWE_LINEAR, order, SBP_INTERIOR, params, j + r,
                                                     metric12[k + row], v2, v2 + k + row, up));
    SIMD_ENDS(n, columns, n, sbp_cell_rows(order),
              flux1[k] =
                  contravariant_flux1_point(SWE_LINEAR, order, where, params, i, metric11[k + row],
                                            v1, v1 + k + row, cross2 + k));
}

SWE_POINT void two_ends_after(int order, int substep, const swe_params *SWE_RESTRICT params,
                              real weight, const two_h *h, int r, int j)
{
    const int n = params->layout.n;
    const ptrdiff_t row = r * params->layout.pitch, up = CPU_TILE_PITCH;
    const real *SWE_RESTRICT flux1 = h->flux1[r], *SWE_RESTRICT flux2 = h->flux2 + r * up;
    const rk4_arrays a = rk4_arrays_at(h->h, row);
    SIMD_ENDS(n, h->tile.i, n + 1, sbp_vertex_rows(order),
              rk4_point(substep, weight,
                        divergence_point(DIVERGENCE_WEAK, order, where, SBP_INTERIOR, params, j + r,
                                         i, h->inverse_jacobian[k + row], flux1 + k, flux2 + k, up),
                        rk4_arrays_at(a, k)));
}

SWE_POINT void two_ends_of_v1(int order, int substep, const swe_params *SWE_RESTRICT params,
                              real weight, const two_v *v, int r)
{
    const int n = params->layout.n;
    const ptrdiff_t row = r * params->layout.pitch;
    const real *SWE_RESTRICT h = v->h1 + row;
    const rk4_arrays a = rk4_arrays_at(v->v1, row);
    if (v->cells.first == 0 || v->cells.last == n)
        SIMD_ENDS(n, v->i, n, sbp_cell_rows(order),
                  rk4_point(substep, weight, gradient_point1(order, where, params, i, h + k),
                            rk4_arrays_at(a, k)));
}

/* ---- the loops ------------------------------------------------------------------------------- */

/* Values carried from one SIMD vector to the next: F1 is computed ahead of h by the reach of the
 * stencils, cross terms of v2 as much ahead of F1. */
typedef struct two_windows {
    simd cross2[2][SIMD_WINDOW], flux1[2][SIMD_WINDOW];
} two_windows;

/* Advance both row buffers to the next SIMD vector; k is the column of h. */
SWE_POINT void two_fluxes1(int order, simd_where where, const swe_params *params, const two_h *h,
                           int k, two_windows *w)
{
    const ptrdiff_t up = params->layout.pitch;
    BOTH_ROWS({
        const ptrdiff_t cross = k + 2 * SIMD_BEFORE + r * up, flux = k + SIMD_BEFORE + r * up;
        simd_push(w->cross2[r],
                  simd_at(h->metric12 + cross) * simd_mean(order, h->v2 + cross - up, up));
        const simd across = simd_mean_in(order, w->cross2[r], 0);
        simd f = simd_at(h->metric11 + flux) * simd_at(h->v1 + flux) + across;
        if (where == SIMD_AT_END)
            f = simd_with_closure(rows_cells(order, params->layout.n),
                                  h->tile.i.first + k + SIMD_BEFORE, f,
                                  h->flux1[r] + k + SIMD_BEFORE);
        simd_push(w->flux1[r], f);
    });
}

/* Inputs of the first SIMD vector of a tile in both row buffers. Nothing is stored to the west of a
 * tile: the other row's line ends there. */
SWE_POINT void two_fluxes1_before(int order, const swe_params *params, const two_h *h,
                                  two_windows *w)
{
    if (h->tile.i.first == 0)
        for (int k = -2 * SIMD_BEFORE; k < 0; k += LANES)
            two_fluxes1(order, SIMD_AT_END, params, h, k, w);
    else
        for (int k = -4 * SIMD_BEFORE; k < 0; k += LANES)
            two_fluxes1(order, SIMD_INSIDE, params, h, k, w);
}

SWE_POINT void two_fluxes2(int order, simd_where where, const swe_params *params, const two_h *h,
                           int k)
{
    const int reach = order / 2;
    const ptrdiff_t up = params->layout.pitch, up_window = CPU_TILE_PITCH;
    BOTH_ROWS({
        const ptrdiff_t above = k + (order - 1 + r) * up, row = k + (reach - 1 + r) * up;
        real *const cross1 = h->cross1 + k + (order - 1 + r) * up_window;
        const simd cross = simd_at(h->metric12 + above) * simd_mean(order, h->v1 + above - 1, 1);
        if (where == SIMD_AT_END)
            simd_with_closure(rows_vertices(order, params->layout.n), h->tile.i.first + k, cross,
                              cross1);
        else
            simd_put(cross, cross1);
        const simd across = simd_mean(order, cross1 - reach * up_window, up_window);
        simd_put(simd_at(h->metric22 + row) * simd_at(h->v2 + row) + across,
                 h->flux2 + k + (reach - 1 + r) * up_window);
    });
}

SWE_POINT void two_simd_of_h(int order, int substep, simd_where where, const swe_params *params,
                             real weight, const two_h *h, int k, two_windows *w)
{
    const ptrdiff_t up = params->layout.pitch, up_window = CPU_TILE_PITCH;
    const real scale = divergence_scale(params);
    if (where == SIMD_INSIDE || h->tile.i.first + k + SIMD_BEFORE < params->layout.n)
        two_fluxes1(order, where, params, h, k, w);
    else /* no cells there */
        BOTH_ROWS(simd_push(w->flux1[r], (simd){0}));
    two_fluxes2(order, where, params, h, k);
    BOTH_ROWS({
        const ptrdiff_t at = k + r * up;
        const simd d = simd_difference_in(order, w->flux1[r], -1) +
                       simd_difference(order, h->flux2 + k + (r - 1) * up_window, up_window);
        simd_rk4(substep, where, weight, scale * simd_at(h->inverse_jacobian + at) * d,
                 rk4_arrays_at(h->h, at), rows_vertices(order, params->layout.n),
                 h->tile.i.first + k);
    });
}

SWE_POINT void two_h_of(int order, int substep, const swe_params *params, real weight,
                        const two_h *h, int j, tile_prefetch *prefetch)
{
    const rows_range i = h->tile.i, inside = simd_inside(order, params->layout.n, i);
    const int last = rows_clamp(rows_vertices(order, params->layout.n).last, i) - i.first;
    two_windows w = {0};
    BOTH_ROWS(two_ends_before(order, params, h, r, j));
    two_fluxes1_before(order, params, h, &w);
    SIMD_ALONG(0, last, inside, {
        simd_ask(where, prefetch, k);
        two_simd_of_h(order, substep, where, params, weight, h, k, &w);
    });
    for (int k = (last + LANES - 1) / LANES * LANES; k < i.last - i.first;
         k += LANES) /* in the high closure alone */
        two_fluxes2(order, SIMD_AT_END, params, h, k);
    BOTH_ROWS(two_ends_after(order, substep, params, weight, h, r, j));
}

SWE_POINT void two_simd_of_v(int rotational, int order, int substep, simd_where where,
                             const swe_params *params, real weight, const two_v *v,
                             rows_range cells, int k)
{
    const ptrdiff_t up = params->layout.pitch;
    const real scale = gradient_scale(params);
    BOTH_ROWS({
        const ptrdiff_t at = k + r * up;
        simd dv = scale * simd_difference(order, v->h1 + at, 1);
        if (rotational)
            dv += simd_mean(order, v->pv_flux1 + at, 1);
        simd_rk4(substep, where, weight, dv, rk4_arrays_at(v->v1, at), cells, v->i.first + k);
    });
    BOTH_ROWS({
        const ptrdiff_t at = k + r * up;
        simd dv = scale * simd_difference(order, v->h2 + at, up);
        if (rotational)
            dv += simd_mean(order, v->pv_flux2 + at, up);
        simd_rk4(substep, where, weight, dv, rk4_arrays_at(v->v2, at), v->vertices, v->i.first + k);
    });
}

SWE_POINT void two_v_of(int rotational, int order, int substep, const swe_params *params,
                        real weight, const two_v *v, tile_prefetch *prefetch)
{
    const rows_range all = v->i, inner = rows_within(v->cells, rows_cells(order, params->layout.n));
    const rows_range both = rows_within(inner, v->vertices);
    const rows_range inside = {both.first - all.first, both.last - all.first - LANES + 1};
    SIMD_ALONG(0, all.last - all.first, inside, {
        simd_ask(where, prefetch, k);
        two_simd_of_v(rotational, order, substep, where, params, weight, v, inner, k);
    });
    if (!rotational)
        BOTH_ROWS(two_ends_of_v1(order, substep, params, weight, v, r));
}

/* ---- for all orders and substeps ------------------------------------------------------------- */

static void two_h_rows(const swe_params *params, int substep, real weight, const two_h *h, int j,
                       tile_prefetch *prefetch)
{
    if (substep < 3)
        SWE_WITH_ORDER(params->sbp.order, two_h_of(ORDER, 0, params, weight, h, j, prefetch));
    else
        SWE_WITH_ORDER(params->sbp.order, two_h_of(ORDER, 3, params, weight, h, j, prefetch));
}

SWE_POINT void two_v_rotational(int rotational, const swe_params *params, int substep, real weight,
                                const two_v *v, tile_prefetch *prefetch)
{
    if (substep < 3)
        SWE_WITH_ORDER(params->sbp.order,
                       two_v_of(rotational, ORDER, 0, params, weight, v, prefetch));
    else
        SWE_WITH_ORDER(params->sbp.order,
                       two_v_of(rotational, ORDER, 3, params, weight, v, prefetch));
}

static void two_v_rows(const swe_params *params, int substep, real weight, const two_v *v,
                       tile_prefetch *prefetch)
{
    if (v->pv_flux1 == NULL)
        two_v_rotational(0, params, substep, weight, v, prefetch);
    else
        two_v_rotational(1, params, substep, weight, v, prefetch);
}

const two_rows TWO_ROWS = {two_h_rows, two_v_rows};

#endif
