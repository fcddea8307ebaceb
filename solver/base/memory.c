#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64 };

/* Bytes of whole cache lines, at least one. */
static size_t bytes_of(size_t count)
{
    const size_t bytes = (count * sizeof(double) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    return bytes > 0 ? bytes : CACHE_LINE;
}

static double *take(swe_context *ctx, size_t count)
{
    if (count > (SIZE_MAX - CACHE_LINE) / sizeof(double)) {
        swe_fail(ctx, SWE_NO_MEMORY, "cannot allocate %zu doubles", count);
        return NULL;
    }
    double *memory = aligned_alloc(CACHE_LINE, bytes_of(count));
    if (memory == NULL)
        swe_fail(ctx, SWE_NO_MEMORY, "out of memory: %zu bytes asked for", bytes_of(count));
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
