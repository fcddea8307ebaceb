#include "base/tuning.h"
#include "stages/contravariant/contravariant_tile_cuda.h"
#include "stages/exchange.h"
#include "stages/fused/fused_cuda.h"
#include "stages/fused/fused_two_substeps_cuda.h"
#include "stages/stages.h"

/* A point of the state. */
struct fused_values {
    real h, v1, v2;
};

/* Compute the substep at every point of the tile; `a` is at the panel's first value of h. */
template <int ORDER>
static __device__ __forceinline__ void update(const swe_params *params, int substep, real weight,
                                              const tile &t, rk4_arrays a,
                                              const flux_tile<ORDER> &w)
{
    const sbp_region anywhere = SBP_ANYWHERE;
    const int n = params->layout.n, cell_i = t.i[TILE_CELLS].first, cell_j = t.j[TILE_CELLS].first;
    const int first_i = t.i[TILE_OWN].first, first_j = t.j[TILE_OWN].first;
    const ptrdiff_t pitch = params->layout.pitch, field = params->layout.field;
    for_tile_points<ORDER, anywhere, TILE_OWN, TILE_OWN>(
        t,
        [&](int j, int i, int row, int column) {
            const int at = place_of(params, t, j, i);
            const real *h = a.in + at;
            const real dh =
                divergence_point(DIVERGENCE_WEAK, ORDER, anywhere, anywhere, params, j, i,
                                 params->inverse_jacobian[at], &w.flux1[row][i - cell_i],
                                 &w.flux2[j - cell_j][column], tile_shape<ORDER>::I);
            fused_values updated = {rk4_value(substep, weight, dh, rk4_arrays_at(a, at)), 0, 0};
            if (i < n)
                updated.v1 =
                    rk4_value(substep, weight, gradient_point1(ORDER, anywhere, params, i, h),
                              rk4_arrays_at(a, field + at));
            if (j < n)
                updated.v2 = rk4_value(substep, weight,
                                       gradient_point2(ORDER, anywhere, params, j, h, pitch),
                                       rk4_arrays_at(a, 2 * field + at));
            return updated;
        },
        [&](int row, int column, fused_values updated) {
            const int j = first_j + row, i = first_i + column;
            real *out = a.out + place_of(params, t, j, i);
            out[0] = updated.h;
            if (i < n)
                out[field] = updated.v1;
            if (j < n)
                out[2 * field] = updated.v2;
        });
}

/* Least blocks of a multiprocessor: a thread may then have 80 registers. */
enum { FUSED_BLOCKS = 3 };

static_assert(2 * strip_shape<6>::WIDTH < 40, "panels that swap buffers have an inside (stages.c)");

/* A substep over the boundary strips of a part, or over all of it. */
template <int ORDER>
static __device__ __forceinline__ void sweep_part(const swe_params *params, const swe_block &part,
                                                  int substep, real weight, rk4_arrays arrays,
                                                  flux_tile<ORDER> &work)
{
    const int n = params->layout.n;
    const ptrdiff_t field = params->layout.field;
    tile t;
    if (!(params->swaps_buffers ? strip_tile_of<ORDER>(n, part, substep, &t)
                                : tile_of<ORDER>(n, part, &t)))
        return;
    const rk4_arrays a = rk4_arrays_at(arrays, t.field);
    compute_flux_tile<ORDER, SWE_LINEAR, SBP_ANYWHERE>(params, t, a.in, a.in + field,
                                                       a.in + 2 * field, work);
    update<ORDER>(params, substep, weight, t, a, work);
}

/* x: panels, or blocks of panels; y, z: tiles (tiles_cuda.h, fused_strip_cuda.h). */

template <int ORDER>
static __global__ void __launch_bounds__(LAUNCH_BLOCK_TILE, FUSED_BLOCKS)
    fused_kernel(SWE_GRID_CONSTANT(swe_params) params, int substep, real weight, rk4_arrays arrays)
{
    __shared__ flux_tile<ORDER> work;
    sweep_part<ORDER>(&params, launch_panel_of(&params, (int)blockIdx.x), substep, weight, arrays,
                      work);
}

template <int ORDER>
static __global__ void __launch_bounds__(LAUNCH_BLOCK_TILE, FUSED_BLOCKS)
    block_fused_kernel(SWE_GRID_CONSTANT(swe_params) params, int substep, real weight,
                       rk4_arrays arrays)
{
    __shared__ flux_tile<ORDER> work;
    sweep_part<ORDER>(&params, launch_block_of(&params, (int)blockIdx.x), substep, weight, arrays,
                      work);
}

/* The same for two-substep sweeps: 128 registers with four blocks, 168 with three, 255 with two. */
template <int ORDER> struct two_substep_blocks {
    enum { LEAST = ORDER == 2 ? 4 : ORDER == 4 ? 3 : 2 };
};

static_assert(sizeof(swe_params) + sizeof(pair_parts) <= 4096 || sizeof(real) > 8,
              "a kernel's arguments have at most 4096 bytes together");

/* Substeps 0 and 1 inside the boundary strips, and substeps 2 and 3. x: panels, or blocks of
 * panels; y, z: columns and rows (fused_two_substeps_cuda.h). */

static __device__ int panel_or_block()
{
    return (int)(blockIdx.x * blockDim.z + threadIdx.z);
}

template <int ORDER>
static __global__ void __launch_bounds__(LAUNCH_BLOCK_TWO_SUBSTEPS,
                                         (two_substep_blocks<ORDER>::LEAST))
    two_substeps_kernel(SWE_GRID_CONSTANT(swe_params) params,
                        SWE_GRID_CONSTANT(pair_parts) substeps)
{
    __shared__ pair_lines<ORDER> lines[LAUNCH_TWO_SUBSTEPS_PANELS][2];
    march<ORDER, 0>(
        pair_lane_of<ORDER>(&params, launch_panel_of(&params, panel_or_block()), substeps.rows),
        substeps, lines[threadIdx.z]);
}

template <int ORDER>
static __global__ void __launch_bounds__(LAUNCH_BLOCK_TWO_SUBSTEPS,
                                         (two_substep_blocks<ORDER>::LEAST))
    last_two_substeps_kernel(SWE_GRID_CONSTANT(swe_params) params,
                             SWE_GRID_CONSTANT(pair_parts) substeps)
{
    __shared__ pair_lines<ORDER> lines[LAUNCH_TWO_SUBSTEPS_PANELS][2];
    march<ORDER, 2>(
        pair_lane_of<ORDER>(&params, launch_panel_of(&params, panel_or_block()), substeps.rows),
        substeps, lines[threadIdx.z]);
}

/* The same of one block of a panel: its thread blocks have half the threads, which may have more
 * registers. */

template <int ORDER>
static __global__ void __launch_bounds__(LAUNCH_TWO_SUBSTEPS_LANES,
                                         (two_substep_blocks<ORDER>::LEAST))
    block_two_substeps_kernel(SWE_GRID_CONSTANT(swe_params) params,
                              SWE_GRID_CONSTANT(pair_parts) substeps)
{
    __shared__ pair_lines<ORDER> lines[2];
    march<ORDER, 0>(
        pair_lane_of<ORDER>(&params, launch_block_of(&params, panel_or_block()), substeps.rows),
        substeps, lines);
}

template <int ORDER>
static __global__ void __launch_bounds__(LAUNCH_TWO_SUBSTEPS_LANES,
                                         (two_substep_blocks<ORDER>::LEAST))
    block_last_two_substeps_kernel(SWE_GRID_CONSTANT(swe_params) params,
                                   SWE_GRID_CONSTANT(pair_parts) substeps)
{
    __shared__ pair_lines<ORDER> lines[2];
    march<ORDER, 2>(
        pair_lane_of<ORDER>(&params, launch_block_of(&params, panel_or_block()), substeps.rows),
        substeps, lines);
}

template <int ORDER>
static void start_sweep(const swe_execution *execution, const swe_params *params, int substep,
                        real weight, rk4_arrays arrays)
{
    const dim3 grid = params->swaps_buffers ? sides_grid<ORDER>(params) : tiles_grid<ORDER>(params);
    if (params->decomposition != nullptr)
        SWE_LAUNCH((block_fused_kernel<ORDER>), grid, tiles_block(), 0, launch_stream(execution),
                   *params, substep, weight, arrays);
    else
        SWE_LAUNCH((fused_kernel<ORDER>), grid, tiles_block(), 0, launch_stream(execution), *params,
                   substep, weight, arrays);
}

static void start_substep(const swe_execution *execution, const swe_params *params, int substep,
                          real weight, real *y, real *next)
{
    SWE_WITH_ORDER(params->sbp.order, start_sweep<ORDER>(execution, params, substep, weight,
                                                         rk4_arrays_of(params, substep, y, next)));
}

template <int ORDER>
static void start_two_substeps(const swe_execution *execution, const swe_params *params,
                               cudaStream_t stream, int substep, pair_parts p)
{
    const launch_parts parts = launch_parts_of(params);
    const bool are_blocks = params->decomposition != nullptr;
    const int together = are_blocks ? 1 : (int)LAUNCH_TWO_SUBSTEPS_PANELS;
    /* a device runs twice as many thread blocks of half the threads at a time */
    p.rows = pair_rows<ORDER>(
        parts, together, execution->two_substep_blocks * LAUNCH_TWO_SUBSTEPS_PANELS / together);
    const dim3 grid = pair_grid<ORDER>(parts, together, p.rows),
               block(LAUNCH_TWO_SUBSTEPS_LANES, 1, (unsigned)together);
    if (grid.y == 0 || grid.z == 0)
        return; /* strips alone */
    if (are_blocks && substep == 0)
        SWE_LAUNCH((block_two_substeps_kernel<ORDER>), grid, block, 0, stream, *params, p);
    else if (are_blocks)
        SWE_LAUNCH((block_last_two_substeps_kernel<ORDER>), grid, block, 0, stream, *params, p);
    else if (substep == 0)
        SWE_LAUNCH((two_substeps_kernel<ORDER>), grid, block, 0, stream, *params, p);
    else
        SWE_LAUNCH((last_two_substeps_kernel<ORDER>), grid, block, 0, stream, *params, p);
}

/* Run substeps `substep` and `substep` + 1 inside the strips, and concurrently those of the strips
 * one after the other. Neither kernel reads or writes values that the other writes. Where they
 * meet, both compute the first substep's results and each uses its own. */
static void start_two_substeps_and_strips(const swe_execution *execution, const swe_params *params,
                                          int substep, real weight, real next_weight, real *y,
                                          real *next)
{
    const pair_parts p = {0, weight, next_weight, pair_arrays_of(params, substep, y, next),
                          pair_arrays_of(params, substep + 1, y, next)};
    const cudaStream_t second_stream = launch_fork(execution);
    start_substep(execution, params, substep, weight, y, next);
    SWE_WITH_ORDER(params->sbp.order,
                   start_two_substeps<ORDER>(execution, params, second_stream, substep, p));
}

/* Other blocks read the strips alone: messages are under way while the inside is computed. */
static void exchange(const swe_execution *execution, const swe_params *params, int substep, real *y,
                     real *next)
{
    const ptrdiff_t field = params->layout.field;
    real *h = rk4_arrays_of(params, substep, y, next).out;
    EXCHANGE(cuda, execution, params, EXCHANGE_BOTH(h), EXCHANGE_GHOSTS(h + field),
             EXCHANGE_GHOSTS(h + 2 * field));
}

void swe_fused_cuda(const swe_execution *execution, const swe_params *params, int substep,
                    real weight, real next_weight, real *y, real *next)
{
    if (params->swaps_buffers && substep % 2 == 0) {
        start_two_substeps_and_strips(execution, params, substep, weight, next_weight, y, next);
        exchange(execution, params, substep, y, next);
        return;
    }
    start_substep(execution, params, substep, weight, y, next);
    exchange(execution, params, substep, y, next);
    if (params->swaps_buffers)
        launch_join(execution);
}

/* ---- once, before the steps ------------------------------------------------------------------ */

/* On panels of up to some 700 cells a side the sweep has one wave of blocks, which leaves room for
 * those of the strips, but at order 6 in FP64. */
template <int ORDER> static cudaError_t prepare(swe_execution *execution)
{
    int device = 0, processors = 0, fit = 0;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, two_substeps_kernel<ORDER>,
                                                              LAUNCH_BLOCK_TWO_SUBSTEPS, 0);
    const int most = swe_tuning(SWE_TUNING_two_substeps_blocks);
    execution->two_substep_blocks = processors * (most > 0 && most < fit ? most : fit);
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
