/* The context of a call: where the text of a failure goes. One per thread of control. */
#ifndef SWE_BASE_CONTEXT_H
#define SWE_BASE_CONTEXT_H

#include "base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct swe_context {
    char message[1024]; /* one line about the last failure */
} swe_context;

/* Record one line about a failure and return its status, so that callers can write
 * `return swe_fail(ctx, SWE_IO, "...")`. */
swe_status swe_fail(swe_context *ctx, swe_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif
#endif
