/* Host memory, aligned to cache lines. Sizes are checked for overflow. Release all with free(). */
#ifndef SWE_BASE_MEMORY_H
#define SWE_BASE_MEMORY_H

#include <stddef.h>

#include "base/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Allocate `count` doubles, all zero. Errors: SWE_NO_MEMORY. */
swe_status swe_memory_doubles(swe_context *ctx, size_t count, double **out);

/* Allocate `count` values of `size` bytes each: all zero, or untouched (uninitialised, so that the
 * first thread that writes to a page decides its memory node). `out` is the address of a pointer of
 * any type, which becomes NULL after a failure. Errors: SWE_NO_MEMORY. */
swe_status swe_memory_zero(swe_context *ctx, size_t count, size_t size, void *out);
swe_status swe_memory_untouched(swe_context *ctx, size_t count, size_t size, void *out);

/* Bytes of memory that this process may use: the machine's, or fewer where a group of
 * processes (cgroup, versions 1 and 2) that it is in, or one above it, has a limit. `root` comes
 * before the paths /proc and /sys: "" but in tests. */
double swe_memory_limit(const char *root);

#ifdef __cplusplus
}
#endif
#endif
