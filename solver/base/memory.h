/* Host memory: rows start on cache lines, sizes are checked, failures are reported. */
#ifndef SWE_BASE_MEMORY_H
#define SWE_BASE_MEMORY_H

#include <stddef.h>

#include "base/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Allocate `count` doubles on a 64-byte boundary, all zero. Errors: SWE_NO_MEMORY.
 * Release with free(). */
swe_status swe_memory_doubles(swe_context *ctx, size_t count, double **out);
/* The same for `count` values of `size` bytes each, zero or untouched: these are anything. */
swe_status swe_memory_zero(swe_context *ctx, size_t count, size_t size, void **out);
swe_status swe_memory_untouched(swe_context *ctx, size_t count, size_t size, void **out);

#ifdef __cplusplus
}
#endif
#endif
