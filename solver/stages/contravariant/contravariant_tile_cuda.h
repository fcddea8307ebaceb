/* The contravariant flux of a block's tile of vertices: cross terms, then the fluxes that the
 * tile's vertices read. */
#ifndef SWE_STAGES_CONTRAVARIANT_TILE_CUDA_H
#define SWE_STAGES_CONTRAVARIANT_TILE_CUDA_H

#include "stages/contravariant/contravariant_point.h"
#include "stages/tiles_cuda.h"

/* Shared memory of a block while it processes its tile. */
template <int ORDER> struct flux_tile {
    using shape = tile_shape<ORDER>;
    real cross1[shape::LINES + shape::VERTICES][shape::I],
        flux2[shape::LINES + shape::CELLS][shape::I];
    real cross2[shape::LINES][shape::I + shape::VERTICES],
        flux1[shape::LINES][shape::I + shape::CELLS];
};

/* A velocity in global or shared memory: v_k of (j, i) is at v_k + j up_k + i. */
struct tile_velocity {
    const real *v1, *v2;
    int up1, up2;
};

static __device__ tile_velocity tile_velocity_of(const swe_params *params, const tile &t,
                                                 const real *v1, const real *v2)
{
    const int up = (int)params->layout.pitch;
    return {v1 + t.metric, v2 + t.metric, up, up};
}

template <int ORDER, swe_equations EQUATIONS, sbp_region WHERE>
static __device__ void compute_cross_terms(const swe_params *params, const tile &t, const real *h,
                                           const tile_velocity &v, flux_tile<ORDER> &w)
{
    for_tile_points<ORDER, WHERE, TILE_VERTICES, TILE_OWN>(
        t,
        [&](int j, int i, int, int) {
            const int at = place_of(params, t, j, i);
            return contravariant_cross1_point(EQUATIONS, ORDER, WHERE, params, i,
                                              params->metric12[at], h + at, v.v1 + j * v.up1 + i);
        },
        [&](int row, int column, real cross) { w.cross1[row][column] = cross; });
    for_tile_points<ORDER, WHERE, TILE_OWN, TILE_VERTICES>(
        t,
        [&](int j, int i, int, int) {
            const int at = place_of(params, t, j, i);
            return contravariant_cross2_point(EQUATIONS, ORDER, WHERE, params, j,
                                              params->metric12[at], h + at, v.v2 + j * v.up2 + i,
                                              v.up2);
        },
        [&](int row, int column, real cross) { w.cross2[row][column] = cross; });
}

template <int ORDER, swe_equations EQUATIONS, sbp_region WHERE>
static __device__ void compute_fluxes(const swe_params *params, const tile &t, const real *h,
                                      const tile_velocity &v, flux_tile<ORDER> &w)
{
    const int vertex_i = t.i[TILE_VERTICES].first, vertex_j = t.j[TILE_VERTICES].first;
    for_tile_points<ORDER, WHERE, TILE_CELLS, TILE_OWN>(
        t,
        [&](int j, int i, int, int column) {
            const int at = place_of(params, t, j, i);
            return contravariant_flux2_point(
                EQUATIONS, ORDER, WHERE, params, j, params->metric22[at], h + at,
                v.v2 + j * v.up2 + i, v.up2, &w.cross1[j - vertex_j][column], tile_shape<ORDER>::I);
        },
        [&](int row, int column, real flux) { w.flux2[row][column] = flux; });
    for_tile_points<ORDER, WHERE, TILE_OWN, TILE_CELLS>(
        t,
        [&](int j, int i, int row, int) {
            const int at = place_of(params, t, j, i);
            return contravariant_flux1_point(EQUATIONS, ORDER, WHERE, params, i,
                                             params->metric11[at], h + at, v.v1 + j * v.up1 + i,
                                             &w.cross2[row][i - vertex_i]);
        },
        [&](int row, int column, real flux) { w.flux1[row][column] = flux; });
}

/* Computed by all threads of the block. h points at the panel; linear: it is not read. */
template <int ORDER, swe_equations EQUATIONS, sbp_region WHERE>
static __device__ void compute_flux_tile(const swe_params *params, const tile &t, const real *h,
                                         const tile_velocity &v, flux_tile<ORDER> &w)
{
    compute_cross_terms<ORDER, EQUATIONS, WHERE>(params, t, h, v, w);
    __syncthreads();
    compute_fluxes<ORDER, EQUATIONS, WHERE>(params, t, h, v, w);
    __syncthreads();
}

#endif
