#define _DEFAULT_SOURCE /* flock */
#include "output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIALS = 4 };

const char *prof_output_reason(int error)
{
    switch (error) {
    case ELOOP:
    case ENXIO:
    case EINVAL:
        return "no regular file";
    case EBUSY:
        return "another program is writing it";
    case 0:
        return "an earlier write failed";
    default:
        return strerror(error);
    }
}

/* Close a descriptor and preserve errno. */
static void drop(int file)
{
    const int error = errno;
    if (file >= 0)
        close(file);
    errno = error;
}

int prof_output_open(const char *path, int flags)
{
    struct stat info;
    const int file = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (file < 0 || fstat(file, &info) != 0 || S_ISREG(info.st_mode)) {
        if (file < 0 && errno == EISDIR)
            errno = EINVAL;
        return file;
    }
    errno = EINVAL;
    drop(file);
    return -1;
}

bool prof_output_is_named(int file, const char *path)
{
    struct stat open_file, named;
    return fstat(file, &open_file) == 0 && lstat(path, &named) == 0 &&
           open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

/* Remove an existing file of that name, unless another writer locks it. */
static bool remove_unlocked(const char *path)
{
    const int file = prof_output_open(path, O_RDONLY);
    const bool is_held = file >= 0 && flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    drop(file);
    if (is_held) {
        errno = EBUSY;
        return false;
    }
    return unlink(path) == 0 || errno == ENOENT;
}

/* Create a new file and lock it if the file system supports locks. A shared lock keeps
 * remove_unlocked away and lets this process read the file back through HDF5, which also locks. */
static int create_locked(const char *path, int flags)
{
    for (int trial = 0; trial < TRIALS; trial++) {
        const int file =
            open(path, O_CREAT | O_EXCL | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0666);
        if (file < 0 && errno != EEXIST)
            return -1;
        if (file < 0) {
            if (!remove_unlocked(path))
                return -1;
            continue;
        }
        const bool is_lost = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (!is_lost && prof_output_is_named(file, path))
            return file;
        drop(file);
    }
    errno = EBUSY;
    return -1;
}

int prof_output_create(const char *path)
{
    return create_locked(path, O_WRONLY | O_APPEND);
}

bool prof_output_begin(const char *path, prof_output_file *out)
{
    out->file = -1;
    out->stream = NULL;
    const int length = snprintf(out->temporary, sizeof out->temporary, "%s.tmp", path);
    if (length >= (int)sizeof out->temporary) {
        errno = ENAMETOOLONG;
        return false;
    }
    snprintf(out->path, sizeof out->path, "%.*s", length - 4, out->temporary);
    out->file = create_locked(out->temporary, O_RDWR);
    return out->file >= 0;
}

FILE *prof_output_stream(prof_output_file *out)
{
    const int copy = fcntl(out->file, F_DUPFD_CLOEXEC, 0);
    out->stream = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (out->stream == NULL)
        drop(copy);
    return out->stream;
}

void prof_output_discard(prof_output_file *out)
{
    const int error = errno;
    if (out->stream != NULL)
        fclose(out->stream);
    if (out->file >= 0 && prof_output_is_named(out->file, out->temporary))
        unlink(out->temporary);
    drop(out->file);
    out->stream = NULL;
    out->file = -1;
    errno = error;
}

static bool close_stream(prof_output_file *out)
{
    if (out->stream == NULL)
        return true;
    errno = 0;
    const bool is_written = fflush(out->stream) == 0 && ferror(out->stream) == 0;
    if (!is_written && errno == 0) /* an earlier write failed: repeat one to get errno */
        (void)!write(out->file, "", 1);
    const int error = errno;
    const bool is_closed = fclose(out->stream) == 0;
    out->stream = NULL;
    if (!is_written)
        errno = error;
    return is_written && is_closed;
}

bool prof_output_sync_folder(const char *path)
{
    const int file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool is_synced = file >= 0 && fsync(file) == 0;
    drop(file);
    return is_synced;
}

/* Sync the folder of a path. */
static bool sync_folder_of(const char *path)
{
    char folder[PROF_OUTPUT_PATH];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        return prof_output_sync_folder(".");
    slash[slash == folder ? 1 : 0] = '\0';
    return prof_output_sync_folder(folder);
}

static bool rename_to_path(const prof_output_file *out)
{
    if (prof_output_is_named(out->file, out->temporary))
        return rename(out->temporary, out->path) == 0;
    errno = ENOENT; /* another program removed it */
    return false;
}

bool prof_output_end(prof_output_file *out)
{
    if (!close_stream(out) || fsync(out->file) != 0 || !rename_to_path(out)) {
        prof_output_discard(out);
        return false;
    }
    const bool is_whole = sync_folder_of(out->path) && prof_output_list(out->path, out->file);
    const int error = errno;
    const bool is_closed = close(out->file) == 0;
    out->file = -1;
    if (!is_whole)
        errno = error;
    return is_whole && is_closed;
}
