/* Files: checks of the files that a user names, and results that survive a crash of the machine
 * (output_file.h, with the errors of the program). */
#ifndef SWE_BASE_FILE_H
#define SWE_BASE_FILE_H

#include <stdbool.h>

#include "base/context.h"
#include "base/output_file.h"

/* Check that a path names a readable regular file. FIFOs and devices are not opened. Errors:
 * SWE_NO_INPUT with the reason. */
swe_status swe_file_check(swe_context *ctx, const char *path);

/* Whether two paths name the same file or folder. */
bool swe_file_is_same(const char *a, const char *b);

/* Status of a failed creation from its errno: SWE_IO if the disk is full or fails, otherwise
 * SWE_CANNOT_CREATE. */
swe_status swe_durable_refusal(int error);

/* Begin a result under a temporary name; publish it under its own name. An error removes the
 * temporary file. Errors: begin: the status of swe_durable_refusal; end: SWE_IO. */
swe_status swe_durable_begin(swe_context *ctx, const char *path, swe_output_file *out);
swe_status swe_durable_end(swe_context *ctx, swe_output_file *out);

/* Publish a result if `status` is SWE_OK, otherwise discard it and return `status`. Errors: SWE_IO.
 */
swe_status swe_durable_end_if(swe_context *ctx, swe_status status, swe_output_file *out);

/* Begin a result that is written as a stream. Errors: as in swe_durable_begin. */
swe_status swe_durable_stream(swe_context *ctx, const char *path, swe_output_file *out);

/* Check that no other program removed, replaced or changed a result that this process published.
 * Errors: SWE_IO. */
swe_status swe_durable_check(swe_context *ctx);

#endif
