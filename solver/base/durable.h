/* Files that survive a crash of the machine: what was written is on the disk before it gets its
 * name, and the name is on the disk before somebody relies on it. */
#ifndef SWE_BASE_DURABLE_H
#define SWE_BASE_DURABLE_H

#include "base/context.h"

/* What a failure to create something is, by its errno: SWE_IO on a full disk, SWE_CANNOT_CREATE for
 * all else. */
swe_status swe_durable_refusal(int error);

/* Put a closed file on the disk. Errors: SWE_IO. */
swe_status swe_durable_sync(swe_context *ctx, const char *path);

/* Give a file that is on the disk another name in the same folder, in the place of what had it, and
 * put the folder on the disk. Errors: SWE_IO. */
swe_status swe_durable_rename(swe_context *ctx, const char *from, const char *to);

#endif
