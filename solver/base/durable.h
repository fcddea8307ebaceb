/* Results that survive a crash of the machine: output_file.h, with the program's errors. */
#ifndef SWE_BASE_DURABLE_H
#define SWE_BASE_DURABLE_H

#include "base/context.h"
#include "output_file.h"

/* What a failure to create something is, by its errno: SWE_IO on a full disk, SWE_CANNOT_CREATE for
 * all else. */
swe_status swe_durable_refusal(int error);

/* Begin a result, and publish it. Errors of begin: swe_durable_refusal; of end: SWE_IO. After an
 * error nothing is left of it. */
swe_status swe_durable_begin(swe_context *ctx, const char *path, prof_output_file *out);
swe_status swe_durable_end(swe_context *ctx, prof_output_file *out);

/* Publish a result if `status` is SWE_OK, otherwise drop it. Answers what came of both. */
swe_status swe_durable_end_if(swe_context *ctx, swe_status status, prof_output_file *out);

/* Begin a result that is written as a stream. Errors: those of begin. */
swe_status swe_durable_stream(swe_context *ctx, const char *path, prof_output_file *out);

/* Whether all results that this process published are there as it left them. Errors: SWE_IO. */
swe_status swe_durable_check(swe_context *ctx);

#endif
