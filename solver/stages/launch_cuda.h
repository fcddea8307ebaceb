/* How kernels are launched, and how fields map to threads. */
#ifndef SWE_STAGES_LAUNCH_CUDA_H
#define SWE_STAGES_LAUNCH_CUDA_H

#include <cuda_runtime.h>

#include "stages/kernels.h"
#include "stages/view.h"

/* The one way to start a kernel, so that tests can put another in its place. A template kernel
 * stands in parentheses. Failures are reported by the backend's synchronize. */
#ifndef SWE_LAUNCH
#define SWE_LAUNCH(kernel, grid, block, shared_bytes, stream, ...)                                 \
    kernel<<<grid, block, shared_bytes, stream>>>(__VA_ARGS__)
#endif

static_assert(sizeof(swe_view) <= 4000,
              "a view is a kernel's argument, which has at most 4096 bytes");

/* One thread a point: x along i, y along j, z the panel. */
static inline dim3 launch_block()
{
    return dim3(LAUNCH_BLOCK_I, LAUNCH_BLOCK_J, 1);
}

/* Blocks that cover (n + 1) x (n + 1) points of every panel. */
static inline dim3 launch_grid(const swe_view *view)
{
    const unsigned side = (unsigned)view->layout.n + 1;
    return dim3((side + LAUNCH_BLOCK_I - 1) / LAUNCH_BLOCK_I,
                (side + LAUNCH_BLOCK_J - 1) / LAUNCH_BLOCK_J, SWE_PANELS);
}

/* Blocks of LAUNCH_BLOCK_LINE threads that cover `count` places of each of `lines` lines. */
static inline dim3 launch_lines(int count, int lines)
{
    return dim3((unsigned)(count + LAUNCH_BLOCK_LINE - 1) / LAUNCH_BLOCK_LINE, (unsigned)lines, 1);
}

static inline cudaStream_t launch_stream(const swe_workers *workers)
{
    return static_cast<cudaStream_t>(workers->queue);
}

#endif
