/* Tiles of vertices on the CPU: the buffers of a tile, and the rows that it reads repeatedly, stay
 * in a core's second-level cache. */
#ifndef SWE_STAGES_TILES_CPU_H
#define SWE_STAGES_TILES_CPU_H

#include "stages/fused/fused_tile.h"
#include "stages/rk4/rk4_point.h"
#include "stages/rows_cpu.h"
#include "stages/threads_cpu.h"

/* Most vertices of a tile along i, in whole cache lines, and values of a row of its buffers. Rows
 * as long as the panel's are contiguous in memory, so the processor prefetches them by itself. So
 * tiles are as wide as the second-level cache allows, which has to hold some hundred rows of them.
 * Stages that keep more rows use narrow tiles. */
enum {
    CPU_TILE_I = 2400,      /* where the second-level cache has at least CPU_TILE_CACHE bytes */
    CPU_TILE_I_SMALL = 400, /* where it is smaller or unknown */
    CPU_TILE_CACHE = 2 << 20,
    CPU_TILE_NARROW = 208,
    CPU_TILE_MARGIN =
        16, /* columns that operators of order 6 read beyond it, both sides together */
    CPU_TILE_PITCH =
        CPU_TILE_I + 2 * ROWS_LINE /* halo, or the shift of a trailing substep (tiles_behind) */
};

typedef struct cpu_tile {
    int panel;
    rows_range i, j;
} cpu_tile;

/* A panel's tiles, `columns` x `rows` of them. */
typedef struct tiles_cut {
    int n, columns, rows;
} tiles_cut;

/* Tiles of at most `width` x `height` vertices; each thread of the team gets equally many rows of
 * tiles, within its own rows. */
static inline tiles_cut tiles_cut_of(int n, int width, int height)
{
    const int threads = omp_get_num_threads(), least = (n + height) / height;
    const tiles_cut cut = {n, (n + width) / width, (least + threads - 1) / threads * threads};
    return cut;
}

/* Tile k of a panel. Columns are cut at cache lines. */
static inline cpu_tile tiles_at(tiles_cut cut, int panel, int k)
{
    const int n = cut.n;
    const rows_range lines = rows_piece((n + ROWS_LINE) / ROWS_LINE, k % cut.columns, cut.columns);
    cpu_tile t = {panel,
                  {lines.first * ROWS_LINE, lines.last * ROWS_LINE},
                  rows_piece(n + 1, k / cut.columns, cut.rows)};
    if (t.i.last > n)
        t.i.last = n + 1;
    return t;
}

/* Execute a statement for all wide tiles t of a thread, at most `height` vertices high, within its
 * rows (threads_cpu.h). Panels vary fastest, because they share metric terms. */
#define FOR_OWN_TILES(params, height, t, ...)                                                      \
    do {                                                                                           \
        const tiles_cut cut = tiles_cut_of((params)->layout.n, (params)->tile_columns, height);    \
        const rows_range own = threads_piece(cut.rows * cut.columns);                              \
        for (int tile = own.first; tile < own.last; tile++)                                        \
            for (int panel = 0; panel < SWE_PANELS; panel++) {                                     \
                const cpu_tile t = tiles_at(cut, panel, tile);                                     \
                __VA_ARGS__;                                                                       \
            }                                                                                      \
    } while (0)

/* The cells that the operators read at a range of vertices of a line, and the reverse. */
SWE_POINT rows_range tiles_cells(int order, int n, rows_range vertices)
{
    const rows_range cells = {fused_first_cell(order, n, vertices.first),
                              fused_last_cell(order, n, vertices.last - 1) + 1};
    return cells;
}

SWE_POINT rows_range tiles_vertices(int order, int n, rows_range cells)
{
    const rows_range vertices = {fused_first_vertex(order, n, cells.first),
                                 fused_last_vertex(order, n, cells.last - 1) + 1};
    return vertices;
}

/* The interior cells that read no vertices outside a range. */
SWE_POINT rows_range tiles_inner(int order, int n, rows_range vertices)
{
    const rows_range interior = rows_cells(order, n);
    const rows_range inner = {rows_clamp(vertices.first - 1 + order / 2, interior),
                              rows_clamp(vertices.last - order / 2, interior)};
    return inner;
}

/* Columns of the trailing substep, shifted one cache line west so that its stencils stay inside the
 * tile; the columns of all tiles cover a panel. */
SWE_POINT rows_range tiles_behind(int n, rows_range columns)
{
    const rows_range behind = {columns.first - (columns.first > 0 ? ROWS_LINE : 0),
                               columns.last - (columns.last <= n ? ROWS_LINE : 0)};
    return behind;
}

/* The vertices whose divergence reads no vertices, and cells between them, outside a range. */
SWE_POINT rows_range tiles_inner_of_fluxes(int order, int n, rows_range vertices)
{
    rows_range inner = vertices;
    while (inner.first < vertices.last &&
           fused_first_vertex(order, n, fused_first_cell(order, n, inner.first)) < vertices.first)
        inner.first++;
    while (inner.last > inner.first &&
           fused_last_vertex(order, n, fused_last_cell(order, n, inner.last - 1)) >= vertices.last)
        inner.last--;
    return inner;
}

/* Prefetch a tile's columns of row j of a field or metric term that begins at `field`, while the
 * row before is computed: rows of a tile are too short for the processor's own prefetcher. They go
 * to the second-level cache, because the first has no room for a row ahead; rows that will be
 * written are prefetched in the same way. */
SWE_POINT void fetch(const swe_params *params, rows_range columns, int j, const real *field)
{
    if (j <= params->layout.n)
        for (int i = columns.first; i < columns.last; i += ROWS_LINE)
            __builtin_prefetch(field + j * params->layout.pitch + i, 0, 2);
}

/* The first panel of a tile loads the metric terms, which the other panels then find in the
 * cache. */
SWE_POINT void fetch_metric(const swe_params *params, cpu_tile t, rows_range columns, int j,
                            const real *term)
{
    if (t.panel == 0)
        fetch(params, columns, j, term);
}

/* Prefetch the fields that a substep reads at row j (stencils apart) and writes. */
SWE_POINT void prefetch_substep(const swe_params *params, int substep, rows_range columns, int j,
                                rk4_arrays a)
{
    if (a.y != a.in)
        fetch(params, columns, j, a.y);
    if (substep < 3) {
        fetch(params, columns, j, a.out);
    } else {
        fetch(params, columns, j, a.y1);
        fetch(params, columns, j, a.y2);
    }
}

/* ---- prefetch of several rows ------------------------------------------------------------------
 *
 * Prefetches go row after row, so that the processor's own prefetcher recognises each row, and a
 * few lines at a time: a burst fills the miss buffers, delays the loads behind it, and the rest is
 * dropped. Long rows are left to the processor. */

enum { PREFETCH_ROWS = 20, PREFETCH_BYTES = 8 << 10 /* most rows of a prefetch */ };

/* The rows to prefetch for the next row of a tile. */
typedef struct tile_prefetch {
    const real *rows[PREFETCH_ROWS];
    int count, lines; /* rows; cache lines of each */
    int pieces;       /* number of steps */
    int row, line;    /* next row and line to prefetch, */
    int few, left;    /* lines per step, as a fraction */
} tile_prefetch;

SWE_POINT tile_prefetch prefetch_nothing(void)
{
    tile_prefetch prefetch;
    prefetch.count = prefetch.lines = prefetch.pieces = 0;
    prefetch.row = prefetch.line = prefetch.few = prefetch.left = 0;
    return prefetch;
}

SWE_POINT int prefetch_lines(rows_range columns)
{
    return (columns.last - columns.first + ROWS_LINE - 1) / ROWS_LINE;
}

/* A prefetch in `pieces` steps. It has no rows where the caches hold the state, and for long
 * rows. */
SWE_POINT tile_prefetch prefetch_begin(const swe_params *params, rows_range columns, int pieces)
{
    tile_prefetch prefetch = prefetch_nothing();
    if (!params->exceeds_cache ||
        (size_t)(columns.last - columns.first) * sizeof(real) > PREFETCH_BYTES)
        return prefetch;
    prefetch.lines = prefetch_lines(columns);
    prefetch.pieces = pieces;
    return prefetch;
}

/* Add row j of a field or metric term that begins at `field`, from a tile's first column on. */
SWE_POINT void prefetch_add(tile_prefetch *prefetch, const swe_params *params, rows_range columns,
                            int j, const real *field)
{
    if (prefetch->lines == 0 || j < 0 || j > params->layout.n)
        return;
    prefetch->rows[prefetch->count++] = field + j * params->layout.pitch + columns.first;
    prefetch->left = prefetch->count * prefetch->lines;
    prefetch->few = (prefetch->left + prefetch->pieces - 1) / prefetch->pieces;
}

/* Prefetch some lines; the next step, kept out of line so that loops without prefetch stay short;
 * all that is left. */

SWE_POINT void prefetch_ask_lines(tile_prefetch *prefetch, int lines)
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
    prefetch->left -= lines;
}

SWE_POINT void prefetch_ask(tile_prefetch *prefetch)
{
    if (__builtin_expect(prefetch->left > 0, 0))
        prefetch_ask_lines(prefetch,
                           prefetch->few < prefetch->left ? prefetch->few : prefetch->left);
}

SWE_POINT void prefetch_end(tile_prefetch *prefetch)
{
    prefetch_ask_lines(prefetch, prefetch->left);
}

#endif
