#include "files/checkpoint/restart.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "files/checkpoint/manifest.h"
#include "files/checkpoint/checkpoints.h"

/* Steps of the run with the time step of the checkpoint; 0: the case has another time step. A time
 * step that depends on time.end stays the time step of the checkpoint, unless no step was taken. It
 * may differ by rounding: earlier versions stored time.end / steps where time.dt is now stored as
 * given. */
static long steps_with(const swe_restart *r, const swe_config *config)
{
    static const char *const rule[] = {"time.dt", "time.dt_times_n", "time.courant"};
    long steps = 0;
    const double dt = swe_config_schedule(config, &steps);
    if (r->head.step == 0 || r->head.dt == dt || r->head.dt == config->time.end / (double)steps)
        return steps;
    for (size_t k = 0; k < sizeof rule / sizeof rule[0]; k++)
        if (!swe_config_agrees(r->config, config, rule[k]))
            return 0;
    return swe_config_steps_with(config, r->head.dt);
}

/* The case differs if the time step or another key differs, or if the checkpoint has a key that
 * only a later program knows.
 */
static swe_status check_case(swe_context *ctx, swe_restart *r, const swe_restart_request *w)
{
    const swe_config *config = w->config;
    char differences[700];
    swe_context why = {""};
    const swe_checkpoint_head *head = &r->head;
    const swe_status status =
        swe_config_load_of_run(&why, "its configuration", head->configuration, &r->config);
    if (status != SWE_OK)
        return swe_fail(ctx, status, "%.280s: is of another case: %s", r->path, why.message);
    snprintf(r->state, sizeof r->state, "%s", r->config->start.state);
    if (w->accepts_state && config->start.state[0] == '\0')
        r->config->start.state[0] = '\0';
    const long steps = steps_with(r, config);
    const int count = swe_config_differences(r->config, config, differences, sizeof differences);
    const size_t used = strlen(differences);
    if (steps == 0)
        snprintf(differences + used, sizeof differences - used,
                 "%sthe time step is %.17g s there and %.17g s here; to continue, set "
                 "time.dt=%.17g",
                 used > 0 ? "; " : "", head->dt, swe_config_schedule(config, NULL), head->dt);
    if (count > 0 || steps == 0)
        return swe_fail(ctx, SWE_CONFIG, "%.280s: is of another case: %s", r->path, differences);
    /* a model may pass time.end by whole steps where the last step of a run is shorter */
    const bool is_past =
        head->step > steps || (double)head->step * head->dt > config->time.end + 1e-6 * head->dt;
    if (is_past && !w->has_no_end)
        return swe_fail(ctx, SWE_CONFIG,
                        "%.280s: is of step %ld, %.9g s, and this run ends at step %ld, %.9g s",
                        r->path, head->step, (double)head->step * head->dt, steps,
                        config->time.end);
    return SWE_OK;
}

/* DAMAGED: an older checkpoint may be valid. REFUSED: the search ends. */
typedef enum verdict { VALID, DAMAGED, REFUSED } verdict;

/* Check one checkpoint; `status` and the message hold the reason if it is not valid. */
static verdict check_checkpoint(swe_context *ctx, const char *name, const swe_restart_request *w,
                                swe_restart *r, swe_status *status)
{
    bool is_newer = false;
    snprintf(r->path, sizeof r->path, "%s/%s.h5", r->directory, name);
    *status = swe_manifest_check(ctx, r->directory, name, &is_newer);
    if (*status != SWE_OK)
        return is_newer || *status == SWE_NO_MEMORY ? REFUSED : DAMAGED;
    *status = swe_checkpoint_head_read(ctx, r->path, &r->head);
    if (*status != SWE_OK)
        return *status == SWE_NO_MEMORY ? REFUSED : DAMAGED;
    *status = check_case(ctx, r, w);
    if (*status != SWE_OK)
        return REFUSED;
    *status = swe_checkpoint_file_check(ctx, r->path, &w->content);
    return *status == SWE_OK ? VALID : DAMAGED;
}

/* Find the newest valid checkpoint of a folder; the path is "" if none is valid. `tried`: number of
 * checkpoints checked. */
static swe_status find_newest(swe_context *ctx, const swe_restart_request *w, swe_restart *r,
                              int *tried)
{
    char line[1200];
    checkpoint_entry *entries = NULL;
    size_t count = 0;
    swe_status status = checkpoint_entries(ctx, r->directory, &entries, &count);
    verdict found = DAMAGED;
    for (size_t k = 0; status == SWE_OK && found == DAMAGED && k < count; k++) {
        if (entries[k].kind != CHECKPOINT_MANIFEST)
            continue;
        (*tried)++;
        found = check_checkpoint(ctx, entries[k].name, w, r, &status);
        if (found != DAMAGED || w->is_strict)
            break;
        swe_restart_release(r);
        snprintf(line, sizeof line, "%s: trying an older checkpoint", ctx->message);
        w->warn(w->warner, line);
        status = SWE_OK;
    }
    free(entries);
    if (status == SWE_OK && found != VALID)
        r->path[0] = '\0';
    return status;
}

/* Check the checkpoint of a file; its manifest lies beside it. */
static swe_status find_named(swe_context *ctx, const char *path, const swe_restart_request *w,
                             swe_restart *r)
{
    checkpoint_entry entry;
    swe_status status = SWE_OK;
    SWE_TRY(swe_file_check(ctx, path));
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    if (!checkpoint_entry_of(name, &entry) ||
        (entry.kind != CHECKPOINT_FILE && entry.kind != CHECKPOINT_MANIFEST))
        return swe_fail(ctx, SWE_DATA, "%s: not the name of a checkpoint", path);
    if (slash == NULL)
        snprintf(r->directory, sizeof r->directory, ".");
    else
        snprintf(r->directory, sizeof r->directory, "%.*s", (int)(slash - path) + (slash == path),
                 path);
    check_checkpoint(ctx, entry.name, w, r, &status);
    return status;
}

/* Search a folder of checkpoints, or of results with a folder `checkpoints`. */
static swe_status find_folder(swe_context *ctx, const char *path, const swe_restart_request *w,
                              swe_restart *r)
{
    struct stat info;
    int tried = 0;
    snprintf(r->directory, sizeof r->directory, "%s/checkpoints", path);
    if (stat(r->directory, &info) != 0 || !S_ISDIR(info.st_mode))
        snprintf(r->directory, sizeof r->directory, "%s", path);
    SWE_TRY(find_newest(ctx, w, r, &tried));
    if (r->path[0] != '\0')
        return SWE_OK;
    return tried > 0 ? swe_fail(ctx, SWE_DATA, "%s: all its checkpoints are damaged", r->directory)
                     : swe_fail(ctx, SWE_NO_INPUT, "%s: contains no checkpoint", r->directory);
}

swe_status swe_restart_find(swe_context *ctx, const char *path, const swe_restart_request *request,
                            swe_restart *out)
{
    struct stat info;
    *out = (swe_restart){.path = ""};
    if (strlen(path) >= 4096)
        return swe_fail(ctx, SWE_NO_INPUT, "%.200s...: the path is too long", path);
    if (stat(path, &info) != 0)
        return swe_fail(ctx, SWE_NO_INPUT, "%s: %s", path, strerror(errno));
    swe_status status;
    if (S_ISDIR(info.st_mode))
        status = find_folder(ctx, path, request, out);
    else if (S_ISREG(info.st_mode))
        status = find_named(ctx, path, request, out);
    else
        status = swe_fail(ctx, SWE_NO_INPUT, "%s: neither a folder nor a regular file", path);
    if (status != SWE_OK)
        swe_restart_release(out);
    return status;
}

swe_status swe_restart_newest(swe_context *ctx, const char *directory,
                              const swe_restart_request *request, swe_restart *out)
{
    int tried = 0;
    *out = (swe_restart){.path = ""};
    snprintf(out->directory, sizeof out->directory, "%s", directory);
    const swe_status status = find_newest(ctx, request, out, &tried);
    if (status != SWE_OK)
        swe_restart_release(out);
    return status;
}

void swe_restart_release(swe_restart *restart)
{
    swe_checkpoint_head_release(&restart->head);
    swe_config_destroy(&restart->config);
}
