#include "stages/contravariant/contravariant_point.h"
#include "stages/divergence/divergence_point.h"
#include "stages/fused/fused_tile.h"
#include "stages/gradient/gradient_point.h"
#include "stages/launch_cuda.h"
#include "stages/rk4/rk4_point.h"
#include "stages/stages.h"
#include "stages/tiles_cuda.h"

/* What lives while a block works on its tile. */
template <int ORDER> struct tile_work {
    enum { CELLS = tile_margin<ORDER>::CELLS, VERTICES = tile_margin<ORDER>::VERTICES };
    real cross1[TILE_J + VERTICES][TILE_I], flux2[TILE_J + CELLS][TILE_I];
    real cross2[TILE_J][TILE_I + VERTICES], flux1[TILE_J][TILE_I + CELLS];
};

template <int ORDER, sbp_region WHERE>
static __device__ void make_cross_terms(const swe_view *view, const tile &t, const real *h,
                                        const real *v1, const real *v2, tile_work<ORDER> &w)
{
    const ptrdiff_t pitch = view->layout.pitch;
    FOR_WINDOW(t.vertices_j, t.i,
               w.cross1[row][column] = contravariant_cross1_point(
                   SWE_LINEAR, ORDER, WHERE, view, i, view->metric12[j * pitch + i],
                   h + j * pitch + i, v1 + j * pitch + i))
    FOR_WINDOW(t.j, t.vertices_i,
               w.cross2[row][column] = contravariant_cross2_point(
                   SWE_LINEAR, ORDER, WHERE, view, j, view->metric12[j * pitch + i],
                   h + j * pitch + i, v2 + j * pitch + i, pitch))
}

template <int ORDER, sbp_region WHERE>
static __device__ void make_fluxes(const swe_view *view, const tile &t, const real *h,
                                   const real *v1, const real *v2, tile_work<ORDER> &w)
{
    const ptrdiff_t pitch = view->layout.pitch;
    FOR_WINDOW(t.cells_j, t.i,
               w.flux2[row][column] = contravariant_flux2_point(
                   SWE_LINEAR, ORDER, WHERE, view, j, view->metric22[j * pitch + i],
                   h + j * pitch + i, v2 + j * pitch + i, pitch,
                   &w.cross1[j - t.vertices_j.first][column], TILE_I))
    FOR_WINDOW(t.j, t.cells_i,
               w.flux1[row][column] = contravariant_flux1_point(
                   SWE_LINEAR, ORDER, WHERE, view, i, view->metric11[j * pitch + i],
                   h + j * pitch + i, v1 + j * pitch + i, &w.cross2[row][i - t.vertices_i.first]))
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
    make_cross_terms<ORDER, WHERE>(view, t, a.in, a.in + field, a.in + 2 * field, w);
    __syncthreads();
    make_fluxes<ORDER, WHERE>(view, t, a.in, a.in + field, a.in + 2 * field, w);
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
    SWE_WITH_ORDER(view->sbp.order,
                   SWE_LAUNCH((fused_kernel<ORDER>), tiles_grid(view), launch_block(), 0,
                              launch_stream(&view->workers), *view, part, weight,
                              rk4_arrays_of(view, part, y, next)));
}
