#include "files/checkpoint/checkpoints.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file.h"
#include "files/checkpoint/manifest.h"
#include "files/output/hdf5_writer.h"
#include "base/clock.h"
#include "base/output_file.h"
#include "ranks/ranks.h"

/* ---- names of files -------------------------------------------------------------------------- */

void checkpoint_name(long number, long step, char out[CHECKPOINT_NAME_SIZE])
{
    snprintf(out, CHECKPOINT_NAME_SIZE, "checkpoint_%06ld_step_%010ld", number, step);
}

/* Parse a number of `min_digits` to 18 digits; returns the rest of the text, or NULL. */
static const char *parse_number(const char *text, size_t min_digits, long *out)
{
    const size_t digits = strspn(text, "0123456789");
    if (digits < min_digits || digits > 18)
        return NULL;
    *out = strtol(text, NULL, 10);
    return text + digits;
}

static bool parse_ending(const char *ending, checkpoint_entry *out)
{
    static const struct {
        const char *text;
        checkpoint_file_kind kind;
    } endings[] = {{".h5", CHECKPOINT_FILE},
                   {".json", CHECKPOINT_MANIFEST},
                   {".failed", CHECKPOINT_FAILED},
                   {".h5.tmp", CHECKPOINT_UNFINISHED},
                   {".json.tmp", CHECKPOINT_UNFINISHED},
                   {".failed.tmp", CHECKPOINT_UNFINISHED}};
    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++)
        if (strcmp(ending, endings[k].text) == 0) {
            out->ending = endings[k].text;
            out->kind = endings[k].kind;
            return true;
        }
    return false;
}

bool checkpoint_entry_of(const char *file, checkpoint_entry *out)
{
    static const char first[] = "checkpoint_", second[] = "_step_";
    if (strncmp(file, first, strlen(first)) != 0)
        return false;
    const char *rest = parse_number(file + strlen(first), 6, &out->number);
    if (rest == NULL || strncmp(rest, second, strlen(second)) != 0)
        return false;
    rest = parse_number(rest + strlen(second), 10, &out->step);
    if (rest == NULL || !parse_ending(rest, out))
        return false;
    snprintf(out->name, sizeof out->name, "%.*s", (int)(rest - file), file);
    return true;
}

static int compare(const void *a, const void *b)
{
    const checkpoint_entry *x = a, *y = b;
    if (x->number != y->number)
        return x->number < y->number ? 1 : -1;
    if (x->step != y->step)
        return x->step < y->step ? 1 : -1;
    return strcmp(x->ending, y->ending);
}

static bool append(checkpoint_entry **all, size_t *count, const checkpoint_entry *entry)
{
    if ((*count & (*count - 1)) == 0) { /* capacities are powers of two */
        checkpoint_entry *more = realloc(*all, (*count > 0 ? 2 * *count : 1) * sizeof *more);
        if (more == NULL)
            return false;
        *all = more;
    }
    (*all)[(*count)++] = *entry;
    return true;
}

swe_status checkpoint_entries(swe_context *ctx, const char *directory, checkpoint_entry **out,
                              size_t *count)
{
    swe_status status = SWE_OK;
    checkpoint_entry entry;
    *out = NULL;
    *count = 0;
    DIR *folder = opendir(directory);
    if (folder == NULL && errno == ENOENT)
        return SWE_OK;
    if (folder == NULL)
        return swe_fail(ctx, SWE_IO, "%s: %s", directory, strerror(errno));
    for (struct dirent *item; status == SWE_OK && (item = readdir(folder)) != NULL;)
        if (checkpoint_entry_of(item->d_name, &entry) && !append(out, count, &entry))
            status = swe_fail(ctx, SWE_NO_MEMORY, "out of memory for the names of checkpoints");
    closedir(folder);
    if (status != SWE_OK) {
        free(*out);
        *out = NULL;
        *count = 0;
    }
    if (*count > 1)
        qsort(*out, *count, sizeof **out, compare);
    return status;
}

/* ---- the folder ------------------------------------------------------------------------------ */

enum { PATH = 4400 };

static void path_of(const char *directory, const char *name, const char *ending, char out[PATH])
{
    snprintf(out, PATH, "%s/%s%s", directory, name, ending);
}

/* Check before the first step that files can be written in the folder. */
static swe_status check_folder(swe_context *ctx, const char *directory)
{
    char path[PATH], name[CHECKPOINT_NAME_SIZE];
    if (!swe_folder_create(directory))
        return swe_fail(ctx, swe_durable_refusal(errno), "%s: cannot be created: %s", directory,
                        strerror(errno));
    /* number 0 is unused; if the program is killed here, the next one removes the unfinished file
     */
    checkpoint_name(0, 0, name);
    path_of(directory, name, ".h5", path);
    return hdf5_writer_check(ctx, path);
}

static swe_status read_folder(swe_context *ctx, swe_checkpoints *c)
{
    checkpoint_entry *entries = NULL;
    size_t count = 0;
    char path[PATH];
    SWE_TRY(checkpoint_entries(ctx, c->directory, &entries, &count));
    c->next = count > 0 ? entries[0].number + 1 : 1;
    c->first_own = c->next;
    for (size_t k = 0; k < count; k++)
        if (entries[k].kind == CHECKPOINT_UNFINISHED) {
            path_of(c->directory, entries[k].name, entries[k].ending, path);
            unlink(path); /* harmless if it remains */
        }
    free(entries);
    return SWE_OK;
}

static swe_status lock_folder(swe_context *ctx, swe_checkpoints *c)
{
    SWE_TRY(swe_folder_lock_take(ctx, c->directory, &c->lock));
    c->is_locked = true;
    return swe_folder_lock_sign(ctx, &c->lock);
}

swe_status swe_checkpoints_lock(swe_context *ctx, const char *directory, bool is_expected,
                                swe_checkpoints *out)
{
    *out = (swe_checkpoints){.keep = 0};
    if (snprintf(out->directory, sizeof out->directory, "%s", directory) >=
        (int)sizeof out->directory)
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%.200s...: the path is too long", directory);
    return is_expected || access(directory, F_OK) == 0 ? lock_folder(ctx, out) : SWE_OK;
}

void swe_checkpoints_release(swe_checkpoints *c, bool has_begun)
{
    swe_folder_lock_release(&c->lock, has_begun);
    c->is_locked = false;
}

swe_status swe_checkpoints_open(swe_context *ctx, bool is_expected, int keep, swe_writers writers,
                                const char *run, swe_checkpoints *c)
{
    c->keep = keep;
    c->writers = writers;
    snprintf(c->run, sizeof c->run, "%s", run);
    if (is_expected)
        SWE_TRY(check_folder(ctx, c->directory));
    return read_folder(ctx, c);
}

swe_status swe_checkpoints_count(swe_context *ctx, const char *directory,
                                 swe_checkpoint_counts *out)
{
    checkpoint_entry *entries = NULL;
    *out = (swe_checkpoint_counts){.all = 0};
    const swe_status status = checkpoint_entries(ctx, directory, &entries, &out->all);
    for (size_t k = 0; k < out->all; k++) {
        out->manifests += entries[k].kind == CHECKPOINT_MANIFEST;
        out->failed += entries[k].kind == CHECKPOINT_FAILED;
    }
    free(entries);
    return status == SWE_IO ? SWE_CANNOT_CREATE : status;
}

swe_status swe_checkpoints_check_numbers(swe_context *ctx, const char *directory)
{
    checkpoint_entry *entries = NULL;
    size_t count = 0;
    swe_status status = checkpoint_entries(ctx, directory, &entries, &count);
    if (status == SWE_OK && count > 0 && entries[0].number >= CHECKPOINT_MAX_NUMBER)
        status =
            swe_fail(ctx, SWE_CANNOT_CREATE,
                     "%s/%s%s: no numbers remain for later checkpoints: move this file elsewhere",
                     directory, entries[0].name, entries[0].ending);
    free(entries);
    return status == SWE_IO ? SWE_CANNOT_CREATE : status;
}

/* Manifests are removed first: a file without a manifest is not a checkpoint. */
swe_status swe_checkpoints_remove(swe_context *ctx, const char *directory)
{
    checkpoint_entry *entries = NULL;
    size_t count = 0;
    char path[PATH];
    swe_status status = checkpoint_entries(ctx, directory, &entries, &count);
    for (int manifests = 1; manifests >= 0; manifests--)
        for (size_t k = 0; k < count && status == SWE_OK; k++) {
            if ((entries[k].kind == CHECKPOINT_MANIFEST) != (manifests == 1))
                continue;
            path_of(directory, entries[k].name, entries[k].ending, path);
            if (unlink(path) != 0)
                status = swe_fail(ctx, SWE_CANNOT_CREATE, "%s: cannot be removed: %s", path,
                                  strerror(errno));
        }
    free(entries);
    if (count > 0)
        rmdir(directory); /* fails unless the folder is empty */
    return status == SWE_IO ? SWE_CANNOT_CREATE : status;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Whether writers on several machines may write parts of a page of this file at the same time.
 * Over NFS such parts can get lost. */
static bool keeps_writers_apart(const char *path)
{
    static const unsigned long magic[] = {/* of Lustre, GPFS, BeeGFS and CephFS: statfs(2) */
                                          0x0bd00bd0, 0x47504653, 0x19830326, 0x00c36400};
    struct statfs info;
    if (swe_ranks_on_machine() == swe_ranks_count())
        return true;
    if (statfs(path, &info) != 0)
        return false;
    bool is_known = false;
    for (size_t k = 0; k < sizeof magic / sizeof magic[0]; k++)
        is_known = is_known || (unsigned long)info.f_type == magic[k];
    return is_known;
}

/* Write the file by all ranks, or by the root alone if a rank does not see the file. */
static swe_status write_file(swe_context *ctx, const swe_checkpoints *c, const swe_output_file *out,
                             const swe_checkpoint *checkpoint, bool *by_all)
{
    *by_all = checkpoint->state->access != NULL && c->writers != SWE_WRITERS_ROOT &&
              (c->writers == SWE_WRITERS_ALL || keeps_writers_apart(out->temporary));
    if (*by_all) {
        const swe_status status = swe_checkpoint_file_write(ctx, out, c->run, checkpoint, true);
        if (status != SWE_UNAVAILABLE)
            return status;
        swe_warn_once("%s; rank 0 writes checkpoints alone", ctx->message);
        *by_all = false;
    }
    return swe_checkpoint_file_write(ctx, out, c->run, checkpoint, false);
}

/* Write a file, read it back and rename it; after an error no file remains. */
static swe_status write_whole(swe_context *ctx, swe_checkpoints *c, const char *path,
                              const swe_checkpoint *checkpoint, long long *size,
                              char digest[SWE_DIGEST_SIZE])
{
    swe_output_file out;
    bool by_all = false;
    SWE_TRY(swe_durable_begin(ctx, path, &out));
    swe_status status = write_file(ctx, c, &out, checkpoint, &by_all);
    if (status == SWE_OK)
        status = swe_checkpoint_file_verify(ctx, out.temporary, c->run, checkpoint, by_all);
    c->written_by_all += status == SWE_OK && by_all;
    if (status == SWE_OK)
        status = swe_digest_pieces(ctx, out.temporary, by_all, size, digest);
    return swe_durable_end_if(ctx, status, &out);
}

/* Whether a checkpoint is complete. This process has already read back its own checkpoints. */
static bool is_whole(const swe_checkpoints *c, const checkpoint_entry *entry)
{
    swe_context quiet = {""};
    bool is_newer = false;
    return entry->number >= c->first_own ||
           swe_manifest_check(&quiet, c->directory, entry->name, &is_newer) == SWE_OK;
}

/* Remove checkpoints older than the newest `keep` complete ones, each manifest before its file. The
 * newest checkpoint is on disk, so a file that cannot be removed is not a failure; the next
 * checkpoint tries again. */
static void prune(const swe_checkpoints *c)
{
    swe_context quiet = {""};
    checkpoint_entry *entries = NULL;
    size_t count = 0;
    long oldest = -1; /* number of the oldest to keep; -1: fewer than `keep` exist */
    int whole = 0;
    char path[PATH];
    if (checkpoint_entries(&quiet, c->directory, &entries, &count) != SWE_OK)
        swe_warn_once("%s; old checkpoints remain", quiet.message);
    for (size_t k = 0; k < count && whole < c->keep; k++)
        if (entries[k].kind == CHECKPOINT_MANIFEST && is_whole(c, &entries[k]) &&
            ++whole == c->keep)
            oldest = entries[k].number;
    for (int manifests = 1; manifests >= 0; manifests--)
        for (size_t k = 0; k < count; k++) {
            const checkpoint_file_kind kind = entries[k].kind;
            const bool is_due = kind == (manifests == 1 ? CHECKPOINT_MANIFEST : CHECKPOINT_FILE);
            if (!is_due || entries[k].number >= oldest)
                continue;
            path_of(c->directory, entries[k].name, entries[k].ending, path);
            swe_output_remove(path);
        }
    free(entries);
}

/* Create and lock the folder before the first checkpoint. */
static swe_status ready_folder(swe_context *ctx, swe_checkpoints *c)
{
    if (!c->is_locked)
        return lock_folder(ctx, c);
    if (swe_folder_create(c->directory))
        return SWE_OK;
    return swe_fail(ctx, SWE_IO, "%s: cannot be created: %s", c->directory, strerror(errno));
}

static swe_status write_one(swe_context *ctx, swe_checkpoints *c, const swe_checkpoint *checkpoint)
{
    char name[CHECKPOINT_NAME_SIZE], path[PATH], digest[SWE_DIGEST_SIZE];
    long long size = 0;
    SWE_TRY(ready_folder(ctx, c));
    checkpoint_name(c->next, checkpoint->step, name);
    path_of(c->directory, name, ".h5", path);
    SWE_TRY(write_whole(ctx, c, path, checkpoint, &size, digest));
    const swe_status status =
        swe_manifest_write(ctx, c->directory, name, size, digest, c->run, checkpoint);
    if (status != SWE_OK) {
        swe_output_remove(path); /* without a manifest it is not a checkpoint */
        return status;
    }
    c->next++;
    prune(c);
    return SWE_OK;
}

swe_status swe_checkpoints_write(swe_context *ctx, swe_checkpoints *checkpoints,
                                 const swe_checkpoint *checkpoint)
{
    const double start = swe_clock_seconds();
    SWE_TRY(write_one(ctx, checkpoints, checkpoint));
    const double seconds = swe_clock_seconds() - start;
    checkpoints->written++;
    checkpoints->seconds += seconds;
    if (seconds > checkpoints->longest)
        checkpoints->longest = seconds;
    return SWE_OK;
}

swe_status swe_checkpoints_write_failed(swe_context *ctx, swe_checkpoints *checkpoints,
                                        const swe_checkpoint *checkpoint, char *path, size_t size)
{
    char name[CHECKPOINT_NAME_SIZE], whole[PATH];
    swe_output_file out;
    SWE_TRY(ready_folder(ctx, checkpoints));
    checkpoint_name(checkpoints->next++, checkpoint->step, name);
    path_of(checkpoints->directory, name, ".failed", whole);
    snprintf(path, size, "%s", whole);
    SWE_TRY(swe_durable_begin(ctx, whole, &out));
    return swe_durable_end_if(
        ctx, swe_checkpoint_file_write(ctx, &out, checkpoints->run, checkpoint, false), &out);
}
