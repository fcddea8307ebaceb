#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64 };

swe_status swe_memory_doubles(swe_context *ctx, size_t count, double **out)
{
    *out = NULL;
    if (count > (SIZE_MAX - CACHE_LINE) / sizeof(double))
        return swe_fail(ctx, SWE_NO_MEMORY, "cannot allocate %zu doubles", count);
    const size_t bytes = (count * sizeof(double) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    double *memory = aligned_alloc(CACHE_LINE, bytes > 0 ? bytes : CACHE_LINE);
    if (memory == NULL)
        return swe_fail(ctx, SWE_NO_MEMORY, "out of memory: %zu bytes asked for", bytes);
    memset(memory, 0, bytes);
    *out = memory;
    return SWE_OK;
}
