#include "stages/contravariant/contravariant_cpu.h"
#include "stages/exchange.h"
#include "sweeps/simd/simd_rows_cpu.h"
#include "stages/stages.h"
#include "sweeps/transport/transport_rows.h"

/* A thread's rows are cut into strips, and a strip into neighbouring tiles. Means, cross terms,
 * fluxes, squares and shears exist only while a tile is processed, head and W only while a strip is
 * processed. After a strip the rows of v that it completes are computed. */

/* A substep and its fields, whole or at vertex (0, 0) of a block's panel. */
typedef struct cpu_transport_substep {
    int substep;
    real weight;
    rk4_arrays h, v1, v2;
    const real *bottom, *coriolis;
    transport_out stored; /* head and W for the stages after this one */
    real *edge_vorticity; /* whole */
    transport_buffer *buffer;
} cpu_transport_substep;

static cpu_transport_substep substep_at(const cpu_transport_substep *p, ptrdiff_t at)
{
    cpu_transport_substep moved = *p;
    moved.h = rk4_arrays_at(p->h, at);
    moved.v1 = rk4_arrays_at(p->v1, at);
    moved.v2 = rk4_arrays_at(p->v2, at);
    moved.bottom = p->bottom + at;
    moved.coriolis = p->coriolis + at;
    moved.stored = transport_out_at(p->stored, at);
    return moved;
}

/* ---- a tile: its buffers --------------------------------------------------------------------- */

/* Row buffers have the columns of the tile; row r is stored at index r - first. */
typedef struct cpu_transport_tile {
    real *mean1, *cross1;           /* row buffers of vertices */
    real *shear2, *square2, *flux2; /* row buffers of cells */
    real *lines;                    /* the first of them, at the tile's first column */
    int next_vertex, first_vertex;  /* rows: next to compute, first of the buffers */
    int next_cell, first_cell;
} cpu_transport_tile;

static cpu_transport_tile tile_begin(int order, const swe_params *params, cpu_tile t, real *scratch)
{
    cpu_transport_tile w;
    w.mean1 = scratch;
    w.cross1 = w.mean1 + TRANSPORT_BUFFER;
    w.shear2 = w.cross1 + TRANSPORT_BUFFER;
    w.square2 = w.shear2 + TRANSPORT_BUFFER;
    w.flux2 = w.square2 + TRANSPORT_BUFFER;
    w.lines = w.flux2 + TRANSPORT_BUFFER + TRANSPORT_LINE_BEFORE;
    w.first_cell = w.next_cell = tiles_first_cell(order, params, t.j.first);
    w.first_vertex = w.next_vertex = tiles_first_vertex(order, params, w.first_cell);
    return w;
}

static transport_row row_of(const swe_params *params, cpu_tile t, int j,
                            const cpu_transport_substep *p, const cpu_transport_tile *w)
{
    const ptrdiff_t at = j * params->layout.pitch + t.i.first, line = TRANSPORT_LINE;
    const ptrdiff_t metric = t.block.metric + at;
    const ptrdiff_t cell = (j - w->first_cell) * (ptrdiff_t)TRANSPORT_PITCH,
                    vertex = (j - w->first_vertex) * (ptrdiff_t)TRANSPORT_PITCH;
    const transport_row r = {.j = j,
                             .i = t.i,
                             .in_metric = metric,
                             .h = p->h.in + at,
                             .v1 = p->v1.in + at,
                             .v2 = p->v2.in + at,
                             .bottom = p->bottom + at,
                             .coriolis = p->coriolis + at,
                             .metric11 = params->metric11 + metric,
                             .metric12 = params->metric12 + metric,
                             .metric22 = params->metric22 + metric,
                             .inverse_jacobian = params->inverse_jacobian + metric,
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
                                 transport_out_at(transport_buffer_row(p->buffer, j), t.i.first)};
    return r;
}

/* ---- a row by one loop for each quantity: closures along xi2, and the first row of a tile ---- */

/* Means and cross terms of the next row of vertices. */
static void compute_vertex_row(const swe_params *params, cpu_tile t, const real *h, const real *v1,
                               const cpu_transport_tile *w)
{
    const ptrdiff_t at = w->next_vertex * params->layout.pitch + t.i.first;
    const ptrdiff_t in_buffer = (w->next_vertex - w->first_vertex) * (ptrdiff_t)TRANSPORT_PITCH;
    mean1_row(params, t.i, params->metric12 + t.block.metric + at, h + at, v1 + at,
              w->mean1 + in_buffer, w->cross1 + in_buffer);
}

/* F2, shear_2 and squares of the rows that vertex row j reads, each computed once. */
static void compute_along2(const swe_params *params, cpu_tile t, const cpu_transport_substep *p,
                           int j, cpu_transport_tile *w)
{
    const int order = params->sbp.order, columns = t.i.last - t.i.first;
    const real *h = p->h.in, *v1 = p->v1.in, *v2 = p->v2.in;
    for (; w->next_cell <= tiles_last_cell(order, params, j); w->next_cell++) {
        for (; w->next_vertex <= tiles_last_vertex(order, params, w->next_cell); w->next_vertex++)
            compute_vertex_row(params, t, h, v1, w);
        const ptrdiff_t at = w->next_cell * params->layout.pitch + t.i.first;
        const ptrdiff_t cell = (w->next_cell - w->first_cell) * (ptrdiff_t)TRANSPORT_PITCH,
                        vertex = (w->next_cell - w->first_vertex) * (ptrdiff_t)TRANSPORT_PITCH;
        const real *metric22 = params->metric22 + t.block.metric + at;
        swe_flux2_row(params, w->next_cell, columns, metric22, h + at, v2 + at, w->cross1 + vertex,
                      TRANSPORT_PITCH, w->flux2 + cell);
        if (params->physics.equations == SWE_NONLINEAR) {
            squares_row(columns, metric22, v2 + at, w->square2 + cell);
            shear2_row(params, w->next_cell, columns, w->mean1 + vertex, w->shear2 + cell);
        }
    }
}

/* F1, shear_1 and squares of the cells that the row reads. */
static void compute_along1(const swe_params *params, const transport_row *r)
{
    const int order = params->sbp.order;
    const rows_range cells = tiles_cells(order, params, r->i),
                     vertices = tiles_vertices(order, params, cells);
    const int cell = cells.first - r->i.first, vertex = vertices.first - r->i.first;
    mean2_row(params, r->j, vertices.last - vertices.first, r->metric12 + vertex, r->h + vertex,
              r->v2 + vertex, r->mean2 + vertex, r->cross2 + vertex);
    swe_flux1_row(params, cells, r->metric11 + cell, r->h + cell, r->v1 + cell, r->cross2 + cell,
                  r->flux1 + cell);
    if (params->physics.equations == SWE_NONLINEAR) {
        squares_row(cells.last - cells.first, r->metric11 + cell, r->v1 + cell, r->square1 + cell);
        shear1_row(params, cells, r->mean2 + cell, r->shear1 + cell);
    }
}

static void compute_row(const swe_params *params, cpu_tile t, const transport_row *r,
                        const cpu_transport_substep *p, cpu_transport_tile *w)
{
    compute_along2(params, t, p, r->j, w);
    compute_along1(params, r);
    fluxes_row(params, r);
    if (params->physics.equations == SWE_NONLINEAR) {
        vorticity_row(params, r);
        head_row(params, r);
    }
    pv_flux_row(params, r);
    update_row(p->substep, p->weight, r);
}

/* ---- a row in SIMD vectors ------------------------------------------------------------------- */

/* Whether SIMD vectors can compute row j: all rows that it reads are off the closures along xi2;
 * the inputs of the row before are computed; and one row follows the last row that it reads,
 * because vectors read beyond the end of a row. */
static int fits_simd(const swe_params *params, int j, const cpu_transport_tile *w)
{
    const int order = params->sbp.order, n = params->layout.n;
    const rows_interior vertices = rows_vertices(order, params), cells = rows_cells(order, params);
    const int cell = j + order / 2 - 1, vertex = j + order - 1; /* the next to compute */
    return simd_rows() != NULL && j >= vertices.first && j < vertices.last && cell >= cells.first &&
           cell < cells.last && vertex < n && w->next_cell == cell && w->next_vertex == vertex;
}

/* Add row j of the fields that a substep reads (stencils apart) and writes. */
static void prefetch_substep(tile_prefetch *prefetch, const swe_params *params, int substep,
                             rows_range columns, int j, rk4_arrays a)
{
    if (a.y != a.in)
        prefetch_add(prefetch, params, columns, j, a.y);
    prefetch_add(prefetch, params, columns, j, substep < 3 ? a.out : a.y1);
    if (substep == 3)
        prefetch_add(prefetch, params, columns, j, a.y2);
}

/* Prefetch the inputs of row j + 1. */
static tile_prefetch prefetch_row(const swe_params *params, cpu_tile t, int j,
                                  const cpu_transport_substep *p, const cpu_transport_tile *w)
{
    const int vertex = w->next_vertex + 1, cell = w->next_cell + 1;
    tile_prefetch prefetch = prefetch_begin(params, t.i, prefetch_lines(t.i));
    prefetch_add(&prefetch, params, t.i, vertex, p->v1.in);
    prefetch_add(&prefetch, params, t.i, vertex, p->h.in);
    prefetch_add(&prefetch, params, t.i, cell, p->v2.in);
    if (t.block.panel == t.block.first_panel) { /* metric terms are loaded for the first panel */
        const ptrdiff_t metric = t.block.metric;
        prefetch_add(&prefetch, params, t.i, vertex, params->metric12 + metric);
        prefetch_add(&prefetch, params, t.i, cell, params->metric22 + metric);
        prefetch_add(&prefetch, params, t.i, j + 1, params->metric11 + metric);
        prefetch_add(&prefetch, params, t.i, j + 1, params->inverse_jacobian + metric);
    }
    prefetch_substep(&prefetch, params, p->substep, t.i, j + 1, p->h);
    prefetch_add(&prefetch, params, t.i, j + 1, p->coriolis);
    if (params->physics.equations == SWE_NONLINEAR)
        prefetch_add(&prefetch, params, t.i, j + 1, p->bottom);
    return prefetch;
}

static void compute_row_in_simd(const swe_params *params, cpu_tile t, const transport_row *r,
                                const cpu_transport_substep *p, cpu_transport_tile *w)
{
    tile_prefetch prefetch = prefetch_row(params, t, r->j, p, w);
    simd_rows()->transport(params, p->substep, p->weight, r, &prefetch);
    prefetch_end(&prefetch);
    w->next_vertex++;
    w->next_cell++;
}

/* ---- a sweep over a tile --------------------------------------------------------------------- */

/* Store the panel's vorticity at shared points for flux_projection. */
static void store_edge_vorticity(const swe_params *params, cpu_tile t, int j, const real *vorticity,
                                 real *edge_vorticity)
{
    const int n = params->layout.n, along = j == 0 || j == n ? 1 : n; /* from one to the next */
    const bool are_blocks = params->decomposition != NULL;
    for (int i = along == 1 || t.i.first == 0 ? t.i.first : n; i < t.i.last; i += along)
        edge_vorticity[are_blocks ? t.block.at + j * params->layout.pitch + i
                                  : flux_projection_edge_at(n, t.block.panel, j, i)] =
            vorticity[i - t.i.first];
}

static void sweep_tile(const swe_params *params, cpu_tile t, const cpu_transport_substep *p,
                       real *scratch)
{
    cpu_transport_tile w = tile_begin(params->sbp.order, params, t, scratch);
    for (int j = t.j.first; j < t.j.last; j++) {
        const transport_row r = row_of(params, t, j, p, &w);
        if (fits_simd(params, j, &w))
            compute_row_in_simd(params, t, &r, p, &w);
        else
            compute_row(params, t, &r, p, &w);
        if (params->physics.equations == SWE_NONLINEAR)
            store_edge_vorticity(params, t, j, r.vorticity, p->edge_vorticity);
    }
}

/* ---- head and W for the stages after this one ------------------------------------------------ */

/* Copy a row of a field: its first and last `ends` values, or all. */
SWE_POINT void store_row(int is_whole, int ends, rows_range columns, const real *SWE_RESTRICT row,
                         real *SWE_RESTRICT field)
{
    if (is_whole) {
        rows_copy(columns.last - columns.first, row + columns.first, field + columns.first);
    } else {
        rows_copy(ends, row + columns.first, field + columns.first);
        rows_copy(ends, row + columns.last - ends, field + columns.last - ends);
    }
}

/* Store the values that later stages read: W1 on panel edges; W1 and the head where closures along
 * rows read them; W2 and the head where closures along columns read them; whole rows of W2 and the
 * head next to another thread's rows, where interior operators read them; and the values that other
 * blocks, and columns next to other blocks, read. */
SWE_POINT void store_strip_of(int order, int is_cut, const swe_params *params,
                              const swe_block *block, rows_range strip,
                              const cpu_transport_substep *p)
{
    const int n = params->layout.n, columns = sbp_columns(order);
    const int ends = is_cut ? 2 * ROWS_LINE : columns, ends2 = is_cut ? ends : 1;
    const rows_range share = threads_share_of(block->j);
    for (int j = strip.first; j < strip.last; j++) {
        const transport_out row = transport_buffer_row(p->buffer, j);
        const transport_out stored = transport_out_at(p->stored, j * params->layout.pitch);
        const int is_end = j < share.first + columns || j >= share.last - columns;
        if (p->buffer->has_head)
            store_row(is_end, ends, block->i, row.head, stored.head);
        store_row(j == 0 || j == n, ends, block->i, row.pv_flux1, stored.pv_flux1);
        store_row(is_end, ends2, block->i, row.pv_flux2, stored.pv_flux2);
    }
}

SWE_CLONES
static void store_strip(const swe_params *params, const swe_block *block, rows_range strip,
                        const cpu_transport_substep *p)
{
    const int is_cut = block->i.first > 0 || block->i.last <= params->layout.n;
    if (is_cut)
        SWE_WITH_ORDER(params->sbp.order, store_strip_of(ORDER, 1, params, block, strip, p));
    else
        SWE_WITH_ORDER(params->sbp.order, store_strip_of(ORDER, 0, params, block, strip, p));
}

/* ---- v of inner cells ------------------------------------------------------------------------ */

/* Row j of the row buffer and of the substep's arrays of v1, and of v2; in the linear equations h
 * is the head. */
static const real *head_of(const swe_params *params, int j, const cpu_transport_substep *p)
{
    return p->buffer->has_head ? transport_buffer_row(p->buffer, j).head
                               : p->h.in + j * params->layout.pitch;
}

static momentum_row row1_of(const swe_params *params, int j, const cpu_transport_substep *p)
{
    const momentum_row row = {head_of(params, j, p), transport_buffer_row(p->buffer, j).pv_flux1,
                              rk4_arrays_at(p->v1, j * params->layout.pitch)};
    return row;
}

static momentum_row row2_of(const swe_params *params, int j, const cpu_transport_substep *p)
{
    const momentum_row row = {head_of(params, j, p), transport_buffer_row(p->buffer, j).pv_flux2,
                              rk4_arrays_at(p->v2, j * params->layout.pitch)};
    return row;
}

/* Compute v of the inner cells that the rows of a strip complete. */
static void compute_inner_cells(const swe_params *params, const swe_block *block, rows_range strip,
                                const cpu_transport_substep *p)
{
    const int order = params->sbp.order, n = params->layout.n;
    const rows_range all = tiles_inner_columns(n, block);
    const momentum_tile inner = swe_momentum_inner(params, all, threads_share_of(block->j), n + 1);
    int count;
    for (int j = strip.first; j < strip.last; j += count) {
        const int cell = j - order / 2; /* the last row of v2 that reads row j */
        const momentum_row row1 = row1_of(params, j, p), row2 = row2_of(params, cell, p);
        tile_prefetch prefetch = prefetch_begin(params, all, prefetch_lines(all));
        count = j + 1 < strip.last ? 2 : 1;
        for (int next = count; next < 2 * count; next++) {
            prefetch_substep(&prefetch, params, p->substep, all, j + next, p->v1);
            prefetch_substep(&prefetch, params, p->substep, all, cell + next, p->v2);
        }
        swe_momentum_rows(params, p->substep, p->weight, &inner, count, j, &row1, cell, &row2,
                          &prefetch);
        prefetch_end(&prefetch);
    }
}

/* ---- the stage ------------------------------------------------------------------------------- */

static void sweep_strip(const swe_params *params, const tiles_cut *cut, const swe_block *block,
                        int strip, const cpu_transport_substep *p, real *scratch)
{
    const rows_range rows = tiles_at(cut, block, strip * cut->columns).j;
    transport_buffer_begin(p->buffer, block, rows.first);
    for (int column = 0; column < cut->columns; column++)
        sweep_tile(params, tiles_at(cut, block, strip * cut->columns + column), p, scratch);
    store_strip(params, block, rows, p);
    compute_inner_cells(params, block, rows, p);
    transport_buffer_end(p->buffer, block->panel, rows.last);
}

/* A thread's strips of a part, panel by panel: the panels share metric terms. */
static void sweep_part(const swe_params *params, int part, const cpu_transport_substep *whole,
                       real *scratch)
{
    const swe_block first = threads_block(params, threads_panels(params, part).first, part);
    const tiles_cut cut = tiles_cut_of(&first, CPU_TILE_NARROW, TRANSPORT_STRIP_J);
    const rows_range strips = threads_share(cut.rows);
    for (int strip = strips.first; strip < strips.last; strip++)
        FOR_PANELS(params, part, panel, {
            const swe_block block = threads_block(params, panel, part);
            const cpu_transport_substep p = substep_at(whole, block.at);
            sweep_strip(params, &cut, &block, strip, &p, scratch);
        })
}

static void sweep(const swe_params *params, const cpu_transport_substep *whole, real *scratch)
{
    for (int part = 0; part < threads_parts(params); part++)
        sweep_part(params, part, whole, scratch);
}

void swe_transport_cpu(const swe_execution *execution, const swe_params *params, int substep,
                       real weight, real *y, real *next, real *head, real *pv_flux1, real *pv_flux2,
                       real *edge_vorticity)
{
    const ptrdiff_t field = params->layout.field;
    const rk4_arrays arrays = rk4_arrays_of(params, substep, y, next);
    real *scratch = threads_scratch(params, transport_scratch_size(params));
    transport_buffer buffer = transport_buffer_of(params, scratch + transport_tile_size);
    const cpu_transport_substep whole = {.substep = rk4_fused_update(params, substep),
                                         .weight = weight,
                                         .h = arrays,
                                         .v1 = rk4_arrays_at(arrays, field),
                                         .v2 = rk4_arrays_at(arrays, 2 * field),
                                         .bottom = params->bottom,
                                         .coriolis = params->coriolis,
                                         .stored = {head, pv_flux1, pv_flux2},
                                         .edge_vorticity = edge_vorticity,
                                         .buffer = &buffer};
    thread_begin(execution);
    sweep(params, &whole, scratch);
    thread_end(execution);
    if (params->physics.equations == SWE_NONLINEAR)
        EXCHANGE(cpu, execution, params, EXCHANGE_BOTH(arrays.out), EXCHANGE_BOTH(pv_flux1),
                 EXCHANGE_BOTH(pv_flux2), EXCHANGE_BOTH(head), EXCHANGE_BOTH(edge_vorticity));
    else
        EXCHANGE(cpu, execution, params, EXCHANGE_BOTH(arrays.out), EXCHANGE_BOTH(pv_flux1),
                 EXCHANGE_BOTH(pv_flux2));
}
