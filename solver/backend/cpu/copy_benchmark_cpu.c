#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "backend/backend.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* Read property `what` of cache `index` of the first processor from /sys; false if it is missing.
 */
static bool read_line(int index, const char *what, char *line, int size)
{
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", index, what);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    const bool is_read = fgets(line, size, file) != NULL;
    fclose(file);
    return is_read;
}

/* Processors in a list such as "0-7,64-71". */
static long count_processors(const char *list)
{
    long count = 0;
    for (;;) {
        char *end = NULL;
        const long first = strtol(list, &end, 10);
        const long last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        count += last - first + 1;
        if (*end != ',')
            return count;
        list = end + 1;
    }
}

/* Bytes that the last-level caches of `threads` threads hold, each thread on a cache of its own as
 * long as there are more. Where Linux reports none, 32 MiB are assumed. */
static size_t caches_bytes(int threads)
{
    char line[4096];
    size_t bytes = 0;
    long sharers = 1;
    for (int index = 0; read_line(index, "size", line, sizeof line); index++) {
        const size_t size = 1024 * (size_t)strtoul(line, NULL, 10); /* "32768K" */
        if (size <= bytes || !read_line(index, "shared_cpu_list", line, sizeof line))
            continue;
        bytes = size;
        sharers = count_processors(line);
    }
    if (bytes == 0 || sharers < 1)
        return (size_t)32 << 20;
    const long caches = (sysconf(_SC_NPROCESSORS_ONLN) + sharers - 1) / sharers;
    return bytes * (size_t)(threads < caches ? threads : caches);
}

static swe_status sizes(swe_context *ctx, const swe_execution *execution, swe_benchmark_sizes *out)
{
    const size_t block = SWE_COPY_BLOCK * sizeof(double), most = (size_t)1 << 30;
    const size_t caches = caches_bytes(execution->threads);
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

/* Copy a block with non-temporal stores, a cache line at a time. Intrinsics, because compilers do
 * not emit such stores for a loop, and some replace the loop by memcpy. */
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
