/* The first sweep (transport_point.h) over a tile of vertices on the CPU, row after row. Means,
 * cross terms, fluxes, squares and shears exist only while the tile is processed. */
#ifndef SWE_STAGES_TRANSPORT_TILE_CPU_H
#define SWE_STAGES_TRANSPORT_TILE_CPU_H

#include "stages/contravariant/contravariant_tile_cpu.h"
#include "stages/tiles_cpu.h"
#include "stages/transport/transport_simd_cpu.h"
#include "stages/transport/transport_rows.h"
#include "stages/transport/transport_window_cpu.h"

enum {
    TRANSPORT_TILE_ROWS = TRANSPORT_STRIP_J + CPU_TILE_MARGIN,
    TRANSPORT_TILE_WINDOW = TRANSPORT_TILE_ROWS * TRANSPORT_PITCH,
    TRANSPORT_LINES = 13
};

/* Buffers of a tile. Row buffers have the columns of the tile; row r is stored at index r -
 * first. */
typedef struct cpu_transport_work {
    real *mean1, *cross1;           /* windows of rows of vertices */
    real *shear2, *square2, *flux2; /* windows of rows of cells */
    real *lines;                    /* the first of them, at the tile's first column */
    int next_vertex, first_vertex;  /* rows: to be made next, first of the window */
    int next_cell, first_cell;
} cpu_transport_work;

/* Number of values that the buffers need. */
static const size_t transport_work_size =
    5 * (size_t)TRANSPORT_TILE_WINDOW + TRANSPORT_LINES * (size_t)TRANSPORT_LINE;

static cpu_transport_work cpu_transport_work_of(int order, int n, cpu_tile t, real *memory)
{
    cpu_transport_work w;
    w.mean1 = memory;
    w.cross1 = w.mean1 + TRANSPORT_TILE_WINDOW;
    w.shear2 = w.cross1 + TRANSPORT_TILE_WINDOW;
    w.square2 = w.shear2 + TRANSPORT_TILE_WINDOW;
    w.flux2 = w.square2 + TRANSPORT_TILE_WINDOW;
    w.lines = w.flux2 + TRANSPORT_TILE_WINDOW + TRANSPORT_LINE_BEFORE;
    w.first_cell = w.next_cell = fused_first_cell(order, n, t.j.first);
    w.first_vertex = w.next_vertex = fused_first_vertex(order, n, w.first_cell);
    return w;
}

/* Means and cross terms of the next row of vertices of the window. */
static void make_vertex_row(const swe_params *params, cpu_tile t, const real *h, const real *v1,
                            const cpu_transport_work *w)
{
    const ptrdiff_t at = w->next_vertex * params->layout.pitch + t.i.first;
    const ptrdiff_t in_window = (w->next_vertex - w->first_vertex) * (ptrdiff_t)TRANSPORT_PITCH;
    fetch(params, t.i, w->next_vertex + 1, v1);
    fetch(params, t.i, w->next_vertex + 1, h);
    fetch_metric(params, t, t.i, w->next_vertex + 1, params->metric12);
    mean1_row(params, t.i, params->metric12 + at, h + at, v1 + at, w->mean1 + in_window,
              w->cross1 + in_window);
}

/* F2, shear_2 and squares of the rows that vertex row j reads, each computed once. */
static void make_along2(const swe_params *params, cpu_tile t, const real *h, const real *v1,
                        const real *v2, int j, cpu_transport_work *w)
{
    const int order = params->sbp.order, n = params->layout.n, columns = t.i.last - t.i.first;
    for (; w->next_cell <= fused_last_cell(order, n, j); w->next_cell++) {
        for (; w->next_vertex <= fused_last_vertex(order, n, w->next_cell); w->next_vertex++)
            make_vertex_row(params, t, h, v1, w);
        const ptrdiff_t at = w->next_cell * params->layout.pitch + t.i.first;
        const ptrdiff_t vertex = (w->next_cell - w->first_vertex) * (ptrdiff_t)TRANSPORT_PITCH;
        const ptrdiff_t cell = (w->next_cell - w->first_cell) * (ptrdiff_t)TRANSPORT_PITCH;
        fetch(params, t.i, w->next_cell + 1, v2);
        fetch_metric(params, t, t.i, w->next_cell + 1, params->metric22);
        swe_flux2_row(params, w->next_cell, columns, params->metric22 + at, h + at, v2 + at,
                      w->cross1 + vertex, TRANSPORT_PITCH, w->flux2 + cell);
        if (params->equations == SWE_NONLINEAR) {
            squares_row(columns, params->metric22 + at, v2 + at, w->square2 + cell);
            shear2_row(params, w->next_cell, columns, w->mean1 + vertex, w->shear2 + cell);
        }
    }
}

/* F1, shear_1 and squares of the cells that the row reads. */
static void make_along1(const swe_params *params, cpu_tile t, const transport_row *r)
{
    const int order = params->sbp.order, n = params->layout.n;
    const rows_range cells = tiles_cells(order, n, r->i),
                     vertices = tiles_vertices(order, n, cells);
    const int cell = cells.first - r->i.first, vertex = vertices.first - r->i.first;
    fetch_metric(params, t, cells, r->j + 1, params->metric11);
    mean2_row(params, r->j, vertices.last - vertices.first, r->metric12 + vertex, r->h + vertex,
              r->v2 + vertex, r->mean2 + vertex, r->cross2 + vertex);
    swe_flux1_row(params, cells, r->metric11 + cell, r->h + cell, r->v1 + cell, r->cross2 + cell,
                  r->flux1 + cell);
    if (params->equations == SWE_NONLINEAR) {
        squares_row(cells.last - cells.first, r->metric11 + cell, r->v1 + cell, r->square1 + cell);
        shear1_row(params, cells, r->mean2 + cell, r->shear1 + cell);
    }
}

/* Store a panel's own vorticity at shared points for flux_projection. */
static void keep_edge_vorticity(const swe_params *params, cpu_tile t, int j, const real *vorticity,
                                real *edge_vorticity)
{
    const int n = params->layout.n, along = j == 0 || j == n ? 1 : n; /* from one to the next */
    for (int i = along == 1 || t.i.first == 0 ? t.i.first : n; i < t.i.last; i += along)
        edge_vorticity[flux_projection_edge_at(n, t.panel, j, i)] = vorticity[i - t.i.first];
}

/* A substep and its fields, whole or at a panel. */
typedef struct cpu_transport_substep {
    int substep;
    real weight;
    rk4_arrays h, v1, v2;
    const real *bottom, *coriolis;
    transport_out kept;   /* head and W for the stages after this one */
    real *edge_vorticity; /* whole */
    transport_window *window;
} cpu_transport_substep;

static transport_row row_of(const swe_params *params, cpu_tile t, int j,
                            const cpu_transport_substep *p, const cpu_transport_work *w)
{
    const ptrdiff_t at = j * params->layout.pitch + t.i.first, line = TRANSPORT_LINE;
    const ptrdiff_t cell = (j - w->first_cell) * (ptrdiff_t)TRANSPORT_PITCH,
                    vertex = (j - w->first_vertex) * (ptrdiff_t)TRANSPORT_PITCH;
    const transport_row r = {.j = j,
                             .i = t.i,
                             .in_panel = at,
                             .h = p->h.in + at,
                             .v1 = p->v1.in + at,
                             .v2 = p->v2.in + at,
                             .bottom = p->bottom + at,
                             .coriolis = p->coriolis + at,
                             .metric11 = params->metric11 + at,
                             .metric12 = params->metric12 + at,
                             .metric22 = params->metric22 + at,
                             .inverse_jacobian = params->inverse_jacobian + at,
                             .h_of_substep = rk4_arrays_at(p->h, at),
                             .mean1 = w->mean1 + vertex,
                             .cross1 = w->cross1 + vertex,
                             .shear2 = w->shear2 + cell,
                             .square2 = w->square2 + cell,
                             .flux2 = w->flux2 + cell,
                             .mean2 = w->lines,
                             .cross2 = w->lines + line,
                             .shear1 = w->lines + 2 * line,
                             .square1 = w->lines + 3 * line,
                             .flux1 = w->lines + 4 * line,
                             .dh = w->lines + 5 * line,
                             .g1 = w->lines + 6 * line,
                             .g2 = w->lines + 7 * line,
                             .vorticity = w->lines + 8 * line,
                             .weak_of_flux1 = w->lines + 9 * line,
                             .mean_of_flux1 = w->lines + 10 * line,
                             .mean_of_shear1 = w->lines + 11 * line,
                             .mean_of_square1 = w->lines + 12 * line,
                             .out =
                                 transport_out_at(transport_window_row(p->window, j), t.i.first)};
    return r;
}

/* Row j by one loop for each quantity. */
static void sweep_row(const swe_params *params, cpu_tile t, const transport_row *r,
                      const cpu_transport_substep *p, cpu_transport_work *w)
{
    const int j = r->j;
    make_along2(params, t, p->h.in, p->v1.in, p->v2.in, j, w);
    make_along1(params, t, r);
    fetch_metric(params, t, t.i, j + 1, params->inverse_jacobian);
    prefetch_substep(params, p->substep, t.i, j + 1, p->h);
    fluxes_row(params, r);
    fetch(params, t.i, j + 1, p->coriolis);
    if (params->equations == SWE_NONLINEAR) {
        fetch(params, t.i, j + 1, p->bottom);
        vorticity_row(params, r);
        head_row(params, r);
    }
    pv_flux_row(params, r);
    update_row(p->substep, p->weight, r);
}

/* Whether row j can be computed in SIMD vectors: all rows that it reads are off the closures along
 * xi2; the inputs of the row before are computed; and one row follows the last row that it reads,
 * because vectors read beyond the end of a row. */
static int simd_fit(const swe_params *params, int j, const cpu_transport_work *w)
{
    const int order = params->sbp.order, n = params->layout.n;
    const rows_range vertices = rows_vertices(order, n), cells = rows_cells(order, n);
    const int cell = j + order / 2 - 1, vertex = j + order - 1; /* the next to compute */
    return transport_simd_here() != NULL && j >= vertices.first && j < vertices.last &&
           cell >= cells.first && cell < cells.last && vertex < n && w->next_cell == cell &&
           w->next_vertex == vertex;
}

/* Prefetch the inputs of row j + 1. */
static tile_prefetch transport_prefetch(const swe_params *params, cpu_tile t, int j,
                                        const cpu_transport_substep *p, const cpu_transport_work *w)
{
    const int vertex = w->next_vertex + 1, cell = w->next_cell + 1;
    tile_prefetch prefetch = prefetch_begin(params, t.i, prefetch_lines(t.i));
    prefetch_add(&prefetch, params, t.i, vertex, p->v1.in);
    prefetch_add(&prefetch, params, t.i, vertex, p->h.in);
    prefetch_add(&prefetch, params, t.i, cell, p->v2.in);
    if (t.panel == 0) { /* the first panel loads the metric terms of all */
        prefetch_add(&prefetch, params, t.i, vertex, params->metric12);
        prefetch_add(&prefetch, params, t.i, cell, params->metric22);
        prefetch_add(&prefetch, params, t.i, j + 1, params->metric11);
        prefetch_add(&prefetch, params, t.i, j + 1, params->inverse_jacobian);
    }
    if (p->h.y != p->h.in)
        prefetch_add(&prefetch, params, t.i, j + 1, p->h.y);
    prefetch_add(&prefetch, params, t.i, j + 1, p->substep < 3 ? p->h.out : p->h.y1);
    if (p->substep == 3)
        prefetch_add(&prefetch, params, t.i, j + 1, p->h.y2);
    prefetch_add(&prefetch, params, t.i, j + 1, p->coriolis);
    if (params->equations == SWE_NONLINEAR)
        prefetch_add(&prefetch, params, t.i, j + 1, p->bottom);
    return prefetch;
}

/* Row j in SIMD vectors. */
static void sweep_row_in_lanes(const swe_params *params, cpu_tile t, const transport_row *r,
                               const cpu_transport_substep *p, cpu_transport_work *w)
{
    tile_prefetch prefetch = transport_prefetch(params, t, r->j, p, w);
    transport_simd_here()(params, p->substep, p->weight, r, &prefetch);
    prefetch_end(&prefetch);
    w->next_vertex++;
    w->next_cell++;
}

static void transport_sweep_tile(const swe_params *params, cpu_tile t,
                                 const cpu_transport_substep *p, real *memory)
{
    cpu_transport_work w = cpu_transport_work_of(params->sbp.order, params->layout.n, t, memory);
    for (int j = t.j.first; j < t.j.last; j++) {
        const transport_row r = row_of(params, t, j, p, &w);
        if (simd_fit(params, j, &w))
            sweep_row_in_lanes(params, t, &r, p, &w);
        else
            sweep_row(params, t, &r, p, &w);
        if (params->equations == SWE_NONLINEAR)
            keep_edge_vorticity(params, t, j, r.vorticity, p->edge_vorticity);
    }
}

#endif
