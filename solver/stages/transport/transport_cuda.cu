#include "stages/contravariant/contravariant_point.h"
#include "stages/divergence/divergence_point.h"
#include "stages/rk4/rk4_point.h"
#include "stages/stages.h"
#include "stages/tiles_cuda.h"
#include "stages/transport/transport_point.h"

/* What lives while a block works on its tile. */
template <int ORDER> struct transport_work {
    enum { CELLS = tile_margin<ORDER>::CELLS, VERTICES = tile_margin<ORDER>::VERTICES };
    real mean1[TILE_J + VERTICES][TILE_I], cross1[TILE_J + VERTICES][TILE_I];
    real shear2[TILE_J + CELLS][TILE_I], flux2[TILE_J + CELLS][TILE_I];
    real mean2[TILE_J][TILE_I + VERTICES], cross2[TILE_J][TILE_I + VERTICES];
    real shear1[TILE_J][TILE_I + CELLS], flux1[TILE_J][TILE_I + CELLS];
};

/* Fields of a part, at a panel; the margin is whole. */
struct transport_part {
    int part;
    real weight;
    rk4_arrays arrays;
    const real *bottom, *coriolis;
    transport_out out;
    real *margin;
};

template <int ORDER, swe_equations EQUATIONS, sbp_region WHERE>
static __device__ void make_means(const swe_view *view, const tile &t, const real *h,
                                  const real *v1, const real *v2, transport_work<ORDER> &w)
{
    const int n = view->layout.n;
    const ptrdiff_t pitch = view->layout.pitch;
    FOR_WINDOW(t.vertices_j, t.i, {
        const ptrdiff_t at = j * pitch + i;
        w.mean1[row][column] = sbp_pcv(ORDER, WHERE, &view->sbp, n, i, v1 + at, 1);
        w.cross1[row][column] =
            contravariant_cross(EQUATIONS, view->metric12[at], h + at, w.mean1[row][column]);
    })
    FOR_WINDOW(t.j, t.vertices_i, {
        const ptrdiff_t at = j * pitch + i;
        w.mean2[row][column] = sbp_pcv(ORDER, WHERE, &view->sbp, n, j, v2 + at, pitch);
        w.cross2[row][column] =
            contravariant_cross(EQUATIONS, view->metric12[at], h + at, w.mean2[row][column]);
    })
}

template <int ORDER, swe_equations EQUATIONS, sbp_region WHERE>
static __device__ void make_fluxes(const swe_view *view, const tile &t, const real *h,
                                   const real *v1, const real *v2, transport_work<ORDER> &w)
{
    const ptrdiff_t pitch = view->layout.pitch;
    FOR_WINDOW(t.cells_j, t.i, {
        const ptrdiff_t at = j * pitch + i;
        const int vertex = j - t.vertices_j.first;
        w.flux2[row][column] =
            contravariant_flux2_point(EQUATIONS, ORDER, WHERE, view, j, view->metric22[at], h + at,
                                      v2 + at, pitch, &w.cross1[vertex][column], TILE_I);
        if (EQUATIONS == SWE_NONLINEAR)
            w.shear2[row][column] =
                vorticity_shear2_point(ORDER, WHERE, view, j, &w.mean1[vertex][column], TILE_I);
    })
    FOR_WINDOW(t.j, t.cells_i, {
        const ptrdiff_t at = j * pitch + i;
        const int vertex = i - t.vertices_i.first;
        w.flux1[row][column] =
            contravariant_flux1_point(EQUATIONS, ORDER, WHERE, view, i, view->metric11[at], h + at,
                                      v1 + at, &w.cross2[row][vertex]);
        if (EQUATIONS == SWE_NONLINEAR)
            w.shear1[row][column] =
                vorticity_shear1_point(ORDER, WHERE, view, i, &w.mean2[row][vertex]);
    })
}

/* Every vertex of the tile. */
template <int ORDER, swe_equations EQUATIONS, sbp_region WHERE>
static __device__ void make_vertices(const swe_view *view, const tile &t, const transport_part &p,
                                     const transport_work<ORDER> &w)
{
    const int n = view->layout.n;
    const ptrdiff_t pitch = view->layout.pitch, field = view->layout.field;
    FOR_WINDOW(t.j, t.i, {
        const ptrdiff_t at = j * pitch + i;
        const int cell_i = i - t.cells_i.first, cell_j = j - t.cells_j.first;
        const transport_vertex vertex = {&w.flux1[row][cell_i],
                                         &w.flux2[cell_j][column],
                                         &w.shear1[row][cell_i],
                                         &w.shear2[cell_j][column],
                                         TILE_I,
                                         w.mean1[j - t.vertices_j.first][column],
                                         w.mean2[row][i - t.vertices_i.first]};
        const real dh =
            divergence_point(DIVERGENCE_WEAK, ORDER, WHERE, WHERE, view, j, i,
                             view->inverse_jacobian[at], vertex.flux1, vertex.flux2, TILE_I);
        rk4_point(p.part, p.weight, dh, rk4_arrays_at(p.arrays, at));
        const transport_out out = {p.out.head + at, p.out.turned1 + at, p.out.turned2 + at};
        const real *h = p.arrays.in + at;
        const real vorticity =
            transport_point(EQUATIONS, ORDER, WHERE, WHERE, view, j, i, at, h, h + field,
                            h + 2 * field, p.bottom + at, p.coriolis + at, vertex, out);
        if (EQUATIONS == SWE_NONLINEAR && topology_is_shared(n, j, i))
            p.margin[join_margin_at(n, t.panel, j, i)] = vorticity;
    })
}

template <int ORDER, swe_equations EQUATIONS, sbp_region WHERE>
static __device__ void sweep(const swe_view *view, const tile &t, const transport_part &p,
                             transport_work<ORDER> &w)
{
    const ptrdiff_t field = view->layout.field;
    const real *h = p.arrays.in, *v1 = h + field, *v2 = h + 2 * field;
    make_means<ORDER, EQUATIONS, WHERE>(view, t, h, v1, v2, w);
    __syncthreads();
    make_fluxes<ORDER, EQUATIONS, WHERE>(view, t, h, v1, v2, w);
    __syncthreads();
    make_vertices<ORDER, EQUATIONS, WHERE>(view, t, p, w);
}

/* Blocks of a multiprocessor at the least, 0: as the compiler likes. With four it knows that a
 * thread may have 64 registers; for one form it likes 48, and spills one. */
template <int ORDER, swe_equations EQUATIONS> struct transport_blocks {
    enum { LEAST = ORDER == 2 && EQUATIONS == SWE_NONLINEAR ? 4 : 0 };
};

template <int ORDER, swe_equations EQUATIONS>
static __global__ void __launch_bounds__(LAUNCH_BLOCK_POINTS,
                                         (transport_blocks<ORDER, EQUATIONS>::LEAST))
    transport_kernel(const __grid_constant__ swe_view view, transport_part whole)
{
    __shared__ transport_work<ORDER> work;
    const int n = view.layout.n;
    const tile t = tile_of(ORDER, n);
    const ptrdiff_t at = t.panel * view.layout.panel;
    const transport_part p = {whole.part,
                              whole.weight,
                              rk4_arrays_at(whole.arrays, at),
                              whole.bottom + at,
                              whole.coriolis + at,
                              {whole.out.head + at, whole.out.turned1 + at, whole.out.turned2 + at},
                              whole.margin};
    if (is_interior(ORDER, n, t.cells_i, t.vertices_i) &&
        is_interior(ORDER, n, t.cells_j, t.vertices_j))
        sweep<ORDER, EQUATIONS, SBP_INTERIOR>(&view, t, p, work);
    else
        sweep<ORDER, EQUATIONS, SBP_ANYWHERE>(&view, t, p, work);
}

void swe_transport_cuda(const swe_view *view, int part, real weight, real *y, real *next,
                        real *head, real *turned1, real *turned2, real *margin)
{
    const transport_part whole = {part,         weight,         rk4_arrays_of(view, part, y, next),
                                  view->bottom, view->coriolis, {head, turned1, turned2},
                                  margin};
    SWE_WITH_ORDER(view->sbp.order,
                   SWE_WITH_EQUATIONS(view->equations,
                                      SWE_LAUNCH((transport_kernel<ORDER, EQUATIONS>),
                                                 tiles_grid(view), launch_block(), 0,
                                                 launch_stream(&view->workers), *view, whole)));
}
