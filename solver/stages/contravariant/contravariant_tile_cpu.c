#include "stages/contravariant/contravariant_tile_cpu.h"

#include "stages/contravariant/contravariant_rows.h"

cpu_flux_tile swe_flux_tile_begin(const swe_params *params, cpu_tile t, real *memory)
{
    const int order = params->sbp.order, n = params->layout.n;
    cpu_flux_tile w;
    w.cross1 = memory;
    w.flux2 = w.cross1 + FLUX_TILE_ROWS * CPU_TILE_PITCH;
    w.cross2 = w.flux2 + FLUX_TILE_ROWS * CPU_TILE_PITCH;
    w.flux1 = w.cross2 + 2 * CPU_TILE_PITCH;
    w.first_flux2 = w.next_flux2 = fused_first_cell(order, n, t.j.first);
    w.first_cross1 = w.next_cross1 = fused_first_vertex(order, n, w.first_flux2);
    w.cells = tiles_cells(order, n, t.i);
    w.vertices = tiles_vertices(order, n, w.cells);
    return w;
}

/* Each loop is a function of its own, compiled for all orders and processors: small enough to keep
 * its values in registers. */

SWE_CLONES
static void cross1_row(const swe_params *params, rows_range vertices, const real *metric12,
                       const real *h, const real *v1, real *out)
{
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_WITH_EQUATIONS(params->equations,
                                      contravariant_cross1_row(EQUATIONS, ORDER, params, vertices,
                                                               metric12, h, v1, out)));
}

SWE_CLONES
static void cross2_row(const swe_params *params, int j, int count, const real *metric12,
                       const real *h, const real *v2, real *out)
{
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_WITH_EQUATIONS(params->equations,
                                      contravariant_cross2_row(EQUATIONS, ORDER, params, j, count,
                                                               metric12, h, v2, out)));
}

SWE_CLONES
void swe_flux1_row(const swe_params *params, rows_range cells, const real *metric11, const real *h,
                   const real *v1, const real *cross2, real *out)
{
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_WITH_EQUATIONS(params->equations,
                                      contravariant_flux1_row(EQUATIONS, ORDER, params, cells,
                                                              metric11, h, v1, cross2, out)));
}

SWE_CLONES
void swe_flux2_row(const swe_params *params, int j, int count, const real *metric22, const real *h,
                   const real *v2, const real *cross1, ptrdiff_t up, real *out)
{
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_WITH_EQUATIONS(params->equations,
                                      contravariant_flux2_row(EQUATIONS, ORDER, params, j, count,
                                                              metric22, h, v2, cross1, up, out)));
}

/* Make room in a row buffer for `more` rows: rows from `taken` on, which are still needed, move to
 * its begin. */
static void make_room(int columns, int taken, int made, int more, int *first, real *window)
{
    if (made + more - *first <= FLUX_TILE_ROWS)
        return;
    const real *from = window + (taken - *first) * (ptrdiff_t)CPU_TILE_PITCH;
    for (int row = 0; row < made - taken; row++)
        rows_copy(columns, from + row * (ptrdiff_t)CPU_TILE_PITCH,
                  window + row * (ptrdiff_t)CPU_TILE_PITCH);
    *first = taken;
}

/* Cross terms of v1 of the rows that row `cell` of F2 reads. */
static void make_cross1(const swe_params *params, cpu_tile t, const real *h, const real *v1,
                        int cell, cpu_flux_tile *w)
{
    const int order = params->sbp.order, n = params->layout.n;
    for (; w->next_cross1 <= fused_last_vertex(order, n, cell); w->next_cross1++) {
        const ptrdiff_t at = w->next_cross1 * params->layout.pitch + t.i.first;
        make_room(t.i.last - t.i.first, fused_first_vertex(order, n, cell), w->next_cross1, 1,
                  &w->first_cross1, w->cross1);
        cross1_row(params, t.i, params->metric12 + at, h + at, v1 + at,
                   w->cross1 + (w->next_cross1 - w->first_cross1) * (ptrdiff_t)CPU_TILE_PITCH);
    }
}

/* F2 of the rows that vertex row j reads. */
static void make_flux2(const swe_params *params, cpu_tile t, const real *h, const real *v1,
                       const real *v2, int j, cpu_flux_tile *w, tile_prefetch *prefetch)
{
    const int order = params->sbp.order, n = params->layout.n, columns = t.i.last - t.i.first;
    for (; w->next_flux2 <= fused_last_cell(order, n, j); w->next_flux2++) {
        make_cross1(params, t, h, v1, w->next_flux2, w);
        prefetch_ask(prefetch);
        const ptrdiff_t at = w->next_flux2 * params->layout.pitch + t.i.first;
        make_room(columns, fused_first_cell(order, n, j), w->next_flux2, 1, &w->first_flux2,
                  w->flux2);
        swe_flux2_row(params, w->next_flux2, columns, params->metric22 + at, h + at, v2 + at,
                      w->cross1 + (w->next_flux2 - w->first_cross1) * (ptrdiff_t)CPU_TILE_PITCH,
                      CPU_TILE_PITCH,
                      w->flux2 + (w->next_flux2 - w->first_flux2) * (ptrdiff_t)CPU_TILE_PITCH);
    }
}

/* F1 of the cells that row j of the tile reads. */
static void make_flux1(const swe_params *params, const real *h, const real *v1, const real *v2,
                       int j, const cpu_flux_tile *w, tile_prefetch *prefetch)
{
    const ptrdiff_t pitch = params->layout.pitch;
    const ptrdiff_t vertex = j * pitch + w->vertices.first, cell = j * pitch + w->cells.first;
    cross2_row(params, j, w->vertices.last - w->vertices.first, params->metric12 + vertex,
               h + vertex, v2 + vertex, w->cross2);
    prefetch_ask(prefetch);
    swe_flux1_row(params, w->cells, params->metric11 + cell, h + cell, v1 + cell,
                  w->cross2 + (w->cells.first - w->vertices.first), w->flux1);
}

void swe_flux_tile_row(const swe_params *params, cpu_tile t, const real *h, const real *v1,
                       const real *v2, int j, cpu_flux_tile *w, tile_prefetch *prefetch)
{
    make_flux2(params, t, h, v1, v2, j, w, prefetch);
    prefetch_ask(prefetch);
    make_flux1(params, h, v1, v2, j, w, prefetch);
    prefetch_ask(prefetch);
}

void swe_flux_tile_room(const swe_params *params, cpu_tile t, int j, int rows, cpu_flux_tile *w)
{
    const int order = params->sbp.order, n = params->layout.n, columns = t.i.last - t.i.first;
    const int cell = fused_last_cell(order, n, j);
    make_room(columns, fused_first_vertex(order, n, cell), w->next_cross1, rows, &w->first_cross1,
              w->cross1);
    make_room(columns, fused_first_cell(order, n, j), w->next_flux2, rows, &w->first_flux2,
              w->flux2);
}

void swe_flux_tile_prefetch(const swe_params *params, cpu_tile t, const real *h, const real *v1,
                            const real *v2, int j, int by, const cpu_flux_tile *w,
                            tile_prefetch *prefetch)
{
    prefetch_add(prefetch, params, t.i, w->next_cross1 + by, v1);
    prefetch_add(prefetch, params, t.i, w->next_flux2 + by, v2);
    if (params->equations == SWE_NONLINEAR)
        prefetch_add(prefetch, params, t.i, w->next_cross1 + by, h);
    if (t.panel > 0) /* the first panel has loaded the metric terms of all */
        return;
    prefetch_add(prefetch, params, t.i, w->next_cross1 + by, params->metric12);
    prefetch_add(prefetch, params, t.i, w->next_flux2 + by, params->metric22);
    prefetch_add(prefetch, params, t.i, j + by, params->metric11);
    prefetch_add(prefetch, params, t.i, j + by, params->inverse_jacobian);
}
