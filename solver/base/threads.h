/* Check that threads can start, because an OpenMP runtime that cannot start one ends the program.
 */
#ifndef SWE_BASE_THREADS_H
#define SWE_BASE_THREADS_H

#include "base/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Start `count` threads with the stack size of the OpenMP runtime, and end them again. Does nothing
 * if an earlier call started as many. Call from the main thread. Errors: SWE_NO_MEMORY. */
swe_status swe_threads_check(swe_context *ctx, int count);

#ifdef __cplusplus
}
#endif
#endif
