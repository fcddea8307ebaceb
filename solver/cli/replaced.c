#include "cli/replaced.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checkpoint/checkpoints.h"
#include "cli/aside.h"
#include "cli/cli.h"

enum { PATH = 4600 };

/* The name of diagnostics.csv of a run that goes on, while it is aside. */
static const char rows_aside[] = "rows.csv";

/* The name of the file with the identity of the run whose results are aside. */
static const char run_aside[] = "run.id";

/* ---- moving aside ---------------------------------------------------------------------------- */

static swe_status move_checkpoints(swe_context *ctx, const char *folder)
{
    checkpoint_entry *entries = NULL;
    size_t count = 0;
    char name[CHECKPOINT_NAME_SIZE + 20];
    swe_status status = checkpoint_entries(ctx, folder, &entries, &count);
    for (size_t k = 0; k < count && status == SWE_OK; k++) {
        snprintf(name, sizeof name, "%s%s", entries[k].name, entries[k].ending);
        status = cli_aside_move(ctx, folder, name, name);
    }
    free(entries);
    return status;
}

/* Whether nothing was moved; no empty folder stays then. */
static bool is_nothing(const cli_replaced *where)
{
    char path[PATH];
    cli_aside_path(where->results, "", path, sizeof path);
    return (where->profiles == NULL || !cli_aside_is_there(where->profiles)) &&
           (where->checkpoints == NULL || !cli_aside_is_there(where->checkpoints)) &&
           rmdir(path) == 0;
}

/* Keep the identity of the run whose results are aside. It is written last: with it all old results
 * are aside, and what is in place is new. */
static swe_status keep_run(swe_context *ctx, const cli_replaced *where)
{
    char path[PATH];
    cli_aside_path(where->results, "", path, sizeof path);
    return cli_result_write(ctx, path, run_aside, where->lock->run);
}

swe_status cli_replaced_all(swe_context *ctx, const cli_replaced *where)
{
    SWE_TRY(cli_aside_make(ctx, where->results));
    SWE_TRY(cli_directory_set_aside(ctx, where->results));
    if (where->profiles != NULL)
        SWE_TRY(cli_profiles_set_aside(ctx, where->profiles, where->config));
    if (where->checkpoints != NULL)
        SWE_TRY(move_checkpoints(ctx, where->checkpoints));
    return is_nothing(where) ? SWE_OK : keep_run(ctx, where);
}

/* Copy the first bytes of an open file to the stream of another one. */
static swe_status copy_bytes(swe_context *ctx, const char *path, int from, long size,
                             prof_output_file *out)
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
        fwrite(piece, 1, (size_t)count, out->stream); /* the stream keeps a failure */
        size -= count;
    }
    return SWE_OK;
}

/* Keep the first rows in place of the file that is aside. */
static swe_status keep_rows(swe_context *ctx, const char *folder, long size)
{
    char path[PATH];
    prof_output_file out;
    cli_aside_path(folder, rows_aside, path, sizeof path);
    const int from = prof_output_open(path, O_RDONLY);
    if (from < 0)
        return swe_fail(ctx, SWE_DATA, "%s/diagnostics.csv: %s: restart into another --output",
                        folder, prof_output_reason(errno));
    swe_status status = cli_result_open(ctx, folder, "diagnostics.csv", &out);
    if (status == SWE_OK)
        status = swe_durable_end_if(ctx, copy_bytes(ctx, path, from, size, &out), &out);
    close(from);
    return status;
}

swe_status cli_replaced_ends(swe_context *ctx, const cli_replaced *where, const char *configuration,
                             long size)
{
    static const char *const names[] = {"summary.json", "report.html", "report.json"};
    const char *folder = where->results;
    SWE_TRY(cli_aside_move(ctx, folder, "diagnostics.csv", rows_aside));
    SWE_TRY(keep_rows(ctx, folder, size));
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        SWE_TRY(cli_aside_move(ctx, folder, names[k], names[k]));
    if (!cli_result_has(folder, "configuration.yaml", configuration))
        SWE_TRY(cli_aside_move(ctx, folder, "configuration.yaml", "configuration.yaml"));
    return where->checkpoints != NULL ? move_checkpoints(ctx, where->checkpoints) : SWE_OK;
}

/* ---- putting back ---------------------------------------------------------------------------- */

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

/* Rows that are aside come back, unless those in place are the same ones and more. */
static void restore_rows(const char *folder)
{
    char kept[PATH], path[PATH];
    struct stat old;
    cli_aside_path(folder, rows_aside, kept, sizeof kept);
    snprintf(path, sizeof path, "%s/diagnostics.csv", folder);
    if (lstat(kept, &old) != 0)
        return;
    if (begins_with(path, kept))
        unlink(kept);
    else if (rename(kept, path) != 0)
        fprintf(stderr, "cubeswe: warning: %s: cannot be put back: %s\n", kept, strerror(errno));
}

/* run.lock names the run again whose results come back. */
static void restore_run(const cli_replaced *where)
{
    char path[PATH], unfinished[PATH + 8], run[SWE_RUN_ID] = "";
    swe_context quiet = {""};
    cli_aside_path(where->results, run_aside, path, sizeof path);
    snprintf(unfinished, sizeof unfinished, "%s.tmp", path);
    unlink(unfinished); /* of a command that was killed */
    const int file = prof_output_open(path, O_RDONLY);
    if (file < 0)
        return;
    if (read(file, run, sizeof run - 1) != (ssize_t)sizeof run - 1 ||
        strspn(run, "0123456789abcdef") != sizeof run - 1)
        run[0] = '\0'; /* nobody's */
    close(file);
    snprintf(where->lock->run, sizeof where->lock->run, "%s", run);
    swe_folder_lock_sign(&quiet, where->lock);
    prof_output_remove(path);
}

static bool has_run(const char *folder)
{
    char path[PATH];
    struct stat info;
    cli_aside_path(folder, run_aside, path, sizeof path);
    return lstat(path, &info) == 0;
}

/* Remove what was written in place of results that are all aside. */
static void remove_new(const cli_replaced *where)
{
    swe_context quiet = {""};
    cli_directory_remove(where->results, where->config);
    if (where->checkpoints != NULL && cli_aside_is_there(where->checkpoints))
        swe_checkpoints_remove(&quiet, where->checkpoints);
}

/* The folder of results comes last: without its .replaced nothing else is looked for. */
void cli_replaced_restore(const cli_replaced *where)
{
    if (!cli_aside_is_there(where->results))
        return;
    restore_rows(where->results);
    if (has_run(where->results))
        remove_new(where);
    restore_run(where);
    if (where->checkpoints != NULL && cli_aside_is_there(where->checkpoints))
        cli_aside_restore(where->checkpoints);
    if (where->profiles != NULL && cli_aside_is_there(where->profiles))
        cli_aside_restore(where->profiles);
    cli_aside_restore(where->results);
}

/* ---- dropping -------------------------------------------------------------------------------- */

static swe_status drop_all(swe_context *ctx, const cli_replaced *where)
{
    const char *const others[] = {where->checkpoints, where->profiles};
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
        if (others[k] != NULL) {
            SWE_TRY(cli_aside_decide(ctx, others[k]));
            cli_aside_remove(others[k]);
        }
    cli_aside_remove(where->results);
    return SWE_OK;
}

swe_status cli_replaced_drop(swe_context *ctx, const cli_replaced *where, const char *run)
{
    if (strcmp(where->lock->run, run) != 0) {
        snprintf(where->lock->run, sizeof where->lock->run, "%s", run);
        SWE_TRY(swe_folder_lock_sign(ctx, where->lock));
    }
    if (!cli_aside_is_there(where->results))
        return SWE_OK;
    SWE_TRY(cli_aside_decide(ctx, where->results));
    return drop_all(ctx, where);
}

/* ---- after a program that was killed --------------------------------------------------------- */

/* Lock a folder that is there; false if a live program has it. */
static bool lock_quietly(const char *folder, swe_folder_lock *lock)
{
    swe_context quiet = {""};
    *lock = (swe_folder_lock){.file = 0};
    return folder == NULL || access(folder, F_OK) != 0 ||
           swe_folder_lock_take(&quiet, folder, lock) == SWE_OK;
}

void cli_replaced_recover(const cli_replaced *where)
{
    const char *const folders[] = {where->results, where->checkpoints, where->profiles};
    enum { FOLDERS = sizeof folders / sizeof folders[0] };
    swe_folder_lock locks[FOLDERS] = {{.file = 0}};
    swe_context quiet = {""};
    bool is_free = true;
    if (!cli_aside_is_there(where->results) && !cli_aside_is_dropped(where->results))
        return;
    for (int k = 0; k < FOLDERS && is_free; k++)
        is_free = lock_quietly(folders[k], &locks[k]);
    cli_replaced locked = *where;
    locked.lock = &locks[0];
    if (is_free && cli_aside_is_dropped(where->results))
        drop_all(&quiet, &locked);
    else if (is_free)
        cli_replaced_restore(&locked);
    for (int k = FOLDERS - 1; k >= 0; k--)
        swe_folder_lock_release(&locks[k], true);
}
