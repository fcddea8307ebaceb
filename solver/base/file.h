/* A file that a user names. */
#ifndef SWE_BASE_FILE_H
#define SWE_BASE_FILE_H

#include "base/context.h"

/* Whether it is a regular file that can be read; a FIFO or device is not opened. Errors:
 * SWE_NO_INPUT with the reason. */
swe_status swe_file_check(swe_context *ctx, const char *path);

#endif
