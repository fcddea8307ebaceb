#include "state/shared_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ranks/ranks.h"

swe_shared_file swe_shared_file_of(const char *path, const char *name, const struct stat *info)
{
    swe_shared_file out;
    memset(&out, 0, sizeof out); /* the whole struct is sent, also the bytes behind the texts */
    snprintf(out.path, sizeof out.path, "%s", path);
    snprintf(out.name, sizeof out.name, "%s", name);
    out.inode = info->st_ino;
    out.size = info->st_size;
    out.changed = info->st_mtime;
    return out;
}

swe_status swe_shared_file_open(swe_context *ctx, const swe_shared_file *shared, int flags,
                                bool is_complete, int *file)
{
    struct stat info;
    *file = open(shared->path, flags | O_CLOEXEC | O_NONBLOCK);
    const bool is_open = *file >= 0 && fstat(*file, &info) == 0;
    if (is_open && S_ISREG(info.st_mode) && info.st_ino == shared->inode &&
        (!is_complete || (info.st_size == shared->size && info.st_mtime == shared->changed)))
        return SWE_OK;
    return swe_fail(ctx, SWE_UNAVAILABLE, "%s: rank %d does not see this file (%s)", shared->name,
                    swe_ranks_rank(), is_open ? "another one" : strerror(errno));
}

bool swe_shared_file_read(int file, void *out, size_t bytes, long long at)
{
    for (size_t done = 0; done < bytes;) {
        errno = 0;
        const ssize_t more = pread(file, (char *)out + done, bytes - done, (off_t)at + (off_t)done);
        if (more == 0 || (more < 0 && errno != EINTR))
            return false;
        done += more > 0 ? (size_t)more : 0;
    }
    return true;
}

bool swe_shared_file_write(int file, const void *values, size_t bytes, long long at)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t more =
            pwrite(file, (const char *)values + done, bytes - done, (off_t)at + (off_t)done);
        if (more == 0 || (more < 0 && errno != EINTR)) {
            errno = more == 0 ? EIO : errno;
            return false;
        }
        done += more > 0 ? (size_t)more : 0;
    }
    return true;
}
