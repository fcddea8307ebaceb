#define _DEFAULT_SOURCE /* madvise */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CACHE_LINE = 64, HUGE_PAGE = 1 << 21 };

/* Where an array begins, and what its size is a multiple of. Large ones are whole huge pages: a
 * sweep walks some twenty arrays at a time, and their small pages would not fit the tables in which
 * a processor looks up addresses. */
static size_t alignment_of(size_t bytes)
{
    return bytes >= (size_t)4 * HUGE_PAGE ? HUGE_PAGE : CACHE_LINE;
}

/* Bytes of whole cache lines, or huge pages; at least one. */
static size_t bytes_of(size_t count)
{
    const size_t bytes = count > 0 ? count * sizeof(double) : 1;
    const size_t unit = alignment_of(bytes);
    return (bytes + unit - 1) / unit * unit;
}

static double *take(swe_context *ctx, size_t count)
{
    if (count > (SIZE_MAX - HUGE_PAGE) / sizeof(double)) {
        swe_fail(ctx, SWE_NO_MEMORY, "cannot allocate %zu doubles", count);
        return NULL;
    }
    const size_t bytes = bytes_of(count), alignment = alignment_of(bytes);
    double *memory = aligned_alloc(alignment, bytes);
    if (memory == NULL)
        swe_fail(ctx, SWE_NO_MEMORY, "out of memory: %zu bytes asked for", bytes);
#ifdef MADV_HUGEPAGE
    else if (alignment == HUGE_PAGE)
        madvise(memory, bytes, MADV_HUGEPAGE); /* where it is refused, pages are small */
#endif
    return memory;
}

swe_status swe_memory_untouched(swe_context *ctx, size_t count, double **out)
{
    *out = take(ctx, count);
    return *out != NULL ? SWE_OK : SWE_NO_MEMORY;
}

swe_status swe_memory_doubles(swe_context *ctx, size_t count, double **out)
{
    *out = take(ctx, count);
    if (*out == NULL)
        return SWE_NO_MEMORY;
    memset(*out, 0, bytes_of(count));
    return SWE_OK;
}
