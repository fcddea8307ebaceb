/* Boundary strips of panels, computed substep by substep while a two-substep sweep computes the
 * inside (fused_two_substeps_cuda.h). The second substep reads results of the first from its strip,
 * so its strip is narrower by the reach of the operators. */
#ifndef SWE_STAGES_FUSED_STRIP_CUDA_H
#define SWE_STAGES_FUSED_STRIP_CUDA_H

#include "stages/tiles_cuda.h"

/* Vertices and cells at each end of a panel, along i and j alike: in substeps 0 and 2; in substeps
 * 1 and 3, of which the sweep computes the flux of the first at cells up to ORDER beyond the end of
 * a strip, and so reads no closure of cells. Those of vertices end before. */
template <int ORDER> struct strip_shape {
    enum { AFTER = (ORDER == 2 ? 2 : ORDER == 4 ? 3 : 5) + ORDER, WIDTH = AFTER + ORDER - 1 };
};

/* The range inside the strips along one direction. */
static inline __host__ __device__ span strip_inner(int n, int width)
{
    return {width, n - width};
}

/* Intersection of two ranges. */
static __device__ span span_both(span a, span b)
{
    return {a.first > b.first ? a.first : b.first, a.last < b.last ? a.last : b.last};
}

/* Along z: the first and last columns of a panel, then between them its first and last rows. Along
 * y: the tiles of each. */
enum { STRIP_SIDES = 4 };

template <int ORDER> static __device__ void find_strip_tile(int n, int width, tile *t)
{
    const int along = (int)blockIdx.y, side = (int)blockIdx.z;
    const span low = {0, width - 1}, high = {n - width + 1, n};
    if (side < 2) {
        t->i[TILE_OWN] = side == 0 ? low : high;
        t->j[TILE_OWN] = span_of(along * tile_shape<ORDER>::J, tile_shape<ORDER>::J, n);
    } else {
        t->i[TILE_OWN] =
            span_of(width + along * tile_shape<ORDER>::I, tile_shape<ORDER>::I, n - width);
        t->j[TILE_OWN] = side == 2 ? low : high;
    }
}

/* The tile of a block in a substep's strip; false: it has none. */
template <int ORDER> static __device__ bool strip_tile_of(int n, int substep, tile *t)
{
    using strip = strip_shape<ORDER>;
    const bool after = substep % 2 == 1;
    find_strip_tile<ORDER>(n, after ? strip::AFTER : strip::WIDTH, t);
    if (t->i[TILE_OWN].first > t->i[TILE_OWN].last || t->j[TILE_OWN].first > t->j[TILE_OWN].last)
        return false;
    t->panel = (int)blockIdx.x;
    fill_places(ORDER, n, t->i);
    fill_places(ORDER, n, t->j);
    return true;
}

/* Grid as that of tiles_grid. */
template <int ORDER> static inline dim3 strip_grid(const swe_params *params)
{
    const int n = params->layout.n, along_j = n / tile_shape<ORDER>::J + 1,
              along_i = n / tile_shape<ORDER>::I + 1;
    return dim3(SWE_PANELS, (unsigned)(along_i > along_j ? along_i : along_j), STRIP_SIDES);
}

#endif
