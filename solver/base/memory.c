#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CACHE_LINE = 64 };

/* Bytes of whole cache lines, at least one. */
static size_t bytes_of(size_t count, size_t size)
{
    const size_t bytes = (count * size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    return bytes > 0 ? bytes : CACHE_LINE;
}

swe_status swe_memory_untouched(swe_context *ctx, size_t count, size_t size, void **out)
{
    *out = NULL;
    if (count > (SIZE_MAX - CACHE_LINE) / size) {
        swe_fail(ctx, SWE_NO_MEMORY, "cannot allocate %zu values of %zu bytes", count, size);
        return SWE_NO_MEMORY;
    }
    *out = aligned_alloc(CACHE_LINE, bytes_of(count, size));
    if (*out != NULL)
        return SWE_OK;
    swe_fail(ctx, SWE_NO_MEMORY, "out of memory: %zu bytes asked for", bytes_of(count, size));
    return SWE_NO_MEMORY;
}

swe_status swe_memory_zero(swe_context *ctx, size_t count, size_t size, void **out)
{
    SWE_TRY(swe_memory_untouched(ctx, count, size, out));
    memset(*out, 0, bytes_of(count, size));
    return SWE_OK;
}

swe_status swe_memory_doubles(swe_context *ctx, size_t count, double **out)
{
    void *memory = NULL;
    const swe_status status = swe_memory_zero(ctx, count, sizeof **out, &memory);
    *out = memory;
    return status;
}
