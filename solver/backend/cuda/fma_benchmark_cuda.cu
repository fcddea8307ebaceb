#include "backend/backend.h"
#include "backend/peaks.h"
#include "stages/launch_cuda.h"

enum { BLOCK = 256, WIDTH = 8 };

/* One thread runs one group of chains. */
static __global__ void chains_kernel(size_t groups, long length, real *last)
{
    const size_t group = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (group >= groups)
        return;
    real x[WIDTH];
    for (int k = 0; k < WIDTH; k++)
        x[k] = chain_start(group * WIDTH + k);
    for (long m = 0; m < length; m++)
        for (int k = 0; k < WIDTH; k++)
            x[k] = chain_point(x[k]);
    for (int k = 0; k < WIDTH; k++)
        last[group * WIDTH + k] = x[k];
}

static void chains(const swe_execution *execution, int width, size_t groups, long length,
                   void *last)
{
    (void)width; /* only one is supported */
    SWE_LAUNCH(chains_kernel, dim3((unsigned)((groups + BLOCK - 1) / BLOCK)), dim3(BLOCK), 0,
               launch_stream(execution), groups, length, static_cast<real *>(last));
}

extern "C" const swe_fma_benchmark swe_fma_benchmark_cuda = {chains, {WIDTH}, 64};
