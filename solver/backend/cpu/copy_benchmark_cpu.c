#define _GNU_SOURCE /* processors on which this program may run */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <omp.h>
#include <sched.h>

#include "backend/backend.h"
#include "base/memory.h"
#include "base/real.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* Read property `what` of cache `index` of a processor from /sys; false if it is missing. */
static bool read_line(int processor, int index, const char *what, char *line, int size)
{
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%d/%s", processor, index,
             what);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    const bool is_read = fgets(line, size, file) != NULL;
    fclose(file);
    return is_read;
}

/* Number of caches `index` of the processors on which this program may run. Caches differ if their
 * lists of processors ("0-7,64-71") begin with different processors. */
static int count_caches(int index, const cpu_set_t *allowed)
{
    cpu_set_t first;
    char line[4096];
    CPU_ZERO(&first);
    for (int processor = 0; processor < CPU_SETSIZE; processor++)
        if (CPU_ISSET(processor, allowed) &&
            read_line(processor, index, "shared_cpu_list", line, sizeof line))
            CPU_SET((size_t)strtoul(line, NULL, 10), &first);
    return CPU_COUNT(&first);
}

static const char *name_of(char level)
{
    static const char *const names[] = {"L1", "L2", "L3", "L4"};
    return level >= '1' && level <= '4' ? names[level - '1'] : "cache";
}

static int first_of(const cpu_set_t *allowed)
{
    int processor = 0;
    while (processor < CPU_SETSIZE - 1 && !CPU_ISSET(processor, allowed))
        processor++;
    return processor;
}

/* Add the data cache `index` with the bytes that `threads` threads can use; each thread has a
 * separate cache while there are enough caches. A level that holds no more than the previous level
 * is not added. False if there is no such cache. */
static bool add_cache(int index, int threads, const cpu_set_t *allowed, swe_benchmark_sizes *out)
{
    char size[32], level[16], kind[32];
    const int processor = first_of(allowed);
    if (!read_line(processor, index, "level", level, sizeof level) ||
        !read_line(processor, index, "type", kind, sizeof kind) ||
        !read_line(processor, index, "size", size, sizeof size))
        return false;
    const int caches = count_caches(index, allowed);
    const double bytes = /* "32768K" */
        1024.0 * (double)strtoul(size, NULL, 10) * (double)(threads < caches ? threads : caches);
    const double before = out->cache_count > 0 ? out->caches[out->cache_count - 1].bytes : 0.0;
    if (kind[0] == 'I' || out->cache_count == PROF_MOST_CACHES || bytes <= before)
        return true;
    out->caches[out->cache_count++] = (prof_cache){name_of(level[0]), bytes, 0.0};
    return true;
}

/* Find the caches. Returns the bytes of the largest cache; 32 MiB if Linux reports no cache. */
static size_t find_caches(int threads, swe_benchmark_sizes *out)
{
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        CPU_SET(0, &allowed);
    for (int index = 0; add_cache(index, threads, &allowed, out); index++)
        ;
    return out->cache_count > 0 ? (size_t)out->caches[out->cache_count - 1].bytes
                                : (size_t)32 << 20;
}

static swe_status sizes(swe_context *ctx, const swe_execution *execution, swe_benchmark_sizes *out)
{
    const size_t block = SWE_COPY_BLOCK * sizeof(double), most = (size_t)1 << 30;
    *out = (swe_benchmark_sizes){.groups = (size_t)execution->threads};
    const size_t caches = find_caches(execution->threads, out);
    const size_t memory = (size_t)swe_memory_limit("");
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

enum { LINE = 8 }; /* values of a cache line */

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
        const size_t lines = values / LINE; /* parts begin at a cache line */
        const size_t first = lines * thread / threads * LINE,
                     end = lines * (thread + 1) / threads * LINE;
        copy_part(end - first, rounds, one, from + first, to + first);
    }
}

const swe_copy_benchmark swe_copy_benchmark_cpu = {sizes, fill, copy, copy_in_cache};
