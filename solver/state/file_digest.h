/* SHA-256 of files, in hexadecimal digits. */
#ifndef SWE_STATE_FILE_DIGEST_H
#define SWE_STATE_FILE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/context.h"

enum { SWE_DIGEST_SIZE = 65 }; /* digits, and a terminating zero */

/* Size [bytes] and SHA-256, as sha256sum prints it, of a regular file, in one pass. Does not wait
 * for a FIFO. Errors: SWE_DATA (missing, or not a regular file), SWE_IO, SWE_NO_MEMORY. */
swe_status swe_digest_file(swe_context *ctx, const char *path, long long *size,
                           char digest[SWE_DIGEST_SIZE]);

/* SHA-256 of bytes in memory. Errors: SWE_INTERNAL. */
swe_status swe_digest_bytes(swe_context *ctx, const void *bytes, size_t size,
                            char digest[SWE_DIGEST_SIZE]);

/* SHA-256 of the first `size` bytes of a regular file. Errors: as above (SWE_IO: it is shorter). */
swe_status swe_digest_start(swe_context *ctx, const char *path, long long size,
                            char digest[SWE_DIGEST_SIZE]);

/* Size of a regular file, and the SHA-256 of the list of digests of its pieces of 1 MiB. The same
 * is printed by
 *
 *     split --bytes=1M --filter=sha256sum FILE | sha256sum
 *
 * `by_all`: all ranks share the pieces, unless a rank does not see the file. The root sends the
 * request to the other ranks, which call this function with NULL for path and results. Errors: as
 * in swe_digest_file. */
swe_status swe_digest_pieces(swe_context *ctx, const char *path, bool by_all, long long *size,
                             char digest[SWE_DIGEST_SIZE]);

#endif
