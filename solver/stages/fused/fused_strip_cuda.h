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
    enum { AFTER = LAUNCH_STRIP_AFTER(ORDER), WIDTH = AFTER + ORDER - 1 };
    static_assert(WIDTH <= (int)tile_shape<ORDER>::LINES, "one tile");
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

/* The tile of a block in a substep's strip; false: it has none. */
template <int ORDER>
static __device__ bool strip_tile_of(int n, const swe_block &part, int substep, tile *t)
{
    using strip = strip_shape<ORDER>;
    return side_tile_of<ORDER>(n, part, substep % 2 == 1 ? strip::AFTER : strip::WIDTH, t);
}

#endif
