#include <unistd.h>

#include "backend/backend.h"
#include "backend/cpu/caches_cpu.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

static swe_status sizes(swe_context *ctx, const swe_execution *execution, swe_benchmark_sizes *out)
{
    const size_t block = SWE_COPY_BLOCK * sizeof(double), most = (size_t)1 << 30;
    const size_t caches = swe_caches_bytes(execution->threads);
    const size_t memory = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = 4 * caches < most ? 4 * caches : most;
    if (bytes > memory / 16)
        bytes = memory / 16;
    if (bytes < caches)
        return swe_fail(ctx, SWE_NO_MEMORY,
                        "a sixteenth of %zu bytes of memory fits into caches of %zu bytes", memory,
                        caches);
    *out = (swe_benchmark_sizes){(bytes + block - 1) / block * SWE_COPY_BLOCK,
                                 (size_t)execution->threads};
    return SWE_OK;
}

static void fill(const swe_execution *execution, size_t values, double *array)
{
#pragma omp parallel for schedule(static) num_threads(execution->threads)
    for (size_t block = 0; block < values / SWE_COPY_BLOCK; block++)
        for (size_t i = block * SWE_COPY_BLOCK; i < (block + 1) * SWE_COPY_BLOCK; i++)
            array[i] = (double)i;
}

#ifdef __x86_64__

/* Copy a block past the caches, a line at a time. Such stores need instructions by name: no
 * compiler makes them from a loop, and some make a call of memcpy from it. */
__attribute__((target("avx512f"))) static void copy_block_512(const double *from, double *to)
{
    for (int i = 0; i < SWE_COPY_BLOCK; i += 8)
        _mm512_stream_pd(to + i, _mm512_load_pd(from + i));
}

static void copy_block_128(const double *from, double *to)
{
    for (int i = 0; i < SWE_COPY_BLOCK; i += 8)
        for (int k = i; k < i + 8; k += 2)
            _mm_stream_pd(to + k, _mm_load_pd(from + k));
}

static void copy(const swe_execution *execution, size_t values, const double *from, double *to)
{
    const int wide = __builtin_cpu_supports("avx512f");
#pragma omp parallel num_threads(execution->threads)
    {
#pragma omp for schedule(static) nowait
        for (size_t block = 0; block < values / SWE_COPY_BLOCK; block++) {
            const size_t at = block * SWE_COPY_BLOCK;
            if (wide)
                copy_block_512(from + at, to + at);
            else
                copy_block_128(from + at, to + at);
        }
        _mm_sfence(); /* other threads may read it after the region */
    }
}

#else

static void copy(const swe_execution *execution, size_t values, const double *from, double *to)
{
#pragma omp parallel for schedule(static) num_threads(execution->threads)
    for (size_t block = 0; block < values / SWE_COPY_BLOCK; block++)
        for (size_t i = block * SWE_COPY_BLOCK; i < (block + 1) * SWE_COPY_BLOCK; i++)
            to[i] = from[i];
}

#endif

const swe_copy_benchmark swe_copy_benchmark_cpu = {sizes, fill, copy};
