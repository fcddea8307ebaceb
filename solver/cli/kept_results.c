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
#include "checkpoint/checkpoints.h"
#include "cli/folders.h"
#include "cli/results.h"
#include "profiler.h"

enum { PATH = 4600 };

static const char kept_name[] = ".replaced", discarded_name[] = ".replaced.dropped";

static void path_of(const char *folder, const char *which, const char *name, char *out, size_t size)
{
    snprintf(out, size, "%s/%s%s%s", folder, which, name[0] != '\0' ? "/" : "", name);
}

static void kept_path(const char *folder, const char *name, char *out, size_t size)
{
    path_of(folder, kept_name, name, out, size);
}

/* Whether a folder, which may be NULL, has .replaced or .replaced.dropped. */
static bool has(const char *folder, const char *which)
{
    char path[PATH];
    struct stat info;
    if (folder == NULL)
        return false;
    path_of(folder, which, "", path, sizeof path);
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool has_kept(const char *folder)
{
    return has(folder, kept_name);
}

static bool has_discarded(const char *folder)
{
    return has(folder, discarded_name);
}

static swe_status refuse(swe_context *ctx, const char *path, int error)
{
    return swe_fail(ctx, swe_durable_refusal(error), "%s: cannot be moved away: %s", path,
                    strerror(error));
}

static swe_status create_kept_folder(swe_context *ctx, const char *folder)
{
    char path[PATH];
    path_of(folder, kept_name, "", path, sizeof path);
    if (mkdir(path, 0777) == 0 || has_kept(folder))
        return SWE_OK;
    if (errno == EEXIST)
        return swe_fail(ctx, SWE_CANNOT_CREATE,
                        "%s: not a folder, and earlier results are kept there: move it away", path);
    return refuse(ctx, path, errno);
}

static swe_status move_file(swe_context *ctx, const char *folder, const char *name,
                            const char *new_name)
{
    char from[PATH], to[PATH];
    snprintf(from, sizeof from, "%s/%s", folder, name);
    path_of(folder, kept_name, new_name, to, sizeof to);
    SWE_TRY(create_kept_folder(ctx, folder));
    return rename(from, to) == 0 || errno == ENOENT ? SWE_OK : refuse(ctx, from, errno);
}

/* Call `act` with the path of every entry in `which` and its path in the folder. Returns errno of
 * the last failure; 0: none. */
static int visit(const char *folder, const char *which, int (*act)(const char *, const char *))
{
    char path[PATH], inner[PATH + 260], home[PATH];
    int error = 0;
    path_of(folder, which, "", path, sizeof path);
    DIR *directory = opendir(path);
    if (directory == NULL)
        return errno;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, name);
        snprintf(home, sizeof home, "%s/%s", folder, name);
        if (act(inner, home) != 0)
            error = errno;
    }
    closedir(directory);
    return error;
}

static void restore_folder(const char *folder)
{
    char path[PATH];
    if (!has_kept(folder))
        return;
    const int error = visit(folder, kept_name, rename);
    path_of(folder, kept_name, "", path, sizeof path);
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
    char path[PATH], left[PATH + 32];
    struct stat info;
    if (folder == NULL)
        return;
    path_of(folder, discarded_name, "", path, sizeof path);
    if (has_discarded(folder)) /* no link */
        visit(folder, discarded_name, remove_result);
    if (lstat(path, &info) != 0 || rmdir(path) == 0)
        return;
    for (int k = 1; k <= MOST_LEFT; k++) {
        snprintf(left, sizeof left, "%s/.replaced.left.%d", folder, k);
        if (lstat(left, &info) != 0 && rename(path, left) == 0) {
            fprintf(stderr, "cubeswe: warning: %s: it could not be removed, and is left as %s\n",
                    path, left);
            return;
        }
    }
}

static swe_status mark_discarded(swe_context *ctx, const char *folder)
{
    char from[PATH], to[PATH];
    if (!has_kept(folder))
        return SWE_OK;
    remove_discarded(folder);
    path_of(folder, kept_name, "", from, sizeof from);
    path_of(folder, discarded_name, "", to, sizeof to);
    if (rename(from, to) == 0 && swe_output_sync_folder(folder)) {
        swe_output_moved(from, NULL);
        return SWE_OK;
    }
    return swe_fail(ctx, SWE_IO, "%s: cannot be renamed: %s", from, strerror(errno));
}

/* Name of the kept diagnostics.csv of a restarted run. */
static const char kept_rows[] = "rows.csv";

/* Name of the file with the identity of the run whose results are kept. */
static const char kept_run[] = "run.id";

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

/* Whether nothing was moved; then the empty folder is removed. */
static bool is_empty(const cli_kept_results *kept)
{
    char path[PATH];
    kept_path(kept->results, "", path, sizeof path);
    return !has_kept(kept->profiles) && !has_kept(kept->checkpoints) && rmdir(path) == 0;
}

/* Store the identity of the run whose results are kept. It is written last: its presence shows that
 * all earlier results are kept, and that results in the folder are new. */
static swe_status keep_run(swe_context *ctx, const cli_kept_results *kept)
{
    char path[PATH];
    kept_path(kept->results, "", path, sizeof path);
    return cli_result_write(ctx, path, kept_run, kept->lock->run);
}

swe_status cli_kept_move_all(swe_context *ctx, const cli_kept_results *kept)
{
    SWE_TRY(create_kept_folder(ctx, kept->results));
    SWE_TRY(move_members(ctx, kept->results, cli_is_result));
    if (kept->profiles != NULL && cli_profiles_concern(kept->config))
        SWE_TRY(move_members(ctx, kept->profiles, cli_is_profile));
    if (kept->checkpoints != NULL)
        SWE_TRY(move_checkpoints(ctx, kept->checkpoints));
    return is_empty(kept) ? SWE_OK : keep_run(ctx, kept);
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
    char path[PATH];
    swe_output_file out;
    kept_path(folder, kept_rows, path, sizeof path);
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

swe_status cli_kept_move_restarted(swe_context *ctx, const cli_kept_results *kept,
                                   const char *configuration, long size)
{
    static const char *const names[] = {"summary.json", "report.html", "report.json"};
    const char *folder = kept->results;
    SWE_TRY(move_file(ctx, folder, "diagnostics.csv", kept_rows));
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
    char kept[PATH], path[PATH];
    struct stat old;
    kept_path(folder, kept_rows, kept, sizeof kept);
    snprintf(path, sizeof path, "%s/diagnostics.csv", folder);
    if (lstat(kept, &old) != 0)
        return;
    if (begins_with(path, kept))
        unlink(kept);
    else if (rename(kept, path) != 0)
        fprintf(stderr, "cubeswe: warning: %s: cannot be restored: %s\n", kept, strerror(errno));
}

/* Restore the run identity in run.lock together with the results. */
static void restore_run(const cli_kept_results *kept)
{
    char path[PATH], unfinished[PATH + 8], run[SWE_RUN_ID] = "";
    swe_context quiet = {""};
    kept_path(kept->results, kept_run, path, sizeof path);
    snprintf(unfinished, sizeof unfinished, "%s.tmp", path);
    unlink(unfinished); /* left by a killed command */
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

static bool has_run(const char *folder)
{
    char path[PATH];
    struct stat info;
    kept_path(folder, kept_run, path, sizeof path);
    return lstat(path, &info) == 0;
}

/* Remove new results, once all earlier results are kept. */
static void remove_new(const cli_kept_results *kept)
{
    swe_context quiet = {""};
    cli_result_folder_remove(kept->results, kept->config);
    if (has_kept(kept->checkpoints))
        swe_checkpoints_remove(&quiet, kept->checkpoints);
}

/* The folder of results is restored last: its .replaced marks an unfinished restoration. */
void cli_kept_restore(const cli_kept_results *kept)
{
    if (!has_kept(kept->results))
        return;
    restore_rows(kept->results);
    if (has_run(kept->results))
        remove_new(kept);
    restore_run(kept);
    restore_folder(kept->checkpoints);
    restore_folder(kept->profiles);
    restore_folder(kept->results);
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

swe_status cli_kept_discard(swe_context *ctx, const cli_kept_results *kept, const char *run)
{
    if (strcmp(kept->lock->run, run) != 0) {
        snprintf(kept->lock->run, sizeof kept->lock->run, "%s", run);
        SWE_TRY(swe_folder_lock_sign(ctx, kept->lock));
    }
    if (!has_kept(kept->results))
        return SWE_OK;
    SWE_TRY(mark_discarded(ctx, kept->results));
    return drop_all(ctx, kept);
}

/* ---- recovery after a killed command --------------------------------------------------------- */

/* Lock an existing folder; false if a running program holds it. */
static bool lock_quietly(const char *folder, swe_folder_lock *lock)
{
    swe_context quiet = {""};
    *lock = (swe_folder_lock){.file = 0};
    return folder == NULL || access(folder, F_OK) != 0 ||
           swe_folder_lock_take(&quiet, folder, lock) == SWE_OK;
}

void cli_kept_recover(const cli_kept_results *kept)
{
    const char *const folders[] = {kept->results, kept->checkpoints, kept->profiles};
    enum { FOLDERS = sizeof folders / sizeof folders[0] };
    swe_folder_lock locks[FOLDERS] = {{.file = 0}};
    swe_context quiet = {""};
    bool is_free = true;
    if (!has_kept(kept->results) && !has_discarded(kept->results))
        return;
    for (int k = 0; k < FOLDERS && is_free; k++)
        is_free = lock_quietly(folders[k], &locks[k]);
    cli_kept_results locked = *kept;
    locked.lock = &locks[0];
    if (is_free && has_discarded(kept->results))
        drop_all(&quiet, &locked);
    else if (is_free)
        cli_kept_restore(&locked);
    for (int k = FOLDERS - 1; k >= 0; k--)
        swe_folder_lock_release(&locks[k], true);
}
