#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <omp.h>

#include "backend/backend.h"
#include "base/real.h"

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

/* Add the data cache `index` of the first processor: bytes that `threads` threads hold, each thread
 * on a cache of its own as long as there are more. False if there is no such cache. */
static bool add_cache(int index, int threads, swe_benchmark_sizes *out)
{
    char line[4096], level[16], kind[32];
    if (!read_line(index, "level", level, sizeof level) ||
        !read_line(index, "type", kind, sizeof kind) ||
        !read_line(index, "size", line, sizeof line))
        return false;
    const double bytes = 1024.0 * (double)strtoul(line, NULL, 10); /* "32768K" */
    if (kind[0] == 'I' || out->cache_count == PROF_MOST_CACHES || bytes <= 0.0 ||
        !read_line(index, "shared_cpu_list", line, sizeof line))
        return true;
    const long sharers = count_processors(line);
    const long caches = (sysconf(_SC_NPROCESSORS_ONLN) + sharers - 1) / sharers;
    prof_cache *cache = &out->caches[out->cache_count++];
    snprintf(cache->name, sizeof cache->name, "L%c", level[0]);
    cache->bytes = bytes * (double)(threads < caches ? threads : caches);
    return true;
}

static int smaller_first(const void *a, const void *b)
{
    const double x = ((const prof_cache *)a)->bytes, y = ((const prof_cache *)b)->bytes;
    return (x > y) - (x < y);
}

/* Find the caches. Returns the bytes of the largest; where Linux reports none, 32 MiB are assumed.
 */
static size_t find_caches(int threads, swe_benchmark_sizes *out)
{
    for (int index = 0; add_cache(index, threads, out); index++)
        ;
    if (out->cache_count == 0)
        return (size_t)32 << 20;
    qsort(out->caches, (size_t)out->cache_count, sizeof *out->caches, smaller_first);
    return (size_t)out->caches[out->cache_count - 1].bytes;
}

static swe_status sizes(swe_context *ctx, const swe_execution *execution, swe_benchmark_sizes *out)
{
    const size_t block = SWE_COPY_BLOCK * sizeof(double), most = (size_t)1 << 30;
    *out = (swe_benchmark_sizes){.groups = (size_t)execution->threads};
    const size_t caches = find_caches(execution->threads, out);
    const size_t memory = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = 4 * caches < most ? 4 * caches : most;
    if (bytes > memory / 16)
        bytes = memory / 16;
    if (bytes < caches)
        return swe_fail(ctx, SWE_NO_MEMORY,
                        "a sixteenth of %zu bytes of memory fits into caches of %zu bytes", memory,
                        caches);
    out->values = (bytes + block - 1) / block * SWE_COPY_BLOCK;
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

/* `one` is 1: a plain copy would become a call of memcpy, which chooses its own stores. */
SWE_CLONES
static void copy_part(size_t values, long rounds, double one, const double *SWE_RESTRICT from,
                      double *SWE_RESTRICT to)
{
    for (long round = 0; round < rounds; round++) {
        for (size_t i = 0; i < values; i++)
            to[i] = one * from[i];
        __asm__ volatile("" : : "r"(to) : "memory"); /* every round stores */
    }
}

static void copy_in_cache(const swe_execution *execution, size_t values, long rounds,
                          const double *from, double *to)
{
    volatile double one = 1.0;
#pragma omp parallel num_threads(execution->threads)
    {
        const size_t threads = (size_t)omp_get_num_threads(), thread = (size_t)omp_get_thread_num();
        const size_t first = values * thread / threads, end = values * (thread + 1) / threads;
        copy_part(end - first, rounds, one, from + first, to + first);
    }
}

const swe_copy_benchmark swe_copy_benchmark_cpu = {sizes, fill, copy, copy_in_cache};
