#include "cli/resume.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "files/checkpoint/checkpoints.h"
#include "cli/folders.h"
#include "cli/results.h"
#include "run/checkpointing.h"
#include "base/text.h"

static void warn(void *nobody, const char *line)
{
    (void)nobody;
    fprintf(stderr, "cubeswe: warning: %s\n", SWE_SHOWN(line));
}

/* Find the checkpoint of `--restart auto`, in the folder of this run or in the one that the earlier
 * run set; none if no checkpoint is complete. Damaged ones stay, and are removed as older ones are.
 */
static swe_status find_own(swe_context *ctx, const swe_restart_request *wanted, cli_resume *r)
{
    char folder[SWE_PATH_SIZE];
    cli_earlier_run earlier;
    swe_checkpoint_counts counts;
    cli_earlier_run_find(r->directory, r->config, &earlier);
    long steps = 0;
    swe_config_schedule(r->config, &steps);
    r->is_finished = earlier.is_same_case && earlier.has_ended && earlier.steps == steps;
    r->from.head.dt = r->is_finished ? earlier.dt : 0.0;
    if (r->is_finished)
        return SWE_OK;
    SWE_TRY(swe_checkpoints_count(ctx, r->folder, &counts));
    r->has_own_folder = counts.manifests > 0;
    SWE_TRY(swe_restart_newest(ctx, r->folder, wanted, &r->from));
    const char *of_earlier = cli_folder_of_run(r->directory, false, folder);
    if (r->from.path[0] == '\0' && earlier.is_same_case && of_earlier != r->directory &&
        strcmp(of_earlier, r->folder) != 0)
        SWE_TRY(swe_restart_newest(ctx, of_earlier, wanted, &r->from));
    r->is_restart = r->from.path[0] != '\0';
    if (!r->is_restart && counts.manifests > 0)
        warn(NULL, "no checkpoint is whole: the run starts from the beginning");
    return SWE_OK;
}

static swe_status find_checkpoint(swe_context *ctx, cli_resume *r)
{
    char folder[SWE_PATH_SIZE];
    swe_checkpoint_number numbers[SWE_TALLIES];
    swe_tallies_of(&r->before, numbers);
    const swe_restart_request wanted = {.config = r->config,
                                        .content = {swe_layout_of((int)r->config->grid.n),
                                                    (swe_precision)r->config->scheme.precision,
                                                    &r->config->fields, numbers, SWE_TALLIES},
                                        .is_strict = r->options->strict,
                                        .accepts_state = !r->is_auto,
                                        .warn = warn};
    if (r->is_auto)
        return find_own(ctx, &wanted, r);
    const char *from = cli_folder_of_run(r->options->restart, false, folder);
    SWE_TRY(swe_restart_find(ctx, from, &wanted, &r->from));
    r->is_restart = true;
    r->has_own_folder = swe_file_is_same(r->folder, r->from.directory);
    return SWE_OK;
}

/* Find it; a case without grid.closure continues a run of any closure. */
static swe_status find_of_any_closure(swe_context *ctx, swe_config *config, cli_resume *r)
{
    swe_context second = {""};
    const swe_status status = find_checkpoint(ctx, r);
    if (status != SWE_CONFIG || config->has_closure)
        return status;
    const int own = config->grid.closure;
    for (int other = SWE_CLOSURE_MOVED; other <= SWE_CLOSURE_EQUISPACED; other++) {
        config->grid.closure = other;
        if (other == own || find_checkpoint(&second, r) != SWE_OK)
            continue;
        warn(NULL, other == SWE_CLOSURE_MOVED ? "grid.closure is moved, as in the checkpoint"
                                              : "grid.closure is equispaced, as in the checkpoint");
        return SWE_OK;
    }
    config->grid.closure = own;
    return status;
}

/* Times of the last changes of the folders; 0: it does not exist. */
static void read_times(const cli_resume *r, struct timespec times[2])
{
    const char *const folders[] = {r->directory, r->folder};
    struct stat info;
    for (int k = 0; k < 2; k++)
        times[k] = stat(folders[k], &info) == 0 ? info.st_mtim : (struct timespec){0};
}

swe_status cli_resume_find(swe_context *ctx, const cli_options *options, swe_config *config,
                           const char *directory, const char *profiles, cli_resume *out)
{
    char run[SWE_RUN_ID];
    *out =
        (cli_resume){.options = options,
                     .config = config,
                     .directory = directory,
                     .profiles = profiles,
                     .is_auto = options->restart != NULL && strcmp(options->restart, "auto") == 0};
    if (config->checkpoint.dir[0] != '\0')
        snprintf(out->folder, sizeof out->folder, "%s", config->checkpoint.dir);
    else
        snprintf(out->folder, sizeof out->folder, "%s/checkpoints", directory);
    out->kept = (cli_kept_results){.results = directory,
                                   .checkpoints = out->folder,
                                   .profiles = profiles,
                                   .config = config,
                                   .lock = &out->lock};
    cli_kept_recover(&out->kept);
    if (options->restart == NULL)
        return SWE_OK;
    read_times(out, out->found_at);
    SWE_TRY(find_of_any_closure(ctx, config, out));
    if (out->is_restart && config->start.state[0] == '\0' && out->from.state[0] != '\0') {
        free(config->start.state);
        config->start.state = strdup(out->from.state);
        if (config->start.state == NULL)
            return swe_fail(ctx, SWE_NO_MEMORY, "out of memory for start.state");
    }
    config->continued_step = out->is_restart && out->from.head.step == 0 ? 0.0 : out->from.head.dt;
    if (!out->is_restart)
        return SWE_OK;
    swe_folder_lock_read(directory, run);
    out->continues = strcmp(run, out->from.head.run) == 0;
    return SWE_OK;
}

/* Refuse if an input lies among the checkpoints: a new run removes them all, a checkpoint the
 * oldest. */
static swe_status check_inputs(swe_context *ctx, const cli_resume *r)
{
    checkpoint_entry *entries = NULL;
    size_t count = 0;
    char path[4600];
    swe_status status = checkpoint_entries(ctx, r->folder, &entries, &count);
    for (size_t k = 0; k < count && status == SWE_OK; k++) {
        snprintf(path, sizeof path, "%s/%s%s", r->folder, entries[k].name, entries[k].ending);
        const char *input = cli_input_at(r->config, path);
        if (input != NULL)
            status = cli_refuse_removal(ctx, input, r->folder);
    }
    free(entries);
    return status == SWE_IO ? SWE_CANNOT_CREATE : status;
}

/* Refuse checkpoints of another run, so that they are not mixed with new ones. --restart auto
 * ignores an incomplete one, as a killed run leaves it. */
static swe_status check_checkpoints(swe_context *ctx, const cli_resume *r)
{
    char nearest[4200];
    swe_checkpoint_counts counts;
    if (r->config->checkpoint.dir[0] != '\0' || access(r->folder, F_OK) == 0)
        SWE_TRY(cli_nearest_folder(ctx, r->folder, nearest, sizeof nearest));
    SWE_TRY(check_inputs(ctx, r));
    SWE_TRY(swe_checkpoints_count(ctx, r->folder, &counts));
    if (r->has_own_folder)
        SWE_TRY(swe_checkpoints_check_numbers(ctx, r->folder));
    const size_t conflicts = r->is_auto ? counts.manifests + counts.failed : counts.all;
    if (conflicts == 0 || r->has_own_folder || r->options->overwrite)
        return SWE_OK;
    if (r->is_auto && counts.manifests == 0)
        return swe_fail(ctx, SWE_CANNOT_CREATE,
                        "%s: holds the state of a run that failed, and no checkpoint (--overwrite "
                        "in place of --restart replaces it)",
                        r->folder);
    return swe_fail(
        ctx, SWE_CANNOT_CREATE,
        "%s: holds checkpoints already (--restart continues from them, --overwrite replaces them)",
        r->folder);
}

/* Decide whether existing results may be replaced. --restart auto replaces the results of an
 * unfinished run of the same case and refuses all other results. Without --restart, results of an
 * unfinished run of the same case are refused, with a message that says what to do. */
static swe_status check_earlier(swe_context *ctx, const cli_resume *r, bool *may_replace)
{
    swe_context quiet = {""};
    cli_earlier_run earlier;
    *may_replace = r->options->overwrite;
    if (*may_replace || (r->options->restart != NULL && !r->is_auto) ||
        cli_result_folder_check(&quiet, r->directory, r->config, false) == SWE_OK)
        return SWE_OK;
    if (r->is_restart)
        return swe_fail(ctx, SWE_CANNOT_CREATE,
                        "%.300s: run.lock does not name the run of the checkpoints here: --restart "
                        "%.300s with another --output continues from them",
                        r->directory, r->folder);
    cli_earlier_run_find(r->directory, r->config, &earlier);
    if (!r->is_auto && earlier.is_same_case && !earlier.has_ended)
        return swe_fail(ctx, SWE_CANNOT_CREATE,
                        "%.300s: holds results of this case, whose run has not ended (--restart "
                        "auto continues it, --overwrite replaces them)",
                        r->directory);
    if (!r->is_auto)
        return SWE_OK;
    *may_replace = earlier.is_known ? earlier.is_same_case && !earlier.has_ended
                                    : cli_result_folder_is_begun(r->directory, r->config);
    if (*may_replace || !earlier.is_known)
        return SWE_OK;
    if (!earlier.is_same_case)
        return swe_fail(ctx, SWE_CANNOT_CREATE,
                        "%.300s: holds results of another case (--overwrite in place of --restart "
                        "replaces them): %s",
                        r->directory, earlier.differences);
    return swe_fail(ctx, SWE_CANNOT_CREATE,
                    "%.300s: holds results of a run that ended at step %ld, and no checkpoint to "
                    "continue from (--overwrite in place of --restart replaces them)",
                    r->directory, earlier.steps);
}

swe_status cli_resume_check(swe_context *ctx, const cli_resume *r)
{
    const char *path = CLI_PATH(r->directory, "diagnostics.csv");
    char nearest[4200];
    bool may_replace = false;
    if (r->continues) {
        SWE_TRY(cli_nearest_folder(ctx, r->directory, nearest, sizeof nearest));
        if (!cli_rows_reach(path, &r->from.head))
            return swe_fail(ctx, SWE_DATA,
                            "%s: lacks rows from before the checkpoint, or has others: restart "
                            "into another --output",
                            path);
    } else {
        SWE_TRY(check_earlier(ctx, r, &may_replace));
        SWE_TRY(cli_result_folder_check(ctx, r->directory, r->config, may_replace));
        /* a folder of profiles elsewhere may be another run's */
        SWE_TRY(cli_profile_folder_check(ctx, r->profiles, r->config,
                                         r->options->overwrite ||
                                             (may_replace && r->config->profile.dir[0] == '\0')));
    }
    return check_checkpoints(ctx, r);
}

/* Move away the results that the run replaces; if it continues a run, only those from the end of
 * that run. */
static swe_status keep_earlier(swe_context *ctx, cli_resume *r)
{
    char *text = NULL;
    if (r->has_own_folder)
        r->kept.checkpoints = NULL;
    if (!r->continues)
        return cli_kept_move_all(ctx, &r->kept);
    SWE_TRY(swe_config_text(ctx, r->config, &text));
    const swe_status status =
        cli_kept_move_restarted(ctx, &r->kept, text, r->from.head.diagnostics_size);
    free(text);
    return status;
}

/* A continued run has begun with its first own checkpoint: until then the rows up to the earlier
 * checkpoint are needed for another restart. */
swe_status cli_resume_begun(swe_context *ctx, cli_resume *r, bool has_ended)
{
    if (r->continues && r->checkpoints.written == 0 && !has_ended)
        return SWE_OK;
    return cli_kept_discard(ctx, &r->kept, r->run);
}

/* Check under the lock that no other run has written since the checkpoint was found. A folder of
 * results that this run does not continue is not compared: creating its lock has changed it. */
static swe_status check_unchanged(swe_context *ctx, const cli_resume *r)
{
    struct timespec now[2];
    read_times(r, now);
    if (!r->has_own_folder ||
        (memcmp(&now[1], &r->found_at[1], sizeof now[1]) == 0 &&
         (!r->continues || memcmp(&now[0], &r->found_at[0], sizeof now[0]) == 0)))
        return SWE_OK;
    return swe_fail(ctx, SWE_CANNOT_CREATE,
                    "%s: another run has written here in the meantime: start again", r->directory);
}

swe_status cli_resume_open(swe_context *ctx, cli_resume *r)
{
    SWE_TRY(cli_resume_check(ctx, r));
    SWE_TRY(cli_folder_lock(ctx, r->directory, &r->lock));
    SWE_TRY(check_unchanged(ctx, r));
    /* runs with other folders of results may share the folders of checkpoints and profiles */
    SWE_TRY(swe_checkpoints_lock(ctx, r->folder,
                                 swe_config_has_checkpoints(r->config) ||
                                     r->config->checkpoint.dir[0] != '\0',
                                 &r->checkpoints));
    cli_folder_warn(&r->checkpoints.lock);
    SWE_TRY(cli_profile_folder_lock(ctx, r->profiles, r->config, &r->profiles_lock));
    SWE_TRY(cli_resume_check(ctx, r)); /* another run may have ended in the meantime */
    snprintf(r->run, sizeof r->run, "%s", r->lock.run);
    if (r->continues && strcmp(r->run, r->from.head.run) != 0)
        return swe_fail(ctx, SWE_IO, "run.lock: no longer names the run of this folder");
    if (!r->continues)
        SWE_TRY(swe_folder_lock_new_run(ctx, r->run));
    SWE_TRY(swe_folder_lock_sign(ctx, &r->lock));
    SWE_TRY(keep_earlier(ctx, r));
    r->has_begun = true;
    /* incomplete files of a killed run, whose names this run uses again */
    if (r->continues)
        cli_result_folder_remove_unfinished(r->directory);
    /* without its lock, files of a folder of profiles may be a running program's */
    if (r->continues && (r->config->profile.dir[0] == '\0' || r->profiles_lock.file != 0))
        cli_profile_folder_remove_unfinished(r->profiles);
    SWE_TRY(cli_result_folder_try(ctx, r->directory));
    return swe_checkpoints_open(
        ctx, swe_config_has_checkpoints(r->config), (int)r->config->checkpoint.keep,
        (swe_writers)r->config->checkpoint.writers, r->run, &r->checkpoints);
}

void cli_resume_close(cli_resume *r)
{
    cli_kept_restore(&r->kept);
    swe_folder_lock_release(&r->profiles_lock, r->has_begun);
    swe_checkpoints_release(&r->checkpoints, r->has_begun);
    swe_folder_lock_release(&r->lock, r->has_begun);
    swe_restart_release(&r->from);
}

swe_status cli_resume_diagnostics(swe_context *ctx, const cli_resume *r, swe_run_files *out)
{
    const char *path = CLI_PATH(r->directory, "diagnostics.csv");
    const int file =
        r->continues ? swe_output_open(path, O_WRONLY | O_APPEND) : swe_output_create(path);
    out->diagnostics = file >= 0 ? fdopen(file, "a") : NULL;
    out->diagnostics_size = r->continues ? r->from.head.diagnostics_size : 0;
    if (out->diagnostics != NULL)
        return SWE_OK;
    const int error = errno;
    if (file >= 0)
        close(file);
    return swe_fail(ctx, swe_durable_refusal(error), "%s: %s", path, swe_output_reason(error));
}

swe_status cli_resume_diagnostics_close(swe_context *ctx, const cli_resume *r, swe_run_files *files)
{
    const char *path = CLI_PATH(r->directory, "diagnostics.csv");
    FILE *rows = files->diagnostics;
    const bool is_safe = fflush(rows) == 0 && ferror(rows) == 0 && fsync(fileno(rows)) == 0 &&
                         swe_output_list(path, fileno(rows));
    files->diagnostics = NULL;
    if (fclose(rows) == 0 && is_safe)
        return SWE_OK;
    return swe_fail(ctx, SWE_IO, "%s: cannot be written", path);
}
