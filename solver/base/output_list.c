/* The list of the results that this process has published. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output_file.h"

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

/* ---- the mutex is held ----------------------------------------------------------------------- */

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

/* Insert an entry under its folder's new name; without memory the entry is dropped. */
static void insert_renamed(entry e, size_t length, const char *to)
{
    char path[PROF_OUTPUT_PATH];
    if (snprintf(path, sizeof path, "%s%s", to, e.path + length) < (int)sizeof path)
        insert(path, e);
}

/* ---------------------------------------------------------------------------------------------- */

bool prof_output_list(const char *path, int file)
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

bool prof_output_remove(const char *path)
{
    pthread_mutex_lock(&list.mutex);
    const size_t k = find(path);
    if (is_at(k, path))
        free(remove_entry(k).path);
    pthread_mutex_unlock(&list.mutex);
    return unlink(path) == 0;
}

void prof_output_moved(const char *folder, const char *to)
{
    char below[PROF_OUTPUT_PATH + 1];
    const size_t length = strlen(folder);
    snprintf(below, sizeof below, "%s/", folder);
    pthread_mutex_lock(&list.mutex);
    for (size_t k = find(below);
         k < list.count && strncmp(list.entries[k].path, below, length + 1) == 0; k = find(below)) {
        const entry e = remove_entry(k);
        if (to != NULL)
            insert_renamed(e, length, to);
        free(e.path);
    }
    pthread_mutex_unlock(&list.mutex);
}

static bool is_there(const entry *e)
{
    struct stat info;
    return lstat(e->path, &info) == 0 && S_ISREG(info.st_mode) && info.st_dev == e->device &&
           info.st_ino == e->inode && info.st_size == e->size;
}

bool prof_output_verify(char *missing, size_t size)
{
    bool all = true;
    pthread_mutex_lock(&list.mutex);
    for (size_t k = 0; k < list.count && all; k++) {
        all = is_there(&list.entries[k]);
        if (!all)
            snprintf(missing, size, "%s", list.entries[k].path);
    }
    pthread_mutex_unlock(&list.mutex);
    return all;
}
