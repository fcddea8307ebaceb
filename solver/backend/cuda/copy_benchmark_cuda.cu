#include "backend/backend.h"
#include "stages/launch_cuda.h"

enum { BLOCK = 256, VALUES = SWE_COPY_BLOCK / BLOCK };

/* Groups of chains for each thread that all multiprocessors hold at a time. */
enum { ROUNDS = 4 };

static swe_status fail(swe_context *ctx, cudaError_t error)
{
    cudaGetLastError(); /* a later call must not find this error */
    return swe_fail(ctx, SWE_INTERNAL, "CUDA: properties of the device: %s",
                    cudaGetErrorString(error));
}

static swe_status sizes(swe_context *ctx, const swe_execution *execution, swe_benchmark_sizes *out)
{
    const size_t block = SWE_COPY_BLOCK * sizeof(double);
    cudaDeviceProp properties;
    size_t unused = 0, all = 0;
    int device = 0;
    (void)execution;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess)
        error = cudaGetDeviceProperties(&properties, device);
    if (error == cudaSuccess)
        error = cudaMemGetInfo(&unused, &all);
    if (error != cudaSuccess)
        return fail(ctx, error);
    const bool is_known = properties.l2CacheSize > 0;
    const size_t cache = is_known ? (size_t)properties.l2CacheSize : (size_t)32 << 20;
    const size_t bytes = 8 * cache < unused / 4 ? 8 * cache : unused / 4;
    if (bytes < 2 * cache || bytes < block)
        return swe_fail(
            ctx, SWE_NO_MEMORY,
            "CUDA: a quarter of %zu bytes of free memory is too small beside a cache of "
            "%zu bytes",
            unused, cache);
    *out = swe_benchmark_sizes{};
    if (is_known) {
        out->caches[0] = prof_cache{"L2", (double)cache, 0.0};
        out->cache_count = 1;
    }
    out->values = bytes / block * SWE_COPY_BLOCK;
    out->groups = (size_t)properties.multiProcessorCount *
                  (size_t)properties.maxThreadsPerMultiProcessor * ROUNDS;
    return SWE_OK;
}

static __global__ void fill_kernel(double *array)
{
    const size_t at = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    array[at] = (double)at;
}

static void fill(const swe_execution *execution, size_t values, double *array)
{
    SWE_LAUNCH(fill_kernel, dim3((unsigned)(values / BLOCK)), dim3(BLOCK), 0,
               launch_stream(execution), array);
}

/* Several values a thread, so that enough reads are in flight to hide the latency of memory. */
static __global__ void copy_kernel(const double *SWE_RESTRICT from, double *SWE_RESTRICT to)
{
    const size_t at = (size_t)blockIdx.x * SWE_COPY_BLOCK + threadIdx.x;
    double value[VALUES];
    for (int k = 0; k < VALUES; k++)
        value[k] = from[at + k * BLOCK];
    for (int k = 0; k < VALUES; k++)
        to[at + k * BLOCK] = value[k];
}

static void copy(const swe_execution *execution, size_t values, const double *from, double *to)
{
    SWE_LAUNCH(copy_kernel, dim3((unsigned)(values / SWE_COPY_BLOCK)), dim3(BLOCK), 0,
               launch_stream(execution), from, to);
}

/* Every block copies its own part again and again, past the L1 cache. */
static __global__ void copy_rounds_kernel(long rounds, const double *from, double *to)
{
    const size_t at = (size_t)blockIdx.x * SWE_COPY_BLOCK + threadIdx.x;
    for (long round = 0; round < rounds; round++) {
        double value[VALUES];
        for (int k = 0; k < VALUES; k++)
            value[k] = __ldcg(from + at + k * BLOCK);
        for (int k = 0; k < VALUES; k++)
            __stcg(to + at + k * BLOCK, value[k]);
        asm volatile("" : : : "memory"); /* every round loads and stores */
    }
}

static void copy_in_cache(const swe_execution *execution, size_t values, long rounds,
                          const double *from, double *to)
{
    SWE_LAUNCH(copy_rounds_kernel, dim3((unsigned)(values / SWE_COPY_BLOCK)), dim3(BLOCK), 0,
               launch_stream(execution), rounds, from, to);
}

extern "C" const swe_copy_benchmark swe_copy_benchmark_cuda = {sizes, fill, copy, copy_in_cache};
