#include "base/tuning.h"
#include "stages/contravariant/contravariant_tile_cuda.h"
#include "stages/exchange.h"
#include "sweeps/fused/fused_cuda.h"
#include "sweeps/fused/fused_march_cuda.h"
#include "stages/projection/projection_point.h"
#include "stages/stages.h"

static_assert(sizeof(swe_params) + sizeof(fused_fields) + sizeof(fused_weights) + 8 <= 4096 ||
                  sizeof(real) > 8,
              "a kernel's arguments have at most 4096 bytes together");

/* Shared memory of a block while it processes its tile. */
template <int ORDER> struct fused_tile {
    using shape = tile_shape<ORDER>;
    flux_tile<ORDER> flux;
    real v1[shape::LINES + shape::VERTICES][shape::I + shape::CELLS],
        v2[shape::LINES + shape::CELLS][shape::I + shape::VERTICES];
    real first[shape::LINES][shape::I]; /* A of the first velocity */
};

/* B head at the points that the tile reads. */
template <int ORDER>
static __device__ tile_velocity compute_gradient(const swe_params *params, const tile &t,
                                                 const real *head, fused_tile<ORDER> &w)
{
    const sbp_region anywhere = SBP_ANYWHERE;
    const ptrdiff_t pitch = params->layout.pitch;
    for_tile_points<ORDER, anywhere, TILE_VERTICES, TILE_CELLS>(
        t,
        [&](int j, int i, int, int) {
            return gradient_point1(ORDER, anywhere, params, i, head + place_of(params, t, j, i));
        },
        [&](int row, int column, real dv) { w.v1[row][column] = dv; });
    for_tile_points<ORDER, anywhere, TILE_CELLS, TILE_VERTICES>(
        t,
        [&](int j, int i, int, int) {
            return gradient_point2(ORDER, anywhere, params, j, head + place_of(params, t, j, i),
                                   pitch);
        },
        [&](int row, int column, real dv) { w.v2[row][column] = dv; });
    __syncthreads();
    const int up1 = tile_shape<ORDER>::I + tile_shape<ORDER>::CELLS,
              up2 = tile_shape<ORDER>::I + tile_shape<ORDER>::VERTICES;
    return {&w.v1[0][0] - t.j[TILE_VERTICES].first * up1 - t.i[TILE_CELLS].first,
            &w.v2[0][0] - t.j[TILE_CELLS].first * up2 - t.i[TILE_VERTICES].first, up1, up2};
}

/* Store A v at every point of the tile. */
template <int ORDER, typename store_type>
static __device__ void compute_divergence(const swe_params *params, const tile &t,
                                          const tile_velocity &v, fused_tile<ORDER> &w,
                                          store_type store)
{
    const sbp_region anywhere = SBP_ANYWHERE;
    const int cell_i = t.i[TILE_CELLS].first, cell_j = t.j[TILE_CELLS].first;
    compute_flux_tile<ORDER, SWE_LINEAR, SBP_ANYWHERE>(params, t, nullptr, v, w.flux);
    for_tile_points<ORDER, anywhere, TILE_OWN, TILE_OWN>(
        t,
        [&](int j, int i, int row, int column) {
            return divergence_point(DIVERGENCE_WEAK, ORDER, anywhere, anywhere, params, j, i,
                                    params->inverse_jacobian[place_of(params, t, j, i)],
                                    &w.flux.flux1[row][i - cell_i],
                                    &w.flux.flux2[j - cell_j][column], tile_shape<ORDER>::I);
        },
        store);
    __syncthreads();
}

/* Least blocks of a multiprocessor: a thread may then have 80 registers. */
enum { FUSED_BLOCKS = 3 };

/* A sweep over the tiles of the boundary strips, or over all tiles if the strips have no inside. x:
 * panels, or blocks of panels; y, z: tiles (tiles_cuda.h). */
template <int ORDER>
static __global__ void __launch_bounds__(LAUNCH_BLOCK_TILE, FUSED_BLOCKS)
    fused_kernel(SWE_GRID_CONSTANT(swe_params) params, int sweep, bool are_strips,
                 fused_weights weights, fused_fields f)
{
    __shared__ fused_tile<ORDER> w;
    const swe_block part = launch_part_of(&params, (int)blockIdx.x);
    const int n = params.layout.n;
    tile t;
    if (!(are_strips ? side_tile_of<ORDER>(n, part, march_shape<ORDER>::STRIP, &t)
                     : tile_of<ORDER>(n, part, &t)))
        return;
    const auto at = [&](int row, int column) {
        return t.field +
               place_of(&params, t, t.j[TILE_OWN].first + row, t.i[TILE_OWN].first + column);
    };
    if (sweep == FUSED_FIRST) {
        compute_divergence<ORDER>(
            &params, t, tile_velocity_of(&params, t, f.v1 + t.field, f.v2 + t.field), w,
            [&](int row, int column, real dh) { f.h1[at(row, column)] = dh; });
        compute_divergence<ORDER>(
            &params, t, compute_gradient<ORDER>(&params, t, f.h + t.field, w), w,
            [&](int row, int column, real dh) { f.h2[at(row, column)] = dh; });
        return;
    }
    compute_divergence<ORDER>(&params, t, compute_gradient<ORDER>(&params, t, f.h1 + t.field, w), w,
                              [&](int row, int column, real dh) { w.first[row][column] = dh; });
    compute_divergence<ORDER>(&params, t, compute_gradient<ORDER>(&params, t, f.h2 + t.field, w), w,
                              [&](int row, int column, real dh) {
                                  const ptrdiff_t to = at(row, column);
                                  fused_point(weights, f.h + to, f.h1[to], f.h2[to],
                                              w.first[row][column], dh, f.mean + to);
                              });
}

/* Least blocks of a multiprocessor: 128 registers with four blocks, 168 with three, 255 with two.
 */
template <int ORDER> struct march_blocks {
    enum { LEAST = ORDER == 2 ? 4 : ORDER == 4 ? 3 : 2 };
};

/* A sweep inside the strips. x: panels; y, z: columns and rows. */
template <int ORDER>
static __global__ void __launch_bounds__(LAUNCH_BLOCK_MARCH, (march_blocks<ORDER>::LEAST))
    march_kernel(SWE_GRID_CONSTANT(swe_params) params, int sweep, int rows, fused_weights weights,
                 SWE_GRID_CONSTANT(fused_fields) f)
{
    __shared__ march_lines<ORDER> lines[LAUNCH_MARCH_PANELS][2];
    const int panel = (int)(blockIdx.x * LAUNCH_MARCH_PANELS + threadIdx.z);
    march(march_lane_of<ORDER>(&params, launch_panel_of(&params, panel), rows), sweep, weights, f,
          lines[threadIdx.z]);
}

/* x: blocks of panels */
template <int ORDER>
static __global__ void __launch_bounds__(LAUNCH_MARCH_LANES, (march_blocks<ORDER>::LEAST))
    block_march_kernel(SWE_GRID_CONSTANT(swe_params) params, int sweep, int rows,
                       fused_weights weights, SWE_GRID_CONSTANT(fused_fields) f)
{
    __shared__ march_lines<ORDER> lines[2];
    march(march_lane_of<ORDER>(&params, launch_block_of(&params, (int)blockIdx.x), rows), sweep,
          weights, f, lines);
}

static __global__ void average_kernel(SWE_GRID_CONSTANT(swe_params) params, real *a, real *b)
{
    const topology_copies copies = launch_copies(&params);
    if (copies.count > 0) {
        projection_point(&copies, a);
        projection_point(&copies, b);
    }
}

/* v += dt B mean, also in the ghosts that A reads. */
template <int ORDER>
static __global__ void complete_kernel(SWE_GRID_CONSTANT(swe_params) params, real dt,
                                       fused_fields f)
{
    swe_block part = launch_part_of(&params, (int)blockIdx.z);
    const int n = params.layout.n;
    span i[TILE_PLACES] = {{part.i.first, part.i.last - 1}},
         j[TILE_PLACES] = {{part.j.first, part.j.last - 1}};
    fill_places(ORDER, n, i);
    fill_places(ORDER, n, j);
    part.j = {j[TILE_VERTICES].first, j[TILE_VERTICES].last + 1};
    const launch_point p =
        launch_point_in(&params, part, {i[TILE_VERTICES].first, i[TILE_VERTICES].last + 1});
    if (!p.exists)
        return;
    const real *mean = f.mean + p.at;
    if (is_in(i[TILE_CELLS], p.i))
        f.v1[p.at] += dt * gradient_point1(ORDER, SBP_ANYWHERE, &params, p.i, mean);
    if (is_in(j[TILE_CELLS], p.j))
        f.v2[p.at] +=
            dt * gradient_point2(ORDER, SBP_ANYWHERE, &params, p.j, mean, params.layout.pitch);
}

/* ---- the stage ------------------------------------------------------------------------------- */

template <int ORDER>
static void start_march(const swe_execution *execution, const swe_params *params,
                        cudaStream_t stream, int sweep, real dt, fused_fields f)
{
    const bool are_blocks = params->decomposition != nullptr;
    const launch_parts parts = launch_parts_of(params);
    const int together = are_blocks ? 1 : (int)LAUNCH_MARCH_PANELS;
    /* a device runs twice as many thread blocks of half the threads at a time */
    const int rows = march_rows<ORDER>(parts, together,
                                       execution->march_blocks * LAUNCH_MARCH_PANELS / together);
    const dim3 grid = march_grid<ORDER>(parts, together, rows),
               block(LAUNCH_MARCH_LANES, 1, (unsigned)together);
    if (grid.y == 0 || grid.z == 0)
        return;
    if (are_blocks)
        SWE_LAUNCH((block_march_kernel<ORDER>), grid, block, 0, stream, *params, sweep, rows,
                   fused_weights_of(dt), f);
    else
        SWE_LAUNCH((march_kernel<ORDER>), grid, block, 0, stream, *params, sweep, rows,
                   fused_weights_of(dt), f);
}

/* Compute the strips and their inside concurrently: neither writes values that the other reads. */
template <int ORDER>
static void start_sweep(const swe_execution *execution, const swe_params *params, int sweep,
                        real dt, fused_fields f)
{
    const cudaStream_t stream = launch_stream(execution),
                       second_stream = params->marches ? launch_fork(execution) : stream;
    SWE_LAUNCH((fused_kernel<ORDER>),
               params->marches ? sides_grid<ORDER>(params) : tiles_grid<ORDER>(params),
               tiles_block(), 0, stream, *params, sweep, params->marches, fused_weights_of(dt), f);
    if (params->marches)
        start_march<ORDER>(execution, params, second_stream, sweep, dt, f);
}

/* All values at shared points and all values that other blocks read are in the strips: messages
 * overlap with the computation of the inside. */
static void finish_sweep(const swe_execution *execution, const swe_params *params, real *a, real *b)
{
    EXCHANGE(cuda, execution, params, EXCHANGE_BOTH(a), EXCHANGE_BOTH(b));
    SWE_LAUNCH(average_kernel, launch_shared_points(params), dim3(LAUNCH_BLOCK_LINE), 0,
               launch_stream(execution), *params, a, b);
    if (params->marches)
        launch_join(execution);
}

template <int ORDER>
static void start_complete(const swe_execution *execution, const swe_params *params, real dt,
                           fused_fields f)
{
    dim3 grid = launch_grid(params);
    if (params->decomposition != nullptr) { /* 32 columns and rows: order 6 reads 14 in a closure */
        grid.x += 1;
        grid.y += LAUNCH_BLOCK_I / LAUNCH_BLOCK_J;
    }
    SWE_LAUNCH((complete_kernel<ORDER>), grid, launch_block(), 0, launch_stream(execution), *params,
               dt, f);
}

void swe_fused_cuda(const swe_execution *execution, const swe_params *params, int sweep, real dt,
                    int lags, real *y, real *next)
{
    const fused_fields f = fused_fields_of(params, y, next);
    if (sweep != FUSED_COMPLETION)
        SWE_WITH_ORDER(params->sbp.order, start_sweep<ORDER>(execution, params, sweep, dt, f));
    if (sweep == FUSED_FIRST)
        finish_sweep(execution, params, f.h1, f.h2);
    if (sweep == FUSED_SECOND) {
        finish_sweep(execution, params, f.h, f.mean);
        SWE_WITH_ORDER(params->sbp.order, start_complete<ORDER>(execution, params, dt, f));
    }
    if (sweep != FUSED_FIRST && !lags) /* v is complete except in the ghosts that A does not read */
        EXCHANGE(cuda, execution, params, EXCHANGE_GHOSTS(f.v1), EXCHANGE_GHOSTS(f.v2));
}

/* ---- once, before the steps ------------------------------------------------------------------ */

/* On panels of up to about 700 cells a side the march is one wave of thread blocks. It leaves room
 * for the thread blocks of the strips, except at order 6 in FP64. */
template <int ORDER> static cudaError_t prepare(swe_execution *execution)
{
    int device = 0, processors = 0, fit = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, march_kernel<ORDER>,
                                                              LAUNCH_BLOCK_MARCH, 0);
    const int most = swe_tuning(SWE_TUNING_march_blocks);
    execution->march_blocks = processors * (most > 0 && most < fit ? most : fit);
    return error;
}

swe_status swe_fused_prepare_cuda(swe_context *ctx, swe_execution *execution,
                                  const swe_params *params)
{
    cudaError_t error = cudaSuccess;
    SWE_WITH_ORDER(params->sbp.order, error = prepare<ORDER>(execution));
    if (error == cudaSuccess)
        return SWE_OK;
    cudaGetLastError(); /* clear the error, so that no later call reports it */
    return swe_fail(ctx, SWE_INTERNAL, "CUDA: the kernels of a step cannot be prepared: %s",
                    cudaGetErrorString(error));
}
