/* Files of a window, plain and compressed. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/output_file.h"
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
    const int descriptor = swe_output_create(path);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (file == NULL)
        prof_warn(log, "%s: cannot be created: %s", path, swe_output_reason(errno));
    if (file == NULL && descriptor >= 0)
        close(descriptor);
    return file;
}

bool prof_file_close(FILE *file, const char *directory, const char *name, prof_log *log)
{
    char path[PATH_SIZE];
    path_of(path, directory, name);
    errno = 0;
    const bool failed = fflush(file) != 0 || ferror(file) != 0 || fsync(fileno(file)) != 0 ||
                        !swe_output_list(path, fileno(file));
    int reason = errno;
    const bool closed = fclose(file) == 0;
    if (!failed && closed)
        return true;
    if (reason == 0)
        reason = errno;
    prof_warn(log, "%s: cannot be written: %s", path, swe_output_reason(reason));
    return false;
}

gzFile prof_gzip_open(FILE *file)
{
    const int copy = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);
    gzFile out = copy >= 0 ? gzdopen(copy, "wb") : NULL;
    if (out == NULL && copy >= 0)
        close(copy);
    return out;
}

static bool write_pieces(gzFile out, const char *bytes, size_t size)
{
    bool written = out != NULL;
    while (size > 0 && written) {
        const unsigned length = size < 1u << 20 ? (unsigned)size : 1u << 20;
        written = gzwrite(out, bytes, length) == (int)length;
        bytes += length;
        size -= length;
    }
    return written;
}

bool prof_file_write_gzip(const char *directory, const char *name, const void *bytes, size_t size,
                          prof_log *log)
{
    FILE *file = prof_file_open(directory, name, log);
    if (file == NULL)
        return false;
    errno = 0;
    gzFile out = prof_gzip_open(file);
    const bool written = write_pieces(out, bytes, size);
    int reason = errno;
    const bool closed =
        out != NULL && gzclose(out) == Z_OK; /* writes the bytes that zlib still buffers */
    if (closed && written)
        return prof_file_close(file, directory, name, log);
    if (reason == 0)
        reason = errno;
    fclose(file);
    prof_warn(log, "%s/%s: cannot be written: %s", directory, name,
              reason != 0 ? strerror(reason) : "compression failed");
    return false;
}
