/* Tiles of vertices on the CPU: the buffers of a tile, and the rows that it reads repeatedly, stay
 * in a core's second-level cache. */
#ifndef SWE_STAGES_TILES_CPU_H
#define SWE_STAGES_TILES_CPU_H

#include "stages/reach.h"
#include "stages/rk4/rk4_point.h"
#include "stages/rows_cpu.h"
#include "stages/threads_cpu.h"

/* Most vertices of a tile along i, in whole cache lines, and values of a row of its buffers. Rows
 * as long as the rows of the panel are contiguous in memory, so the processor prefetches them by
 * itself. Tiles are therefore as wide as the second-level cache allows: it has to hold some hundred
 * rows of a tile. Stages that keep more rows use narrow tiles. */
enum {
    CPU_TILE_I = 2400,      /* where the second-level cache has at least CPU_TILE_CACHE bytes */
    CPU_TILE_I_SMALL = 400, /* where it is smaller or unknown */
    CPU_TILE_CACHE = 2 << 20,
    CPU_TILE_NARROW = 208,
    CPU_TILE_MARGIN =
        16, /* columns that operators of order 6 read beyond it, both sides together */
    CPU_TILE_PITCH = CPU_TILE_I + 2 * ROWS_LINE /* halo */
};

typedef struct cpu_tile {
    swe_block block;
    rows_range i, j;
} cpu_tile;

/* A block's tiles, `columns` x `rows` of them. */
typedef struct tiles_cut {
    rows_range i, j; /* of the block */
    int columns, rows;
} tiles_cut;

/* Tiles of at most `width` x `height` vertices; each thread of the team gets equally many rows of
 * tiles, within its rows. */
static inline tiles_cut tiles_cut_of(const swe_block *block, int width, int height)
{
    const rows_range i = block->i, j = block->j;
    const int threads = omp_get_num_threads(), least = (j.last - j.first + height - 1) / height;
    const tiles_cut cut = {i, j, (i.last - i.first + width - 1) / width,
                           (least + threads - 1) / threads * threads};
    return cut;
}

/* Tile k of a block. Columns are cut at cache lines. */
static inline cpu_tile tiles_at(const tiles_cut *cut, const swe_block *block, int k)
{
    const rows_range i = cut->i, j = cut->j;
    const rows_range lines = rows_share((i.last - i.first + ROWS_LINE - 1) / ROWS_LINE,
                                        k % cut->columns, cut->columns),
                     rows = rows_share(j.last - j.first, k / cut->columns, cut->rows);
    cpu_tile t = {*block,
                  {i.first + lines.first * ROWS_LINE, i.first + lines.last * ROWS_LINE},
                  {j.first + rows.first, j.first + rows.last}};
    if (t.i.last > i.last)
        t.i.last = i.last;
    return t;
}

/* Execute a statement for all wide tiles t of a thread, at most `height` vertices high, within its
 * share (threads_cpu.h). Panels vary fastest, because they share metric terms. */
#define FOR_THREAD_TILES(params, height, t, ...)                                                   \
    for (int part = 0; part < threads_parts(params); part++) {                                     \
        const swe_block first_block =                                                              \
            threads_block(params, threads_panels(params, part).first, part);                       \
        const tiles_cut cut = tiles_cut_of(&first_block, (params)->tile_columns, height);          \
        const rows_range share = threads_share(cut.rows * cut.columns);                            \
        for (int tile = share.first; tile < share.last; tile++)                                    \
            FOR_PANELS(params, part, panel, {                                                      \
                const swe_block block_of_tile = threads_block(params, panel, part);                \
                const cpu_tile t = tiles_at(&cut, &block_of_tile, tile);                           \
                __VA_ARGS__;                                                                       \
            })                                                                                     \
    }

/* Offset of row j of a tile in metric terms. */

SWE_POINT ptrdiff_t tiles_metric_at(const swe_params *params, cpu_tile t, int j)
{
    return t.block.metric + j * params->layout.pitch + t.i.first;
}

/* The points that the operators of the closure in use read (reach.h). */

SWE_POINT int tiles_first_cell(int order, const swe_params *params, int v)
{
    return reach_first_cell(order, sbp_closed_vertices(order, &params->sbp), params->layout.n, v);
}

SWE_POINT int tiles_last_cell(int order, const swe_params *params, int v)
{
    return reach_last_cell(order, sbp_closed_vertices(order, &params->sbp), params->layout.n, v);
}

SWE_POINT int tiles_first_vertex(int order, const swe_params *params, int c)
{
    return reach_first_vertex(order, sbp_closed_vertices(order, &params->sbp), params->layout.n, c);
}

SWE_POINT int tiles_last_vertex(int order, const swe_params *params, int c)
{
    return reach_last_vertex(order, sbp_closed_vertices(order, &params->sbp), params->layout.n, c);
}

/* A range of a line with all points of a closure of which it has some. */
SWE_POINT rows_range tiles_whole(rows_range range, rows_interior interior)
{
    const int end = interior.last + interior.first;
    const rows_range whole = {range.first < interior.first ? 0 : range.first,
                              range.last > interior.last ? end : range.last};
    return whole;
}

/* The cells that operators read at a range of vertices along xi1, and the reverse. */
SWE_POINT rows_range tiles_cells(int order, const swe_params *params, rows_range vertices)
{
    const rows_range cells = {tiles_first_cell(order, params, vertices.first),
                              tiles_last_cell(order, params, vertices.last - 1) + 1};
    return tiles_whole(cells, rows_cells(order, params));
}

SWE_POINT rows_range tiles_vertices(int order, const swe_params *params, rows_range cells)
{
    const rows_range vertices = {tiles_first_vertex(order, params, cells.first),
                                 tiles_last_vertex(order, params, cells.last - 1) + 1};
    return tiles_whole(vertices, rows_vertices(order, params));
}

/* The interior cells that read no vertices outside a range. */
SWE_POINT rows_range tiles_inner(int order, const swe_params *params, rows_range vertices)
{
    const rows_range interior = rows_of(rows_cells(order, params));
    const rows_range inner = {rows_clamp(vertices.first - 1 + order / 2, interior),
                              rows_clamp(vertices.last - order / 2, interior)};
    return inner;
}

/* The columns of a block, less a cache line at each cut: operators of order 6 read five columns
 * beyond those that they compute. */
SWE_POINT rows_range tiles_inner_columns(int n, const swe_block *block)
{
    const rows_range inner = {block->i.first + (block->i.first > 0 ? ROWS_LINE : 0),
                              block->i.last - (block->i.last <= n ? ROWS_LINE : 0)};
    return inner;
}

/* ---- prefetch ----------------------------------------------------------------------------------
 *
 * Rows that follow are loaded into the second-level cache while a row is computed; the first level
 * has no room for them. Prefetches go row after row, so that the processor's own prefetcher
 * recognises each row, and a few cache lines at a time: a burst fills the miss buffers, delays the
 * loads behind it, and the rest is dropped. Long rows are left to the processor. */

enum { PREFETCH_ROWS = 20, PREFETCH_BYTES = 8 << 10 /* most rows of a prefetch */ };

/* The rows to prefetch for the next row of a tile. */
typedef struct tile_prefetch {
    const real *rows[PREFETCH_ROWS];
    int count, lines;        /* rows; cache lines of each */
    int steps;               /* number of steps */
    int row, line;           /* next row and cache line to prefetch */
    int per_step, remaining; /* cache lines of a step; not yet prefetched */
} tile_prefetch;

SWE_POINT tile_prefetch no_prefetch(void)
{
    tile_prefetch prefetch;
    prefetch.count = prefetch.lines = prefetch.steps = 0;
    prefetch.row = prefetch.line = prefetch.per_step = prefetch.remaining = 0;
    return prefetch;
}

SWE_POINT int prefetch_lines(rows_range columns)
{
    return (columns.last - columns.first + ROWS_LINE - 1) / ROWS_LINE;
}

/* A prefetch in `steps` steps. It has no rows where the caches hold the state, and for long
 * rows. */
SWE_POINT tile_prefetch prefetch_begin(const swe_params *params, rows_range columns, int steps)
{
    tile_prefetch prefetch = no_prefetch();
    if (!params->exceeds_cache ||
        (size_t)(columns.last - columns.first) * sizeof(real) > PREFETCH_BYTES)
        return prefetch;
    prefetch.lines = prefetch_lines(columns);
    prefetch.steps = steps;
    return prefetch;
}

/* Add row j of a field or metric term that begins at `field`, from a tile's first column on. */
SWE_POINT void prefetch_add(tile_prefetch *prefetch, const swe_params *params, rows_range columns,
                            int j, const real *field)
{
    if (prefetch->lines == 0 || j < 0 || j > params->layout.n)
        return;
    prefetch->rows[prefetch->count++] = field + j * params->layout.pitch + columns.first;
    prefetch->remaining = prefetch->count * prefetch->lines;
    prefetch->per_step = (prefetch->remaining + prefetch->steps - 1) / prefetch->steps;
}

SWE_POINT void prefetch_issue(tile_prefetch *prefetch, int lines)
{
    int row = prefetch->row, line = prefetch->line;
    for (int k = 0; k < lines; k++) {
        __builtin_prefetch(prefetch->rows[row] + line * ROWS_LINE, 0, 2);
        if (++line == prefetch->lines) {
            line = 0;
            row++;
        }
    }
    prefetch->row = row;
    prefetch->line = line;
    prefetch->remaining -= lines;
}

/* Issue the next step. */
SWE_POINT void prefetch_step(tile_prefetch *prefetch)
{
    if (__builtin_expect(prefetch->remaining > 0, 0))
        prefetch_issue(prefetch, prefetch->per_step < prefetch->remaining ? prefetch->per_step
                                                                          : prefetch->remaining);
}

/* Issue all that remains. */
SWE_POINT void prefetch_end(tile_prefetch *prefetch)
{
    prefetch_issue(prefetch, prefetch->remaining);
}

#endif
