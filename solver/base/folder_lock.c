#define _DEFAULT_SOURCE /* flock */
#include "base/folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/output_file.h"

enum { TEXT = 512, PATH = 4300, MOST_HELD = 16, TRIALS = 8 };

/* Files that this process has locked: the system would refuse a second lock on one of them. */
static struct held {
    dev_t device;
    ino_t inode;
} held[MOST_HELD];
static int held_count;

static int find_held(const struct stat *info)
{
    int k = 0;
    while (k < held_count && (held[k].device != info->st_dev || held[k].inode != info->st_ino))
        k++;
    return k;
}

/* Read the text of run.lock: the run, and on the next line host and process; false with errno. */
static bool read_text(int file, char text[TEXT])
{
    const ssize_t length = pread(file, text, TEXT - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    return length >= 0;
}

/* Run named in the text; "" if it names none. */
static void copy_run(const char *text, char run[SWE_RUN_ID])
{
    const size_t digits = strspn(text, "0123456789abcdef");
    run[0] = '\0';
    if (digits == SWE_RUN_ID - 1 && text[digits] == '\n')
        snprintf(run, SWE_RUN_ID, "%.*s", (int)digits, text);
}

static void path_of(const char *folder, char out[PATH])
{
    snprintf(out, PATH, "%s/run.lock", folder);
}

void swe_folder_lock_read(const char *folder, char run[SWE_RUN_ID])
{
    char path[PATH], text[TEXT] = "";
    path_of(folder, path);
    const int file = swe_output_open(path, O_RDONLY);
    if (file >= 0) {
        read_text(file, text);
        close(file);
    }
    copy_run(text, run);
}

/* ---- locking --------------------------------------------------------------------------------- */

/* Open run.lock, or create it. */
static swe_status open_file(swe_context *ctx, swe_folder_lock *lock)
{
    char path[PATH];
    path_of(lock->folder, path);
    lock->has_created_folder = access(lock->folder, F_OK) != 0;
    if (!swe_folder_create(lock->folder))
        return swe_fail(ctx, swe_durable_refusal(errno), "%s: cannot be created: %s", lock->folder,
                        strerror(errno));
    lock->file = swe_output_open(path, O_RDWR | O_CREAT | O_EXCL);
    lock->has_created_it = lock->file >= 0;
    if (lock->file < 0 && errno == EEXIST)
        lock->file = swe_output_open(path, O_RDWR);
    if (lock->file >= 0)
        return SWE_OK;
    lock->file = 0;
    return swe_fail(ctx, swe_durable_refusal(errno), "%s: %s", path, swe_output_reason(errno));
}

static void close_file(swe_folder_lock *lock)
{
    close(lock->file);
    lock->file = 0;
}

/* Whether the open file is still run.lock: its last holder may have removed it. */
static bool is_current(const swe_folder_lock *lock)
{
    char path[PATH];
    path_of(lock->folder, path);
    return swe_output_is_named(lock->file, path);
}

static swe_status refuse_second(swe_context *ctx, swe_folder_lock *lock)
{
    char text[TEXT] = "";
    read_text(lock->file, text);
    const char *who = strchr(text, '\n') != NULL ? strchr(text, '\n') + 1 : "";
    close_file(lock);
    return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: another run writes there (%.*s)", lock->folder,
                    (int)strcspn(who, "\n"), who);
}

/* Lock the open file. */
static swe_status lock_file(swe_context *ctx, swe_folder_lock *lock)
{
    char text[TEXT];
    struct stat info;
    if (fstat(lock->file, &info) == 0 && find_held(&info) < held_count) {
        close_file(lock);
        return SWE_OK;
    }
    if (flock(lock->file, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK)
            return refuse_second(ctx, lock);
        lock->is_unprotected = true;
    }
    if (!is_current(lock) || held_count == MOST_HELD)
        return SWE_CANNOT_CREATE;
    if (!read_text(lock->file, text)) {
        const int error = errno;
        close_file(lock);
        return swe_fail(ctx, SWE_IO, "%s/run.lock: cannot be read: %s", lock->folder,
                        strerror(error));
    }
    copy_run(text, lock->run);
    held[held_count++] = (struct held){info.st_dev, info.st_ino};
    return SWE_OK;
}

swe_status swe_folder_lock_take(swe_context *ctx, const char *folder, swe_folder_lock *out)
{
    *out = (swe_folder_lock){.file = 0};
    if (snprintf(out->folder, sizeof out->folder, "%s", folder) >= (int)sizeof out->folder)
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%.200s...: the path is too long", folder);
    for (int trial = 0; trial < TRIALS; trial++) {
        SWE_TRY(open_file(ctx, out));
        const swe_status status = lock_file(ctx, out);
        if (status == SWE_OK || out->file == 0)
            return status;
        close_file(out); /* its last holder removed it: try again */
    }
    return swe_fail(ctx, SWE_CANNOT_CREATE,
                    "%s/run.lock: is removed again and again by another program", folder);
}

swe_status swe_folder_lock_check(swe_context *ctx, const char *folder)
{
    swe_folder_lock lock = {.file = 0};
    char path[PATH];
    struct stat info;
    path_of(folder, path);
    snprintf(lock.folder, sizeof lock.folder, "%s", folder);
    lock.file = swe_output_open(path, O_RDWR);
    if (lock.file < 0)
        return SWE_OK; /* no program has it */
    const bool is_own = fstat(lock.file, &info) == 0 && find_held(&info) < held_count;
    if (!is_own && flock(lock.file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return refuse_second(ctx, &lock);
    close_file(&lock);
    return SWE_OK;
}

/* ---- its text -------------------------------------------------------------------------------- */

swe_status swe_folder_lock_new_run(swe_context *ctx, char run[SWE_RUN_ID])
{
    unsigned char bytes[(SWE_RUN_ID - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return swe_fail(ctx, SWE_IO, "no random numbers: %s", strerror(errno));
    for (size_t k = 0; k < sizeof bytes; k++)
        snprintf(run + 2 * k, 3, "%02x", bytes[k]);
    return SWE_OK;
}

swe_status swe_folder_lock_sign(swe_context *ctx, swe_folder_lock *lock)
{
    char host[256] = "", text[TEXT];
    if (lock->file == 0)
        return SWE_OK;
    gethostname(host, sizeof host - 1);
    const int length =
        snprintf(text, sizeof text, "%s\nhost %s, process %ld\n", lock->run, host, (long)getpid());
    if (pwrite(lock->file, text, (size_t)length, 0) == length &&
        ftruncate(lock->file, length) == 0 && fsync(lock->file) == 0)
        return SWE_OK;
    return swe_fail(ctx, SWE_IO, "run.lock: cannot be written: %s", strerror(errno));
}

/* ---- releasing ------------------------------------------------------------------------------- */

void swe_folder_lock_release(swe_folder_lock *lock, bool has_begun)
{
    char path[PATH];
    struct stat info;
    if (lock->file == 0)
        return;
    path_of(lock->folder, path);
    if (is_current(lock) && (lock->run[0] == '\0' || (!has_begun && lock->has_created_it))) {
        unlink(path);
        if (lock->has_created_folder || has_begun)
            rmdir(lock->folder); /* fails unless it is empty */
    }
    const int k = fstat(lock->file, &info) == 0 ? find_held(&info) : held_count;
    if (k < held_count)
        held[k] = held[--held_count];
    close_file(lock);
}
