/* The contravariant flux of a block's tile of vertices: cross terms, then fluxes, all that the
 * tile's vertices take. */
#ifndef SWE_STAGES_CONTRAVARIANT_TILE_CUDA_H
#define SWE_STAGES_CONTRAVARIANT_TILE_CUDA_H

#include "stages/contravariant/contravariant_point.h"
#include "stages/tiles_cuda.h"

/* What lives while a block works on its tile. */
template <int ORDER> struct flux_tile {
    enum { CELLS = tile_margin<ORDER>::CELLS, VERTICES = tile_margin<ORDER>::VERTICES };
    real cross1[TILE_J + VERTICES][TILE_I], flux2[TILE_J + CELLS][TILE_I];
    real cross2[TILE_J][TILE_I + VERTICES], flux1[TILE_J][TILE_I + CELLS];
};

template <int ORDER, swe_equations EQUATIONS, sbp_region WHERE>
static __device__ void make_cross_terms(const swe_view *view, const tile &t, const real *h,
                                        const real *v1, const real *v2, flux_tile<ORDER> &w)
{
    const ptrdiff_t pitch = view->layout.pitch;
    FOR_WINDOW(t.vertices_j, t.i,
               w.cross1[row][column] = contravariant_cross1_point(
                   EQUATIONS, ORDER, WHERE, view, i, view->metric12[j * pitch + i],
                   h + j * pitch + i, v1 + j * pitch + i))
    FOR_WINDOW(t.j, t.vertices_i,
               w.cross2[row][column] = contravariant_cross2_point(
                   EQUATIONS, ORDER, WHERE, view, j, view->metric12[j * pitch + i],
                   h + j * pitch + i, v2 + j * pitch + i, pitch))
}

template <int ORDER, swe_equations EQUATIONS, sbp_region WHERE>
static __device__ void make_fluxes(const swe_view *view, const tile &t, const real *h,
                                   const real *v1, const real *v2, flux_tile<ORDER> &w)
{
    const ptrdiff_t pitch = view->layout.pitch;
    FOR_WINDOW(t.cells_j, t.i,
               w.flux2[row][column] = contravariant_flux2_point(
                   EQUATIONS, ORDER, WHERE, view, j, view->metric22[j * pitch + i],
                   h + j * pitch + i, v2 + j * pitch + i, pitch,
                   &w.cross1[j - t.vertices_j.first][column], TILE_I))
    FOR_WINDOW(t.j, t.cells_i,
               w.flux1[row][column] = contravariant_flux1_point(
                   EQUATIONS, ORDER, WHERE, view, i, view->metric11[j * pitch + i],
                   h + j * pitch + i, v1 + j * pitch + i, &w.cross2[row][i - t.vertices_i.first]))
}

/* Both, by all threads of the block. h, v1 and v2 are the panel's first values; linear: h is not
 * read. */
template <int ORDER, swe_equations EQUATIONS, sbp_region WHERE>
static __device__ void make_flux_tile(const swe_view *view, const tile &t, const real *h,
                                      const real *v1, const real *v2, flux_tile<ORDER> &w)
{
    make_cross_terms<ORDER, EQUATIONS, WHERE>(view, t, h, v1, v2, w);
    __syncthreads();
    make_fluxes<ORDER, EQUATIONS, WHERE>(view, t, h, v1, v2, w);
    __syncthreads();
}

#endif
