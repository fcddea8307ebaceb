/* How the CPU backend goes over panels in tiles of vertices: what lives while a tile is worked on,
 * and the rows that it takes again and again, stay in a core's second-level cache. */
#ifndef SWE_STAGES_TILES_CPU_H
#define SWE_STAGES_TILES_CPU_H

#include "stages/fused/fused_tile.h"
#include "stages/rk4/rk4_point.h"
#include "stages/rows_cpu.h"
#include "stages/threads_cpu.h"

/* Vertices of a tile along i at most, whole cache lines, and places of a row of what lives while it
 * is worked on. */
enum {
    CPU_TILE_I = 208,
    CPU_TILE_MARGIN = 16, /* that operators of order 6 take beyond it, both sides together */
    CPU_TILE_PITCH = CPU_TILE_I + CPU_TILE_MARGIN
};

typedef struct cpu_tile {
    int panel;
    rows_range i, j;
} cpu_tile;

/* A panel's tiles, `columns` x `rows` of them. */
typedef struct tiles_cut {
    int n, columns, rows;
} tiles_cut;

/* Rows of at most `height` vertices, as many for each thread of the team: they are in its rows. */
static inline tiles_cut tiles_cut_of(int n, int height)
{
    const int threads = omp_get_num_threads(), least = (n + height) / height;
    const tiles_cut cut = {n, (n + CPU_TILE_I) / CPU_TILE_I,
                           (least + threads - 1) / threads * threads};
    return cut;
}

/* Tile k of a panel. Columns are cut where cache lines are. */
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

/* Do a statement for the tiles t of all panels that are a thread's, at most `height` vertices high:
 * they are in its rows (threads_cpu.h). Panels vary fastest, for the metric terms that they share.
 */
#define FOR_OWN_TILES(view, height, t, ...)                                                        \
    do {                                                                                           \
        const tiles_cut cut = tiles_cut_of((view)->layout.n, height);                              \
        const rows_range own = threads_piece(cut.rows * cut.columns);                              \
        for (int tile = own.first; tile < own.last; tile++)                                        \
            for (int panel = 0; panel < SWE_PANELS; panel++) {                                     \
                const cpu_tile t = tiles_at(cut, panel, tile);                                     \
                __VA_ARGS__;                                                                       \
            }                                                                                      \
    } while (0)

/* The cells that the operators take at a range of vertices of a line, and the other way about. */
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

/* The cells in the interior that take no vertices but those of a range. */
SWE_POINT rows_range tiles_inner(int order, int n, rows_range vertices)
{
    const rows_range interior = rows_cells(order, n);
    const rows_range inner = {rows_clamp(vertices.first - 1 + order / 2, interior),
                              rows_clamp(vertices.last - order / 2, interior)};
    return inner;
}

/* Ask for a tile's columns of row j of a field, or of a metric term, that begins at `field`, while
 * the row before is worked on: rows of a tile are too short for a processor to see by itself what
 * comes next. Into the second-level cache: the first has no room for a row ahead, which is why rows
 * that will be written are asked for in the same way. */
SWE_POINT void fetch(const swe_view *view, rows_range columns, int j, const real *field)
{
    if (j <= view->layout.n)
        for (int i = columns.first; i < columns.last; i += ROWS_LINE)
            __builtin_prefetch(field + j * view->layout.pitch + i, 0, 2);
}

/* The first panel of a tile brings the metric terms, which then are there for the others. */
SWE_POINT void fetch_metric(const swe_view *view, cpu_tile t, rows_range columns, int j,
                            const real *term)
{
    if (t.panel == 0)
        fetch(view, columns, j, term);
}

/* What a part reads of a field at row j, but for stencils, and writes. */
SWE_POINT void fetch_part(const swe_view *view, int part, rows_range columns, int j, rk4_arrays a)
{
    if (a.y != a.in)
        fetch(view, columns, j, a.y);
    if (part < 3) {
        fetch(view, columns, j, a.out);
    } else {
        fetch(view, columns, j, a.y1);
        fetch(view, columns, j, a.y2);
    }
}

#endif
