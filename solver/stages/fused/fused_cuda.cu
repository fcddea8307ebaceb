#include "stages/contravariant/contravariant_point.h"
#include "stages/divergence/divergence_point.h"
#include "stages/fused/fused_tile.h"
#include "stages/gradient/gradient_point.h"
#include "stages/launch_cuda.h"
#include "stages/rk4/rk4_point.h"
#include "stages/stages.h"

/* Vertices of a tile: one column a thread along i, some rows a thread along j. */
enum { TILE_I = LAUNCH_BLOCK_I, TILE_J = 2 * LAUNCH_BLOCK_J };

/* What lives while a block works on its tile. The operators take at most so many places beyond it:
 * cells that vertices take, and vertices that those cells take. */
template <int ORDER> struct tile_work {
    enum { CELLS = ORDER + 2, VERTICES = 2 * ORDER };
    real cross1[TILE_J + VERTICES][TILE_I], flux2[TILE_J + CELLS][TILE_I];
    real cross2[TILE_J][TILE_I + VERTICES], flux1[TILE_J][TILE_I + CELLS];
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

/* Do `work` at every (j, i) of a window, shared among the threads of the block; (row, column) is
 * the same place counted from the window's first. */
#define FOR_WINDOW(rows, columns, work)                                                            \
    for (int index = (int)(threadIdx.y * blockDim.x + threadIdx.x);                                \
         index < size_of(rows, columns); index += (int)(blockDim.x * blockDim.y)) {                \
        const int row = row_of(index, columns), column = column_of(index, columns);                \
        const int j = (rows).first + row, i = (columns).first + column;                            \
        work;                                                                                      \
    }

template <int ORDER, sbp_region WHERE>
static __device__ void make_cross_terms(const swe_view *view, const tile &t, const real *v1,
                                        const real *v2, tile_work<ORDER> &w)
{
    const ptrdiff_t pitch = view->layout.pitch;
    FOR_WINDOW(t.vertices_j, t.i,
               w.cross1[row][column] = contravariant_cross1_point(
                   ORDER, WHERE, view, i, view->metric12[j * pitch + i], v1 + j * pitch + i))
    FOR_WINDOW(t.j, t.vertices_i,
               w.cross2[row][column] = contravariant_cross2_point(
                   ORDER, WHERE, view, j, view->metric12[j * pitch + i], v2 + j * pitch + i, pitch))
}

template <int ORDER, sbp_region WHERE>
static __device__ void make_fluxes(const swe_view *view, const tile &t, const real *v1,
                                   const real *v2, tile_work<ORDER> &w)
{
    const ptrdiff_t pitch = view->layout.pitch;
    FOR_WINDOW(t.cells_j, t.i,
               w.flux2[row][column] = contravariant_flux2_point(
                   ORDER, WHERE, view, j, view->metric22[j * pitch + i], v2 + j * pitch + i,
                   &w.cross1[j - t.vertices_j.first][column], TILE_I))
    FOR_WINDOW(t.j, t.cells_i,
               w.flux1[row][column] = contravariant_flux1_point(
                   ORDER, WHERE, view, i, view->metric11[j * pitch + i], v1 + j * pitch + i,
                   &w.cross2[row][i - t.vertices_i.first]))
}

/* The part at every point of the tile; `a` is at the panel's first value of h. */
template <int ORDER, sbp_region WHERE>
static __device__ void update(const swe_view *view, int part, real weight, const tile &t,
                              rk4_arrays a, const tile_work<ORDER> &w)
{
    const int n = view->layout.n;
    const ptrdiff_t pitch = view->layout.pitch, field = view->layout.field;
    FOR_WINDOW(t.j, t.i, {
        const ptrdiff_t at = j * pitch + i;
        const real dh = divergence_point(
            DIVERGENCE_WEAK, ORDER, WHERE, WHERE, view, j, i, view->inverse_jacobian[at],
            &w.flux1[row][i - t.cells_i.first], &w.flux2[j - t.cells_j.first][column], TILE_I);
        rk4_point(part, weight, dh, rk4_arrays_at(a, at));
        if (i < n)
            rk4_point(part, weight, gradient_point1(ORDER, WHERE, view, i, a.in + at),
                      rk4_arrays_at(a, field + at));
        if (j < n)
            rk4_point(part, weight, gradient_point2(ORDER, WHERE, view, j, a.in + at, pitch),
                      rk4_arrays_at(a, 2 * field + at));
    })
}

template <int ORDER, sbp_region WHERE>
static __device__ void sweep(const swe_view *view, int part, real weight, const tile &t,
                             rk4_arrays a, tile_work<ORDER> &w)
{
    const ptrdiff_t field = view->layout.field;
    make_cross_terms<ORDER, WHERE>(view, t, a.in + field, a.in + 2 * field, w);
    __syncthreads();
    make_fluxes<ORDER, WHERE>(view, t, a.in + field, a.in + 2 * field, w);
    __syncthreads();
    update<ORDER, WHERE>(view, part, weight, t, a, w);
}

/* x: panel; y, z: tiles along i and j. */
template <int ORDER>
static __global__ void __launch_bounds__(LAUNCH_BLOCK_POINTS)
    fused_kernel(const __grid_constant__ swe_view view, int part, real weight, rk4_arrays arrays)
{
    __shared__ tile_work<ORDER> work;
    const int n = view.layout.n;
    const tile t = tile_of(ORDER, n);
    const rk4_arrays a = rk4_arrays_at(arrays, t.panel * view.layout.panel);
    if (is_interior(ORDER, n, t.cells_i, t.vertices_i) &&
        is_interior(ORDER, n, t.cells_j, t.vertices_j))
        sweep<ORDER, SBP_INTERIOR>(&view, part, weight, t, a, work);
    else
        sweep<ORDER, SBP_ANYWHERE>(&view, part, weight, t, a, work);
}

void swe_fused_cuda(const swe_view *view, int part, real weight, real *y, real *next)
{
    const unsigned places = (unsigned)view->layout.n + 1;
    const dim3 tiles(SWE_PANELS, (places + TILE_I - 1) / TILE_I, (places + TILE_J - 1) / TILE_J);
    SWE_WITH_ORDER(view->sbp.order, SWE_LAUNCH((fused_kernel<ORDER>), tiles, launch_block(), 0,
                                               launch_stream(&view->workers), *view, part, weight,
                                               rk4_arrays_of(view, part, y, next)));
}
