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
