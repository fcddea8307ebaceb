/* Tiles of vertices on a GPU, for sweeps that keep the buffers of a tile in shared memory. */
#ifndef SWE_STAGES_TILES_CUDA_H
#define SWE_STAGES_TILES_CUDA_H

#include "stages/reach.h"
#include "stages/launch_cuda.h"

/* A warp computes rows of a tile, each thread one column. Off the closures a tile has TILE_LANES
 * columns with its halo. */
enum { TILE_LANES = LAUNCH_TILE_I, TILE_WARPS = LAUNCH_TILE_J };

/* Vertices of a tile along i and j (I, J); the most rows of a tile or of a strip (LINES); the most
 * halo points: cells that vertices read (CELLS), and vertices that these cells read (VERTICES). */
template <int ORDER> struct tile_shape {
    enum {
        I = TILE_LANES - 2 * (ORDER - 1),
        J = LAUNCH_TILE_ROWS,
        LINES = J,
        CELLS = ORDER + 2,
        VERTICES = 2 * ORDER + (ORDER == 6) /* its closures have more vertices than cells */
    };
};

/* Points first..last of a line. */
struct span {
    int first, last;
};

/* Ranges along each direction: a tile's own vertices, the cells that these vertices read, the
 * vertices that these cells read. */
enum tile_places { TILE_OWN, TILE_CELLS, TILE_VERTICES, TILE_PLACES };

struct tile {
    int panel;
    int metric;      /* of the panel's vertex (0, 0) in metric terms */
    ptrdiff_t field; /* from there to the same vertex in a field */
    span i[TILE_PLACES], j[TILE_PLACES];
};

static __host__ __device__ int count_of(span places)
{
    return places.last - places.first + 1;
}

/* Off the closures: halo beyond `own` vertices on either side. */
static __device__ constexpr int tile_count(int order, tile_places places, int own)
{
    return places == TILE_OWN     ? own
           : places == TILE_CELLS ? own + order - 1
                                  : own + 2 * (order - 1);
}

/* `count` points from `first` on, none beyond `most`. */
static __device__ span span_of(int first, int count, int most)
{
    const int last = first + count - 1;
    return {first, last < most ? last : most};
}

/* Ranges of a tile along one direction, from its own vertices on. */
static __device__ void fill_places(int order, int n, span (&places)[TILE_PLACES])
{
    const span own = places[TILE_OWN];
    const span cells = {reach_first_cell(order, sbp_vertex_rows(order), n, own.first),
                        reach_last_cell(order, sbp_vertex_rows(order), n, own.last)};
    places[TILE_CELLS] = cells;
    places[TILE_VERTICES] = {reach_first_vertex(order, sbp_vertex_rows(order), n, cells.first),
                             reach_last_vertex(order, sbp_vertex_rows(order), n, cells.last)};
}

/* The rest of a tile of a part, from its own vertices on. */
static __device__ void place_tile(int order, int n, const swe_block &part, tile *t)
{
    t->panel = part.panel;
    t->metric = (int)part.metric;
    t->field = part.at - part.metric;
    fill_places(order, n, t->i);
    fill_places(order, n, t->j);
}

/* Number of tiles along i and j for a part's numbers of vertices. */
struct tile_counts {
    int i, j;
};

template <int ORDER> static __host__ __device__ tile_counts tile_counts_of(int i, int j)
{
    return {(i - 1) / tile_shape<ORDER>::I + 1, (j - 1) / tile_shape<ORDER>::J + 1};
}

/* Tiles of the grid's blocks: along z the columns of tiles at both ends of a part along i, then
 * the rows at both ends along j, then the columns of the inside; along y the tiles of each. Tiles
 * at the ends use closures and take several times as long; starting them first hides that. */
enum { TILE_ENDS = 4 };

template <int ORDER> static __device__ bool find_tile(const swe_block &part, int *i, int *j)
{
    const tile_counts tiles =
        tile_counts_of<ORDER>(part.i.last - part.i.first, part.j.last - part.j.first);
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

/* The tile of a block; false: it has none. Parts vary fastest, so that blocks which share metric
 * terms read them from the second-level cache together. */
template <int ORDER> static __device__ bool tile_of(int n, const swe_block &part, tile *t)
{
    int i, j;
    if (!find_tile<ORDER>(part, &i, &j))
        return false;
    t->i[TILE_OWN] =
        span_of(part.i.first + i * tile_shape<ORDER>::I, tile_shape<ORDER>::I, part.i.last - 1);
    t->j[TILE_OWN] =
        span_of(part.j.first + j * tile_shape<ORDER>::J, tile_shape<ORDER>::J, part.j.last - 1);
    place_tile(ORDER, n, part, t);
    return true;
}

/* The tile of a block in the strips of a part: along z the side, along y the tiles of each. A strip
 * along xi1 is one tile high, of at most LINES rows. */
template <int ORDER>
static __device__ bool side_tile_of(int n, const swe_block &part, int width, tile *t)
{
    const int along = (int)blockIdx.y, side = (int)blockIdx.z;
    const swe_block strip = launch_side_of(part, width, side);
    const int step_i = side < 2 ? 0 : along * tile_shape<ORDER>::I,
              step_j = side < 2 ? along * tile_shape<ORDER>::J : 0;
    t->i[TILE_OWN] = span_of(strip.i.first + step_i, tile_shape<ORDER>::I, strip.i.last - 1);
    t->j[TILE_OWN] =
        span_of(strip.j.first + step_j, side < 2 ? tile_shape<ORDER>::J : width, strip.j.last - 1);
    if (t->i[TILE_OWN].first > t->i[TILE_OWN].last || t->j[TILE_OWN].first > t->j[TILE_OWN].last)
        return false;
    place_tile(ORDER, n, part, t);
    return true;
}

/* Whether a tile has its full size, of `own` vertices, along a direction, and uses no closure. */
static inline __device__ bool is_interior(int order, int n, int own,
                                          const span (&places)[TILE_PLACES])
{
    return count_of(places[TILE_OWN]) == own &&
           places[TILE_VERTICES].first >= sbp_vertex_rows(order) &&
           places[TILE_VERTICES].last <= n - sbp_vertex_rows(order) &&
           places[TILE_CELLS].first >= sbp_cell_rows(order) &&
           places[TILE_CELLS].last < n - sbp_cell_rows(order);
}

template <int ORDER> static __device__ bool is_inside(int n, const tile &t)
{
    return is_interior(ORDER, n, tile_shape<ORDER>::I, t.i) &&
           is_interior(ORDER, n, tile_shape<ORDER>::J, t.j);
}

/* Offset of (j, i) of a tile's panel in metric terms, and from t.field on in fields. An int holds
 * it, and int addresses need fewer instructions on a GPU. */
static __device__ int place_of(const swe_params *params, const tile &t, int j, int i)
{
    return j * (int)params->layout.pitch + (t.metric + i);
}

/* Call store(row, column, compute(j, i, row, column)) at every (j, i) of a range of the tile,
 * shared among the threads of the block; (row, column) is the point relative to the
 * range's first. Off the closures a warp computes consecutive rows, whose number is a constant: all
 * are computed before the first is stored, so that their loads overlap and common loads are issued
 * once. */
template <int ORDER, sbp_region WHERE, tile_places ROWS, tile_places COLUMNS, typename compute_type,
          typename store_type>
static __device__ __forceinline__ void for_tile_points(const tile &t, compute_type compute,
                                                       store_type store)
{
    const span rows = t.j[ROWS], columns = t.i[COLUMNS];
    const int lane = (int)threadIdx.x, warp = (int)threadIdx.y;
    if constexpr (WHERE == SBP_INTERIOR) {
        constexpr int count_j = tile_count(ORDER, ROWS, tile_shape<ORDER>::J),
                      count_i = tile_count(ORDER, COLUMNS, tile_shape<ORDER>::I),
                      most = (count_j + TILE_WARPS - 1) / TILE_WARPS;
        if (lane >= count_i)
            return;
        /* The last warps may have fewer rows: they also compute rows of other warps, and store only
         * their own. */
        const int own = warp * most, begin = own < count_j - most ? own : count_j - most;
        decltype(compute(0, 0, 0, 0)) computed[most];
        for (int k = 0; k < most; k++)
            computed[k] = compute(rows.first + begin + k, columns.first + lane, begin + k, lane);
        for (int k = 0; k < most; k++)
            if (count_j % TILE_WARPS == 0 || begin + k >= own)
                store(begin + k, lane, computed[k]);
    } else {
        const int count_i = count_of(columns), count = count_of(rows) * count_i;
        for (int point = warp * TILE_LANES + lane; point < count; point += LAUNCH_BLOCK_TILE) {
            const int row = point / count_i, column = point % count_i;
            store(row, column, compute(rows.first + row, columns.first + column, row, column));
        }
    }
}

/* The grid of thread blocks that have a tile each. x: parts; y, z: as in tile_of. */
template <int ORDER> static inline dim3 tiles_grid(const swe_params *params)
{
    const launch_parts parts = launch_parts_of(params);
    const tile_counts tiles = tile_counts_of<ORDER>(parts.i, parts.j);
    const int within = tiles.i > 2 ? tiles.i - 2 : 0;
    return dim3((unsigned)parts.count, (unsigned)(within > tiles.j ? within : tiles.j),
                (unsigned)(TILE_ENDS + within));
}

/* The same for the strips. */
template <int ORDER> static inline dim3 sides_grid(const swe_params *params)
{
    const launch_parts parts = launch_parts_of(params);
    const tile_counts along = tile_counts_of<ORDER>(parts.i, parts.j);
    return dim3((unsigned)parts.count, (unsigned)(along.i > along.j ? along.i : along.j),
                LAUNCH_SIDES);
}

static inline dim3 tiles_block()
{
    return dim3(LAUNCH_TILE_I, LAUNCH_TILE_J, 1);
}

#endif
