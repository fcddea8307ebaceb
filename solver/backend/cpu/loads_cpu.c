#include <unistd.h>

#include "backend/backend.h"
#include "backend/ceilings_point.h"
#include "backend/cpu/caches_cpu.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

static swe_status sizes(swe_context *ctx, const swe_workers *workers, swe_load_sizes *out)
{
    const size_t block = SWE_COPY_BLOCK * sizeof(double), most = (size_t)1 << 30;
    const size_t caches = swe_caches_bytes(workers->threads);
    const size_t memory = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = 4 * caches < most ? 4 * caches : most;
    if (bytes > memory / 16)
        bytes = memory / 16;
    if (bytes < caches)
        return swe_fail(ctx, SWE_NO_MEMORY,
                        "a sixteenth of %zu bytes of memory fits into caches of %zu bytes", memory,
                        caches);
    *out = (swe_load_sizes){(bytes + block - 1) / block * SWE_COPY_BLOCK, (size_t)workers->threads};
    return SWE_OK;
}

static void fill(const swe_workers *workers, size_t values, double *array)
{
#pragma omp parallel for schedule(static) num_threads(workers->threads)
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

static void copy(const swe_workers *workers, size_t values, const double *from, double *to)
{
    const int wide = __builtin_cpu_supports("avx512f");
#pragma omp parallel num_threads(workers->threads)
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

static void copy(const swe_workers *workers, size_t values, const double *from, double *to)
{
#pragma omp parallel for schedule(static) num_threads(workers->threads)
    for (size_t block = 0; block < values / SWE_COPY_BLOCK; block++)
        for (size_t i = block * SWE_COPY_BLOCK; i < (block + 1) * SWE_COPY_BLOCK; i++)
            to[i] = from[i];
}

#endif

/* A group; `width` is a constant, so that its chains are in registers if those suffice. */
SWE_POINT void group_of_width(int width, size_t group, long length, double *SWE_RESTRICT last)
{
    enum { WIDEST = 192 };
    double x[WIDEST];
    for (int k = 0; k < width; k++)
        x[k] = chain_start(group * (size_t)width + (size_t)k);
    for (long m = 0; m < length; m++)
#pragma omp simd
        for (int k = 0; k < width; k++)
            x[k] = chain_point(x[k]);
    for (int k = 0; k < width; k++)
        last[group * (size_t)width + (size_t)k] = x[k];
}

SWE_CLONES
static void run_group(int width, size_t group, long length, double *last)
{
    switch (width) {
    case 24:
        group_of_width(24, group, length, last);
        break;
    case 48:
        group_of_width(48, group, length, last);
        break;
    case 96:
        group_of_width(96, group, length, last);
        break;
    default:
        group_of_width(192, group, length, last);
    }
}

static void chains(const swe_workers *workers, int width, size_t groups, long length, double *last)
{
#pragma omp parallel for schedule(static) num_threads(workers->threads)
    for (size_t group = 0; group < groups; group++)
        run_group(width, group, length, last);
}

/* Twelve vectors of two, four and eight values: enough for fused multiply-adds that take four or
 * five cycles, two a cycle. Twice that for AVX-512 where multiply and add come one after the
 * other. What does not fit in registers is slower, and not the ceiling. */
const swe_loads swe_loads_cpu = {sizes, fill, copy, chains, {24, 48, 96, 192}, 16384};
