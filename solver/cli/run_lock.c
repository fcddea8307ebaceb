#define _DEFAULT_SOURCE /* flock */
#include "cli/run_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/durable.h"

enum { TEXT = 512 };

/* The lock's text: the run, and on the next line who wrote it; false with errno. */
static bool read_text(int file, char text[TEXT])
{
    const ssize_t length = pread(file, text, TEXT - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    return length >= 0;
}

/* The run in that text; "" if there is none. */
static void take_run(const char *text, char run[SWE_RUN_ID])
{
    const size_t digits = strspn(text, "0123456789abcdef");
    run[0] = '\0';
    if (digits == SWE_RUN_ID - 1 && text[digits] == '\n')
        snprintf(run, SWE_RUN_ID, "%.*s", (int)digits, text);
}

static void path_of(const char *directory, char out[4200])
{
    snprintf(out, 4200, "%s/run.lock", directory);
}

void cli_run_lock_look(const char *directory, char run[SWE_RUN_ID])
{
    char path[4200], text[TEXT] = "";
    path_of(directory, path);
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file >= 0) {
        read_text(file, text);
        close(file);
    }
    take_run(text, run);
}

static swe_status open_lock(swe_context *ctx, const char *path, int *out)
{
    struct stat info;
    const int file = open(path, O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0)
        return swe_fail(ctx, swe_durable_refusal(errno), "%s: %s", path, strerror(errno));
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
        close(file);
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: no regular file", path);
    }
    *out = file;
    return SWE_OK;
}

swe_status cli_run_lock_take(swe_context *ctx, const char *directory, cli_run_lock *out)
{
    char path[4200], text[TEXT];
    *out = (cli_run_lock){.file = 0};
    path_of(directory, path);
    SWE_TRY(open_lock(ctx, path, &out->file));
    const bool is_locked = flock(out->file, LOCK_EX | LOCK_NB) == 0;
    const int error = errno;
    if (!read_text(out->file, text)) {
        cli_run_lock_release(out);
        return swe_fail(ctx, SWE_IO, "%s: cannot be read: %s", path, strerror(errno));
    }
    take_run(text, out->run);
    out->is_unprotected = !is_locked && error != EWOULDBLOCK;
    if (is_locked || out->is_unprotected)
        return SWE_OK;
    const char *who = strchr(text, '\n') != NULL ? strchr(text, '\n') + 1 : "";
    cli_run_lock_release(out);
    return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: another run writes there (%.*s)", directory,
                    (int)strcspn(who, "\n"), who);
}

static bool make_run(char run[SWE_RUN_ID])
{
    unsigned char bytes[(SWE_RUN_ID - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return false;
    for (size_t k = 0; k < sizeof bytes; k++)
        snprintf(run + 2 * k, 3, "%02x", bytes[k]);
    return true;
}

swe_status cli_run_lock_name(swe_context *ctx, cli_run_lock *lock, bool is_new)
{
    char host[256] = "", text[TEXT];
    if (is_new && !make_run(lock->run))
        return swe_fail(ctx, SWE_IO, "no random numbers: %s", strerror(errno));
    if (lock->run[0] == '\0')
        return swe_fail(ctx, SWE_IO, "run.lock: no longer tells which run is there");
    gethostname(host, sizeof host - 1);
    const int length =
        snprintf(text, sizeof text, "%s\nhost %s, process %ld\n", lock->run, host, (long)getpid());
    if (pwrite(lock->file, text, (size_t)length, 0) == length &&
        ftruncate(lock->file, length) == 0 && fsync(lock->file) == 0)
        return SWE_OK;
    return swe_fail(ctx, SWE_IO, "run.lock: cannot be written: %s", strerror(errno));
}

void cli_run_lock_release(cli_run_lock *lock)
{
    if (lock->file > 0)
        close(lock->file);
    lock->file = 0;
}
