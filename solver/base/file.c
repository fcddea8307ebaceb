#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

swe_status swe_file_check(swe_context *ctx, const char *path)
{
    struct stat info;
    int file = -1;
    if (stat(path, &info) == 0) {
        if (!S_ISREG(info.st_mode))
            return swe_fail(ctx, SWE_NO_INPUT, "%s: not a regular file", path);
        file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    }
    if (file < 0)
        return swe_fail(ctx, SWE_NO_INPUT, "%s: %s", path,
                        errno == ENOENT ? "no such file" : strerror(errno));
    close(file);
    return SWE_OK;
}

bool swe_file_is_same(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

swe_status swe_durable_refusal(int error)
{
    return error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO ? SWE_IO
                                                                                : SWE_CANNOT_CREATE;
}

static swe_status refuse(swe_context *ctx, const char *path, int error)
{
    return swe_fail(ctx, swe_durable_refusal(error), "%s: cannot be created: %s", path,
                    swe_output_reason(error));
}

swe_status swe_durable_begin(swe_context *ctx, const char *path, swe_output_file *out)
{
    return swe_output_begin(path, out) ? SWE_OK : refuse(ctx, out->temporary, errno);
}

swe_status swe_durable_stream(swe_context *ctx, const char *path, swe_output_file *out)
{
    SWE_TRY(swe_durable_begin(ctx, path, out));
    if (swe_output_stream(out) != NULL)
        return SWE_OK;
    swe_output_discard(out);
    return refuse(ctx, path, errno);
}

swe_status swe_durable_end(swe_context *ctx, swe_output_file *out)
{
    if (swe_output_end(out))
        return SWE_OK;
    return swe_fail(ctx, SWE_IO, "%s: cannot be written: %s", out->path, swe_output_reason(errno));
}

swe_status swe_durable_end_if(swe_context *ctx, swe_status status, swe_output_file *out)
{
    if (status == SWE_OK)
        return swe_durable_end(ctx, out);
    swe_output_discard(out);
    return status;
}

swe_status swe_durable_check(swe_context *ctx)
{
    char path[SWE_OUTPUT_PATH];
    if (swe_output_verify(path, sizeof path))
        return SWE_OK;
    return swe_fail(ctx, SWE_IO,
                    "%s: another program removed, replaced or changed it while this one ran", path);
}
