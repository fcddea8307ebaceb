#include "stages/contravariant/contravariant_tile_cuda.h"
#include "stages/divergence/divergence_point.h"
#include "stages/gradient/gradient_point.h"
#include "stages/launch_cuda.h"
#include "stages/rk4/rk4_point.h"
#include "stages/stages.h"

/* A point of the state. */
struct fused_values {
    real h, v1, v2;
};

/* The part at every point of the tile; `a` is at the panel's first value of h. */
template <int ORDER, sbp_region WHERE>
static __device__ __forceinline__ void update(const swe_view *view, int part, real weight,
                                              const tile &t, rk4_arrays a,
                                              const flux_tile<ORDER> &w)
{
    const int n = view->layout.n, cell_i = t.i[TILE_CELLS].first, cell_j = t.j[TILE_CELLS].first;
    const int first_i = t.i[TILE_OWN].first, first_j = t.j[TILE_OWN].first;
    const ptrdiff_t pitch = view->layout.pitch, field = view->layout.field;
    const auto has_v1 = [&](int i) { return WHERE == SBP_INTERIOR || i < n; };
    const auto has_v2 = [&](int j) { return WHERE == SBP_INTERIOR || j < n; };
    for_window<ORDER, WHERE, TILE_OWN, TILE_OWN>(
        t,
        [&](int j, int i, int row, int column) {
            const int at = place_of(view, j, i);
            const real *h = a.in + at;
            const real dh = divergence_point(DIVERGENCE_WEAK, ORDER, WHERE, WHERE, view, j, i,
                                             view->inverse_jacobian[at], &w.flux1[row][i - cell_i],
                                             &w.flux2[j - cell_j][column], tile_shape<ORDER>::I);
            fused_values made = {rk4_value(part, weight, dh, rk4_arrays_at(a, at)), 0, 0};
            if (has_v1(i))
                made.v1 = rk4_value(part, weight, gradient_point1(ORDER, WHERE, view, i, h),
                                    rk4_arrays_at(a, field + at));
            if (has_v2(j))
                made.v2 = rk4_value(part, weight, gradient_point2(ORDER, WHERE, view, j, h, pitch),
                                    rk4_arrays_at(a, 2 * field + at));
            return made;
        },
        [&](int row, int column, fused_values made) {
            const int j = first_j + row, i = first_i + column;
            real *out = a.out + place_of(view, j, i);
            out[0] = made.h;
            if (has_v1(i))
                out[field] = made.v1;
            if (has_v2(j))
                out[2 * field] = made.v2;
        });
}

template <int ORDER, sbp_region WHERE>
static __device__ void sweep(const swe_view *view, int part, real weight, const tile &t,
                             rk4_arrays a, flux_tile<ORDER> &w)
{
    const ptrdiff_t field = view->layout.field;
    make_flux_tile<ORDER, SWE_LINEAR, WHERE>(view, t, a.in, a.in + field, a.in + 2 * field, w);
    if (WHERE != SBP_INTERIOR)
        update<ORDER, WHERE>(view, part, weight, t, a, w);
    else if (part < 3)
        update<ORDER, WHERE>(view, 0, weight, t, a, w);
    else
        update<ORDER, WHERE>(view, 3, weight, t, a, w);
}

/* Blocks of a multiprocessor at the least: a thread may have 80 registers of three, 128 of two.
 * What is named here needs more than 80. */
template <int ORDER> struct fused_blocks {
    enum { LEAST = ORDER == 6 || (ORDER == 4 && sizeof(real) == sizeof(float)) ? 2 : 3 };
};

/* x: panels; y, z: tiles (tiles_cuda.h). */
template <int ORDER>
static __global__ void __launch_bounds__(LAUNCH_BLOCK_TILES, (fused_blocks<ORDER>::LEAST))
    fused_kernel(const __grid_constant__ swe_view view, int part, real weight, rk4_arrays arrays)
{
    __shared__ flux_tile<ORDER> work[LAUNCH_TILE_PANELS];
    const int n = view.layout.n;
    tile t;
    if (!tile_of<ORDER>(n, &t))
        return;
    const rk4_arrays a = rk4_arrays_at(arrays, t.panel * view.layout.panel);
    if (is_interior(ORDER, n, t.i) && is_interior(ORDER, n, t.j))
        sweep<ORDER, SBP_INTERIOR>(&view, part, weight, t, a, work[threadIdx.z]);
    else
        sweep<ORDER, SBP_ANYWHERE>(&view, part, weight, t, a, work[threadIdx.z]);
}

void swe_fused_cuda(const swe_view *view, int part, real weight, real after, real *y, real *next)
{
    (void)after;
    SWE_WITH_ORDER(view->sbp.order,
                   SWE_LAUNCH((fused_kernel<ORDER>), tiles_grid<ORDER>(view, LAUNCH_TILE_PANELS),
                              tiles_block(LAUNCH_TILE_PANELS), 0, launch_stream(&view->workers),
                              *view, part, weight, rk4_arrays_of(view, part, y, next)));
}
