/* Files and folders that a user names. */
#ifndef SWE_BASE_FILE_H
#define SWE_BASE_FILE_H

#include <stdbool.h>

#include "base/context.h"

/* Whether it is a regular file that can be read; a FIFO or device is not opened. Errors:
 * SWE_NO_INPUT with the reason. */
swe_status swe_file_check(swe_context *ctx, const char *path);

/* Whether two paths lead to the same file or folder. */
bool swe_file_is_same(const char *a, const char *b);

#endif
