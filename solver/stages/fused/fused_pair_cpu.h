/* Two substeps in one sweep on the CPU (temporal blocking), for states that exceed the caches:
 * substeps 0 and 1, then 2 and 3. Behind each row of the first substep the sweep computes the rows
 * of the second that it completes:
 *
 *     h     reads v of the first substep alone: all rows but those next to another thread's
 *     v     reads h of the first substep: inner cells, whose operators read no shared point
 *           and no row of another thread
 *
 * Rows next to another thread's follow after a barrier; the rest of v follows when projection has
 * averaged h of the first substep. h of substep 3 uses Y3 before its projection: the substep is
 * linear in Y3, and its own projection gives the same result. */
#ifndef SWE_STAGES_FUSED_PAIR_CPU_H
#define SWE_STAGES_FUSED_PAIR_CPU_H

#include "stages/fused/fused_substep_cpu.h"

/* A tile of both substeps: the second's is shifted one cache line west, and lags by as many rows as
 * the operators reach. */
typedef struct pair_tile {
    cpu_tile first, second;    /* of h */
    cpu_flux_tile w1, w2;      /* their fluxes */
    rows_range cells;          /* columns of v1 of the first substep */
    rows_range inner_cells;    /* columns of v1 of the second substep */
    rows_range inner_vertices; /* columns of v2 of the second substep, */
    rows_range inner_rows;     /* and its rows, for all tiles */
    int rows;                  /* end of the rows of the second substep that this thread may read */
    int next;                  /* next row of h of the second substep */
} pair_tile;

/* The tile of the second substep that belongs to tile t of the first. */
static inline cpu_tile pair_second(int order, int n, cpu_tile t)
{
    const rows_range own = threads_piece(n + 1);
    const rows_range before = {own.first, t.j.first}, now = {own.first, t.j.last};
    const rows_range made = tiles_inner_of_fluxes(order, n, before),
                     ready = tiles_inner_of_fluxes(order, n, now);
    t.j.first = made.last > ready.first ? made.last : ready.first;
    t.j.last = ready.last;
    t.i = tiles_behind(n, t.i);
    return t;
}

static pair_tile pair_tile_of(const swe_params *params, cpu_tile t, real *memory)
{
    const int order = params->sbp.order, n = params->layout.n;
    const rows_range cells = {0, n}, off_edges = {1, n};
    pair_tile p;
    p.first = t;
    p.second = pair_second(order, n, t);
    p.w1 = swe_flux_tile_begin(params, p.first, memory);
    p.w2 = swe_flux_tile_begin(params, p.second, memory + flux_tile_size);
    p.cells = rows_within(t.i, cells);
    p.inner_cells = rows_within(p.second.i, rows_cells(order, n));
    p.inner_vertices = rows_within(p.second.i, off_edges);
    p.inner_rows = tiles_inner(order, n, threads_piece(n + 1));
    p.rows = threads_piece(n + 1).last;
    p.next = p.second.j.first;
    return p;
}

/* Row j of the fields that the first substep reads (stencils apart) and writes. */
SWE_POINT void pair_add_first(tile_prefetch *prefetch, const swe_params *params, rows_range columns,
                              int j, rk4_arrays a)
{
    if (a.y != a.in)
        prefetch_add(prefetch, params, columns, j, a.y);
    prefetch_add(prefetch, params, columns, j, a.out);
}

/* Row j of the fields that only the second substep uses: substep 1 writes Y2, substep 3 reads
 * Y1. */
SWE_POINT void pair_add_second(tile_prefetch *prefetch, const swe_params *params,
                               const fused_substep *second, rows_range columns, int j, rk4_arrays a)
{
    prefetch_add(prefetch, params, columns, j, second->substep == 3 ? a.y1 : a.out);
}

/* Prefetch the inputs of row j + by, and the rows of the second substep that it completes, spread
 * out over the computation of `rows` rows. */
static tile_prefetch pair_prefetch(const swe_params *params, const pair_tile *t, int j, int by,
                                   int rows, const fused_substep *p, const fused_substep *q)
{
    enum { PAIR_LOOPS = 16 }; /* over a row of both substeps */
    const int order = params->sbp.order;
    const rows_range i = t->first.i;
    tile_prefetch prefetch =
        prefetch_begin(params, i, rows == 2 ? 2 * prefetch_lines(i) : PAIR_LOOPS);
    swe_flux_tile_prefetch(params, t->first, p->h.in, p->v1.in, p->v2.in, j, by, &t->w1, &prefetch);
    prefetch_add(&prefetch, params, i, j + by + order / 2, p->h.in);
    pair_add_first(&prefetch, params, i, j + by, p->h);
    pair_add_first(&prefetch, params, i, j + by, p->v1);
    pair_add_first(&prefetch, params, i, j + by, p->v2);
    pair_add_second(&prefetch, params, q, i, t->next + by, q->h);
    pair_add_second(&prefetch, params, q, i, j + by, q->v1);
    pair_add_second(&prefetch, params, q, i, j + by - order / 2, q->v2);
    return prefetch;
}

/* ---- the first substep: row j, or rows j and j + 1 ------------------------------------------- */

static void pair_first_row(const swe_params *params, pair_tile *t, int j, const fused_substep *p,
                           tile_prefetch *prefetch)
{
    fused_make_h(params, p, t->first, j, &t->w1, prefetch);
    prefetch_ask(prefetch);
    fused_make_v1(params, p, t->cells, j);
    prefetch_ask(prefetch);
    if (j < params->layout.n)
        fused_make_v2(params, p, t->first.i, j);
    prefetch_ask(prefetch);
}

static void pair_first_rows(const swe_params *params, pair_tile *t, int j, const fused_substep *p,
                            tile_prefetch *prefetch)
{
    fused_make_two_h(params, p, t->first, j, &t->w1, prefetch);
    fused_make_two_v(params, p, t->cells, j, t->first.i, j, prefetch);
}

/* ---- the second substep: what row j of the first completes, or rows j and j + 1 -------------- */

/* Whether the rows of the first substep up to j complete row `next` of h. */
static inline int pair_completes(const swe_params *params, const pair_tile *t, int next, int j)
{
    const int order = params->sbp.order, n = params->layout.n;
    return next < t->second.j.last &&
           fused_last_vertex(order, n, fused_last_cell(order, n, next)) <= j;
}

static void pair_second_h(const swe_params *params, pair_tile *t, int j, const fused_substep *q,
                          tile_prefetch *prefetch)
{
    while (pair_completes(params, t, t->next, j)) {
        if (pair_completes(params, t, t->next + 1, j) &&
            fused_two_h_fit(params->sbp.order, params->layout.n, t->next, t->rows, &t->w2)) {
            fused_make_two_h(params, q, t->second, t->next, &t->w2, prefetch);
            t->next += 2;
        } else {
            fused_make_h(params, q, t->second, t->next++, &t->w2, prefetch);
        }
    }
    prefetch_ask(prefetch);
}

static void pair_second_v(const swe_params *params, pair_tile *t, int j, const fused_substep *q,
                          tile_prefetch *prefetch)
{
    const int order = params->sbp.order, n = params->layout.n;
    if (j > 0 && j < n)
        fused_make_v1(params, q, t->inner_cells, j);
    prefetch_ask(prefetch);
    const int cell = j - order / 2; /* the last row that reads row j */
    if (cell >= t->inner_rows.first && cell < t->inner_rows.last)
        fused_make_v2(params, q, t->inner_vertices, cell);
}

static void pair_second_two_v(const swe_params *params, pair_tile *t, int j, const fused_substep *q,
                              tile_prefetch *prefetch)
{
    const int order = params->sbp.order, n = params->layout.n, cell = j - order / 2;
    if (j > 0 && j + 1 < n && cell >= t->inner_rows.first && cell + 1 < t->inner_rows.last &&
        fused_two_v2_fit(order, n, cell, t->rows)) {
        fused_make_two_v(params, q, t->inner_cells, j, t->inner_vertices, cell, prefetch);
    } else {
        pair_second_v(params, t, j, q, prefetch);
        pair_second_v(params, t, j + 1, q, prefetch);
    }
}

/* Substeps p and q on tile t of p. */
static void pair_sweep_tile(const swe_params *params, cpu_tile t, const fused_substep *p,
                            const fused_substep *q, real *memory)
{
    const int order = params->sbp.order, n = params->layout.n;
    pair_tile pair = pair_tile_of(params, t, memory);
    int rows;
    for (int j = t.j.first; j < t.j.last; j += rows) {
        rows = j + 1 < t.j.last && fused_two_h_fit(order, n, j, n + 1, &pair.w1) &&
                       fused_two_v2_fit(order, n, j, n + 1)
                   ? 2
                   : 1;
        tile_prefetch prefetch = pair_prefetch(params, &pair, j, rows, rows, p, q);
        if (rows == 2) {
            tile_prefetch more = pair_prefetch(params, &pair, j, rows + 1, rows, p, q);
            pair_first_rows(params, &pair, j, p, &prefetch);
            prefetch_end(&prefetch);
            pair_second_h(params, &pair, j + 1, q, &more);
            pair_second_two_v(params, &pair, j, q, &more);
            prefetch_end(&more);
        } else {
            pair_first_row(params, &pair, j, p, &prefetch);
            pair_second_h(params, &pair, j, q, &prefetch);
            pair_second_v(params, &pair, j, q, &prefetch);
            prefetch_end(&prefetch);
        }
    }
}

/* h of the second substep in some rows of a panel. */
static void pair_make_h(const swe_params *params, int panel, rows_range rows,
                        const fused_substep *q, real *memory)
{
    const tiles_cut cut = tiles_cut_of(params->layout.n, params->tile_columns, FLUX_TILE_J);
    tile_prefetch nothing = prefetch_nothing();
    for (int column = 0; column < cut.columns && rows.first < rows.last; column++) {
        cpu_tile t = tiles_at(cut, panel, column);
        t.j = rows;
        cpu_flux_tile w = swe_flux_tile_begin(params, t, memory);
        for (int j = rows.first; j < rows.last; j++)
            fused_make_h(params, q, t, j, &w, &nothing);
    }
}

/* h of the second substep next to other threads' rows. */
static void pair_make_borders(const swe_params *params, const fused_substep *second, real *memory)
{
    const int n = params->layout.n;
    const rows_range own = threads_piece(n + 1),
                     inner = tiles_inner_of_fluxes(params->sbp.order, n, own);
    const rows_range low = {own.first, inner.first}, high = {inner.last, own.last};
    for (int panel = 0; panel < SWE_PANELS; panel++) {
        const fused_substep q = fused_substep_at(second, panel, params);
        pair_make_h(params, panel, low, &q, memory);
        pair_make_h(params, panel, high, &q, memory);
    }
}

/* The rest of v of the second substep: closures, panel edges, rows next to other threads'. */
static void pair_finish(const swe_params *params, const fused_substep *second)
{
    const int order = params->sbp.order, n = params->layout.n, closed = sbp_cell_rows(order);
    const rows_range own = threads_piece(n + 1), inner = tiles_inner(order, n, own);
    const rows_range west_cells = {0, closed}, east_cells = {n - closed, n}, cells = {0, n};
    const rows_range west = {0, 1}, east = {n, n + 1}, vertices = {0, n + 1};
    for (int j = own.first; j < own.last; j++) {
        if (j == 0 || j == n) {
            fused_make_v1(params, second, cells, j);
        } else {
            fused_make_v1(params, second, west_cells, j);
            fused_make_v1(params, second, east_cells, j);
        }
        if (j >= inner.first && j < inner.last) {
            fused_make_v2(params, second, west, j);
            fused_make_v2(params, second, east, j);
        } else if (j < n) {
            fused_make_v2(params, second, vertices, j);
        }
    }
}

#endif
