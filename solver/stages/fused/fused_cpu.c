#include "fields/fields.h"
#include "stages/contravariant/contravariant_cpu.h"
#include "stages/divergence/divergence_point.h"
#include "stages/exchange.h"
#include "stages/simd_rows_cpu.h"
#include "stages/stages.h"

/* One sweep over the rows of a tile computes one substep or, of a state that exceeds the caches,
 * two (temporal blocking): substeps 0 and 1, then 2 and 3. Behind each row of the first substep
 * follow the rows of the second that it completes:
 *
 *     h     reads v of the first substep alone: all rows but those next to another thread's
 *     v     reads h of the first substep: inner cells (momentum_cpu.h)
 *
 * Rows of h next to another thread's follow after a barrier; the rest of v follows when projection
 * has averaged h of the first substep. h of substep 3 uses Y3 before its projection: the substep is
 * linear in Y3, and its own projection gives the same result. */

/* A substep and its arrays at the first value of h, v1 and v2, or at vertex (0, 0) of a block's
 * panel. */
typedef struct fused_substep {
    int substep;
    real weight;
    rk4_arrays h, v1, v2;
} fused_substep;

static fused_substep substep_of(const swe_params *params, int substep, real weight, real *y,
                                real *next)
{
    const ptrdiff_t field = params->layout.field;
    const rk4_arrays a = rk4_arrays_of(params, substep, y, next);
    const fused_substep p = {substep, weight, a, rk4_arrays_at(a, field),
                             rk4_arrays_at(a, 2 * field)};
    return p;
}

static fused_substep substep_at(const fused_substep *whole, const swe_block *block)
{
    const ptrdiff_t at = block->at;
    const fused_substep p = {whole->substep, whole->weight, rk4_arrays_at(whole->h, at),
                             rk4_arrays_at(whole->v1, at), rk4_arrays_at(whole->v2, at)};
    return p;
}

/* ---- h --------------------------------------------------------------------------------------- */

SWE_POINT void h_row_of(int order, sbp_region where_j, int substep,
                        const swe_params *SWE_RESTRICT params, real weight, rows_range vertices,
                        int j, const real *SWE_RESTRICT inverse_jacobian,
                        const real *SWE_RESTRICT flux1, const real *SWE_RESTRICT flux2,
                        rk4_arrays a)
{
    ROWS_ALONG(
        vertices, rows_vertices(order, params),
        rk4_point(substep, weight,
                  divergence_point(DIVERGENCE_WEAK, order, where, where_j, params, j, i,
                                   inverse_jacobian[k], flux1 + k, flux2 + k, CPU_TILE_PITCH),
                  rk4_arrays_at(a, k)));
}

SWE_CLONES
static void h_row(const swe_params *SWE_RESTRICT params, int substep, real weight,
                  rows_range vertices, int j, const real *inverse_jacobian, const real *flux1,
                  const real *flux2, const rk4_arrays *a)
{
    RK4_WITH_SUBSTEP(
        substep,
        SWE_WITH_ORDER(params->sbp.order,
                       ROWS_AT_VERTEX(ORDER, params, j,
                                      h_row_of(ORDER, (sbp_region)REGION, SUBSTEP, params, weight,
                                               vertices, j, inverse_jacobian, flux1, flux2, *a))));
}

/* Whether SIMD vectors can compute rows j and j + 1 of h: all rows that they read are off the
 * closures along xi2; the fluxes of the row before are computed; and one readable row (of `rows`)
 * follows the last row that they read, because vectors read beyond the end of a row. */
static inline int fits_two_rows(int order, const swe_params *params, cpu_tile t, int j, int rows,
                                const cpu_flux_tile *w)
{
    const int n = params->layout.n;
    const rows_interior vertices = rows_vertices(order, params), cells = rows_cells(order, params);
    const int cell = j + order / 2 - 1, vertex = j + order - 1; /* the next to compute */
    return simd_rows() != NULL && simd_rows_fit(order, n, t.i) && j >= vertices.first &&
           j + 1 < vertices.last && cell >= cells.first && cell + 1 < cells.last &&
           vertex + 2 < rows && w->next_flux2 == cell && w->next_cross1 == vertex;
}

static inline void compute_two_h(const swe_params *params, const fused_substep *p, cpu_tile t,
                                 int j, cpu_flux_tile *w, tile_prefetch *prefetch)
{
    const ptrdiff_t at = j * params->layout.pitch + t.i.first, line = CPU_TILE_PITCH;
    const ptrdiff_t metric = tiles_metric_at(params, t, j);
    swe_flux_tile_reserve(params, t, j, 2, w);
    const simd_h rows = {
        .tile = t,
        .v1 = p->v1.in + at,
        .v2 = p->v2.in + at,
        .metric11 = params->metric11 + metric,
        .metric12 = params->metric12 + metric,
        .metric22 = params->metric22 + metric,
        .inverse_jacobian = params->inverse_jacobian + metric,
        .h = rk4_arrays_at(p->h, at),
        .cross1 = w->cross1 + (j - w->first_cross1) * line,
        .flux2 = w->flux2 + (j - w->first_flux2) * line,
        .cross2 = {w->cross2, w->cross2 + line},
        .flux1 = {w->flux1, w->flux1 + line},
    };
    simd_rows()->h(params, p->substep, p->weight, &rows, j, prefetch);
    w->next_cross1 += 2;
    w->next_flux2 += 2;
}

/* `count` (1 or 2) rows of h of a tile from j on; rows come in order. */
static inline void compute_h(const swe_params *params, const fused_substep *p, cpu_tile t,
                             int count, int j, cpu_flux_tile *w, tile_prefetch *prefetch)
{
    if (count == 2) {
        compute_two_h(params, p, t, j, w, prefetch);
        return;
    }
    const ptrdiff_t at = j * params->layout.pitch + t.i.first;
    const rk4_arrays a = rk4_arrays_at(p->h, at);
    swe_flux_tile_compute(params, t, p->h.in, p->v1.in, p->v2.in, j, w, prefetch);
    h_row(params, p->substep, p->weight, t.i, j,
          params->inverse_jacobian + tiles_metric_at(params, t, j), flux_tile_1(w, t),
          flux_tile_2(w, j), &a);
}

/* ---- v --------------------------------------------------------------------------------------- */

/* Row j of one component of a panel; h is the head. */
static inline momentum_row row_of(const swe_params *params, const real *h, const rk4_arrays *v,
                                  int j)
{
    const ptrdiff_t at = j * params->layout.pitch;
    const momentum_row row = {h + at, h + at, rk4_arrays_at(*v, at)};
    return row;
}

/* `count` rows of v1 from j on, and of v2 from `cell` on. */
static inline void compute_v(const swe_params *params, const fused_substep *p,
                             const momentum_tile *t, int count, int j, int cell,
                             tile_prefetch *prefetch)
{
    const momentum_row row1 = row_of(params, p->h.in, &p->v1, j),
                       row2 = row_of(params, p->h.in, &p->v2, cell);
    swe_momentum_rows(params, p->substep, p->weight, t, count, j, &row1, cell, &row2, prefetch);
}

/* ---- a sweep over a tile --------------------------------------------------------------------- */

/* A substep on a tile. The tile of the second substep is shifted one cache line west, and lags by
 * as many rows as the operators reach. */
typedef struct substep_tile {
    const fused_substep *p;
    cpu_tile h;      /* vertices of h */
    cpu_flux_tile w; /* their fluxes */
    int next;        /* next row of h */
    int end;         /* end of the rows that this thread may read */
    momentum_tile v;
} substep_tile;

static substep_tile first_tile(const swe_params *params, cpu_tile t, const fused_substep *p,
                               real *scratch)
{
    const int n = params->layout.n;
    const rows_range cells = {0, n}, vertices = {0, n + 1};
    const substep_tile first = {.p = p,
                                .h = t,
                                .w = swe_flux_tile_begin(params, t, scratch),
                                .next = t.j.first,
                                .end = n + 1,
                                .v = {.cells = rows_within(t.i, cells),
                                      .rows1 = vertices,
                                      .vertices = t.i,
                                      .rows2 = cells,
                                      .end = n + 1}};
    return first;
}

/* The tile of the second substep that belongs to tile t of the first. */
static substep_tile second_tile(const swe_params *params, cpu_tile t, const fused_substep *q,
                                real *scratch)
{
    const int order = params->sbp.order, n = params->layout.n;
    const rows_range share = threads_share_of(t.block.j);
    const rows_range before = {share.first, t.j.first}, now = {share.first, t.j.last};
    const rows_range computed = tiles_inner_of_fluxes(order, params, before),
                     complete = tiles_inner_of_fluxes(order, params, now);
    t.j.first = computed.last > complete.first ? computed.last : complete.first;
    t.j.last = complete.last;
    t.i = tiles_behind(n, &t.block, t.i);
    const substep_tile second = {.p = q,
                                 .h = t,
                                 .w = swe_flux_tile_begin(params, t, scratch),
                                 .next = t.j.first,
                                 .end = share.last,
                                 .v = swe_momentum_inner(params, t.i, share, share.last)};
    return second;
}

/* Row j of the fields that the first substep reads (stencils apart) and writes. */
static void prefetch_first(tile_prefetch *prefetch, const swe_params *params, rows_range columns,
                           int j, rk4_arrays a)
{
    if (a.y != a.in)
        prefetch_add(prefetch, params, columns, j, a.y);
    prefetch_add(prefetch, params, columns, j, a.out);
}

/* Row j of the fields that only the second substep uses: substep 1 writes Y2, substep 3 reads
 * Y1. */
static void prefetch_second(tile_prefetch *prefetch, const swe_params *params,
                            const fused_substep *q, rows_range columns, int j, rk4_arrays a)
{
    prefetch_add(prefetch, params, columns, j, q->substep == 3 ? a.y1 : a.out);
}

/* Prefetch the inputs of row j + by of the first substep, and the rows of the second substep that
 * it completes, while `rows` rows are computed. A sweep of one substep has nothing to prefetch: the
 * caches hold the state. */
static tile_prefetch sweep_prefetch(const swe_params *params, const substep_tile *first,
                                    const substep_tile *second, int j, int by, int rows)
{
    enum { ROW_LOOPS = 4 }; /* loops of one row that issue a step */
    if (second == NULL)
        return no_prefetch();
    const int order = params->sbp.order;
    const rows_range i = first->h.i;
    const fused_substep *p = first->p, *q = second->p;
    tile_prefetch prefetch =
        prefetch_begin(params, i, rows == 2 ? 2 * prefetch_lines(i) : ROW_LOOPS);
    swe_flux_tile_prefetch(params, first->h, p->h.in, p->v1.in, p->v2.in, j, by, &first->w,
                           &prefetch);
    prefetch_add(&prefetch, params, i, j + by + order / 2, p->h.in);
    prefetch_first(&prefetch, params, i, j + by, p->h);
    prefetch_first(&prefetch, params, i, j + by, p->v1);
    prefetch_first(&prefetch, params, i, j + by, p->v2);
    prefetch_second(&prefetch, params, q, i, second->next + by, q->h);
    prefetch_second(&prefetch, params, q, i, j + by, q->v1);
    prefetch_second(&prefetch, params, q, i, j + by - order / 2, q->v2);
    return prefetch;
}

/* Whether the rows of the first substep up to j complete row `next` of h of the second. */
static int completes(const swe_params *params, const substep_tile *second, int next, int j)
{
    const int order = params->sbp.order;
    return next < second->h.j.last &&
           tiles_last_vertex(order, params, tiles_last_cell(order, params, next)) <= j;
}

/* The rows of the second substep that rows j to j + rows - 1 of the first complete. */
static void compute_second(const swe_params *params, substep_tile *second, int rows, int j,
                           tile_prefetch *prefetch)
{
    const int order = params->sbp.order, last = j + rows - 1;
    while (completes(params, second, second->next, last)) {
        const int next = second->next;
        const int count =
            completes(params, second, next + 1, last) &&
                    fits_two_rows(order, params, second->h, next, second->end, &second->w)
                ? 2
                : 1;
        compute_h(params, second->p, second->h, count, next, &second->w, prefetch);
        second->next += count;
    }
    /* j - order / 2: the last row of v2 that reads row j */
    compute_v(params, second->p, &second->v, rows, j, j - order / 2, prefetch);
}

/* One substep, or two where `second` is not NULL, on a tile. */
static void sweep_tile(const swe_params *params, substep_tile *first, substep_tile *second)
{
    const int order = params->sbp.order;
    const rows_range j_range = first->h.j;
    int rows;
    for (int j = j_range.first; j < j_range.last; j += rows) {
        rows =
            j + 1 < j_range.last && fits_two_rows(order, params, first->h, j, first->end, &first->w)
                ? 2
                : 1;
        tile_prefetch prefetch = sweep_prefetch(params, first, second, j, rows, rows),
                      more = no_prefetch();
        if (rows == 2) /* the second row that follows */
            more = sweep_prefetch(params, first, second, j, rows + 1, rows);
        compute_h(params, first->p, first->h, rows, j, &first->w, &prefetch);
        compute_v(params, first->p, &first->v, rows, j, j, &prefetch);
        prefetch_end(&prefetch);
        if (second != NULL)
            compute_second(params, second, rows, j, &more);
        prefetch_end(&more);
    }
}

/* ---- the stage ------------------------------------------------------------------------------- */

/* Sweep a thread's tiles by one substep, or by two where `second` is not NULL. */
static void sweep(const swe_execution *execution, const swe_params *params,
                  const fused_substep *first, const fused_substep *second, real *scratch)
{
    thread_begin(execution);
    FOR_THREAD_TILES(params, FLUX_TILE_J, t, {
        const fused_substep p = substep_at(first, &t.block);
        substep_tile first_of_tile = first_tile(params, t, &p, scratch);
        if (second == NULL) {
            sweep_tile(params, &first_of_tile, NULL);
        } else {
            const fused_substep q = substep_at(second, &t.block);
            substep_tile second_of_tile = second_tile(params, t, &q, scratch + flux_tile_size);
            sweep_tile(params, &first_of_tile, &second_of_tile);
        }
    });
    thread_end(execution);
}

/* h in some rows and columns of a block. */
static void compute_h_at(const swe_params *params, swe_block block, rows_range rows,
                         rows_range columns, const fused_substep *q, real *scratch)
{
    tile_prefetch none = no_prefetch();
    block.i = columns;
    const tiles_cut cut = tiles_cut_of(&block, params->tile_columns, FLUX_TILE_J);
    for (int column = 0; column < cut.columns && rows.first < rows.last; column++) {
        cpu_tile t = tiles_at(&cut, &block, column);
        t.j = rows;
        cpu_flux_tile w = swe_flux_tile_begin(params, t, scratch);
        for (int j = rows.first; j < rows.last; j++)
            compute_h(params, q, t, 1, j, &w, &none);
    }
}

/* h of the second substep next to other threads' rows and other blocks' columns. */
static void compute_boundary(const swe_execution *execution, const swe_params *params,
                             const fused_substep *second, real *scratch)
{
    const int n = params->layout.n;
    thread_begin(execution);
    FOR_BLOCKS(params, b, {
        const rows_range share = threads_share_of(b.j),
                         inner = tiles_inner_of_fluxes(params->sbp.order, params, share),
                         columns = tiles_inner_columns(n, &b);
        const rows_range low = {share.first, inner.first}, high = {inner.last, share.last};
        const rows_range west = {b.i.first, columns.first}, east = {columns.last, b.i.last};
        const fused_substep q = substep_at(second, &b);
        compute_h_at(params, b, low, b.i, &q, scratch);
        compute_h_at(params, b, high, b.i, &q, scratch);
        compute_h_at(params, b, inner, west, &q, scratch);
        compute_h_at(params, b, inner, east, &q, scratch);
    })
    thread_end(execution);
}

/* The rest of v of the second substep. */
static void compute_rest(const swe_execution *execution, const swe_params *params,
                         const fused_substep *second)
{
    thread_begin(execution);
    FOR_BLOCKS(params, b, {
        const fused_substep q = substep_at(second, &b);
        const momentum_row panel1 = row_of(params, q.h.in, &q.v1, 0),
                           panel2 = row_of(params, q.h.in, &q.v2, 0);
        swe_momentum_rest(params, q.substep, q.weight, &b, &panel1, &panel2);
    })
    thread_end(execution);
}

void swe_fused_cpu(const swe_execution *execution, const swe_params *params, int substep,
                   real weight, real next_weight, real *y, real *next)
{
    const fused_substep p = substep_of(params, substep, weight, y, next);
    real *scratch = threads_scratch(params, FLUX_TILES * flux_tile_size);
    if (!params->exceeds_cache) {
        sweep(execution, params, &p, NULL, scratch);
    } else if (substep % 2 == 0) {
        const fused_substep q = substep_of(params, substep + 1, next_weight, y, next);
        sweep(execution, params, &p, &q, scratch);
        EXCHANGE(cpu, execution, params, EXCHANGE_BOTH(p.h.out), EXCHANGE_GHOSTS(p.v1.out),
                 EXCHANGE_GHOSTS(p.v2.out));
        compute_boundary(execution, params, &q, scratch);
        threads_wait(execution); /* the next call completes v of the second substep */
        return;
    } else {
        compute_rest(execution, params, &p);
    }
    EXCHANGE(cpu, execution, params, EXCHANGE_BOTH(p.h.out), EXCHANGE_GHOSTS(p.v1.out),
             EXCHANGE_GHOSTS(p.v2.out));
}
