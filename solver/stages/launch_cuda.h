/* CUDA launches, and the map from threads to points of fields. */
#ifndef SWE_STAGES_LAUNCH_CUDA_H
#define SWE_STAGES_LAUNCH_CUDA_H

#include <cuda_runtime.h>

#include "stages/kernels.h"
#include "stages/execution.h"
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

/* One thread per point: x along i, y along j, z the panel. */
static inline dim3 launch_block()
{
    return dim3(LAUNCH_BLOCK_I, LAUNCH_BLOCK_J, 1);
}

/* Blocks that cover (n + 1) x (n + 1) points of every panel. */
static inline dim3 launch_grid(const swe_params *params)
{
    const unsigned side = (unsigned)params->layout.n + 1;
    return dim3((side + LAUNCH_BLOCK_I - 1) / LAUNCH_BLOCK_I,
                (side + LAUNCH_BLOCK_J - 1) / LAUNCH_BLOCK_J, SWE_PANELS);
}

/* The vertex (j, i) of a panel that belongs to a thread of such a grid, if there is one. */
typedef struct launch_point {
    int i, j;
    bool exists;
    ptrdiff_t at, in_panel; /* in a field, in one panel of it */
} launch_point;

static inline __device__ launch_point launch_point_of(const swe_params *params)
{
    launch_point p;
    p.i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    p.j = (int)(blockIdx.y * blockDim.y + threadIdx.y);
    p.exists = p.i <= params->layout.n && p.j <= params->layout.n;
    p.at = swe_at(&params->layout, (int)blockIdx.z, p.j, p.i);
    p.in_panel = swe_at(&params->layout, 0, p.j, p.i);
    return p;
}

/* Blocks of LAUNCH_BLOCK_LINE threads that cover `count` indices of each of `lines` lines. */
static inline dim3 launch_lines(int count, int lines)
{
    return dim3((unsigned)(count + LAUNCH_BLOCK_LINE - 1) / LAUNCH_BLOCK_LINE, (unsigned)lines, 1);
}

/* The same for the points that panels share, as one line. */
static inline dim3 launch_shared_points(const swe_params *params)
{
    return launch_lines(topology_shared_points(params->layout.n), 1);
}

/* The copies of the shared point that belongs to a thread of such a grid; count 0 if there is
 * none. */
static inline __device__ topology_copies launch_copies(const swe_params *params)
{
    const int n = params->layout.n, point = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const topology_copies none = topology_copies_of(0);
    return point < topology_shared_points(n)
               ? topology_shared_point(&params->topology, &params->layout, point)
               : none;
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
