#include "state/shared_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ranks/ranks.h"

shared_file shared_file_of(const char *path, const char *name)
{
    struct stat info;
    shared_file out;
    memset(&out, 0, sizeof out); /* it is sent: also what lies between the members */
    snprintf(out.path, sizeof out.path, "%s", path);
    snprintf(out.name, sizeof out.name, "%s", name);
    if (stat(path, &info) == 0) {
        out.inode = info.st_ino;
        out.size = info.st_size;
        out.changed = info.st_mtime;
    }
    return out;
}

swe_status shared_file_open(swe_context *ctx, const shared_file *shared, int flags, bool is_whole,
                            int *file)
{
    struct stat info;
    *file = open(shared->path, flags | O_CLOEXEC | O_NONBLOCK);
    const bool is_open = *file >= 0 && fstat(*file, &info) == 0;
    if (is_open && S_ISREG(info.st_mode) && info.st_ino == shared->inode &&
        (!is_whole || (info.st_size == shared->size && info.st_mtime == shared->changed)))
        return SWE_OK;
    return swe_fail(ctx, SWE_UNAVAILABLE, "%s: rank %d does not see this file (%s)", shared->name,
                    swe_ranks_own(), is_open ? "another one" : strerror(errno));
}
