#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "outputs/output.h"

enum { PATH_SIZE = 4200 };

static void path_of(char path[PATH_SIZE], const char *directory, const char *name)
{
    snprintf(path, PATH_SIZE, "%s/%s", directory, name);
}

FILE *prof_file_open(const char *directory, const char *name, prof_log *log)
{
    char path[PATH_SIZE];
    path_of(path, directory, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        prof_warn(log, "%s: cannot be created: %s", path, strerror(errno));
    return file;
}

bool prof_file_close(FILE *file, const char *directory, const char *name, prof_log *log)
{
    errno = 0;
    const bool failed = fflush(file) != 0 || ferror(file) != 0;
    int reason = errno;
    const bool closed = fclose(file) == 0;
    if (!failed && closed)
        return true;
    if (reason == 0)
        reason = errno;
    prof_warn(log, "%s/%s: cannot be written: %s", directory, name,
              reason != 0 ? strerror(reason) : "an earlier write failed");
    return false;
}

bool prof_file_write_gzip(const char *directory, const char *name, const void *bytes, size_t size,
                          prof_log *log)
{
    char path[PATH_SIZE];
    path_of(path, directory, name);
    errno = 0;
    gzFile file = gzopen(path, "wb");
    if (file == NULL) {
        prof_warn(log, "%s: cannot be created: %s", path,
                  errno != 0 ? strerror(errno) : "out of memory");
        return false;
    }
    const char *from = bytes;
    bool written = true;
    while (size > 0 && written) {
        const unsigned part = size < 1u << 20 ? (unsigned)size : 1u << 20;
        written = gzwrite(file, from, part) == (int)part;
        from += part;
        size -= part;
    }
    int reason = errno;
    const bool closed = gzclose(file) == Z_OK; /* writes what was kept back */
    if (closed && written)
        return true;
    if (reason == 0)
        reason = errno;
    prof_warn(log, "%s: cannot be written: %s", path,
              reason != 0 ? strerror(reason) : "compression failed");
    return false;
}
