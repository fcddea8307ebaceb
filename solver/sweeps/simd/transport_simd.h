/* A row of the first sweep of a rotational flow (transport_point.h) in SIMD vectors, off the
 * closures along xi2. The loop also computes the next rows of the row buffers, some columns at a
 * time, so that these values are in the first-level cache when they are read. Means, cross terms,
 * F1, shear_1 and squares along xi1 stay in registers. */
#ifndef SWE_SWEEPS_SIMD_TRANSPORT_SIMD_H
#define SWE_SWEEPS_SIMD_TRANSPORT_SIMD_H

#include "stages/contravariant/contravariant_point.h"
#include "stages/divergence/divergence_point.h"
#include "sweeps/simd/simd_cpu.h"
#include "sweeps/simd/simd_rows_cpu.h"

enum {
    TRANSPORT_COLUMNS = 8 * ROWS_LINE
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

/* ---- closures along xi1: stencils only; the SIMD loops evaluate the formulas of a point ------ */

/* Mean of v1 of the next row of vertices. */
SWE_POINT void mean_closures(int order, const swe_params *SWE_RESTRICT params,
                             const transport_row *t)
{
    const int n = params->layout.n, above = order - 1;
    const real *SWE_RESTRICT v1 = t->v1 + above * params->layout.pitch;
    real *SWE_RESTRICT mean1 = t->mean1 + above * TRANSPORT_PITCH;
    SIMD_VERTEX_CLOSURES(params, t->i,
                         mean1[k] = sbp_pcv(order, where, &params->sbp, n, i, v1 + k, 1));
}

/* Inputs of vertices: F1, shear_1 and squares, in closures and beyond. */
SWE_POINT void cell_closures(swe_equations equations, int order,
                             const swe_params *SWE_RESTRICT params, const transport_row *t)
{
    const int n = params->layout.n, columns = sbp_columns(order);
    const real *SWE_RESTRICT metric11 = t->metric11, *SWE_RESTRICT metric12 = t->metric12;
    const real *SWE_RESTRICT h = t->h, *SWE_RESTRICT v1 = t->v1, *SWE_RESTRICT v2 = t->v2;
    real *SWE_RESTRICT mean2 = t->mean2, *SWE_RESTRICT cross2 = t->cross2;
    real *SWE_RESTRICT flux1 = t->flux1, *SWE_RESTRICT shear1 = t->shear1;
    real *SWE_RESTRICT square1 = t->square1;
    SIMD_CLOSURES(n, t->i, n + 1, columns + order / 2, {
        mean2[k] =
            sbp_pcv(order, SBP_INTERIOR, &params->sbp, n, t->j, v2 + k, params->layout.pitch);
        cross2[k] = contravariant_cross(equations, metric12[k], h + k, mean2[k]);
    });
    SIMD_CLOSURES(n, t->i, n, columns, {
        flux1[k] = contravariant_flux1_point(equations, order, SBP_INTERIOR, params, i, metric11[k],
                                             h + k, v1 + k, cross2 + k);
        if (equations == SWE_NONLINEAR) {
            shear1[k] = vorticity_shear1_point(order, SBP_INTERIOR, params, i, mean2 + k);
            square1[k] = sbp_square(metric11, v1, k);
        }
    });
    SIMD_CELL_CLOSURES(params, t->i, {
        flux1[k] = contravariant_flux1_point(equations, order, where, params, i, metric11[k], h + k,
                                             v1 + k, cross2 + k);
        if (equations == SWE_NONLINEAR)
            shear1[k] = vorticity_shear1_point(order, where, params, i, mean2 + k);
    });
}

SWE_POINT void vertex_closures(swe_equations equations, int order,
                               const swe_params *SWE_RESTRICT params, const transport_row *t)
{
    const int n = params->layout.n;
    const real *SWE_RESTRICT flux1 = t->flux1, *SWE_RESTRICT shear1 = t->shear1,
                             *SWE_RESTRICT square1 = t->square1;
    real *SWE_RESTRICT weak = t->weak_of_flux1, *SWE_RESTRICT flux = t->mean_of_flux1;
    real *SWE_RESTRICT shear = t->mean_of_shear1, *SWE_RESTRICT square = t->mean_of_square1;
    SIMD_VERTEX_CLOSURES(params, t->i, {
        weak[k] = sbp_weak(order, where, &params->sbp, n, i, flux1 + k, 1);
        flux[k] = sbp_pcv(order, where, &params->sbp, n, i, flux1 + k, 1);
    });
    if (equations == SWE_NONLINEAR)
        SIMD_VERTEX_CLOSURES(params, t->i, {
            shear[k] = sbp_pcv(order, where, &params->sbp, n, i, shear1 + k, 1);
            square[k] = sbp_pcv(order, where, &params->sbp, n, i, square1 + k, 1);
        });
}

/* ---- SIMD: the next rows of the buffers ------------------------------------------------------ */

/* Mean of v1 and its cross term in a row of vertices. */
SWE_POINT void vertex_vectors(swe_equations equations, int order, simd_where where,
                              const swe_params *params, const transport_row *t, int k)
{
    const ptrdiff_t at = k + (order - 1) * params->layout.pitch;
    const ptrdiff_t row = k + (order - 1) * (ptrdiff_t)TRANSPORT_PITCH;
    simd mean = simd_mean(order, t->v1 + at - 1, 1);
    if (where == SIMD_AT_END)
        mean = simd_with_closure(rows_of(rows_vertices(order, params)), t->i.first + k, mean,
                                 t->mean1 + row);
    else
        simd_store(mean, t->mean1 + row);
    simd_store(simd_cross(equations, simd_load(t->metric12 + at), simd_load(t->h + at), mean),
               t->cross1 + row);
}

/* F2, shear_2 and squares in a row of cells. */
SWE_POINT void cell_vectors(swe_equations equations, int order, const swe_params *params,
                            const transport_row *t, int k)
{
    const ptrdiff_t up = params->layout.pitch, up_buffer = TRANSPORT_PITCH;
    const ptrdiff_t at = k + (order / 2 - 1) * up, row = k + (order / 2 - 1) * up_buffer;
    const simd metric = simd_load(t->metric22 + at), v = simd_load(t->v2 + at);
    const simd across = simd_mean(order, t->cross1 + row, up_buffer);
    if (equations == SWE_LINEAR) {
        simd_store(metric * v + across, t->flux2 + row);
        return;
    }
    simd_store(simd_mean(order, t->h + at, up) * metric * v + across, t->flux2 + row);
    simd_store(simd_square(metric, v), t->square2 + row);
    simd_store(simd_difference(order, t->mean1 + row, up_buffer), t->shear2 + row);
}

/* ---- SIMD: along the row --------------------------------------------------------------------- */

/* Values carried from one SIMD vector to the next. F1, shear_1 and squares are computed SIMD_LEAD
 * columns before the vertex, as far as stencils reach; h, means and cross terms SIMD_LEAD columns
 * before F1. */
typedef struct transport_neighbours {
    simd h[SIMD_NEIGHBOURS], mean2[SIMD_NEIGHBOURS], cross2[SIMD_NEIGHBOURS];
    simd flux1[SIMD_NEIGHBOURS], shear1[SIMD_NEIGHBOURS], square1[SIMD_NEIGHBOURS];
} transport_neighbours;

/* Advance to the next SIMD vector; k is the column of the vertex. */
SWE_POINT void along1_vectors(swe_equations equations, int order, simd_where where,
                              const swe_params *params, const transport_row *t, int k,
                              transport_neighbours *near)
{
    const ptrdiff_t up = params->layout.pitch;
    const int vertex = k + 2 * SIMD_LEAD, cell = k + SIMD_LEAD, i = t->i.first + cell;
    const rows_range interior = rows_of(rows_cells(order, params));

    const simd h = simd_load(t->h + vertex), mean2 = simd_mean(order, t->v2 + vertex - up, up);
    simd_shift(near->h, h);
    simd_shift(near->mean2, mean2);
    simd_shift(near->cross2, simd_cross(equations, simd_load(t->metric12 + vertex), h, mean2));

    const simd metric = simd_load(t->metric11 + cell), v = simd_load(t->v1 + cell);
    const simd across = simd_mean_in(order, near->cross2, 0);
    simd flux;
    if (equations == SWE_LINEAR)
        flux = metric * v + across;
    else
        flux = simd_mean_in(order, near->h, 0) * metric * v + across;
    if (where == SIMD_AT_END)
        flux = simd_with_closure(interior, i, flux, t->flux1 + cell);
    simd_shift(near->flux1, flux);
    if (equations == SWE_LINEAR)
        return;
    simd shear = simd_difference_in(order, near->mean2, 0);
    if (where == SIMD_AT_END)
        shear = simd_with_closure(interior, i, shear, t->shear1 + cell);
    simd_shift(near->shear1, shear);
    simd_shift(near->square1, simd_square(metric, v));
}

/* Inputs of the first SIMD vector of a row. Values west of the tile are not stored, because another
 * line ends there. */
SWE_POINT void along1_before(swe_equations equations, int order, const swe_params *params,
                             const transport_row *t, transport_neighbours *near)
{
    if (t->i.first == 0)
        for (int k = -2 * SIMD_LEAD; k < 0; k += SIMD_WIDTH)
            along1_vectors(equations, order, SIMD_AT_END, params, t, k, near);
    else
        for (int k = -4 * SIMD_LEAD; k < 0; k += SIMD_WIDTH)
            along1_vectors(equations, order, SIMD_INSIDE, params, t, k, near);
}

/* Result of a stencil along xi1 at vertices k: within a closure the value that the closure
 * stored. */
SWE_POINT simd value_or_closure(int order, simd_where where, const swe_params *params,
                                const transport_row *t, int k, simd inside, const real *closure)
{
    if (where == SIMD_INSIDE)
        return inside;
    return simd_select(rows_of(rows_vertices(order, params)), t->i.first + k, inside,
                       simd_load(closure + k));
}

/* bernoulli_point on SIMD vectors. */
SWE_POINT simd head_vectors(int order, simd_where where, const swe_params *params,
                            const transport_row *t, int k, const transport_neighbours *near)
{
    const ptrdiff_t up = TRANSPORT_PITCH;
    const simd along1 = value_or_closure(
        order, where, params, t, k, simd_mean_in(order, near->square1, -1), t->mean_of_square1);
    const simd squares = along1 + simd_mean(order, t->square2 + k - up, up);
    const simd kinetic =
        (real)0.5 * squares + simd_load(t->metric12 + k) * simd_load(t->mean1 + k) * near->mean2[0];
    return (near->h[0] + simd_load(t->bottom + k)) +
           params->inverse_gravity * simd_load(t->inverse_jacobian + k) * kinetic;
}

/* vorticity_point on SIMD vectors. */
SWE_POINT simd vorticity_vectors(int order, simd_where where, const swe_params *params,
                                 const transport_row *t, int k, const transport_neighbours *near)
{
    const ptrdiff_t up = TRANSPORT_PITCH;
    const simd along1 = value_or_closure(order, where, params, t, k,
                                         simd_mean_in(order, near->shear1, -1), t->mean_of_shear1);
    return params->inverse_spacing * simd_load(t->inverse_jacobian + k) *
           (along1 - simd_mean(order, t->shear2 + k - up, up));
}

/* W from G; G itself where panels share vertices. */
SWE_POINT void pv_flux_vectors(simd_where where, const swe_params *params, const transport_row *t,
                               int k, simd rate, simd g1, simd g2)
{
    const rows_range not_shared = {1, params->layout.n};
    const int i = t->i.first + k;
    simd pv_flux1 = rate * g2, pv_flux2 = -(rate * g1);
    if (where == SIMD_AT_END) {
        pv_flux1 = simd_select(not_shared, i, pv_flux1, g1);
        pv_flux2 = simd_select(not_shared, i, pv_flux2, g2);
    }
    simd_store_where(where, t->i, i, pv_flux1, t->out.pv_flux1 + k);
    simd_store_where(where, t->i, i, pv_flux2, t->out.pv_flux2 + k);
}

SWE_POINT void row_vectors(swe_equations equations, int order, int substep, simd_where where,
                           const swe_params *params, real weight, const transport_row *t, int k,
                           transport_neighbours *near)
{
    const ptrdiff_t up = TRANSPORT_PITCH;
    const int i = t->i.first + k;
    along1_vectors(equations, order, where, params, t, k, near);
    const simd d = value_or_closure(order, where, params, t, k,
                                    simd_difference_in(order, near->flux1, -1), t->weak_of_flux1) +
                   simd_difference(order, t->flux2 + k - up, up);
    simd_rk4(substep, where, weight,
             divergence_scale(params) * simd_load(t->inverse_jacobian + k) * d,
             rk4_arrays_at(t->h_of_substep, k), t->i, i);
    simd rate = simd_load(t->coriolis + k);
    if (equations == SWE_NONLINEAR) {
        const simd vorticity = simd_rounded(vorticity_vectors(order, where, params, t, k, near));
        if (where == SIMD_AT_END)
            simd_store(vorticity, t->vorticity + k);
        simd_store_where(where, t->i, i, head_vectors(order, where, params, t, k, near),
                         t->out.head + k);
        rate = (vorticity + rate) / near->h[0];
    }
    const simd g1 = value_or_closure(order, where, params, t, k,
                                     simd_mean_in(order, near->flux1, -1), t->mean_of_flux1);
    pv_flux_vectors(where, params, t, k, rate, g1, simd_mean(order, t->flux2 + k - up, up));
}

/* ---- all of it ------------------------------------------------------------------------------- */

SWE_POINT void transport_row_of(swe_equations equations, int order, int substep,
                                const swe_params *params, real weight, const transport_row *t,
                                tile_prefetch *prefetch)
{
    const rows_range inside = simd_inside(order, params->layout.n, t->i);
    const int columns = t->i.last - t->i.first;
    transport_neighbours near = {0};
    mean_closures(order, params, t);
    cell_closures(equations, order, params, t);
    vertex_closures(equations, order, params, t);
    along1_before(equations, order, params, t, &near);
    for (int begin = 0; begin < columns; begin += TRANSPORT_COLUMNS) {
        const int end = begin + TRANSPORT_COLUMNS < columns ? begin + TRANSPORT_COLUMNS : columns;
        SIMD_ALONG(begin, end, inside, {
            simd_prefetch(where, prefetch, k);
            vertex_vectors(equations, order, where, params, t, k);
        });
        for (int k = begin; k < end; k += SIMD_WIDTH)
            cell_vectors(equations, order, params, t, k);
        SIMD_ALONG(begin, end, inside,
                   row_vectors(equations, order, substep, where, params, weight, t, k, &near));
    }
}

static void transport_row_in_simd(const swe_params *params, int substep, real weight,
                                  const transport_row *row, tile_prefetch *prefetch)
{
    RK4_WITH_SUBSTEP(substep, SWE_WITH_ORDER(params->sbp.order,
                                             SWE_WITH_EQUATIONS(
                                                 params->physics.equations,
                                                 transport_row_of(EQUATIONS, ORDER, SUBSTEP, params,
                                                                  weight, row, prefetch))));
}

#endif
