/* Whether threads can be had: an OpenMP runtime that cannot start one ends the program itself. */
#ifndef SWE_BASE_THREADS_H
#define SWE_BASE_THREADS_H

#include "base/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Start as many threads as a parallel region of `count` needs, with the stacks that the runtime
 * gives them, and end them again. Does nothing if as many were had before. To be called from the
 * main thread. Errors: SWE_NO_MEMORY. */
swe_status swe_threads_check(swe_context *ctx, int count);

#ifdef __cplusplus
}
#endif
#endif
