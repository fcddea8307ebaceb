#include "stages/contravariant/contravariant_point.h"
#include "stages/divergence/divergence_point.h"
#include "stages/exchange.h"
#include "stages/rk4/rk4_point.h"
#include "stages/stages.h"
#include "stages/tiles_cuda.h"
#include "sweeps/transport/transport_point.h"

/* Shared memory of a block while it processes its tile. */
template <int ORDER> struct transport_work {
    using shape = tile_shape<ORDER>;
    real mean1[shape::J + shape::VERTICES][shape::I], cross1[shape::J + shape::VERTICES][shape::I];
    real shear2[shape::J + shape::CELLS][shape::I], flux2[shape::J + shape::CELLS][shape::I];
    real mean2[shape::J][shape::I + shape::VERTICES], cross2[shape::J][shape::I + shape::VERTICES];
    real shear1[shape::J][shape::I + shape::CELLS], flux1[shape::J][shape::I + shape::CELLS];
};

/* At a vertex, and at a cell. */
struct mean_and_cross {
    real mean, cross;
};
struct flux_and_shear {
    real flux, shear;
};

/* Fields of a substep, at a panel; edge_vorticity is whole. */
struct transport_substep {
    int substep;
    real weight;
    rk4_arrays arrays;
    const real *bottom, *coriolis;
    transport_out out;
    real *edge_vorticity;
};

template <int ORDER, swe_equations EQUATIONS, sbp_region WHERE>
static __device__ void compute_means(const swe_params *params, const tile &t, const real *h,
                                     const real *v1, const real *v2, transport_work<ORDER> &w)
{
    const int n = params->layout.n;
    const ptrdiff_t pitch = params->layout.pitch;
    const auto with_cross = [&](ptrdiff_t at, real mean) -> mean_and_cross {
        return {mean, contravariant_cross(EQUATIONS, params->metric12[at], h + at, mean)};
    };
    for_tile_points<ORDER, WHERE, TILE_VERTICES, TILE_OWN>(
        t,
        [&](int j, int i, int, int) {
            const int at = place_of(params, t, j, i);
            return with_cross(at, sbp_pcv(ORDER, WHERE, &params->sbp, n, i, v1 + at, 1));
        },
        [&](int row, int column, mean_and_cross computed) {
            w.mean1[row][column] = computed.mean;
            w.cross1[row][column] = computed.cross;
        });
    for_tile_points<ORDER, WHERE, TILE_OWN, TILE_VERTICES>(
        t,
        [&](int j, int i, int, int) {
            const int at = place_of(params, t, j, i);
            return with_cross(at, sbp_pcv(ORDER, WHERE, &params->sbp, n, j, v2 + at, pitch));
        },
        [&](int row, int column, mean_and_cross computed) {
            w.mean2[row][column] = computed.mean;
            w.cross2[row][column] = computed.cross;
        });
}

template <int ORDER, swe_equations EQUATIONS, sbp_region WHERE>
static __device__ void compute_fluxes(const swe_params *params, const tile &t, const real *h,
                                      const real *v1, const real *v2, transport_work<ORDER> &w)
{
    enum { UP = tile_shape<ORDER>::I };
    const ptrdiff_t pitch = params->layout.pitch;
    const int vertex_i = t.i[TILE_VERTICES].first, vertex_j = t.j[TILE_VERTICES].first;
    for_tile_points<ORDER, WHERE, TILE_CELLS, TILE_OWN>(
        t,
        [&](int j, int i, int, int column) -> flux_and_shear {
            const int at = place_of(params, t, j, i);
            const real *cross1 = &w.cross1[j - vertex_j][column];
            const real *mean1 = &w.mean1[j - vertex_j][column];
            const real flux =
                contravariant_flux2_point(EQUATIONS, ORDER, WHERE, params, j, params->metric22[at],
                                          h + at, v2 + at, pitch, cross1, UP);
            return {flux, EQUATIONS == SWE_NONLINEAR
                              ? vorticity_shear2_point(ORDER, WHERE, params, j, mean1, UP)
                              : 0};
        },
        [&](int row, int column, flux_and_shear computed) {
            w.flux2[row][column] = computed.flux;
            if (EQUATIONS == SWE_NONLINEAR)
                w.shear2[row][column] = computed.shear;
        });
    for_tile_points<ORDER, WHERE, TILE_OWN, TILE_CELLS>(
        t,
        [&](int j, int i, int row, int) -> flux_and_shear {
            const int at = place_of(params, t, j, i);
            const real *cross2 = &w.cross2[row][i - vertex_i], *mean2 = &w.mean2[row][i - vertex_i];
            const real flux = contravariant_flux1_point(
                EQUATIONS, ORDER, WHERE, params, i, params->metric11[at], h + at, v1 + at, cross2);
            return {flux, EQUATIONS == SWE_NONLINEAR
                              ? vorticity_shear1_point(ORDER, WHERE, params, i, mean2)
                              : 0};
        },
        [&](int row, int column, flux_and_shear computed) {
            w.flux1[row][column] = computed.flux;
            if (EQUATIONS == SWE_NONLINEAR)
                w.shear1[row][column] = computed.shear;
        });
}

/* Store the outputs of a vertex, and its h of the substep. */
struct transport_result {
    real h;
    transport_values values;
};

/* Process every vertex of the tile. */
template <int ORDER, swe_equations EQUATIONS, sbp_region WHERE>
static __device__ void compute_vertices(const swe_params *params, const tile &t,
                                        const transport_substep &p, const transport_work<ORDER> &w)
{
    enum { UP = tile_shape<ORDER>::I };
    const int n = params->layout.n;
    const int first_i = t.i[TILE_OWN].first, cell_i = t.i[TILE_CELLS].first;
    const int first_j = t.j[TILE_OWN].first, cell_j = t.j[TILE_CELLS].first;
    const int vertex_i = t.i[TILE_VERTICES].first, vertex_j = t.j[TILE_VERTICES].first;
    const ptrdiff_t field = params->layout.field;
    for_tile_points<ORDER, WHERE, TILE_OWN, TILE_OWN>(
        t,
        [&](int j, int i, int row, int column) -> transport_result {
            const int at = place_of(params, t, j, i);
            const transport_vertex vertex = {&w.flux1[row][i - cell_i],
                                             &w.flux2[j - cell_j][column],
                                             &w.shear1[row][i - cell_i],
                                             &w.shear2[j - cell_j][column],
                                             UP,
                                             w.mean1[j - vertex_j][column],
                                             w.mean2[row][i - vertex_i]};
            const real dh =
                divergence_point(DIVERGENCE_WEAK, ORDER, WHERE, WHERE, params, j, i,
                                 params->inverse_jacobian[at], vertex.flux1, vertex.flux2, UP);
            const real *h = p.arrays.in + at;
            return {rk4_value(p.substep, p.weight, dh, rk4_arrays_at(p.arrays, at)),
                    transport_point(EQUATIONS, ORDER, WHERE, WHERE, params, j, i, at, h, h + field,
                                    h + 2 * field, p.bottom + at, p.coriolis + at, vertex)};
        },
        [&](int row, int column, const transport_result &result) {
            const int j = first_j + row, i = first_i + column;
            const int at = place_of(params, t, j, i);
            p.arrays.out[at] = result.h;
            p.out.pv_flux1[at] = result.values.pv_flux1;
            p.out.pv_flux2[at] = result.values.pv_flux2;
            if (EQUATIONS != SWE_NONLINEAR)
                return;
            p.out.head[at] = result.values.head;
            if (WHERE != SBP_INTERIOR && topology_is_shared(n, j, i))
                p.edge_vorticity[params->blocks != nullptr
                                     ? t.field + at
                                     : flux_projection_edge_at(n, t.panel, j, i)] =
                    result.values.vorticity;
        });
}

template <int ORDER, swe_equations EQUATIONS, sbp_region WHERE>
static __device__ void sweep(const swe_params *params, const tile &t, const transport_substep &p,
                             transport_work<ORDER> &w)
{
    const ptrdiff_t field = params->layout.field;
    const real *h = p.arrays.in, *v1 = h + field, *v2 = h + 2 * field;
    compute_means<ORDER, EQUATIONS, WHERE>(params, t, h, v1, v2, w);
    __syncthreads();
    compute_fluxes<ORDER, EQUATIONS, WHERE>(params, t, h, v1, v2, w);
    __syncthreads();
    compute_vertices<ORDER, EQUATIONS, WHERE>(params, t, p, w);
}

/* Least number of blocks of a multiprocessor: 3 allow 80 registers a thread, 2 allow 128. On an
 * H100 2 blocks take 1.12 times as long at n = 1536 (validation/results/gpu_h100). */
enum { TRANSPORT_BLOCKS = 3 };

template <int ORDER, swe_equations EQUATIONS>
static __device__ __forceinline__ void sweep_tile(const swe_params *params, const tile &t,
                                                  const transport_substep &whole,
                                                  transport_work<ORDER> &work)
{
    const int n = params->layout.n;
    const ptrdiff_t at = t.field;
    const transport_substep p = {
        whole.substep,
        whole.weight,
        rk4_arrays_at(whole.arrays, at),
        whole.bottom + at,
        whole.coriolis + at,
        {whole.out.head + at, whole.out.pv_flux1 + at, whole.out.pv_flux2 + at},
        whole.edge_vorticity};
    if (is_inside<ORDER>(n, t))
        sweep<ORDER, EQUATIONS, SBP_INTERIOR>(params, t, p, work);
    else
        sweep<ORDER, EQUATIONS, SBP_ANYWHERE>(params, t, p, work);
}

/* x: panels; y, z: tiles (tiles_cuda.h). */
template <int ORDER, swe_equations EQUATIONS>
static __global__ void __launch_bounds__(LAUNCH_BLOCK_TILE, TRANSPORT_BLOCKS)
    transport_kernel(SWE_GRID_CONSTANT(swe_params) params, transport_substep whole)
{
    __shared__ transport_work<ORDER> work;
    tile t;
    if (tile_of<ORDER>(params.layout.n, launch_panel_of(&params, (int)blockIdx.x), &t))
        sweep_tile<ORDER, EQUATIONS>(&params, t, whole, work);
}

/* x: blocks of panels; y, z: tiles of their strips, or of their inside. */
template <int ORDER, swe_equations EQUATIONS>
static __global__ void __launch_bounds__(LAUNCH_BLOCK_TILE, TRANSPORT_BLOCKS)
    block_transport_kernel(SWE_GRID_CONSTANT(swe_params) params, transport_substep whole,
                           bool is_strip)
{
    __shared__ transport_work<ORDER> work;
    const int n = params.layout.n;
    const swe_block part = launch_block_of(&params, (int)blockIdx.x);
    tile t;
    if (is_strip ? side_tile_of<ORDER>(n, part, LAUNCH_STRIP, &t)
                 : tile_of<ORDER>(n, launch_inside_of(part, LAUNCH_STRIP), &t))
        sweep_tile<ORDER, EQUATIONS>(&params, t, whole, work);
}

/* Other blocks read only the strips: messages overlap with the computation of the inside on a
 * second stream. */
template <int ORDER, swe_equations EQUATIONS>
static void start_sweep(const swe_execution *execution, const swe_params *params,
                        const transport_substep &whole)
{
    const cudaStream_t stream = launch_stream(execution);
    if (params->decomposition == nullptr) {
        SWE_LAUNCH((transport_kernel<ORDER, EQUATIONS>), tiles_grid<ORDER>(params), tiles_block(),
                   0, stream, *params, whole);
        return;
    }
    const cudaStream_t second_stream = launch_fork(execution);
    SWE_LAUNCH((block_transport_kernel<ORDER, EQUATIONS>), sides_grid<ORDER>(params), tiles_block(),
               0, stream, *params, whole, true);
    SWE_LAUNCH((block_transport_kernel<ORDER, EQUATIONS>), tiles_grid<ORDER>(params), tiles_block(),
               0, second_stream, *params, whole, false);
}

void swe_transport_cuda(const swe_execution *execution, const swe_params *params, int substep,
                        real weight, real *y, real *next, real *head, real *pv_flux1,
                        real *pv_flux2, real *edge_vorticity)
{
    const transport_substep whole = {rk4_fused_update(params, substep),
                                     weight,
                                     rk4_arrays_of(params, substep, y, next),
                                     params->bottom,
                                     params->coriolis,
                                     {head, pv_flux1, pv_flux2},
                                     edge_vorticity};
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_WITH_EQUATIONS(params->physics.equations,
                                      (start_sweep<ORDER, EQUATIONS>)(execution, params, whole)));
    if (params->decomposition == nullptr)
        return;
    if (params->physics.equations == SWE_NONLINEAR)
        EXCHANGE(cuda, execution, params, EXCHANGE_BOTH(whole.arrays.out), EXCHANGE_BOTH(pv_flux1),
                 EXCHANGE_BOTH(pv_flux2), EXCHANGE_BOTH(head), EXCHANGE_BOTH(edge_vorticity));
    else
        EXCHANGE(cuda, execution, params, EXCHANGE_BOTH(whole.arrays.out), EXCHANGE_BOTH(pv_flux1),
                 EXCHANGE_BOTH(pv_flux2));
    launch_join(execution);
}
