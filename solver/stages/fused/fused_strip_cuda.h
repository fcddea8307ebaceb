/* Boundary strips of panels, or of blocks, computed substep by substep while a two-substep sweep
 * computes the inside (fused_two_substeps_cuda.h). The second substep reads results of the first
 * from its strip, so its strip is narrower by the reach of the operators. */
#ifndef SWE_STAGES_FUSED_STRIP_CUDA_H
#define SWE_STAGES_FUSED_STRIP_CUDA_H

#include "stages/tiles_cuda.h"

/* Vertices and cells at each end of a part, along i and j alike: in substeps 0 and 2; in substeps
 * 1 and 3, of which the sweep computes the flux of the first at cells up to ORDER beyond the end of
 * a strip, and so reads no closure of cells. Those of vertices end before. */
template <int ORDER> struct strip_shape {
    enum { AFTER = (ORDER == 2 ? 2 : ORDER == 4 ? 3 : 5) + ORDER, WIDTH = AFTER + ORDER - 1 };
};

/* The range inside the strips of `own` vertices along one direction. */
static inline __host__ __device__ span strip_inner(swe_range own, int width)
{
    return {own.first + width, own.last - 1 - width};
}

/* Intersection of two ranges. */
static __device__ span span_both(span a, span b)
{
    return {a.first > b.first ? a.first : b.first, a.last < b.last ? a.last : b.last};
}

/* Along z: the first and last columns of a part, then between them its first and last rows. Along
 * y: the tiles of each. */
enum { STRIP_SIDES = 4 };

/* The vertices of a strip at the low or the high end; a small block has less than two strips. */
static __device__ span strip_end(swe_range own, int width, bool is_high)
{
    const span low = span_of(own.first, width, own.last - 1);
    const int high = own.last - width;
    if (!is_high)
        return low;
    return {high > low.last ? high : low.last + 1, own.last - 1};
}

template <int ORDER>
static __device__ void find_strip_tile(const swe_block &part, int width, tile *t)
{
    const int along = (int)blockIdx.y, side = (int)blockIdx.z;
    const span inside = strip_inner(part.i, width);
    if (side < 2) {
        t->i[TILE_OWN] = strip_end(part.i, width, side == 1);
        t->j[TILE_OWN] = span_of(part.j.first + along * tile_shape<ORDER>::J, tile_shape<ORDER>::J,
                                 part.j.last - 1);
    } else {
        t->i[TILE_OWN] =
            span_of(inside.first + along * tile_shape<ORDER>::I, tile_shape<ORDER>::I, inside.last);
        t->j[TILE_OWN] = strip_end(part.j, width, side == 3);
    }
}

/* The tile of a block in a substep's strip; false: it has none. */
template <int ORDER>
static __device__ bool strip_tile_of(int n, const swe_block &part, int substep, tile *t)
{
    using strip = strip_shape<ORDER>;
    const bool after = substep % 2 == 1;
    find_strip_tile<ORDER>(part, after ? strip::AFTER : strip::WIDTH, t);
    if (t->i[TILE_OWN].first > t->i[TILE_OWN].last || t->j[TILE_OWN].first > t->j[TILE_OWN].last)
        return false;
    place_tile(ORDER, n, part, t);
    return true;
}

/* Grid as that of tiles_grid. */
template <int ORDER> static inline dim3 strip_grid(const swe_params *params)
{
    const launch_parts parts = launch_parts_of(params);
    const tile_counts along = tile_counts_of<ORDER>(parts.i, parts.j);
    return dim3((unsigned)parts.count, (unsigned)(along.i > along.j ? along.i : along.j),
                STRIP_SIDES);
}

#endif
