/* How blocks of threads go over panels in tiles of vertices, for sweeps that keep what lives while
 * a tile is worked on in shared memory. */
#ifndef SWE_STAGES_TILES_CUDA_H
#define SWE_STAGES_TILES_CUDA_H

#include "stages/fused/fused_tile.h"
#include "stages/launch_cuda.h"

/* Vertices of a tile: one column a thread along i, some rows a thread along j. */
enum { TILE_I = LAUNCH_BLOCK_I, TILE_J = 2 * LAUNCH_BLOCK_J };

/* Places that the operators take beyond a tile at most: cells that vertices take, and vertices that
 * those cells take. */
template <int ORDER> struct tile_margin {
    enum { CELLS = ORDER + 2, VERTICES = 2 * ORDER };
};

/* Places first..last of a line. */
struct span {
    int first, last;
};

/* A tile: its vertices, the cells that they take, the vertices that those take; along i and j. */
struct tile {
    int panel;
    span i, j, cells_i, cells_j, vertices_i, vertices_j;
};

/* `count` places from `first` on, but none beyond n. */
static __device__ span span_of(int first, int count, int n)
{
    const int last = first + count - 1;
    return {first, last < n ? last : n};
}

static __device__ span cells_of(int order, int n, span vertices)
{
    return {fused_first_cell(order, n, vertices.first), fused_last_cell(order, n, vertices.last)};
}

static __device__ span vertices_of(int order, int n, span cells)
{
    return {fused_first_vertex(order, n, cells.first), fused_last_vertex(order, n, cells.last)};
}

/* The tile of a block. Panels vary fastest, so that those which share a tile's metric terms read
 * them from the L2 cache together. */
static __device__ tile tile_of(int order, int n)
{
    tile t;
    t.panel = (int)blockIdx.x;
    t.i = span_of((int)blockIdx.y * TILE_I, TILE_I, n);
    t.j = span_of((int)blockIdx.z * TILE_J, TILE_J, n);
    t.cells_i = cells_of(order, n, t.i);
    t.cells_j = cells_of(order, n, t.j);
    t.vertices_i = vertices_of(order, n, t.cells_i);
    t.vertices_j = vertices_of(order, n, t.cells_j);
    return t;
}

/* Whether no closure is needed for anything that a tile makes. */
static __device__ bool is_interior(int order, int n, span cells, span vertices)
{
    return vertices.first >= sbp_vertex_rows(order) &&
           vertices.last <= n - sbp_vertex_rows(order) && cells.first >= sbp_cell_rows(order) &&
           cells.last < n - sbp_cell_rows(order);
}

/* Place number `index` of a window that is `columns` wide. */
static __device__ int row_of(int index, span columns)
{
    return index / (columns.last - columns.first + 1);
}

static __device__ int column_of(int index, span columns)
{
    return index % (columns.last - columns.first + 1);
}

static __device__ int size_of(span rows, span columns)
{
    return (rows.last - rows.first + 1) * (columns.last - columns.first + 1);
}

/* Do a statement at every (j, i) of a window, shared among the threads of the block; (row, column)
 * is the same place counted from the window's first. */
#define FOR_WINDOW(rows, columns, ...)                                                             \
    for (int index = (int)(threadIdx.y * blockDim.x + threadIdx.x);                                \
         index < size_of(rows, columns); index += (int)(blockDim.x * blockDim.y)) {                \
        const int row = row_of(index, columns), column = column_of(index, columns);                \
        const int j = (rows).first + row, i = (columns).first + column;                            \
        __VA_ARGS__;                                                                               \
    }

/* x: panel; y, z: tiles along i and j. */
static inline dim3 tiles_grid(const swe_view *view)
{
    const unsigned places = (unsigned)view->layout.n + 1;
    return dim3(SWE_PANELS, (places + TILE_I - 1) / TILE_I, (places + TILE_J - 1) / TILE_J);
}

#endif
