#include "stages/contravariant/contravariant_cpu.h"

#include "stages/contravariant/contravariant_point.h"
#include "stages/exchange.h"
#include "stages/stages.h"
#include "stages/threads_cpu.h"

/* ---- rows --------------------------------------------------------------------------------------
 *
 * Sections of row j; fields and metric terms point at the first value. Each loop is a separate
 * function, compiled for all orders and instruction sets: a function this small keeps its values in
 * registers. */

SWE_POINT void cross1_row_of(swe_equations equations, int order, const swe_params *params,
                             rows_range vertices, const real *SWE_RESTRICT metric12,
                             const real *SWE_RESTRICT h, const real *SWE_RESTRICT v1,
                             real *SWE_RESTRICT out)
{
    ROWS_ALONG(vertices, rows_vertices(order, params),
               out[k] = contravariant_cross1_point(equations, order, where, params, i, metric12[k],
                                                   h + k, v1 + k));
}

SWE_CLONES
static void cross1_row(const swe_params *params, rows_range vertices, const real *metric12,
                       const real *h, const real *v1, real *out)
{
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_WITH_EQUATIONS(
                       params->physics.equations,
                       cross1_row_of(EQUATIONS, ORDER, params, vertices, metric12, h, v1, out)));
}

SWE_POINT void cross2_row_of(swe_equations equations, int order, sbp_region where,
                             const swe_params *params, int j, int count,
                             const real *SWE_RESTRICT metric12, const real *SWE_RESTRICT h,
                             const real *SWE_RESTRICT v2, real *SWE_RESTRICT out)
{
    const ptrdiff_t pitch = params->layout.pitch;
#pragma omp simd
    for (int k = 0; k < count; k++)
        out[k] = contravariant_cross2_point(equations, order, where, params, j, metric12[k], h + k,
                                            v2 + k, pitch);
}

SWE_CLONES
static void cross2_row(const swe_params *params, int j, int count, const real *metric12,
                       const real *h, const real *v2, real *out)
{
    SWE_WITH_ORDER(
        params->sbp.order,
        SWE_WITH_EQUATIONS(params->physics.equations,
                           ROWS_AT_VERTEX(ORDER, params, j,
                                          cross2_row_of(EQUATIONS, ORDER, (sbp_region)REGION,
                                                        params, j, count, metric12, h, v2, out))));
}

SWE_POINT void flux1_row_of(swe_equations equations, int order, const swe_params *params,
                            rows_range cells, const real *SWE_RESTRICT metric11,
                            const real *SWE_RESTRICT h, const real *SWE_RESTRICT v1,
                            const real *SWE_RESTRICT cross2, real *SWE_RESTRICT out)
{
    ROWS_ALONG(cells, rows_cells(order, params),
               out[k] = contravariant_flux1_point(equations, order, where, params, i, metric11[k],
                                                  h + k, v1 + k, cross2 + k));
}

SWE_CLONES
void swe_flux1_row(const swe_params *params, rows_range cells, const real *metric11, const real *h,
                   const real *v1, const real *cross2, real *out)
{
    SWE_WITH_ORDER(
        params->sbp.order,
        SWE_WITH_EQUATIONS(params->physics.equations, flux1_row_of(EQUATIONS, ORDER, params, cells,
                                                                   metric11, h, v1, cross2, out)));
}

SWE_POINT void flux2_row_of(swe_equations equations, int order, sbp_region where,
                            const swe_params *params, int j, int count,
                            const real *SWE_RESTRICT metric22, const real *SWE_RESTRICT h,
                            const real *SWE_RESTRICT v2, const real *SWE_RESTRICT cross1,
                            ptrdiff_t up_cross, real *SWE_RESTRICT out)
{
    const ptrdiff_t pitch = params->layout.pitch;
#pragma omp simd
    for (int k = 0; k < count; k++)
        out[k] = contravariant_flux2_point(equations, order, where, params, j, metric22[k], h + k,
                                           v2 + k, pitch, cross1 + k, up_cross);
}

SWE_CLONES
void swe_flux2_row(const swe_params *params, int j, int count, const real *metric22, const real *h,
                   const real *v2, const real *cross1, ptrdiff_t up, real *out)
{
    SWE_WITH_ORDER(
        params->sbp.order,
        SWE_WITH_EQUATIONS(params->physics.equations,
                           ROWS_AT_CELL(ORDER, params, j,
                                        flux2_row_of(EQUATIONS, ORDER, (sbp_region)REGION, params,
                                                     j, count, metric22, h, v2, cross1, up, out))));
}

/* ---- the fluxes of a tile -------------------------------------------------------------------- */

cpu_flux_tile swe_flux_tile_begin(const swe_params *params, cpu_tile t, real *scratch)
{
    const int order = params->sbp.order;
    cpu_flux_tile w;
    w.cross1 = scratch;
    w.flux2 = w.cross1 + FLUX_TILE_ROWS * CPU_TILE_PITCH;
    w.cross2 = w.flux2 + FLUX_TILE_ROWS * CPU_TILE_PITCH;
    w.flux1 = w.cross2 + 2 * CPU_TILE_PITCH;
    w.first_flux2 = w.next_flux2 = tiles_first_cell(order, params, t.j.first);
    w.first_cross1 = w.next_cross1 = tiles_first_vertex(order, params, w.first_flux2);
    w.cells = tiles_cells(order, params, t.i);
    w.vertices = tiles_vertices(order, params, w.cells);
    return w;
}

/* Reserve `more` rows in a row buffer. A full buffer moves the rows that are still needed, `oldest`
 * to `next` - 1, to its begin. */
static void reserve_rows(int columns, int oldest, int next, int more, int *first, real *buffer)
{
    if (next + more - *first <= FLUX_TILE_ROWS)
        return;
    const real *from = buffer + (oldest - *first) * (ptrdiff_t)CPU_TILE_PITCH;
    for (int row = 0; row < next - oldest; row++)
        rows_copy(columns, from + row * (ptrdiff_t)CPU_TILE_PITCH,
                  buffer + row * (ptrdiff_t)CPU_TILE_PITCH);
    *first = oldest;
}

void swe_flux_tile_reserve(const swe_params *params, cpu_tile t, int j, int rows, cpu_flux_tile *w)
{
    const int order = params->sbp.order, columns = t.i.last - t.i.first;
    const int cell = tiles_last_cell(order, params, j);
    reserve_rows(columns, tiles_first_vertex(order, params, cell), w->next_cross1, rows,
                 &w->first_cross1, w->cross1);
    reserve_rows(columns, tiles_first_cell(order, params, j), w->next_flux2, rows, &w->first_flux2,
                 w->flux2);
}

/* Compute cross1 up to the last row that row `cell` of F2 reads. */
static void compute_cross1(const swe_params *params, cpu_tile t, const real *h, const real *v1,
                           int cell, cpu_flux_tile *w)
{
    const int order = params->sbp.order;
    for (; w->next_cross1 <= tiles_last_vertex(order, params, cell); w->next_cross1++) {
        const ptrdiff_t at = w->next_cross1 * params->layout.pitch + t.i.first;
        const real *metric12 = params->metric12 + tiles_metric_at(params, t, w->next_cross1);
        reserve_rows(t.i.last - t.i.first, tiles_first_vertex(order, params, cell), w->next_cross1,
                     1, &w->first_cross1, w->cross1);
        cross1_row(params, t.i, metric12, h + at, v1 + at,
                   w->cross1 + (w->next_cross1 - w->first_cross1) * (ptrdiff_t)CPU_TILE_PITCH);
    }
}

/* Compute F2 up to the last row that row j of vertices reads. */
static void compute_flux2(const swe_params *params, cpu_tile t, const real *h, const real *v1,
                          const real *v2, int j, cpu_flux_tile *w, tile_prefetch *prefetch)
{
    const int order = params->sbp.order, columns = t.i.last - t.i.first;
    for (; w->next_flux2 <= tiles_last_cell(order, params, j); w->next_flux2++) {
        compute_cross1(params, t, h, v1, w->next_flux2, w);
        prefetch_step(prefetch);
        const ptrdiff_t at = w->next_flux2 * params->layout.pitch + t.i.first;
        const real *metric22 = params->metric22 + tiles_metric_at(params, t, w->next_flux2);
        reserve_rows(columns, tiles_first_cell(order, params, j), w->next_flux2, 1, &w->first_flux2,
                     w->flux2);
        swe_flux2_row(params, w->next_flux2, columns, metric22, h + at, v2 + at,
                      w->cross1 + (w->next_flux2 - w->first_cross1) * (ptrdiff_t)CPU_TILE_PITCH,
                      CPU_TILE_PITCH,
                      w->flux2 + (w->next_flux2 - w->first_flux2) * (ptrdiff_t)CPU_TILE_PITCH);
    }
}

/* Compute F1 at the cells that row j of the tile reads. */
static void compute_flux1(const swe_params *params, cpu_tile t, const real *h, const real *v1,
                          const real *v2, int j, const cpu_flux_tile *w, tile_prefetch *prefetch)
{
    const ptrdiff_t pitch = params->layout.pitch;
    const ptrdiff_t vertex = j * pitch + w->vertices.first, cell = j * pitch + w->cells.first;
    const real *metric11 = params->metric11 + t.block.metric + cell,
               *metric12 = params->metric12 + t.block.metric + vertex;
    cross2_row(params, j, w->vertices.last - w->vertices.first, metric12, h + vertex, v2 + vertex,
               w->cross2);
    prefetch_step(prefetch);
    swe_flux1_row(params, w->cells, metric11, h + cell, v1 + cell,
                  w->cross2 + (w->cells.first - w->vertices.first), w->flux1);
}

void swe_flux_tile_compute(const swe_params *params, cpu_tile t, const real *h, const real *v1,
                           const real *v2, int j, cpu_flux_tile *w, tile_prefetch *prefetch)
{
    compute_flux2(params, t, h, v1, v2, j, w, prefetch);
    prefetch_step(prefetch);
    compute_flux1(params, t, h, v1, v2, j, w, prefetch);
    prefetch_step(prefetch);
}

void swe_flux_tile_prefetch(const swe_params *params, cpu_tile t, int j, int by,
                            const cpu_flux_tile *w, tile_prefetch *prefetch)
{
    if (t.block.panel > t.block.first_panel) /* metric terms were loaded for the first panel */
        return;
    const ptrdiff_t metric = t.block.metric;
    prefetch_add(prefetch, params, t.i, w->next_cross1 + by, params->metric12 + metric);
    prefetch_add(prefetch, params, t.i, w->next_flux2 + by, params->metric22 + metric);
    prefetch_add(prefetch, params, t.i, j + by, params->metric11 + metric);
    prefetch_add(prefetch, params, t.i, j + by, params->inverse_jacobian + metric);
}

/* ---- the stage ------------------------------------------------------------------------------- */

void swe_contravariant_cpu(const swe_execution *execution, const swe_params *params, const real *h,
                           const real *v1, const real *v2, real *cross1, real *cross2, real *f1,
                           real *f2)
{
    const int n = params->layout.n;
    const ptrdiff_t pitch = params->layout.pitch;
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const rows_range cells = rows_cells_of(n, b.i),
                         read = tiles_vertices(params->sbp.order, params, cells);
        const ptrdiff_t at = b.at + j * pitch, in_metric = b.metric + j * pitch;
        const real *metric12 = params->metric12 + in_metric;
        cross1_row(params, b.i, metric12 + b.i.first, h + at + b.i.first, v1 + at + b.i.first,
                   cross1 + at + b.i.first);
        cross2_row(params, j, read.last - read.first, metric12 + read.first, h + at + read.first,
                   v2 + at + read.first, cross2 + at + read.first);
        swe_flux1_row(params, cells, params->metric11 + in_metric + cells.first,
                      h + at + cells.first, v1 + at + cells.first, cross2 + at + cells.first,
                      f1 + at + cells.first);
    });
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_GHOSTS(cross1));
    thread_begin(execution);
    FOR_THREAD_ROWS(params, b, j, {
        const ptrdiff_t at = b.at + j * pitch + b.i.first;
        if (j < n)
            swe_flux2_row(params, j, b.i.last - b.i.first,
                          params->metric22 + b.metric + j * pitch + b.i.first, h + at, v2 + at,
                          cross1 + at, pitch, f2 + at);
    });
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_GHOSTS(f1), EXCHANGE_GHOSTS(f2));
}
