#include "base/durable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

swe_status swe_durable_refusal(int error)
{
    return error == ENOSPC || error == EDQUOT || error == EFBIG ? SWE_IO : SWE_CANNOT_CREATE;
}

/* Open a file or folder, put it on the disk and close it; false with errno. */
static bool sync_path(const char *path, int flags)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | flags);
    if (file < 0)
        return false;
    const bool synced = fsync(file) == 0;
    const int error = errno;
    const bool closed = close(file) == 0;
    if (!synced)
        errno = error;
    return synced && closed;
}

swe_status swe_durable_sync(swe_context *ctx, const char *path)
{
    if (sync_path(path, 0))
        return SWE_OK;
    return swe_fail(ctx, SWE_IO, "%s: cannot be put on the disk: %s", path, strerror(errno));
}

/* The folder that a path is in. */
static bool sync_folder_of(const char *path)
{
    char folder[4200];
    if (snprintf(folder, sizeof folder, "%s", path) >= (int)sizeof folder) {
        errno = ENAMETOOLONG;
        return false;
    }
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        return sync_path(".", O_DIRECTORY);
    slash[slash == folder ? 1 : 0] = '\0';
    return sync_path(folder, O_DIRECTORY);
}

swe_status swe_durable_rename(swe_context *ctx, const char *from, const char *to)
{
    if (rename(from, to) != 0)
        return swe_fail(ctx, SWE_IO, "%s: cannot be renamed: %s", from, strerror(errno));
    if (!sync_folder_of(to))
        return swe_fail(ctx, SWE_IO, "%s: its folder cannot be put on the disk: %s", to,
                        strerror(errno));
    return SWE_OK;
}
