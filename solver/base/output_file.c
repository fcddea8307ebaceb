#define _DEFAULT_SOURCE /* flock */
#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIALS = 4 };

const char *swe_output_reason(int error)
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

int swe_output_open(const char *path, int flags)
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

bool swe_output_is_named(int file, const char *path)
{
    struct stat open_file, named;
    return fstat(file, &open_file) == 0 && lstat(path, &named) == 0 &&
           open_file.st_dev == named.st_dev && open_file.st_ino == named.st_ino;
}

/* Remove an existing file of that name, unless another writer locks it. */
static bool remove_unlocked(const char *path)
{
    const int file = swe_output_open(path, O_RDONLY);
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
        if (!is_lost && swe_output_is_named(file, path))
            return file;
        drop(file);
    }
    errno = EBUSY;
    return -1;
}

int swe_output_create(const char *path)
{
    return create_locked(path, O_WRONLY | O_APPEND);
}

bool swe_output_begin(const char *path, swe_output_file *out)
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

FILE *swe_output_stream(swe_output_file *out)
{
    const int copy = fcntl(out->file, F_DUPFD_CLOEXEC, 0);
    out->stream = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (out->stream == NULL)
        drop(copy);
    return out->stream;
}

void swe_output_discard(swe_output_file *out)
{
    const int error = errno;
    if (out->stream != NULL)
        fclose(out->stream);
    if (out->file >= 0 && swe_output_is_named(out->file, out->temporary))
        unlink(out->temporary);
    drop(out->file);
    out->stream = NULL;
    out->file = -1;
    errno = error;
}

static bool close_stream(swe_output_file *out)
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

bool swe_output_sync_folder(const char *path)
{
    const int file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool is_synced = file >= 0 && fsync(file) == 0;
    drop(file);
    return is_synced;
}

/* Sync the folder of a path. */
static bool sync_folder_of(const char *path)
{
    char folder[SWE_OUTPUT_PATH];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        return swe_output_sync_folder(".");
    slash[slash == folder ? 1 : 0] = '\0';
    return swe_output_sync_folder(folder);
}

static bool rename_to_path(const swe_output_file *out)
{
    if (swe_output_is_named(out->file, out->temporary))
        return rename(out->temporary, out->path) == 0;
    errno = ENOENT; /* another program removed it */
    return false;
}

bool swe_output_end(swe_output_file *out)
{
    if (!close_stream(out) || fsync(out->file) != 0 || !rename_to_path(out)) {
        swe_output_discard(out);
        return false;
    }
    const bool is_whole = sync_folder_of(out->path) && swe_output_list(out->path, out->file);
    const int error = errno;
    const bool is_closed = close(out->file) == 0;
    out->file = -1;
    if (!is_whole)
        errno = error;
    return is_whole && is_closed;
}

/* ---- published results ----------------------------------------------------------------------- */

typedef struct entry {
    char *path;
    dev_t device;
    ino_t inode;
    off_t size; /* [bytes] */
} entry;

static struct {
    pthread_mutex_t mutex;
    entry *entries; /* sorted by path for a binary search */
    size_t count, room;
} list = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* The mutex is held in the functions up to swe_output_list. */

/* Index of the first entry whose path is not less than this one. */
static size_t find(const char *path)
{
    size_t from = 0, to = list.count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (strcmp(list.entries[middle].path, path) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static bool is_at(size_t k, const char *path)
{
    return k < list.count && strcmp(list.entries[k].path, path) == 0;
}

/* Remove an entry; the caller owns its path. */
static entry remove_entry(size_t k)
{
    const entry out = list.entries[k];
    list.count--;
    memmove(&list.entries[k], &list.entries[k + 1], (list.count - k) * sizeof out);
    return out;
}

/* Insert an entry with a copy of the path, or replace the entry of that path. */
static bool insert(const char *path, entry e)
{
    const size_t k = find(path);
    if (is_at(k, path)) {
        e.path = list.entries[k].path;
        list.entries[k] = e;
        return true;
    }
    if (list.count == list.room) {
        const size_t room = list.room > 0 ? 2 * list.room : 64;
        entry *more = realloc(list.entries, room * sizeof *more);
        if (more == NULL)
            return false;
        list.entries = more;
        list.room = room;
    }
    e.path = strdup(path);
    if (e.path == NULL)
        return false;
    memmove(&list.entries[k + 1], &list.entries[k], (list.count - k) * sizeof e);
    list.entries[k] = e;
    list.count++;
    return true;
}

bool swe_output_list(const char *path, int file)
{
    struct stat info;
    if (fstat(file, &info) != 0)
        return false;
    pthread_mutex_lock(&list.mutex);
    const bool is_inserted =
        insert(path, (entry){.device = info.st_dev, .inode = info.st_ino, .size = info.st_size});
    pthread_mutex_unlock(&list.mutex);
    if (!is_inserted)
        errno = ENOMEM;
    return is_inserted;
}

bool swe_output_remove(const char *path)
{
    pthread_mutex_lock(&list.mutex);
    const size_t k = find(path);
    if (is_at(k, path))
        free(remove_entry(k).path);
    pthread_mutex_unlock(&list.mutex);
    return unlink(path) == 0;
}

void swe_output_moved(const char *folder, const char *to)
{
    char below[SWE_OUTPUT_PATH + 1], path[SWE_OUTPUT_PATH];
    const size_t length = strlen(folder);
    snprintf(below, sizeof below, "%s/", folder);
    pthread_mutex_lock(&list.mutex);
    for (size_t k = find(below);
         k < list.count && strncmp(list.entries[k].path, below, length + 1) == 0; k = find(below)) {
        const entry e = remove_entry(k);
        if (to != NULL &&
            snprintf(path, sizeof path, "%s%s", to, e.path + length) < (int)sizeof path)
            insert(path, e); /* without memory the entry is dropped */
        free(e.path);
    }
    pthread_mutex_unlock(&list.mutex);
}

bool swe_output_verify(char *missing, size_t size)
{
    bool all = true;
    pthread_mutex_lock(&list.mutex);
    for (size_t k = 0; k < list.count && all; k++) {
        const entry *e = &list.entries[k];
        struct stat info;
        all = lstat(e->path, &info) == 0 && S_ISREG(info.st_mode) && info.st_dev == e->device &&
              info.st_ino == e->inode && info.st_size == e->size;
        if (!all)
            snprintf(missing, size, "%s", e->path);
    }
    pthread_mutex_unlock(&list.mutex);
    return all;
}

/* ---- folders -------------------------------------------------------------------------------- */

bool swe_folder_create(const char *path)
{
    char prefix[SWE_PATH_SIZE];
    const size_t length = strlen(path);
    errno = length == 0 ? ENOENT : ENAMETOOLONG;
    if (length == 0 || length >= sizeof prefix)
        return false;
    memcpy(prefix, path, length + 1);
    for (size_t k = 1; k <= length; k++) {
        if (prefix[k] != '/' && prefix[k] != '\0')
            continue;
        const char end = prefix[k];
        prefix[k] = '\0';
        if (mkdir(prefix, 0777) != 0 && errno != EEXIST)
            return false;
        prefix[k] = end;
    }
    return true;
}
