/* How much the caches hold. */
#ifndef SWE_BACKEND_CPU_CACHES_CPU_H
#define SWE_BACKEND_CPU_CACHES_CPU_H

#include <stddef.h>

/* Bytes that the last-level caches of `threads` threads hold, each thread on a cache of its own as
 * long as there are more. Where Linux does not tell, 32 MiB are assumed. */
size_t swe_caches_bytes(int threads);

#endif
