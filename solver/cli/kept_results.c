#include "cli/kept_results.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "files/checkpoint/checkpoints.h"
#include "cli/folders.h"
#include "cli/results.h"
#include "profiler.h"

#define KEPT      ".replaced"
#define DISCARDED ".replaced.dropped"
/* The kept diagnostics.csv of a restarted run; the identity of the run whose results are kept. */
#define KEPT_ROWS KEPT "/rows.csv"
#define RUN       "run.id"
#define KEPT_RUN  KEPT "/" RUN

static bool exists(const char *folder, const char *name)
{
    struct stat info;
    return lstat(CLI_PATH(folder, name), &info) == 0;
}

/* Whether a folder, which may be NULL, has .replaced or .replaced.dropped. */
static bool has(const char *folder, const char *which)
{
    struct stat info;
    return folder != NULL && lstat(CLI_PATH(folder, which), &info) == 0 && S_ISDIR(info.st_mode);
}

static swe_status refuse(swe_context *ctx, const char *path, int error)
{
    return swe_fail(ctx, swe_durable_refusal(error), "%s: cannot be moved away: %s", path,
                    strerror(error));
}

static swe_status create_kept_folder(swe_context *ctx, const char *folder)
{
    const char *path = CLI_PATH(folder, KEPT);
    if (mkdir(path, 0777) == 0 || has(folder, KEPT))
        return SWE_OK;
    if (errno == EEXIST)
        return swe_fail(ctx, SWE_CANNOT_CREATE,
                        "%s: not a folder, and earlier results are kept there: move it away", path);
    return refuse(ctx, path, errno);
}

static swe_status move_file(swe_context *ctx, const char *folder, const char *name,
                            const char *new_name)
{
    const char *from = CLI_PATH(folder, name);
    SWE_TRY(create_kept_folder(ctx, folder));
    return rename(from, CLI_PATH(CLI_PATH(folder, KEPT), new_name)) == 0 || errno == ENOENT
               ? SWE_OK
               : refuse(ctx, from, errno);
}

/* Call `act` with the path of every entry in `which` and its path in the folder. Returns errno of
 * the last failure; 0: none. */
static int visit(const char *folder, const char *which, int (*act)(const char *, const char *))
{
    const char *path = CLI_PATH(folder, which);
    int error = 0;
    DIR *directory = opendir(path);
    if (directory == NULL)
        return errno;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (act(CLI_PATH(path, name), CLI_PATH(folder, name)) != 0)
            error = errno;
    }
    closedir(directory);
    return error;
}

static void restore_folder(const char *folder)
{
    if (!has(folder, KEPT))
        return;
    const char *path = CLI_PATH(folder, KEPT);
    const int error = visit(folder, KEPT, rename);
    if (error == 0 && rmdir(path) == 0)
        return;
    fprintf(stderr, "cubeswe: warning: %s: holds earlier results, which cannot be restored: %s\n",
            path, strerror(error != 0 ? error : errno));
}

/* A result is a file, or the folder of a profiler's window. */
static int remove_result(const char *path, const char *home)
{
    struct stat info;
    (void)home;
    if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return prof_window_folder_remove(path) ? 0 : -1;
    return swe_output_remove(path) ? 0 : -1;
}

/* Remove .replaced.dropped. What no run wrote there is left under another name: the folder marks
 * results that are being removed, and the next ones need its name. */
static void remove_discarded(const char *folder)
{
    enum { MOST_LEFT = 1000 };
    char name[32];
    if (folder == NULL)
        return;
    const char *path = CLI_PATH(folder, DISCARDED);
    if (has(folder, DISCARDED)) /* no link */
        visit(folder, DISCARDED, remove_result);
    if (!exists(folder, DISCARDED) || rmdir(path) == 0)
        return;
    for (int k = 1; k <= MOST_LEFT; k++) {
        snprintf(name, sizeof name, ".replaced.left.%d", k);
        const char *left = CLI_PATH(folder, name);
        if (!exists(folder, name) && rename(path, left) == 0) {
            fprintf(stderr, "cubeswe: warning: %s: it could not be removed, and is left as %s\n",
                    path, left);
            return;
        }
    }
}

static swe_status mark_discarded(swe_context *ctx, const char *folder)
{
    if (!has(folder, KEPT))
        return SWE_OK;
    remove_discarded(folder);
    const char *from = CLI_PATH(folder, KEPT);
    if (rename(from, CLI_PATH(folder, DISCARDED)) == 0 && swe_output_sync_folder(folder)) {
        swe_output_moved(from, NULL);
        return SWE_OK;
    }
    return swe_fail(ctx, SWE_IO, "%s: cannot be renamed: %s", from, strerror(errno));
}

/* ---- moving results away --------------------------------------------------------------------- */

/* Move the members of a folder, which need not exist. */
static swe_status move_members(swe_context *ctx, const char *folder,
                               bool (*is_member)(const char *))
{
    swe_status status = SWE_OK;
    DIR *directory = opendir(folder);
    if (directory == NULL && errno != ENOENT)
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: cannot be read: %s", folder, strerror(errno));
    for (struct dirent *entry;
         directory != NULL && status == SWE_OK && (entry = readdir(directory)) != NULL;)
        if (is_member(entry->d_name))
            status = move_file(ctx, folder, entry->d_name, entry->d_name);
    if (directory != NULL)
        closedir(directory);
    return status;
}

static swe_status move_checkpoints(swe_context *ctx, const char *folder)
{
    checkpoint_entry *entries = NULL;
    size_t count = 0;
    char name[CHECKPOINT_NAME_SIZE + 20];
    swe_status status = checkpoint_entries(ctx, folder, &entries, &count);
    for (size_t k = 0; k < count && status == SWE_OK; k++) {
        snprintf(name, sizeof name, "%s%s", entries[k].name, entries[k].ending);
        status = move_file(ctx, folder, name, name);
    }
    free(entries);
    return status;
}

swe_status cli_kept_move_all(swe_context *ctx, cli_kept_results *kept)
{
    const char *path = CLI_PATH(kept->results, KEPT);
    kept->is_replacing = true;
    SWE_TRY(create_kept_folder(ctx, kept->results));
    SWE_TRY(move_members(ctx, kept->results, cli_is_result));
    if (kept->profiles != NULL && cli_profiles_concern(kept->config))
        SWE_TRY(move_members(ctx, kept->profiles, cli_is_profile));
    if (kept->checkpoints != NULL)
        SWE_TRY(move_checkpoints(ctx, kept->checkpoints));
    if (!has(kept->profiles, KEPT) && !has(kept->checkpoints, KEPT) && rmdir(path) == 0)
        return SWE_OK; /* nothing was moved */
    /* written last: it shows that all earlier results are kept, and that others are new */
    return cli_result_write(ctx, path, RUN, kept->lock->run);
}

/* Copy the first `size` bytes of an open file to an output. */
static swe_status copy_bytes(swe_context *ctx, const char *path, int from, long size,
                             swe_output_file *out)
{
    char piece[1 << 16];
    while (size > 0) {
        const size_t most = size < (long)sizeof piece ? (size_t)size : sizeof piece;
        const ssize_t count = read(from, piece, most);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return swe_fail(ctx, SWE_IO, "%s: cannot be read: %s", path, strerror(errno));
        if (count == 0)
            return swe_fail(ctx, SWE_DATA, "%s: lacks rows from before the checkpoint", path);
        fwrite(piece, 1, (size_t)count,
               out->stream); /* a failure is reported when the stream is closed */
        size -= count;
    }
    return SWE_OK;
}

/* Copy the first rows of the kept diagnostics.csv back. */
static swe_status keep_rows(swe_context *ctx, const char *folder, long size)
{
    const char *path = CLI_PATH(folder, KEPT_ROWS);
    swe_output_file out;
    const int from = swe_output_open(path, O_RDONLY);
    if (from < 0)
        return swe_fail(ctx, SWE_DATA, "%s/diagnostics.csv: %s: restart into another --output",
                        folder, swe_output_reason(errno));
    swe_status status = cli_result_open(ctx, folder, "diagnostics.csv", &out);
    if (status == SWE_OK)
        status = swe_durable_end_if(ctx, copy_bytes(ctx, path, from, size, &out), &out);
    close(from);
    return status;
}

swe_status cli_kept_move_restarted(swe_context *ctx, cli_kept_results *kept,
                                   const char *configuration, long size)
{
    static const char *const names[] = {"summary.json", "report.html", "report.json"};
    const char *folder = kept->results;
    kept->is_replacing = true;
    SWE_TRY(move_file(ctx, folder, "diagnostics.csv", "rows.csv"));
    SWE_TRY(keep_rows(ctx, folder, size));
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        SWE_TRY(move_file(ctx, folder, names[k], names[k]));
    if (!cli_result_has(folder, "configuration.yaml", configuration))
        SWE_TRY(move_file(ctx, folder, "configuration.yaml", "configuration.yaml"));
    return kept->checkpoints != NULL ? move_checkpoints(ctx, kept->checkpoints) : SWE_OK;
}

/* ---- restoring ------------------------------------------------------------------------------- */

/* Whether a file begins with all bytes of another one. */
static bool begins_with(const char *path, const char *start)
{
    FILE *whole = fopen(path, "r"), *first = fopen(start, "r");
    bool is_same = whole != NULL && first != NULL;
    for (int c = 0; is_same && (c = getc(first)) != EOF;)
        is_same = getc(whole) == c;
    is_same = is_same && ferror(first) == 0;
    if (first != NULL)
        fclose(first);
    if (whole != NULL)
        fclose(whole);
    return is_same;
}

/* Restore the kept rows, unless the present diagnostics.csv starts with all of them. */
static void restore_rows(const char *folder)
{
    const char *kept = CLI_PATH(folder, KEPT_ROWS), *path = CLI_PATH(folder, "diagnostics.csv");
    if (!exists(folder, KEPT_ROWS))
        return;
    if (begins_with(path, kept))
        unlink(kept);
    else if (rename(kept, path) != 0)
        fprintf(stderr, "cubeswe: warning: %s: cannot be restored: %s\n", kept, strerror(errno));
}

/* Restore the run identity in run.lock together with the results. */
static void restore_run(const cli_kept_results *kept)
{
    const char *path = CLI_PATH(kept->results, KEPT_RUN);
    char run[SWE_RUN_ID] = "";
    swe_context quiet = {""};
    unlink(CLI_PATH(kept->results, KEPT_RUN ".tmp")); /* left by a killed command */
    const int file = swe_output_open(path, O_RDONLY);
    if (file < 0)
        return;
    if (read(file, run, sizeof run - 1) != (ssize_t)sizeof run - 1 ||
        strspn(run, "0123456789abcdef") != sizeof run - 1)
        run[0] = '\0'; /* not an identity */
    close(file);
    snprintf(kept->lock->run, sizeof kept->lock->run, "%s", run);
    swe_folder_lock_sign(&quiet, kept->lock);
    swe_output_remove(path);
}

/* The folder of results is restored last: its .replaced marks an unfinished restoration. */
static void restore(const cli_kept_results *kept)
{
    swe_context quiet = {""};
    if (!has(kept->results, KEPT))
        return;
    restore_rows(kept->results);
    if (exists(kept->results, KEPT_RUN)) { /* all earlier results are kept */
        cli_result_folder_remove(kept->results, kept->config);
        if (has(kept->checkpoints, KEPT))
            swe_checkpoints_remove(&quiet, kept->checkpoints);
    }
    restore_run(kept);
    restore_folder(kept->checkpoints);
    restore_folder(kept->profiles);
    restore_folder(kept->results);
}

void cli_kept_restore(const cli_kept_results *kept)
{
    if (kept->is_replacing)
        restore(kept);
}

/* ---- discarding ------------------------------------------------------------------------------ */

static swe_status drop_all(swe_context *ctx, const cli_kept_results *kept)
{
    SWE_TRY(mark_discarded(ctx, kept->checkpoints));
    remove_discarded(kept->checkpoints);
    SWE_TRY(mark_discarded(ctx, kept->profiles));
    remove_discarded(kept->profiles);
    remove_discarded(kept->results);
    return SWE_OK;
}

swe_status cli_kept_discard(swe_context *ctx, cli_kept_results *kept, const char *run)
{
    if (!kept->is_replacing)
        return SWE_OK;
    if (strcmp(kept->lock->run, run) != 0) {
        snprintf(kept->lock->run, sizeof kept->lock->run, "%s", run);
        SWE_TRY(swe_folder_lock_sign(ctx, kept->lock));
    }
    if (has(kept->results, KEPT)) {
        SWE_TRY(mark_discarded(ctx, kept->results));
        SWE_TRY(drop_all(ctx, kept));
    }
    kept->is_replacing = false;
    return SWE_OK;
}

/* ---- recovery after a killed command --------------------------------------------------------- */

void cli_kept_recover(const cli_kept_results *kept)
{
    const char *const folders[] = {kept->results, kept->checkpoints, kept->profiles};
    enum { FOLDERS = sizeof folders / sizeof folders[0] };
    swe_folder_lock locks[FOLDERS] = {{.file = 0}};
    swe_context quiet = {""};
    bool is_free = true;
    if (!has(kept->results, KEPT) && !has(kept->results, DISCARDED))
        return;
    for (int k = 0; k < FOLDERS && is_free; k++) /* no running program holds it */
        is_free = folders[k] == NULL || access(folders[k], F_OK) != 0 ||
                  swe_folder_lock_take(&quiet, folders[k], &locks[k]) == SWE_OK;
    cli_kept_results locked = *kept;
    locked.lock = &locks[0];
    if (is_free && has(kept->results, DISCARDED))
        drop_all(&quiet, &locked);
    else if (is_free)
        restore(&locked);
    for (int k = FOLDERS - 1; k >= 0; k--)
        swe_folder_lock_release(&locks[k], true);
}
