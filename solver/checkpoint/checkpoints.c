#include "checkpoint/checkpoints.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/durable.h"
#include "checkpoint/manifest.h"
#include "checkpoint/names.h"
#include "clock.h"
#include "outputs/folder.h"

enum { PATH = 4400 };

static void path_of(const char *directory, const char *name, const char *ending, char out[PATH])
{
    snprintf(out, PATH, "%s/%s%s", directory, name, ending);
}

/* ---- the folder ------------------------------------------------------------------------------ */

/* Find out now whether files can be made in a folder, rather than after hours. */
static swe_status try_folder(swe_context *ctx, const char *directory)
{
    char path[PATH], name[CHECKPOINT_NAME];
    if (!prof_folder_make(directory))
        return swe_fail(ctx, swe_durable_refusal(errno), "%s: cannot be created: %s", directory,
                        strerror(errno));
    checkpoint_name(0, 0,
                    name); /* as unfinished it goes if this is killed; the first has number 1 */
    path_of(directory, name, ".h5", path);
    prof_output_file trial;
    if (!prof_output_begin(path, &trial))
        return swe_fail(ctx, swe_durable_refusal(errno),
                        "%s: no checkpoint can be written there: %s", directory,
                        prof_output_reason(errno));
    prof_output_discard(&trial);
    return SWE_OK;
}

static swe_status look_around(swe_context *ctx, swe_checkpoints *c)
{
    checkpoint_entry *entries = NULL;
    size_t count = 0;
    char path[PATH];
    SWE_TRY(checkpoint_entries(ctx, c->directory, &entries, &count));
    c->next = count > 0 ? entries[0].number + 1 : 1;
    c->first_own = c->next;
    for (size_t k = 0; k < count; k++)
        if (entries[k].part == CHECKPOINT_UNFINISHED) {
            path_of(c->directory, entries[k].name, entries[k].ending, path);
            unlink(path); /* one that stays is in nobody's way */
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

swe_status swe_checkpoints_open(swe_context *ctx, bool is_expected, int keep, const char *run,
                                swe_checkpoints *c)
{
    c->keep = keep;
    snprintf(c->run, sizeof c->run, "%s", run);
    if (is_expected)
        SWE_TRY(try_folder(ctx, c->directory));
    return look_around(ctx, c);
}

swe_status swe_checkpoints_count(swe_context *ctx, const char *directory,
                                 swe_checkpoint_counts *out)
{
    checkpoint_entry *entries = NULL;
    *out = (swe_checkpoint_counts){.all = 0};
    const swe_status status = checkpoint_entries(ctx, directory, &entries, &out->all);
    for (size_t k = 0; k < out->all; k++) {
        out->manifests += entries[k].part == CHECKPOINT_MANIFEST;
        out->failed += entries[k].part == CHECKPOINT_FAILED;
    }
    free(entries);
    return status == SWE_IO ? SWE_CANNOT_CREATE : status;
}

swe_status swe_checkpoints_check_numbers(swe_context *ctx, const char *directory)
{
    checkpoint_entry *entries = NULL;
    size_t count = 0;
    swe_status status = checkpoint_entries(ctx, directory, &entries, &count);
    if (status == SWE_OK && count > 0 && entries[0].number >= CHECKPOINT_MOST_NUMBER)
        status = swe_fail(ctx, SWE_CANNOT_CREATE,
                          "%s/%s%s: leaves no number for later checkpoints: move it elsewhere",
                          directory, entries[0].name, entries[0].ending);
    free(entries);
    return status == SWE_IO ? SWE_CANNOT_CREATE : status;
}

/* What makes a file a checkpoint goes first, so that none is left that only seems to be one. */
swe_status swe_checkpoints_remove(swe_context *ctx, const char *directory)
{
    checkpoint_entry *entries = NULL;
    size_t count = 0;
    char path[PATH];
    swe_status status = checkpoint_entries(ctx, directory, &entries, &count);
    for (int manifests = 1; manifests >= 0; manifests--)
        for (size_t k = 0; k < count && status == SWE_OK; k++) {
            if ((entries[k].part == CHECKPOINT_MANIFEST) != (manifests == 1))
                continue;
            path_of(directory, entries[k].name, entries[k].ending, path);
            if (unlink(path) != 0)
                status = swe_fail(ctx, SWE_CANNOT_CREATE, "%s: cannot be removed: %s", path,
                                  strerror(errno));
        }
    free(entries);
    if (count > 0)
        rmdir(directory); /* if nothing else is in it */
    return status == SWE_IO ? SWE_CANNOT_CREATE : status;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Write a file, read it back, give it its name. Nothing is left of one that failed. */
static swe_status write_whole(swe_context *ctx, const char *path, const char *run,
                              const swe_checkpoint *checkpoint, long long *size,
                              char digest[SWE_DIGEST])
{
    prof_output_file out;
    SWE_TRY(swe_durable_begin(ctx, path, &out));
    swe_status status = swe_checkpoint_file_write(ctx, &out, run, checkpoint);
    if (status == SWE_OK)
        status = swe_checkpoint_file_verify(ctx, out.temporary, run, checkpoint);
    if (status == SWE_OK)
        status = swe_digest_file(ctx, out.temporary, size, digest);
    return swe_durable_end_if(ctx, status, &out);
}

/* Whether a checkpoint is whole: the process has read its own back, others are read now. */
static bool is_whole(const swe_checkpoints *c, const checkpoint_entry *entry)
{
    swe_context quiet = {""};
    bool is_newer = false;
    return entry->number >= c->first_own ||
           swe_manifest_check(&quiet, c->directory, entry->name, &is_newer) == SWE_OK;
}

/* Remove all that is older than the newest `keep` whole ones; a manifest goes before its file. What
 * cannot be removed is tried again after the next checkpoint: it is no reason to end a run. */
static swe_status prune(swe_context *ctx, const swe_checkpoints *c)
{
    checkpoint_entry *entries = NULL;
    size_t count = 0;
    long oldest = -1; /* number of the oldest that stays; -1: not reached */
    int whole = 0;
    char path[PATH];
    SWE_TRY(checkpoint_entries(ctx, c->directory, &entries, &count));
    for (size_t k = 0; k < count && whole < c->keep; k++)
        if (entries[k].part == CHECKPOINT_MANIFEST && is_whole(c, &entries[k]) &&
            ++whole == c->keep)
            oldest = entries[k].number;
    for (int manifests = 1; manifests >= 0; manifests--)
        for (size_t k = 0; k < count; k++) {
            const checkpoint_part part = entries[k].part;
            const bool is_due = part == (manifests == 1 ? CHECKPOINT_MANIFEST : CHECKPOINT_FILE);
            if (!is_due || entries[k].number >= oldest)
                continue;
            path_of(c->directory, entries[k].name, entries[k].ending, path);
            prof_output_remove(path);
        }
    free(entries);
    return SWE_OK;
}

/* The folder may not have been there until now. */
static swe_status ready_folder(swe_context *ctx, swe_checkpoints *c)
{
    if (!c->is_locked)
        return lock_folder(ctx, c);
    if (prof_folder_make(c->directory))
        return SWE_OK;
    return swe_fail(ctx, SWE_IO, "%s: cannot be created: %s", c->directory, strerror(errno));
}

static swe_status write_one(swe_context *ctx, swe_checkpoints *c, const swe_checkpoint *checkpoint)
{
    char name[CHECKPOINT_NAME], path[PATH], digest[SWE_DIGEST];
    long long size = 0;
    const swe_manifest manifest = {.step = checkpoint->step,
                                   .steps = checkpoint->steps,
                                   .time = (double)checkpoint->step * checkpoint->dt,
                                   .run = c->run,
                                   .case_name = checkpoint->case_name,
                                   .backend = checkpoint->backend};
    SWE_TRY(ready_folder(ctx, c));
    checkpoint_name(c->next, checkpoint->step, name);
    path_of(c->directory, name, ".h5", path);
    SWE_TRY(write_whole(ctx, path, c->run, checkpoint, &size, digest));
    const swe_status status = swe_manifest_write(ctx, c->directory, name, size, digest, &manifest);
    if (status != SWE_OK) {
        prof_output_remove(path); /* without a manifest it is no checkpoint */
        return status;
    }
    c->next++;
    return prune(ctx, c);
}

swe_status swe_checkpoints_write(swe_context *ctx, swe_checkpoints *checkpoints,
                                 const swe_checkpoint *checkpoint)
{
    const double start = prof_clock_seconds();
    SWE_TRY(write_one(ctx, checkpoints, checkpoint));
    const double seconds = prof_clock_seconds() - start;
    checkpoints->written++;
    checkpoints->seconds += seconds;
    if (seconds > checkpoints->longest)
        checkpoints->longest = seconds;
    return SWE_OK;
}

swe_status swe_checkpoints_write_aside(swe_context *ctx, swe_checkpoints *checkpoints,
                                       const swe_checkpoint *checkpoint, char *path, size_t size)
{
    char name[CHECKPOINT_NAME], whole[PATH];
    prof_output_file out;
    SWE_TRY(ready_folder(ctx, checkpoints));
    checkpoint_name(checkpoints->next++, checkpoint->step, name);
    path_of(checkpoints->directory, name, ".failed", whole);
    snprintf(path, size, "%s", whole);
    SWE_TRY(swe_durable_begin(ctx, whole, &out));
    return swe_durable_end_if(
        ctx, swe_checkpoint_file_write(ctx, &out, checkpoints->run, checkpoint), &out);
}
