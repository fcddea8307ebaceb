#include "stages/contravariant/contravariant_tile_cuda.h"
#include "stages/divergence/divergence_point.h"
#include "stages/gradient/gradient_point.h"
#include "stages/launch_cuda.h"
#include "stages/rk4/rk4_point.h"
#include "stages/stages.h"

/* The part at every point of the tile; `a` is at the panel's first value of h. */
template <int ORDER, sbp_region WHERE>
static __device__ void update(const swe_view *view, int part, real weight, const tile &t,
                              rk4_arrays a, const flux_tile<ORDER> &w)
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
                             rk4_arrays a, flux_tile<ORDER> &w)
{
    const ptrdiff_t field = view->layout.field;
    make_flux_tile<ORDER, SWE_LINEAR, WHERE>(view, t, a.in, a.in + field, a.in + 2 * field, w);
    update<ORDER, WHERE>(view, part, weight, t, a, w);
}

/* x: panel; y, z: tiles along i and j. */
template <int ORDER>
static __global__ void __launch_bounds__(LAUNCH_BLOCK_POINTS)
    fused_kernel(const __grid_constant__ swe_view view, int part, real weight, rk4_arrays arrays)
{
    __shared__ flux_tile<ORDER> work;
    const int n = view.layout.n;
    const tile t = tile_of(ORDER, n);
    const rk4_arrays a = rk4_arrays_at(arrays, t.panel * view.layout.panel);
    if (is_interior(ORDER, n, t.cells_i, t.vertices_i) &&
        is_interior(ORDER, n, t.cells_j, t.vertices_j))
        sweep<ORDER, SBP_INTERIOR>(&view, part, weight, t, a, work);
    else
        sweep<ORDER, SBP_ANYWHERE>(&view, part, weight, t, a, work);
}

void swe_fused_cuda(const swe_view *view, int part, real weight, real after, real *y, real *next)
{
    (void)after;
    SWE_WITH_ORDER(view->sbp.order,
                   SWE_LAUNCH((fused_kernel<ORDER>), tiles_grid(view), launch_block(), 0,
                              launch_stream(&view->workers), *view, part, weight,
                              rk4_arrays_of(view, part, y, next)));
}
