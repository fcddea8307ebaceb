/* A row of the first sweep (transport_point.h) in SIMD vectors, off the closures along xi2. The
 * rows of the buffers that it completes are computed with it, column piece by column piece, so that
 * they are in the first-level cache when they are read. Means, cross terms, F1, shear_1 and squares
 * along xi1 stay in registers.
 *
 * Where tiles are cut decides which rows are computed here, so the bits equal those of
 * transport_rows.h: sums are written in the order of the point functions, in which the compiler
 * contracts multiplications (ctest -R 'test_pipelines|test_invariance').
 *
 * A source that includes this file defines TRANSPORT_SIMD, the name of the compiled table. */
#ifndef SWE_STAGES_TRANSPORT_SIMD_ROWS_H
#define SWE_STAGES_TRANSPORT_SIMD_ROWS_H

#include "stages/contravariant/contravariant_point.h"
#include "stages/divergence/divergence_point.h"
#include "stages/simd_rows_cpu.h"
#include "stages/stages.h"
#include "stages/transport/transport_simd_cpu.h"

enum {
    TRANSPORT_PIECE = 8 * ROWS_LINE
}; /* columns: some fifty rows of them fill half a first-level cache */

/* contravariant_cross and sbp_square on SIMD vectors. */

SWE_POINT simd simd_cross(swe_equations equations, simd metric12, simd h, simd mean)
{
    return equations == SWE_LINEAR ? metric12 * mean : h * metric12 * mean;
}

SWE_POINT simd simd_square(simd metric, simd v)
{
    return metric * (v * v);
}

/* ---- closures along xi1: stencils alone, the formulas of a point are in the SIMD loops ------- */

/* Mean of v1 of the next row of vertices. */
SWE_POINT void ends_of_means(int order, const swe_params *SWE_RESTRICT params,
                             const transport_row *t)
{
    const int n = params->layout.n, above = order - 1;
    const real *SWE_RESTRICT v1 = t->v1 + above * params->layout.pitch;
    real *SWE_RESTRICT mean1 = t->mean1 + above * TRANSPORT_PITCH;
    SIMD_ENDS(n, t->i, n + 1, sbp_vertex_rows(order),
              mean1[k] = sbp_pcv(order, where, &params->sbp, n, i, v1 + k, 1));
}

/* Inputs of vertices: F1, shear_1 and squares, in closures and beyond. */
SWE_POINT void ends_of_cells(swe_equations equations, int order,
                             const swe_params *SWE_RESTRICT params, const transport_row *t)
{
    const int n = params->layout.n, taken = sbp_columns(order);
    const real *SWE_RESTRICT metric11 = t->metric11, *SWE_RESTRICT metric12 = t->metric12;
    const real *SWE_RESTRICT h = t->h, *SWE_RESTRICT v1 = t->v1, *SWE_RESTRICT v2 = t->v2;
    real *SWE_RESTRICT mean2 = t->mean2, *SWE_RESTRICT cross2 = t->cross2;
    real *SWE_RESTRICT flux1 = t->flux1, *SWE_RESTRICT shear1 = t->shear1;
    real *SWE_RESTRICT square1 = t->square1;
    SIMD_ENDS(n, t->i, n + 1, taken + order / 2, {
        mean2[k] =
            sbp_pcv(order, SBP_INTERIOR, &params->sbp, n, t->j, v2 + k, params->layout.pitch);
        cross2[k] = contravariant_cross(equations, metric12[k], h + k, mean2[k]);
    });
    SIMD_ENDS(n, t->i, n, taken, {
        flux1[k] = contravariant_flux1_point(equations, order, SBP_INTERIOR, params, i, metric11[k],
                                             h + k, v1 + k, cross2 + k);
        if (equations == SWE_NONLINEAR) {
            shear1[k] = vorticity_shear1_point(order, SBP_INTERIOR, params, i, mean2 + k);
            square1[k] = sbp_square(metric11, v1, k);
        }
    });
    SIMD_ENDS(n, t->i, n, sbp_cell_rows(order), {
        flux1[k] = contravariant_flux1_point(equations, order, where, params, i, metric11[k], h + k,
                                             v1 + k, cross2 + k);
        if (equations == SWE_NONLINEAR)
            shear1[k] = vorticity_shear1_point(order, where, params, i, mean2 + k);
    });
}

SWE_POINT void ends_of_vertices(swe_equations equations, int order,
                                const swe_params *SWE_RESTRICT params, const transport_row *t)
{
    const int n = params->layout.n, rows = sbp_vertex_rows(order);
    const real *SWE_RESTRICT flux1 = t->flux1, *SWE_RESTRICT shear1 = t->shear1,
                             *SWE_RESTRICT square1 = t->square1;
    real *SWE_RESTRICT weak = t->weak_of_flux1, *SWE_RESTRICT flux = t->mean_of_flux1;
    real *SWE_RESTRICT shear = t->mean_of_shear1, *SWE_RESTRICT square = t->mean_of_square1;
    SIMD_ENDS(n, t->i, n + 1, rows, {
        weak[k] = sbp_weak(order, where, &params->sbp, n, i, flux1 + k, 1);
        flux[k] = sbp_pcv(order, where, &params->sbp, n, i, flux1 + k, 1);
    });
    if (equations == SWE_NONLINEAR)
        SIMD_ENDS(n, t->i, n + 1, rows, {
            shear[k] = sbp_pcv(order, where, &params->sbp, n, i, shear1 + k, 1);
            square[k] = sbp_pcv(order, where, &params->sbp, n, i, square1 + k, 1);
        });
}

/* ---- SIMD: the next rows of the buffers ------------------------------------------------------ */

/* Mean of v1 and its cross term in a row of vertices. */
SWE_POINT void simd_of_vertices(swe_equations equations, int order, simd_where where,
                                const swe_params *params, const transport_row *t, int k)
{
    const ptrdiff_t at = k + (order - 1) * params->layout.pitch;
    const ptrdiff_t window = k + (order - 1) * (ptrdiff_t)TRANSPORT_PITCH;
    simd mean = simd_mean(order, t->v1 + at - 1, 1);
    if (where == SIMD_AT_END)
        mean = simd_with_closure(rows_vertices(order, params->layout.n), t->i.first + k, mean,
                                 t->mean1 + window);
    else
        simd_put(mean, t->mean1 + window);
    simd_put(simd_cross(equations, simd_at(t->metric12 + at), simd_at(t->h + at), mean),
             t->cross1 + window);
}

/* F2, shear_2 and squares in a row of cells. */
SWE_POINT void simd_of_cells(swe_equations equations, int order, const swe_params *params,
                             const transport_row *t, int k)
{
    const ptrdiff_t up = params->layout.pitch, up_window = TRANSPORT_PITCH;
    const ptrdiff_t at = k + (order / 2 - 1) * up, window = k + (order / 2 - 1) * up_window;
    const simd metric = simd_at(t->metric22 + at), v = simd_at(t->v2 + at);
    const simd across = simd_mean(order, t->cross1 + window, up_window);
    if (equations == SWE_LINEAR) {
        simd_put(metric * v + across, t->flux2 + window);
        return;
    }
    simd_put(simd_mean(order, t->h + at, up) * metric * v + across, t->flux2 + window);
    simd_put(simd_square(metric, v), t->square2 + window);
    simd_put(simd_difference(order, t->mean1 + window, up_window), t->shear2 + window);
}

/* ---- SIMD: along the row --------------------------------------------------------------------- */

/* Values carried from one SIMD vector to the next: F1, shear_1 and squares are computed ahead of
 * the vertex by the reach of the stencils, h and means ahead of those by as much. */
typedef struct transport_along {
    simd h[SIMD_WINDOW], mean2[SIMD_WINDOW], cross2[SIMD_WINDOW];
    simd flux1[SIMD_WINDOW], shear1[SIMD_WINDOW], square1[SIMD_WINDOW];
} transport_along;

/* Advance to the next SIMD vector; k is the column of the vertex. */
SWE_POINT void simd_along1(swe_equations equations, int order, simd_where where,
                           const swe_params *params, const transport_row *t, int k,
                           transport_along *w)
{
    const ptrdiff_t up = params->layout.pitch;
    const int vertex = k + 2 * SIMD_BEFORE, cell = k + SIMD_BEFORE, i = t->i.first + cell;
    const rows_range interior = rows_cells(order, params->layout.n);

    const simd h = simd_at(t->h + vertex), mean2 = simd_mean(order, t->v2 + vertex - up, up);
    simd_push(w->h, h);
    simd_push(w->mean2, mean2);
    simd_push(w->cross2, simd_cross(equations, simd_at(t->metric12 + vertex), h, mean2));

    const simd metric = simd_at(t->metric11 + cell), v = simd_at(t->v1 + cell);
    const simd across = simd_mean_in(order, w->cross2, 0);
    simd flux;
    if (equations == SWE_LINEAR)
        flux = metric * v + across;
    else
        flux = simd_mean_in(order, w->h, 0) * metric * v + across;
    if (where == SIMD_AT_END)
        flux = simd_with_closure(interior, i, flux, t->flux1 + cell);
    simd_push(w->flux1, flux);
    if (equations == SWE_LINEAR)
        return;
    simd shear = simd_difference_in(order, w->mean2, 0);
    if (where == SIMD_AT_END)
        shear = simd_with_closure(interior, i, shear, t->shear1 + cell);
    simd_push(w->shear1, shear);
    simd_push(w->square1, simd_square(metric, v));
}

/* Inputs of the first SIMD vector of a row. Nothing is stored to the west of a tile: another line
 * ends there. */
SWE_POINT void simd_along1_before(swe_equations equations, int order, const swe_params *params,
                                  const transport_row *t, transport_along *w)
{
    if (t->i.first == 0)
        for (int k = -2 * SIMD_BEFORE; k < 0; k += LANES)
            simd_along1(equations, order, SIMD_AT_END, params, t, k, w);
    else
        for (int k = -4 * SIMD_BEFORE; k < 0; k += LANES)
            simd_along1(equations, order, SIMD_INSIDE, params, t, k, w);
}

/* Result of a stencil along xi1 at vertices k: within a closure the value that the closure
 * stored. */
SWE_POINT simd simd_or_closure(int order, simd_where where, const swe_params *params,
                               const transport_row *t, int k, simd inside, const real *closure)
{
    if (where == SIMD_INSIDE)
        return inside;
    return simd_within(rows_vertices(order, params->layout.n), t->i.first + k, inside,
                       simd_at(closure + k));
}

/* bernoulli_point on SIMD vectors. */
SWE_POINT simd simd_head(int order, simd_where where, const swe_params *params,
                         const transport_row *t, int k, const transport_along *w)
{
    const ptrdiff_t up = TRANSPORT_PITCH;
    const simd along1 = simd_or_closure(order, where, params, t, k,
                                        simd_mean_in(order, w->square1, -1), t->mean_of_square1);
    const simd squares = along1 + simd_mean(order, t->square2 + k - up, up);
    const simd kinetic =
        (real)0.5 * squares + simd_at(t->metric12 + k) * simd_at(t->mean1 + k) * w->mean2[0];
    return (w->h[0] + simd_at(t->bottom + k)) +
           params->inverse_gravity * simd_at(t->inverse_jacobian + k) * kinetic;
}

/* vorticity_point on SIMD vectors. */
SWE_POINT simd simd_vorticity(int order, simd_where where, const swe_params *params,
                              const transport_row *t, int k, const transport_along *w)
{
    const ptrdiff_t up = TRANSPORT_PITCH;
    const simd along1 = simd_or_closure(order, where, params, t, k,
                                        simd_mean_in(order, w->shear1, -1), t->mean_of_shear1);
    return params->inverse_spacing * simd_at(t->inverse_jacobian + k) *
           (along1 - simd_mean(order, t->shear2 + k - up, up));
}

/* W from G; G itself where panels share vertices. */
SWE_POINT void simd_pv_flux(simd_where where, const swe_params *params, const transport_row *t,
                            int k, simd rate, simd g1, simd g2)
{
    const rows_range not_shared = {1, params->layout.n};
    const int i = t->i.first + k;
    simd pv_flux1 = rate * g2, pv_flux2 = -(rate * g1);
    if (where == SIMD_AT_END) {
        pv_flux1 = simd_within(not_shared, i, pv_flux1, g1);
        pv_flux2 = simd_within(not_shared, i, pv_flux2, g2);
    }
    simd_put_where(where, t->i, i, pv_flux1, t->out.pv_flux1 + k);
    simd_put_where(where, t->i, i, pv_flux2, t->out.pv_flux2 + k);
}

SWE_POINT void simd_of_row(swe_equations equations, int order, int substep, simd_where where,
                           const swe_params *params, real weight, const transport_row *t, int k,
                           transport_along *w)
{
    const ptrdiff_t up = TRANSPORT_PITCH;
    const int i = t->i.first + k;
    simd_along1(equations, order, where, params, t, k, w);
    const simd d = simd_or_closure(order, where, params, t, k,
                                   simd_difference_in(order, w->flux1, -1), t->weak_of_flux1) +
                   simd_difference(order, t->flux2 + k - up, up);
    simd_rk4(substep, where, weight,
             divergence_scale(params) * simd_at(t->inverse_jacobian + k) * d,
             rk4_arrays_at(t->h_of_substep, k), t->i, i);
    simd rate = simd_at(t->coriolis + k);
    if (equations == SWE_NONLINEAR) {
        const simd vorticity = simd_rounded(simd_vorticity(order, where, params, t, k, w));
        if (where == SIMD_AT_END)
            simd_put(vorticity, t->vorticity + k);
        simd_put_where(where, t->i, i, simd_head(order, where, params, t, k, w), t->out.head + k);
        rate = (vorticity + rate) / w->h[0];
    }
    const simd g1 = simd_or_closure(order, where, params, t, k, simd_mean_in(order, w->flux1, -1),
                                    t->mean_of_flux1);
    simd_pv_flux(where, params, t, k, rate, g1, simd_mean(order, t->flux2 + k - up, up));
}

/* ---- all of it ------------------------------------------------------------------------------- */

SWE_POINT void transport_simd_of(swe_equations equations, int order, int substep,
                                 const swe_params *params, real weight, const transport_row *t,
                                 tile_prefetch *prefetch)
{
    const rows_range inside = simd_inside(order, params->layout.n, t->i);
    const int columns = t->i.last - t->i.first;
    transport_along w = {0};
    ends_of_means(order, params, t);
    ends_of_cells(equations, order, params, t);
    ends_of_vertices(equations, order, params, t);
    simd_along1_before(equations, order, params, t, &w);
    for (int begin = 0; begin < columns; begin += TRANSPORT_PIECE) {
        const int end = begin + TRANSPORT_PIECE < columns ? begin + TRANSPORT_PIECE : columns;
        SIMD_ALONG(begin, end, inside, {
            simd_ask(where, prefetch, k);
            simd_of_vertices(equations, order, where, params, t, k);
        });
        for (int k = begin; k < end; k += LANES)
            simd_of_cells(equations, order, params, t, k);
        SIMD_ALONG(begin, end, inside,
                   simd_of_row(equations, order, substep, where, params, weight, t, k, &w));
    }
}

void TRANSPORT_SIMD(const swe_params *params, int substep, real weight, const transport_row *row,
                    tile_prefetch *prefetch)
{
    if (substep < 3)
        SWE_WITH_ORDER(
            params->sbp.order,
            SWE_WITH_EQUATIONS(params->equations, transport_simd_of(EQUATIONS, ORDER, 0, params,
                                                                    weight, row, prefetch)));
    else
        SWE_WITH_ORDER(
            params->sbp.order,
            SWE_WITH_EQUATIONS(params->equations, transport_simd_of(EQUATIONS, ORDER, 3, params,
                                                                    weight, row, prefetch)));
}

#endif
