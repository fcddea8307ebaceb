/* CUDA launches, and the map from threads to points of fields. */
#ifndef SWE_STAGES_LAUNCH_CUDA_H
#define SWE_STAGES_LAUNCH_CUDA_H

#include <cuda_runtime.h>

#include "stages/kernels.h"
#include "stages/execution.h"
#include "stages/reach.h"
#include "stages/params.h"

/* The only way to launch a kernel, so that tests can replace it. A template kernel stands in
 * parentheses. The backend's synchronize reports failures. */
#ifndef SWE_LAUNCH
#define SWE_LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                                 \
    kernel<<<grid, block, shared_bytes, stream>>>(__VA_ARGS__)
#endif

/* The type of a kernel's parameter that all threads read and none copies. Tests replace it, too. */
#ifndef SWE_GRID_CONSTANT
#define SWE_GRID_CONSTANT(type) const __grid_constant__ type
#endif

static_assert(sizeof(swe_params) <= 3840 || sizeof(real) > 8, /* the counting build has no float4 */
              "a params is one of a kernel's arguments, which have at most 4096 bytes together");

/* PARTS of the sphere: the panels or, with a decomposition, the blocks of this rank. Elsewhere in
 * this file a "block" is a thread block. */

/* Their number, and the vertices of the largest along each direction. */
typedef struct launch_parts {
    int count, i, j;
} launch_parts;

static inline launch_parts launch_parts_of(const swe_params *params)
{
    const swe_decomposition *d = params->decomposition;
    const int side = params->layout.n + 1;
    if (d == nullptr)
        return {SWE_PANELS, side, side};
    return {d->own.last - d->own.first, d->largest_i, d->largest_j};
}

/* Part `number` of a grid: a panel, or a block, or either. Kernels that need many registers are
 * compiled for panels and for blocks, because the ranges of a block occupy registers. */

static inline __device__ swe_block launch_panel_of(const swe_params *params, int number)
{
    const swe_range all = {0, params->layout.n + 1};
    return {number, all, all, number * params->layout.panel, 0, 0};
}

static inline __device__ swe_block launch_block_of(const swe_params *params, int number)
{
    return params->blocks[params->first_block + number];
}

static inline __device__ swe_block launch_part_of(const swe_params *params, int number)
{
    return params->blocks != nullptr ? launch_block_of(params, number)
                                     : launch_panel_of(params, number);
}

/* THE STRIPS of a part: vertices along its sides, first columns at both ends, then rows between the
 * columns (LAUNCH_SIDES); and the vertices inside the strips. A strip is narrower, or empty, in a
 * small part. */
enum { LAUNCH_SIDES = 4 };

typedef struct launch_split {
    swe_range low, inside, high;
} launch_split;

static inline __device__ launch_split launch_split_of(swe_range own, int width)
{
    const int low = own.first + width < own.last ? own.first + width : own.last,
              high = own.last - width > low ? own.last - width : low;
    return {{own.first, low}, {low, high}, {high, own.last}};
}

static inline __device__ swe_block launch_side_of(const swe_block &part, int width, int side)
{
    const launch_split i = launch_split_of(part.i, width), j = launch_split_of(part.j, width);
    swe_block strip = part;
    strip.i = side == 0 ? i.low : side == 1 ? i.high : i.inside;
    strip.j = side == 2 ? j.low : side == 3 ? j.high : part.j;
    return strip;
}

static inline __device__ swe_block launch_inside_of(const swe_block &part, int width)
{
    swe_block inside = part;
    inside.i = launch_split_of(part.i, width).inside;
    inside.j = launch_split_of(part.j, width).inside;
    return inside;
}

/* One thread per point: x along i, y along j, z the part. */
static inline dim3 launch_block()
{
    return dim3(LAUNCH_BLOCK_I, LAUNCH_BLOCK_J, 1);
}

/* Blocks that cover the vertices of every part. */
static inline dim3 launch_grid(const swe_params *params)
{
    const launch_parts parts = launch_parts_of(params);
    return dim3((unsigned)(parts.i + LAUNCH_BLOCK_I - 1) / LAUNCH_BLOCK_I,
                (unsigned)(parts.j + LAUNCH_BLOCK_J - 1) / LAUNCH_BLOCK_J, (unsigned)parts.count);
}

/* The vertex (j, i) of a panel that belongs to a thread of such a grid, if there is one. */
typedef struct launch_point {
    int i, j;
    bool exists;
    ptrdiff_t at, metric; /* in a field, and in a metric term */
} launch_point;

static inline __device__ launch_point launch_point_at(const swe_params *params,
                                                      const swe_block &part, int j, int i)
{
    const ptrdiff_t in_panel = j * params->layout.pitch + i;
    return {i, j, true, part.at + in_panel, part.metric + in_panel};
}

static inline __device__ launch_point launch_point_in(const swe_params *params,
                                                      const swe_block &part, swe_range columns)
{
    launch_point p =
        launch_point_at(params, part, part.j.first + (int)(blockIdx.y * blockDim.y + threadIdx.y),
                        columns.first + (int)(blockIdx.x * blockDim.x + threadIdx.x));
    p.exists = p.i < columns.last && p.j < part.j.last;
    return p;
}

static inline __device__ launch_point launch_point_of(const swe_params *params)
{
    const swe_block part = launch_part_of(params, (int)blockIdx.z);
    return launch_point_in(params, part, part.i);
}

/* One thread per point of the strips of LAUNCH_STRIP vertices: x the points of a side, y the side,
 * z the part. */
static inline dim3 launch_strip_grid(const swe_params *params)
{
    const launch_parts parts = launch_parts_of(params);
    const int most = LAUNCH_STRIP * (parts.i > parts.j ? parts.i : parts.j);
    return dim3((unsigned)(most + LAUNCH_BLOCK_POINTS - 1) / LAUNCH_BLOCK_POINTS, LAUNCH_SIDES,
                (unsigned)parts.count);
}

static inline dim3 launch_strip_block()
{
    return dim3(LAUNCH_BLOCK_POINTS, 1, 1);
}

static inline __device__ launch_point launch_strip_point_of(const swe_params *params)
{
    const swe_block strip =
        launch_side_of(launch_block_of(params, (int)blockIdx.z), LAUNCH_STRIP, (int)blockIdx.y);
    const int width = strip.i.last - strip.i.first,
              point = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (point >= width * (strip.j.last - strip.j.first))
        return {};
    return launch_point_at(params, strip, strip.j.first + point / width,
                           strip.i.first + point % width);
}

/* One thread per point inside these strips; the grid is launch_grid. */
static inline __device__ launch_point launch_inside_point_of(const swe_params *params)
{
    const swe_block inside =
        launch_inside_of(launch_block_of(params, (int)blockIdx.z), LAUNCH_STRIP);
    return launch_point_in(params, inside, inside.i);
}

/* launch_grid, extended by the ghost columns that the part's cells read along xi1. In these columns
 * each block of a panel computes the results of operators along xi2 itself. */
static inline dim3 launch_grid_of_cells(const swe_params *params)
{
    dim3 grid = launch_grid(params);
    if (params->decomposition != nullptr)
        grid.x += 1; /* 32 columns: operators of order 6 read five at either end */
    return grid;
}

static inline __device__ launch_point launch_point_of_cells(int order, const swe_params *params,
                                                            bool *is_own)
{
    const swe_block part = launch_part_of(params, (int)blockIdx.z);
    const int n = params->layout.n, last = part.i.last <= n ? part.i.last - 1 : n - 1;
    const swe_range read = {reach_first_vertex(order, sbp_vertex_rows(order), n, part.i.first),
                            reach_last_vertex(order, sbp_vertex_rows(order), n, last) + 1};
    const launch_point p = launch_point_in(params, part, read);
    *is_own = p.i >= part.i.first && p.i < part.i.last;
    return p;
}

/* Blocks of LAUNCH_BLOCK_LINE threads that cover `count` indices of each of `lines` lines. */
static inline dim3 launch_lines(int count, int lines)
{
    return dim3((unsigned)(count + LAUNCH_BLOCK_LINE - 1) / LAUNCH_BLOCK_LINE, (unsigned)lines, 1);
}

/* The same for the shared points, as one line; with a decomposition for the shared points that a
 * block owns or has as ghosts. */
static inline dim3 launch_shared_points(const swe_params *params)
{
    const int count = params->decomposition != nullptr ? params->shared_count
                                                       : topology_shared_points(params->layout.n);
    return launch_lines(count > 0 ? count : 1, 1);
}

/* The copies of the shared point that belongs to a thread of such a grid; count 0 if there is
 * none. */
static inline __device__ topology_copies launch_copies(const swe_params *params)
{
    const int n = params->layout.n, point = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const topology_copies none = topology_copies_of(0);
    if (params->blocks != nullptr)
        return point < params->shared_count ? params->shared[point].copies : none;
    return point < topology_shared_points(n)
               ? topology_shared_point(&params->topology, &params->layout, point)
               : none;
}

/* The shared point of a block that belongs to a thread of such a grid, if the block owns it. */
static inline __device__ const swe_shared_point *launch_own_point(const swe_params *params)
{
    const int point = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (point >= params->shared_count || params->shared[point].is_ghost)
        return nullptr;
    return &params->shared[point];
}

static inline cudaStream_t launch_stream(const swe_execution *execution)
{
    return static_cast<cudaStream_t>(execution->queue);
}

/* A second stream for kernels that run concurrently with those launched on the queue from here to
 * launch_join; it starts after all earlier work of the queue. While stages are recorded one by
 * one, kernels run one after the other on one stream. */
static inline cudaStream_t launch_fork(const swe_execution *execution)
{
    if (prof_is_eager(execution->profiler))
        return launch_stream(execution);
    const cudaStream_t second_stream = static_cast<cudaStream_t>(execution->second_stream);
    const cudaEvent_t before = static_cast<cudaEvent_t>(execution->before);
    cudaEventRecord(before, launch_stream(execution));
    cudaStreamWaitEvent(second_stream, before, 0);
    return second_stream;
}

/* Later launches on the queue wait for the second stream. */
static inline void launch_join(const swe_execution *execution)
{
    if (prof_is_eager(execution->profiler))
        return;
    const cudaEvent_t after = static_cast<cudaEvent_t>(execution->after);
    cudaEventRecord(after, static_cast<cudaStream_t>(execution->second_stream));
    cudaStreamWaitEvent(launch_stream(execution), after, 0);
}

#endif
