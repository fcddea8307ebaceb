#include "base/tuning.h"
#include "stages/contravariant/contravariant_tile_cuda.h"
#include "stages/fused/fused_cuda.h"
#include "stages/fused/fused_two_substeps_cuda.h"
#include "stages/stages.h"

/* A point of the state. */
struct fused_values {
    real h, v1, v2;
};

/* Compute the substep at every point of the tile; `a` is at the panel's first value of h. */
template <int ORDER, sbp_region WHERE>
static __device__ __forceinline__ void update(const swe_params *params, int substep, real weight,
                                              const tile &t, rk4_arrays a,
                                              const flux_tile<ORDER> &w)
{
    const int n = params->layout.n, cell_i = t.i[TILE_CELLS].first, cell_j = t.j[TILE_CELLS].first;
    const int first_i = t.i[TILE_OWN].first, first_j = t.j[TILE_OWN].first;
    const ptrdiff_t pitch = params->layout.pitch, field = params->layout.field;
    const auto has_v1 = [&](int i) { return WHERE == SBP_INTERIOR || i < n; };
    const auto has_v2 = [&](int j) { return WHERE == SBP_INTERIOR || j < n; };
    for_tile_points<ORDER, WHERE, TILE_OWN, TILE_OWN>(
        t,
        [&](int j, int i, int row, int column) {
            const int at = place_of(params, j, i);
            const real *h = a.in + at;
            const real dh = divergence_point(
                DIVERGENCE_WEAK, ORDER, WHERE, WHERE, params, j, i, params->inverse_jacobian[at],
                &w.flux1[row][i - cell_i], &w.flux2[j - cell_j][column], tile_shape<ORDER>::I);
            fused_values updated = {rk4_value(substep, weight, dh, rk4_arrays_at(a, at)), 0, 0};
            if (has_v1(i))
                updated.v1 = rk4_value(substep, weight, gradient_point1(ORDER, WHERE, params, i, h),
                                       rk4_arrays_at(a, field + at));
            if (has_v2(j))
                updated.v2 =
                    rk4_value(substep, weight, gradient_point2(ORDER, WHERE, params, j, h, pitch),
                              rk4_arrays_at(a, 2 * field + at));
            return updated;
        },
        [&](int row, int column, fused_values updated) {
            const int j = first_j + row, i = first_i + column;
            real *out = a.out + place_of(params, j, i);
            out[0] = updated.h;
            if (has_v1(i))
                out[field] = updated.v1;
            if (has_v2(j))
                out[2 * field] = updated.v2;
        });
}

template <int ORDER, sbp_region WHERE>
static __device__ void sweep(const swe_params *params, int substep, real weight, const tile &t,
                             rk4_arrays a, flux_tile<ORDER> &w)
{
    const ptrdiff_t field = params->layout.field;
    compute_flux_tile<ORDER, SWE_LINEAR, WHERE>(params, t, a.in, a.in + field, a.in + 2 * field, w);
    if (WHERE != SBP_INTERIOR)
        update<ORDER, WHERE>(params, substep, weight, t, a, w);
    else if (substep < 3)
        update<ORDER, WHERE>(params, 0, weight, t, a, w);
    else
        update<ORDER, WHERE>(params, 3, weight, t, a, w);
}

/* Least blocks of a multiprocessor: a thread may have 80 registers with three, 128 with two. The
 * forms named here need more than 80. */
template <int ORDER> struct fused_blocks {
    enum { LEAST = ORDER == 6 || (ORDER == 4 && sizeof(real) == sizeof(float)) ? 2 : 3 };
};

/* A substep over whole panels or over their boundary strips. x: panels; y, z: tiles (tiles_cuda.h,
 * fused_strip_cuda.h). */
template <int ORDER>
static __global__ void __launch_bounds__(LAUNCH_BLOCK_TILES, (fused_blocks<ORDER>::LEAST))
    fused_kernel(SWE_GRID_CONSTANT(swe_params) params, int substep, real weight, rk4_arrays arrays)
{
    __shared__ flux_tile<ORDER> work[LAUNCH_TILE_PANELS];
    const int n = params.layout.n;
    tile t;
    if (!(params.swaps_buffers ? strip_tile_of<ORDER>(n, substep, &t) : tile_of<ORDER>(n, &t)))
        return;
    const rk4_arrays a = rk4_arrays_at(arrays, t.panel * params.layout.panel);
    if (is_interior(ORDER, n, t.i) && is_interior(ORDER, n, t.j))
        sweep<ORDER, SBP_INTERIOR>(&params, substep, weight, t, a, work[threadIdx.z]);
    else
        sweep<ORDER, SBP_ANYWHERE>(&params, substep, weight, t, a, work[threadIdx.z]);
}

/* The same for two-substep sweeps: 128 registers with four blocks, 168 with three, 255 with two. */
template <int ORDER> struct two_substep_blocks {
    enum { LEAST = ORDER == 2 ? 4 : ORDER == 4 ? 3 : 2 };
};

static_assert(sizeof(swe_params) + sizeof(pair_parts) <= 4096 || sizeof(real) > 8,
              "a kernel's arguments have at most 4096 bytes together");

/* Substeps 0 and 1 inside the boundary strips, and substeps 2 and 3. x: panels; y, z: columns and
 * rows (fused_two_substeps_cuda.h). */
template <int ORDER>
static __global__ void __launch_bounds__(LAUNCH_BLOCK_TWO_SUBSTEPS,
                                         (two_substep_blocks<ORDER>::LEAST))
    two_substeps_kernel(SWE_GRID_CONSTANT(swe_params) params,
                        SWE_GRID_CONSTANT(pair_parts) substeps)
{
    __shared__ pair_lines<ORDER> lines[LAUNCH_TWO_SUBSTEPS_PANELS][2];
    march<ORDER, 0>(pair_lane_of<ORDER>(&params, substeps.rows), substeps, lines[threadIdx.z]);
}

template <int ORDER>
static __global__ void __launch_bounds__(LAUNCH_BLOCK_TWO_SUBSTEPS,
                                         (two_substep_blocks<ORDER>::LEAST))
    last_two_substeps_kernel(SWE_GRID_CONSTANT(swe_params) params,
                             SWE_GRID_CONSTANT(pair_parts) substeps)
{
    __shared__ pair_lines<ORDER> lines[LAUNCH_TWO_SUBSTEPS_PANELS][2];
    march<ORDER, 2>(pair_lane_of<ORDER>(&params, substeps.rows), substeps, lines[threadIdx.z]);
}

static void start_substep(const swe_execution *execution, const swe_params *params, int substep,
                          real weight, real *y, real *next)
{
    SWE_WITH_ORDER(params->sbp.order,
                   SWE_LAUNCH((fused_kernel<ORDER>),
                              params->swaps_buffers ? strip_grid<ORDER>(params, LAUNCH_TILE_PANELS)
                                                    : tiles_grid<ORDER>(params, LAUNCH_TILE_PANELS),
                              tiles_block(LAUNCH_TILE_PANELS), 0, launch_stream(execution), *params,
                              substep, weight, rk4_arrays_of(params, substep, y, next)));
}

template <int ORDER>
static void start_two_substeps(const swe_execution *execution, const swe_params *params,
                               cudaStream_t stream, int substep, pair_parts p)
{
    p.rows = pair_rows<ORDER>(params->layout.n, execution->two_substep_blocks);
    const dim3 grid = pair_grid<ORDER>(params->layout.n, p.rows),
               block(LAUNCH_TWO_SUBSTEPS_LANES, 1, LAUNCH_TWO_SUBSTEPS_PANELS);
    if (substep == 0)
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

void swe_fused_cuda(const swe_execution *execution, const swe_params *params, int substep,
                    real weight, real next_weight, real *y, real *next)
{
    if (params->swaps_buffers && substep % 2 == 0) {
        start_two_substeps_and_strips(execution, params, substep, weight, next_weight, y, next);
        return;
    }
    start_substep(execution, params, substep, weight, y, next);
    if (params->swaps_buffers)
        launch_join(execution);
}

/* ---- once, before the steps ------------------------------------------------------------------ */

/* Limits of the device: number of multiprocessors, shared memory of one, and of one block for the
 * system [B]. */
struct processors {
    int count, shared, reserved;
};

/* Query the current device; the caller has selected it. */
static cudaError_t find_processors(processors *out)
{
    const struct {
        cudaDeviceAttr attribute;
        int *value;
    } wanted[] = {{cudaDevAttrMultiProcessorCount, &out->count},
                  {cudaDevAttrMaxSharedMemoryPerMultiprocessor, &out->shared},
                  {cudaDevAttrReservedSharedMemoryPerBlock, &out->reserved}};
    int device = 0;
    cudaError_t error = cudaGetDevice(&device);
    for (const auto &w : wanted)
        if (error == cudaSuccess)
            error = cudaDeviceGetAttribute(w.value, w.attribute, device);
    return error;
}

/* Blocks of a kernel that fit on a multiprocessor, and the shared memory of all of them [B]. */
template <typename kernel>
static cudaError_t find_need(kernel *function, int threads, const processors &p, int *blocks,
                             int *shared)
{
    cudaFuncAttributes attributes;
    cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, 0);
    if (error == cudaSuccess)
        error = cudaFuncGetAttributes(&attributes, function);
    if (error == cudaSuccess)
        *shared = *blocks * ((int)attributes.sharedSizeBytes + p.reserved);
    return error;
}

/* The split for both kernels: the larger of their needs, in percent of a multiprocessor's shared
 * memory, or the knob. */
static int carveout_of(int need, const processors &p)
{
    const int chosen = swe_tuning(SWE_TUNING_carveout);
    if (chosen != -1)
        return chosen >= 0 ? chosen : (int)cudaSharedmemCarveoutDefault;
    const int percent = ceil_div(100 * need, p.shared);
    return percent < 100 ? percent : 100;
}

template <int ORDER> static cudaError_t prepare(swe_execution *execution)
{
    processors p = {};
    int strips = 0, sweeps = 0, need_strips = 0, need_sweeps = 0;
    cudaError_t error = find_processors(&p);
    if (error == cudaSuccess)
        error = find_need(fused_kernel<ORDER>, LAUNCH_BLOCK_TILES, p, &strips, &need_strips);
    if (error == cudaSuccess)
        error = find_need(two_substeps_kernel<ORDER>, LAUNCH_BLOCK_TWO_SUBSTEPS, p, &sweeps,
                          &need_sweeps);
    if (error != cudaSuccess)
        return error;
    const int most = swe_tuning(SWE_TUNING_two_substeps_blocks);
    execution->two_substep_blocks = p.count * (most > 0 && most < sweeps ? most : sweeps);
    const int carveout = carveout_of(need_strips > need_sweeps ? need_strips : need_sweeps, p);
    const cudaFuncAttribute split = cudaFuncAttributePreferredSharedMemoryCarveout;
    error = cudaFuncSetAttribute(fused_kernel<ORDER>, split, carveout);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute(two_substeps_kernel<ORDER>, split, carveout);
    return error == cudaSuccess
               ? cudaFuncSetAttribute(last_two_substeps_kernel<ORDER>, split, carveout)
               : error;
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
