/* SHA-256 of a file, as `sha256sum` prints it. */
#ifndef SWE_CHECKPOINT_DIGEST_H
#define SWE_CHECKPOINT_DIGEST_H

#include "base/context.h"

enum { SWE_DIGEST = 65 };

/* Read a regular file once: its size and digest. What is no regular file is not waited for.
 * Errors: SWE_DATA (not there, no regular file), SWE_IO, SWE_NO_MEMORY. */
swe_status swe_digest_file(swe_context *ctx, const char *path, long long *size,
                           char digest[SWE_DIGEST]);

#endif
