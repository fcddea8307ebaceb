/* The list of the results that this process has published. */
#include <errno.h>
#include <pthread.h>
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
    entry *entries;
    size_t count, room;
} list = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* The entry of a path; `count` if there is none. The mutex is held. */
static size_t find(const char *path)
{
    size_t k = 0;
    while (k < list.count && strcmp(list.entries[k].path, path) != 0)
        k++;
    return k;
}

static void forget(size_t k)
{
    free(list.entries[k].path);
    list.entries[k] = list.entries[--list.count];
}

/* Room for one more entry of a path. */
static bool add(const char *path)
{
    if (list.count == list.room) {
        const size_t room = list.room > 0 ? 2 * list.room : 64;
        entry *more = realloc(list.entries, room * sizeof *more);
        if (more == NULL)
            return false;
        list.entries = more;
        list.room = room;
    }
    list.entries[list.count].path = strdup(path);
    if (list.entries[list.count].path == NULL)
        return false;
    list.count++;
    return true;
}

bool prof_output_list(const char *path, int file)
{
    struct stat info;
    if (fstat(file, &info) != 0)
        return false;
    pthread_mutex_lock(&list.mutex);
    const size_t k = find(path);
    const bool has_room = k < list.count || add(path);
    if (has_room) {
        entry *e = &list.entries[k];
        e->device = info.st_dev;
        e->inode = info.st_ino;
        e->size = info.st_size;
    }
    pthread_mutex_unlock(&list.mutex);
    if (!has_room)
        errno = ENOMEM;
    return has_room;
}

bool prof_output_remove(const char *path)
{
    pthread_mutex_lock(&list.mutex);
    const size_t k = find(path);
    if (k < list.count)
        forget(k);
    pthread_mutex_unlock(&list.mutex);
    return unlink(path) == 0;
}

/* The path of an entry below a folder that has another name now; NULL if there is no memory. */
static char *renamed(const char *path, size_t length, const char *to)
{
    const size_t size = strlen(path) - length + strlen(to) + 1;
    char *out = malloc(size);
    if (out != NULL)
        snprintf(out, size, "%s%s", to, path + length);
    return out;
}

void prof_output_moved(const char *folder, const char *to)
{
    const size_t length = strlen(folder);
    pthread_mutex_lock(&list.mutex);
    for (size_t k = list.count; k-- > 0;) {
        char *path = list.entries[k].path;
        if (strncmp(path, folder, length) != 0 || path[length] != '/')
            continue;
        char *other = to != NULL ? renamed(path, length, to) : NULL;
        if (other == NULL) {
            forget(k);
            continue;
        }
        free(path);
        list.entries[k].path = other;
    }
    pthread_mutex_unlock(&list.mutex);
}

static bool is_there(const entry *e)
{
    struct stat info;
    return lstat(e->path, &info) == 0 && S_ISREG(info.st_mode) && info.st_dev == e->device &&
           info.st_ino == e->inode && info.st_size == e->size;
}

bool prof_output_all_there(char *missing, size_t size)
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
