/* How blocks of threads go over panels in tiles of vertices, for sweeps that keep what lives while
 * a tile is worked on in shared memory. */
#ifndef SWE_STAGES_TILES_CUDA_H
#define SWE_STAGES_TILES_CUDA_H

#include "stages/fused/fused_tile.h"
#include "stages/launch_cuda.h"

/* A warp takes rows of a tile, each lane a column: as many as a tile has with all that it takes
 * beyond its own off the closures. */
enum { TILE_LANES = LAUNCH_TILE_I, TILE_WARPS = LAUNCH_TILE_J };

/* Vertices of a tile along i and j, and places that the operators take beyond them at most: cells
 * that vertices take, and vertices that those cells take. */
template <int ORDER> struct tile_shape {
    enum {
        I = TILE_LANES - 2 * (ORDER - 1),
        J = LAUNCH_TILE_ROWS,
        CELLS = ORDER + 2,
        VERTICES = 2 * ORDER
    };
};

/* Places first..last of a line. */
struct span {
    int first, last;
};

/* Along each direction: a tile's own vertices, the cells that they take, the vertices that those
 * take. */
enum tile_places { TILE_OWN, TILE_CELLS, TILE_VERTICES, TILE_PLACES };

struct tile {
    int panel;
    span i[TILE_PLACES], j[TILE_PLACES];
};

static __host__ __device__ int count_of(span places)
{
    return places.last - places.first + 1;
}

/* Off the closures: those beyond `own` vertices on either side. */
static __device__ constexpr int tile_count(int order, tile_places places, int own)
{
    return places == TILE_OWN     ? own
           : places == TILE_CELLS ? own + order - 1
                                  : own + 2 * (order - 1);
}

/* `count` places from `first` on, but none beyond n. */
static __device__ span span_of(int first, int count, int n)
{
    const int last = first + count - 1;
    return {first, last < n ? last : n};
}

/* Those of a tile along one direction, from its own on. */
static __device__ void fill_places(int order, int n, span (&places)[TILE_PLACES])
{
    const span own = places[TILE_OWN];
    const span cells = {fused_first_cell(order, n, own.first), fused_last_cell(order, n, own.last)};
    places[TILE_CELLS] = cells;
    places[TILE_VERTICES] = {fused_first_vertex(order, n, cells.first),
                             fused_last_vertex(order, n, cells.last)};
}

/* How many tiles there are along i and j of a panel. */
struct tile_counts {
    int i, j;
};

template <int ORDER> static __host__ __device__ tile_counts tile_counts_of(int n)
{
    return {n / tile_shape<ORDER>::I + 1, n / tile_shape<ORDER>::J + 1};
}

/* Those that a block may have: along z the columns of tiles at a panel's two ends along i, the rows
 * at its two ends along j, and then columns of those within; along y the tiles of each. Tiles at
 * ends take a panel's closures, and several times as long: blocks that come first hide that. */
enum { TILE_ENDS = 4 };

template <int ORDER> static __device__ bool find_tile(int n, int *i, int *j)
{
    const tile_counts tiles = tile_counts_of<ORDER>(n);
    const int y = (int)blockIdx.y, z = (int)blockIdx.z;
    if (z < 2) {
        *i = z == 0 ? 0 : tiles.i - 1;
        *j = y;
        return y < tiles.j && (z == 0 || tiles.i > 1);
    }
    *i = z < TILE_ENDS ? y + 1 : z - TILE_ENDS + 1;
    *j = z < TILE_ENDS ? (z == 2 ? 0 : tiles.j - 1) : y + 1;
    return *i < tiles.i - 1 && (z < TILE_ENDS ? z == 2 || tiles.j > 1 : *j < tiles.j - 1);
}

/* The tile of a thread; false: there is none. A block has that of one or of some panels, which
 * share its metric terms in the first-level cache; panels vary fastest, so that blocks which share
 * them read them from the second-level cache together. */
template <int ORDER> static __device__ bool tile_of(int n, tile *t)
{
    int i, j;
    if (!find_tile<ORDER>(n, &i, &j))
        return false;
    t->panel = (int)(blockIdx.x * blockDim.z + threadIdx.z);
    t->i[TILE_OWN] = span_of(i * tile_shape<ORDER>::I, tile_shape<ORDER>::I, n);
    t->j[TILE_OWN] = span_of(j * tile_shape<ORDER>::J, tile_shape<ORDER>::J, n);
    fill_places(ORDER, n, t->i);
    fill_places(ORDER, n, t->j);
    return true;
}

/* Whether nothing that a tile makes along a direction takes a closure: the tile is whole then. */
static __device__ bool is_interior(int order, int n, const span (&places)[TILE_PLACES])
{
    return places[TILE_VERTICES].first >= sbp_vertex_rows(order) &&
           places[TILE_VERTICES].last <= n - sbp_vertex_rows(order) &&
           places[TILE_CELLS].first >= sbp_cell_rows(order) &&
           places[TILE_CELLS].last < n - sbp_cell_rows(order);
}

/* Where (j, i) of a panel is in its fields. An int has room for that, and addresses that are made
 * of one cost a GPU fewer instructions. */
static __device__ int place_of(const swe_params *params, int j, int i)
{
    return j * (int)params->layout.pitch + i;
}

/* Do put(row, column, make(j, i, row, column)) at every (j, i) of a window of the tile, shared
 * among the threads of the block that have its panel; (row, column) is the same place counted from
 * the window's first. Off the closures a warp takes rows that follow each other and whose number is
 * known: all are made before the first is put, so that what they load is under way together, and
 * what two of them load is loaded once. */
template <int ORDER, sbp_region WHERE, tile_places ROWS, tile_places COLUMNS, typename place_make,
          typename place_put>
static __device__ __forceinline__ void for_window(const tile &t, place_make make, place_put put)
{
    const span rows = t.j[ROWS], columns = t.i[COLUMNS];
    const int lane = (int)threadIdx.x, warp = (int)threadIdx.y;
    if constexpr (WHERE == SBP_INTERIOR) {
        constexpr int count_j = tile_count(ORDER, ROWS, tile_shape<ORDER>::J),
                      count_i = tile_count(ORDER, COLUMNS, tile_shape<ORDER>::I),
                      most = (count_j + TILE_WARPS - 1) / TILE_WARPS;
        if (lane >= count_i)
            return;
        /* The last warps may have fewer: they make others' rows, too, and put their own. */
        const int own = warp * most, begin = own < count_j - most ? own : count_j - most;
        decltype(make(0, 0, 0, 0)) made[most];
        for (int k = 0; k < most; k++)
            made[k] = make(rows.first + begin + k, columns.first + lane, begin + k, lane);
        for (int k = 0; k < most; k++)
            if (count_j % TILE_WARPS == 0 || begin + k >= own)
                put(begin + k, lane, made[k]);
    } else {
        const int count_j = count_of(rows), count_i = count_of(columns);
        for (int column = lane; column < count_i; column += TILE_LANES)
            for (int row = warp; row < count_j; row += TILE_WARPS)
                put(row, column, make(rows.first + row, columns.first + column, row, column));
    }
}

/* Of blocks that have the tiles of so many panels. x: panels; y, z: as find_tile says. */
template <int ORDER> static inline dim3 tiles_grid(const swe_params *params, int panels)
{
    const tile_counts tiles = tile_counts_of<ORDER>(params->layout.n);
    const int within = tiles.i > 2 ? tiles.i - 2 : 0;
    return dim3((unsigned)(SWE_PANELS / panels), (unsigned)(within > tiles.j ? within : tiles.j),
                (unsigned)(TILE_ENDS + within));
}

static inline dim3 tiles_block(int panels)
{
    return dim3(LAUNCH_TILE_I, LAUNCH_TILE_J, (unsigned)panels);
}

#endif
