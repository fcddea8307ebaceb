#include "sweeps/fused/fused_cpu.h"

#include "stages/contravariant/contravariant_cpu.h"
#include "stages/divergence/divergence_point.h"
#include "stages/exchange.h"
#include "sweeps/fused/fused_point.h"
#include "stages/gradient/gradient_cpu.h"
#include "stages/projection/projection_point.h"
#include "sweeps/simd/simd_rows_cpu.h"
#include "stages/stages.h"

/* A sweep computes the rows of a tile in order: a row of a velocity, then its fluxes, then their
 * divergence. v of the state is completed in place, before the first row that reads it; other
 * velocities exist only in row buffers. */

/* The rows of v1 and v2 that A reads at some rows of vertices. */
typedef struct rows_of_v {
    rows_range v1, v2;
} rows_of_v;

static rows_of_v rows_read(const swe_params *params, int first, int last)
{
    const int order = params->sbp.order, low = tiles_first_cell(order, params, first),
              high = tiles_last_cell(order, params, last - 1);
    const rows_of_v read = {
        {tiles_first_vertex(order, params, low), tiles_last_vertex(order, params, high) + 1},
        {low, high + 1}};
    return read;
}

/* ---- velocities ------------------------------------------------------------------------------ */

/* A velocity of a sweep, with its fluxes in a tile. Pointers are at vertex (0, 0) of a panel. */
typedef struct velocity {
    const real *head;       /* B head is the velocity, or its change by `weight` */
    real *v1, *v2;          /* rows of the state, or of the row buffers */
    gradient_result result; /* of the rows that the sweep computes, up to `last` */
    real weight;
    int uses_vectors;              /* whether SIMD vectors may compute them */
    rows_range columns1, columns2; /* cells of v1 and vertices of v2 */
    int next1, next2, last1, last2;
    real *buffer1, *buffer2; /* row buffers; NULL: v of the state */
    int first1, first2;      /* first rows in them */
    real *line;              /* two rows of A v */
    cpu_flux_tile w;
} velocity;

/* A velocity of which no row is computed, without scratch. */
static velocity velocity_of(const real *head, real *v1, real *v2, gradient_result result,
                            real weight, rows_range columns1, rows_range columns2)
{
    const cpu_flux_tile none = {NULL, NULL, NULL, NULL, 0, 0, 0, 0, {0, 0}, {0, 0}};
    const velocity v = {head, v1, v2, result, weight, 0, columns1, columns2, 0,
                        0,    0,  0,  NULL,   NULL,   0, 0,        NULL,     none};
    return v;
}

/* Compute rows up to end1 of v1 and up to end2 of v2. */
static void compute_rows(const swe_params *params, velocity *v, int end1, int end2)
{
    const ptrdiff_t pitch = params->layout.pitch;
    for (; v->next1 < end1; v->next1++) {
        const ptrdiff_t at = v->next1 * pitch + v->columns1.first;
        swe_gradient_row1(params, v->result, v->weight, v->columns1, v->head + at, v->v1 + at);
    }
    for (; v->next2 < end2; v->next2++) {
        const ptrdiff_t at = v->next2 * pitch + v->columns2.first;
        swe_gradient_row2(params, v->result, v->weight, v->next2,
                          v->columns2.last - v->columns2.first, v->head + at, v->v2 + at);
    }
}

/* ---- v of the state ----------------------------------------------------------------------------
 *
 * A thread completes its own rows of a block and the ghosts beyond them. It first completes the
 * rows that other threads read; then all threads wait. It completes the inner rows, which no other
 * thread reads, in its sweep. */

typedef struct own_rows {
    rows_range all, inner;
} own_rows;

/* A thread's share of rows of vertices or cells. The block reads rows `of_block`; other threads
 * read the rows up to `below` and from `above` on. */
static own_rows own_rows_of(rows_range block, rows_range share, rows_range of_block, int below,
                            int above)
{
    const int is_first = share.first == block.first, is_last = share.last == block.last;
    const rows_range none = {share.last, share.last};
    own_rows own = {{is_first ? of_block.first : share.first, is_last ? of_block.last : share.last},
                    {is_first ? of_block.first : below, is_last ? of_block.last : above}};
    if (share.first == share.last)
        own.all = none;
    if (own.inner.first > own.inner.last || share.first == share.last)
        own.inner = rows_within(own.all, none);
    return own;
}

typedef struct own_v {
    own_rows v1, v2;
} own_v;

static own_v own_v_of(const swe_params *params, const swe_block *b)
{
    const rows_range share = threads_share_of(b->j);
    const rows_of_v all = rows_read(params, b->j.first, b->j.last),
                    below = rows_read(params, b->j.first, share.first),
                    above = rows_read(params, share.last, b->j.last);
    const own_v own = {own_rows_of(b->j, share, all.v1, below.v1.last, above.v1.first),
                       own_rows_of(b->j, share, all.v2, below.v2.last, above.v2.first)};
    return own;
}

static velocity state_velocity(const swe_params *params, const fused_fields *f, real dt,
                               const swe_block *b)
{
    const int order = params->sbp.order;
    const rows_range cells = tiles_cells(order, params, b->i);
    return velocity_of(f->mean + b->at, f->v1 + b->at, f->v2 + b->at, GRADIENT_ADDED, dt, cells,
                       tiles_vertices(order, params, cells));
}

/* Complete the rows of a block from `first1` and `first2` on, up to `last1` and `last2`. */
static void complete(const swe_params *params, velocity v, int first1, int last1, int first2,
                     int last2)
{
    v.next1 = first1;
    v.next2 = first2;
    compute_rows(params, &v, last1, last2);
}

static void complete_outer(const swe_params *params, const fused_fields *f, real dt)
{
    FOR_BLOCKS(params, b, {
        const velocity v = state_velocity(params, f, dt, &b);
        const own_v own = own_v_of(params, &b);
        complete(params, v, own.v1.all.first, own.v1.inner.first, own.v2.all.first,
                 own.v2.inner.first);
        complete(params, v, own.v1.inner.last, own.v1.all.last, own.v2.inner.last, own.v2.all.last);
    })
}

static void complete_v(const swe_execution *execution, const swe_params *params,
                       const fused_fields *f, real dt)
{
    thread_begin(execution);
    FOR_BLOCKS(params, b, {
        const own_v own = own_v_of(params, &b);
        complete(params, state_velocity(params, f, dt, &b), own.v1.all.first, own.v1.all.last,
                 own.v2.all.first, own.v2.all.last);
    })
    thread_end(execution);
    EXCHANGE(cpu, execution, params, EXCHANGE_GHOSTS(f->v1), EXCHANGE_GHOSTS(f->v2));
}

/* ---- A of a velocity ------------------------------------------------------------------------- */

SWE_POINT void h_row_of(int order, sbp_region where_j, const swe_params *SWE_RESTRICT params,
                        rows_range vertices, int j, const real *SWE_RESTRICT inverse_jacobian,
                        const real *SWE_RESTRICT flux1, const real *SWE_RESTRICT flux2,
                        real *SWE_RESTRICT out)
{
    ROWS_ALONG(vertices, rows_vertices(order, params),
               out[k] =
                   divergence_point(DIVERGENCE_WEAK, order, where, where_j, params, j, i,
                                    inverse_jacobian[k], flux1 + k, flux2 + k, CPU_TILE_PITCH));
}

SWE_CLONES
static void h_row(const swe_params *params, rows_range vertices, int j,
                  const real *inverse_jacobian, const real *flux1, const real *flux2, real *out)
{
    SWE_WITH_ORDER(params->sbp.order,
                   ROWS_AT_VERTEX_OF_END(ORDER, params, j,
                                         h_row_of(ORDER, (sbp_region)REGION, params, vertices, j,
                                                  inverse_jacobian, flux1, flux2, out)));
}

/* Whether SIMD vectors can compute rows j and j + 1 of A v: all rows that they read are off the
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

static inline void compute_two_h(const swe_params *params, velocity *v, cpu_tile t, int j,
                                 real *out, tile_prefetch *prefetch)
{
    cpu_flux_tile *const w = &v->w;
    const ptrdiff_t at = j * params->layout.pitch + t.i.first, line = CPU_TILE_PITCH;
    const ptrdiff_t metric = tiles_metric_at(params, t, j);
    const simd_h rows = {
        .tile = t,
        .v1 = v->v1 + at,
        .v2 = v->v2 + at,
        .metric11 = params->metric11 + metric,
        .metric12 = params->metric12 + metric,
        .metric22 = params->metric22 + metric,
        .inverse_jacobian = params->inverse_jacobian + metric,
        .out = out,
        .cross1 = w->cross1 + (j - w->first_cross1) * line,
        .flux2 = w->flux2 + (j - w->first_flux2) * line,
        .cross2 = {w->cross2, w->cross2 + line},
        .flux1 = {w->flux1, w->flux1 + line},
    };
    simd_rows()->h(params, &rows, j, prefetch);
    w->next_flux2 += 2;
}

/* `count` (1 or 2) rows of A v of a tile from j on, to `out` at its first value; rows come in
 * order. */
static inline void compute_h(const swe_params *params, velocity *v, cpu_tile t, int count, int j,
                             real *out, tile_prefetch *prefetch)
{
    if (count == 2) {
        compute_two_h(params, v, t, j, out, prefetch);
        return;
    }
    swe_flux_tile_compute(params, t, v->v1, v->v1, v->v2, j, &v->w, prefetch);
    h_row(params, t.i, j, params->inverse_jacobian + tiles_metric_at(params, t, j),
          flux_tile_1(&v->w, t), flux_tile_2(&v->w, j), out);
}

/* ---- a velocity of a tile -------------------------------------------------------------------- */

/* Rows of a buffer, and cache lines on either side of a row for columns that operators and vectors
 * read beyond the tile. */
enum { BUFFER_ROWS = 40, BUFFER_LINES = 4 * ROWS_LINE };

static size_t buffer_size(const swe_params *params)
{
    return (size_t)(BUFFER_ROWS + 2) * (size_t)params->layout.pitch + 2 * BUFFER_LINES;
}

static size_t velocity_size(const swe_params *params)
{
    return flux_tile_size + 2 * buffer_size(params) + 2 * (size_t)params->layout.pitch;
}

size_t swe_fused_scratch(const swe_params *params)
{
    return 2 * velocity_size(params);
}

static void place_in_scratch(const swe_params *params, cpu_tile t, real *scratch, velocity *v)
{
    v->w = swe_flux_tile_begin(params, t, scratch);
    v->buffer1 = scratch + flux_tile_size;
    v->buffer2 = v->buffer1 + buffer_size(params);
    v->line = v->buffer2 + buffer_size(params);
}

/* v of the state in tile t. The first tile of a row of tiles completes it for all of them. */
static velocity given_velocity(const swe_params *params, cpu_tile t, const fused_fields *f, real dt,
                               int lags, real *scratch)
{
    const own_v own = own_v_of(params, &t.block);
    velocity v = state_velocity(params, f, dt, &t.block);
    place_in_scratch(params, t, scratch, &v);
    v.buffer1 = v.buffer2 = NULL;
    if (!lags || t.i.first > t.block.i.first) {
        v.result = GRADIENT_GIVEN;
        return v;
    }
    v.uses_vectors = t.i.first == 0 && t.i.last > params->layout.n;
    v.next1 = own.v1.inner.first;
    v.next2 = own.v2.inner.first;
    v.last1 = own.v1.inner.last;
    v.last2 = own.v2.inner.last;
    if (t.j.first > threads_share_of(t.block.j).first) {
        const rows_of_v before = rows_read(params, t.block.j.first, t.j.first);
        v.next1 = rows_clamp(before.v1.last, own.v1.inner);
        v.next2 = rows_clamp(before.v2.last, own.v2.inner);
    }
    return v;
}

static real *buffer_at(const swe_params *params, cpu_tile t, real *buffer, int first)
{
    return buffer + BUFFER_LINES - first * params->layout.pitch - t.i.first;
}

/* B head in tile t. */
static velocity gradient_velocity(const swe_params *params, cpu_tile t, const real *head,
                                  real *scratch)
{
    const rows_of_v read = rows_read(params, t.j.first, t.j.last);
    velocity v = velocity_of(head, NULL, NULL, GRADIENT_STORED, 0, t.i, t.i);
    place_in_scratch(params, t, scratch, &v);
    v.columns1 = v.w.cells;
    v.columns2 = v.w.vertices;
    v.uses_vectors = 1;
    v.first1 = v.next1 = read.v1.first;
    v.first2 = v.next2 = read.v2.first;
    v.last1 = read.v1.last;
    v.last2 = read.v2.last;
    v.v1 = buffer_at(params, t, v.buffer1, v.first1);
    v.v2 = buffer_at(params, t, v.buffer2, v.first2);
    return v;
}

/* Move the rows from `oldest` on to the begin of a buffer that has no room for rows up to `end`. */
static void make_room(const swe_params *params, cpu_tile t, int oldest, int next, int end,
                      int *first, real *buffer, real **v)
{
    const ptrdiff_t pitch = params->layout.pitch;
    if (end - *first <= BUFFER_ROWS)
        return;
    rows_copy((next - oldest) * pitch + 2 * BUFFER_LINES, buffer + (oldest - *first) * pitch,
              buffer);
    *first = oldest;
    *v = buffer_at(params, t, buffer, *first);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Compute two rows of a velocity, unless they are given, and their cross terms by SIMD vectors. */
static void compute_two_rows(const swe_params *params, cpu_tile t, gradient_result result, int j,
                             velocity *v, tile_prefetch *prefetch)
{
    const int order = params->sbp.order, beyond = 2 * ROWS_LINE, row1 = j + order - 1,
              row2 = j + order / 2 - 1;
    const ptrdiff_t at1 = row1 * params->layout.pitch + t.i.first,
                    at2 = row2 * params->layout.pitch + t.i.first;
    swe_flux_tile_reserve(params, t, j, 2, &v->w);
    const simd_velocity rows = {
        .columns = t.i,
        .begin = t.i.first == 0 ? 0 : -beyond,
        .end = t.i.last - t.i.first + (t.i.last > params->layout.n ? 0 : beyond),
        .weight = v->weight,
        .head1 = v->head + at1,
        .head2 = v->head + at2,
        .metric12 = params->metric12 + tiles_metric_at(params, t, row1),
        .v1 = v->v1 + at1,
        .v2 = v->v2 + at2,
        .cross1 = v->w.cross1 + (row1 - v->w.first_cross1) * (ptrdiff_t)CPU_TILE_PITCH,
    };
    simd_rows()->velocity(params, result, &rows, prefetch);
    v->w.next_cross1 += 2;
    if (result != GRADIENT_GIVEN) {
        v->next1 += 2;
        v->next2 += 2;
    }
}

/* The rows of a velocity that `count` rows of vertices from j on read. */
static void compute_velocity(const swe_params *params, cpu_tile t, int count, int j, velocity *v,
                             tile_prefetch *prefetch)
{
    const rows_of_v read = rows_read(params, j, j + count);
    const int end1 = least(read.v1.last, v->last1), end2 = least(read.v2.last, v->last2);
    if (v->buffer1 != NULL) {
        make_room(params, t, least(j, v->w.next_cross1), v->next1, end1, &v->first1, v->buffer1,
                  &v->v1);
        make_room(params, t, least(read.v2.first, v->w.next_flux2), v->next2, end2, &v->first2,
                  v->buffer2, &v->v2);
    }
    const int computes = v->uses_vectors && end1 == v->next1 + 2 && end2 == v->next2 + 2;
    if (count == 1 || !computes)
        compute_rows(params, v, end1, end2);
    if (count == 2)
        compute_two_rows(params, t, computes ? v->result : GRADIENT_GIVEN, j, v, prefetch);
}

/* ---- a sweep over a tile --------------------------------------------------------------------- */

SWE_CLONES
static void combine_row(fused_weights w, int count, real *SWE_RESTRICT h,
                        const real *SWE_RESTRICT h1, const real *SWE_RESTRICT h2,
                        const real *SWE_RESTRICT h3, const real *SWE_RESTRICT h4,
                        real *SWE_RESTRICT mean)
{
#pragma omp simd
    for (int k = 0; k < count; k++)
        fused_point(w, h + k, h1[k], h2[k], h3[k], h4[k], mean + k);
}

/* Prefetch the rows that the sweep reads and writes `by` rows after row j, while it computes
 * `count` rows.
 */
static tile_prefetch sweep_prefetch(const swe_params *params, cpu_tile t, int sweep,
                                    const fused_fields *f, int j, int by, int count,
                                    const cpu_flux_tile *w)
{
    enum { ROW_LOOPS = 4 }; /* loops of one row that issue a step */
    const ptrdiff_t at = t.block.at;
    const int vertex = w->next_cross1 + by;
    tile_prefetch prefetch =
        prefetch_begin(params, t.i, count == 2 ? 2 * prefetch_lines(t.i) : ROW_LOOPS);
    swe_flux_tile_prefetch(params, t, j, by, w, &prefetch);
    if (sweep == FUSED_FIRST) {
        prefetch_add(&prefetch, params, t.i, vertex, f->v1 + at);
        prefetch_add(&prefetch, params, t.i, w->next_flux2 + by, f->v2 + at);
        prefetch_add(&prefetch, params, t.i, vertex, f->mean + at);
        prefetch_add(&prefetch, params, t.i, vertex, f->h + at);
        prefetch_add(&prefetch, params, t.i, j + by, f->h1 + at);
        prefetch_add(&prefetch, params, t.i, j + by, f->h2 + at);
    } else {
        prefetch_add(&prefetch, params, t.i, vertex, f->h1 + at);
        prefetch_add(&prefetch, params, t.i, vertex, f->h2 + at);
        prefetch_add(&prefetch, params, t.i, j + by, f->h + at);
        prefetch_add(&prefetch, params, t.i, j + by, f->mean + at);
    }
    return prefetch;
}

/* End of the rows that no other thread writes during a sweep. */
static int readable_rows(const swe_params *params, const swe_block *b)
{
    const rows_range share = threads_share_of(b->j);
    return share.last == b->j.last ? params->layout.n + 1
                                   : rows_read(params, share.first, share.last).v1.last;
}

static void sweep_tile(const swe_params *params, int sweep, const fused_fields *f, fused_weights w,
                       int lags, cpu_tile t, real *scratch)
{
    const int order = params->sbp.order, readable = readable_rows(params, &t.block);
    const ptrdiff_t pitch = params->layout.pitch;
    real *const more_scratch = scratch + velocity_size(params);
    velocity a = sweep == FUSED_FIRST ? given_velocity(params, t, f, w.dt, lags, scratch)
                                      : gradient_velocity(params, t, f->h1 + t.block.at, scratch),
             b = gradient_velocity(params, t, (sweep == FUSED_FIRST ? f->h : f->h2) + t.block.at,
                                   more_scratch);
    int count;
    for (int j = t.j.first; j < t.j.last; j += count) {
        count = j + 1 < t.j.last && fits_two_rows(order, params, t, j, readable, &b.w) ? 2 : 1;
        const ptrdiff_t at = t.block.at + j * pitch + t.i.first;
        tile_prefetch prefetch = sweep_prefetch(params, t, sweep, f, j, count, count, &b.w),
                      more = no_prefetch();
        if (count == 2) /* the second row that follows */
            more = sweep_prefetch(params, t, sweep, f, j, count + 1, count, &b.w);
        compute_velocity(params, t, count, j, &a, &prefetch);
        compute_h(params, &a, t, count, j, sweep == FUSED_FIRST ? f->h1 + at : a.line, &prefetch);
        prefetch_end(&prefetch);
        compute_velocity(params, t, count, j, &b, &more);
        compute_h(params, &b, t, count, j, sweep == FUSED_FIRST ? f->h2 + at : b.line, &more);
        prefetch_end(&more);
        for (int row = 0; sweep == FUSED_SECOND && row < count; row++) {
            const ptrdiff_t line = row * pitch, to = at + line;
            combine_row(w, t.i.last - t.i.first, f->h + to, f->h1 + to, f->h2 + to, a.line + line,
                        b.line + line, f->mean + to);
        }
    }
}

/* ---- leapfrog -------------------------------------------------------------------------------- */

/* out = h + weight dh; out may be h. */
SWE_CLONES
static void leap_row(real weight, int count, const real *h, const real *SWE_RESTRICT dh, real *out)
{
#pragma omp simd
    for (int k = 0; k < count; k++)
        out[k] = h[k] + weight * dh[k];
}

/* Add the rows that a leapfrog sweep reads and writes `by` rows after row j. */
static void leap_prefetch(const swe_params *params, cpu_tile t, int sweep, const fused_fields *f,
                          int j, int by, const cpu_flux_tile *w, tile_prefetch *prefetch)
{
    const ptrdiff_t at = t.block.at;
    const int vertex = w->next_cross1 + by;
    const bool is_first = sweep == FUSED_LEAP_FIRST;
    swe_flux_tile_prefetch(params, t, j, by, w, prefetch);
    prefetch_add(prefetch, params, t.i, vertex, (is_first ? f->h : f->mean) + at);
    prefetch_add(prefetch, params, t.i, j + by, (is_first ? f->mean : f->h) + at);
    if (is_first)
        return;
    prefetch_add(prefetch, params, t.i, vertex, f->v1 + at);
    prefetch_add(prefetch, params, t.i, w->next_flux2 + by, f->v2 + at);
}

static void leap_tile(const swe_params *params, int sweep, const fused_fields *f, real weight,
                      cpu_tile t, real *scratch)
{
    const int order = params->sbp.order, readable = readable_rows(params, &t.block);
    const ptrdiff_t pitch = params->layout.pitch;
    const bool is_first = sweep == FUSED_LEAP_FIRST;
    real *const result = is_first ? f->mean : f->h;
    velocity v = is_first ? gradient_velocity(params, t, f->h + t.block.at, scratch)
                          : given_velocity(params, t, f, weight, true, scratch);
    int count;
    for (int j = t.j.first; j < t.j.last; j += count) {
        count = j + 1 < t.j.last && fits_two_rows(order, params, t, j, readable, &v.w) ? 2 : 1;
        const ptrdiff_t at = t.block.at + j * pitch + t.i.first;
        tile_prefetch prefetch =
            prefetch_begin(params, t.i, count == 2 ? 2 * prefetch_lines(t.i) : 3);
        for (int row = 0; row < count; row++)
            leap_prefetch(params, t, sweep, f, j, count + row, &v.w, &prefetch);
        compute_velocity(params, t, count, j, &v, &prefetch);
        compute_h(params, &v, t, count, j, v.line, &prefetch);
        prefetch_end(&prefetch);
        for (int row = 0; row < count; row++)
            leap_row(weight, t.i.last - t.i.first, f->h + at + row * pitch, v.line + row * pitch,
                     result + at + row * pitch);
    }
}

/* ---- the stage ------------------------------------------------------------------------------- */

/* b: NULL in a leapfrog sweep. */
SWE_CLONES
static void average_both(const swe_params *params, real *a, real *b)
{
    FOR_SHARED_POINTS(params, copies, {
        projection_point(&copies, a);
        if (b != NULL)
            projection_point(&copies, b);
    });
}

void swe_fused_cpu(const swe_execution *execution, const swe_params *params, int sweep, real weight,
                   int lags, real *y, real *next)
{
    const fused_fields f = fused_fields_of(params, y, next);
    const fused_weights w = fused_weights_of(weight);
    const int leaps = sweep == FUSED_LEAP_FIRST || sweep == FUSED_LEAP_SECOND,
              completes = sweep == FUSED_LEAP_SECOND || (sweep == FUSED_FIRST && lags);
    real *const scratch = threads_scratch(params, swe_fused_scratch(params)),
                *const a = sweep == FUSED_FIRST        ? f.h1
                           : sweep == FUSED_LEAP_FIRST ? f.mean
                                                       : f.h,
                *const b = leaps                  ? NULL
                           : sweep == FUSED_FIRST ? f.h2
                                                  : f.mean;
    if (sweep == FUSED_COMPLETION) {
        complete_v(execution, params, &f, weight);
        return;
    }
    thread_begin(execution);
    if (completes && omp_get_num_threads() > 1) {
        complete_outer(params, &f, weight);
        thread_end(execution);
        threads_wait(execution);
        thread_begin(execution);
    }
    FOR_THREAD_TILES(params, FLUX_TILE_J, t, {
        if (leaps)
            leap_tile(params, sweep, &f, weight, t, scratch);
        else
            sweep_tile(params, sweep, &f, w, lags, t, scratch);
    });
    thread_end(execution);
    if (leaps)
        EXCHANGE(cpu, execution, params, EXCHANGE_BOTH(a));
    else
        EXCHANGE(cpu, execution, params, EXCHANGE_BOTH(a), EXCHANGE_BOTH(b));
    thread_begin(execution);
    average_both(params, a, b);
    thread_end(execution);
    threads_wait(execution);
    if (sweep == FUSED_SECOND && !lags)
        complete_v(execution, params, &f, weight);
}
