#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/version.h"
#include "cli/cli.h"
#include "cli/folders.h"
#include "cli/kept_results.h"
#include "cli/progress.h"
#include "base/output_file.h"
#include "profiler.h"

static void warn(void *progress, const char *line)
{
    cli_progress_clear(progress);
    fprintf(stderr, "cubeswe: warning: %s\n", line);
}

static void state_facts(const swe_config *config, cli_profile_folder *profiles)
{
    static const char *const closures[] = {"default", "published"};
    const double n = (double)config->grid.n;
    double dt = 0.0;
    long steps = 0;
    swe_config_schedule(config, &dt, &steps);
    const prof_fact facts[CLI_FACTS] = {
        {"n", NULL, n},
        {"order", NULL, (double)config->grid.order},
        {"closure", closures[config->grid.closure], 0.0},
        {"pipeline", swe_pipeline_name((swe_pipeline)config->scheme.pipeline), 0.0},
        {"precision", swe_precision_name((swe_precision)config->scheme.precision), 0.0},
        {"dt", NULL, dt},
        {"unknowns", NULL, 6.0 * (n + 1.0) * (n + 1.0) + 12.0 * n * (n + 1.0)},
        {"build", swe_build, 0.0}};
    memcpy(profiles->facts, facts, sizeof facts);
}

prof_options cli_profiler_options(const swe_config *config, const swe_backend *backend,
                                  const char *results, cli_progress *progress,
                                  cli_profile_folder *profiles)
{
    if (config->profile.dir[0] != '\0')
        snprintf(profiles->path, sizeof profiles->path, "%s", config->profile.dir);
    else
        snprintf(profiles->path, sizeof profiles->path, "%s/profile", results);
    prof_options options = swe_config_profile(config);
    options.directory = profiles->path;
    state_facts(config, profiles);
    options.facts = profiles->facts;
    options.fact_count = CLI_FACTS;
    const swe_physics physics = swe_config_physics(config);
    const swe_cost_case what = {.n = (int)config->grid.n,
                                .order = (int)config->grid.order,
                                .flow = swe_physics_flow(&physics),
                                .pipeline = (swe_pipeline)config->scheme.pipeline,
                                .precision = (swe_precision)config->scheme.precision,
                                .inner_first = backend->inner_first};
    swe_costs_count(&what, &profiles->costs);
    options.costs = profiles->costs.profiled;
    options.cost_count = profiles->costs.profiled_count;
    options.warn = warn;
    options.warner = progress;
    return options;
}

static bool is_log(const char *name)
{
    return strcmp(name, "gpu_log.csv") == 0;
}

/* Earlier profiles of a folder. */
typedef struct old_profiles {
    int found;
    char foreign[SWE_PATH_SIZE]; /* a file in a profile that no profiler wrote; "": none */
    const char *input; /* an input of the command that is or lies in a profile; NULL: none */
    bool failed;       /* the folder cannot be read, or a profile not removed */
} old_profiles;

static bool is_profile(const char *name)
{
    return is_log(name) || prof_window_folder_is_named(name);
}

/* Inspect every profile of a folder; remove it if `remove_them`. */
static old_profiles visit_profiles(const char *path, const swe_config *config, bool remove_them)
{
    old_profiles old = {.found = 0};
    char inner[SWE_PATH_SIZE];
    DIR *directory = opendir(path);
    if (directory == NULL) {
        old.failed = errno != ENOENT;
        return old;
    }
    for (struct dirent *entry; (entry = readdir(directory)) != NULL && old.foreign[0] == '\0';) {
        if (!is_profile(entry->d_name))
            continue;
        old.found++;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (old.input == NULL)
            old.input = cli_input_at(config, inner);
        if (is_log(entry->d_name))
            old.failed |= remove_them && unlink(inner) != 0;
        else if (remove_them)
            old.failed |= !prof_window_folder_remove(inner);
        else if (prof_window_folder_is_own(inner, old.foreign, sizeof old.foreign))
            old.foreign[0] = '\0';
    }
    closedir(directory);
    return old;
}

static bool writes_profiles(const swe_config *config)
{
    return config->profile.mode != PROF_OFF && config->profile.mode != PROF_NSYS;
}

/* Whether the folder belongs to this run: profiles are written there, or it is below the results.
 * In mode nsys the attached tool writes elsewhere. */
static bool is_concerned(const swe_config *config)
{
    return writes_profiles(config) || config->profile.dir[0] == '\0';
}

swe_status cli_profile_folder_check(swe_context *ctx, const char *path, const swe_config *config,
                                    bool overwrite)
{
    char folder[4096];
    if (!is_concerned(config))
        return SWE_OK;
    SWE_TRY(cli_nearest_folder(ctx, path, folder, sizeof folder));
    const old_profiles old = visit_profiles(path, config, false);
    if (old.failed)
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: cannot be read: %s", path, strerror(errno));
    if (old.found > 0 && !overwrite)
        return swe_fail(ctx, SWE_CANNOT_CREATE,
                        "%s: holds profiles already (--overwrite replaces them)", path);
    if (old.input != NULL)
        return cli_refuse_removal(ctx, old.input, path);
    if (old.foreign[0] != '\0')
        return swe_fail(ctx, SWE_CANNOT_CREATE,
                        "%.300s: was not written by the profiler, and --overwrite would remove it: "
                        "move it away",
                        old.foreign);
    return SWE_OK;
}

swe_status cli_profile_folder_lock(swe_context *ctx, const char *path, const swe_config *config,
                                   swe_folder_lock *out)
{
    *out = (swe_folder_lock){.file = 0};
    if (!writes_profiles(config) && (!is_concerned(config) || access(path, F_OK) != 0))
        return SWE_OK;
    SWE_TRY(cli_folder_lock(ctx, path, out));
    return swe_folder_lock_sign(ctx, out);
}

swe_status cli_profile_folder_keep(swe_context *ctx, const char *path, const swe_config *config)
{
    swe_status status = SWE_OK;
    DIR *directory = is_concerned(config) ? opendir(path) : NULL;
    if (directory == NULL)
        return SWE_OK; /* cli_profile_folder_check has reported errors */
    for (struct dirent *entry; status == SWE_OK && (entry = readdir(directory)) != NULL;)
        if (is_profile(entry->d_name))
            status = cli_kept_move(ctx, path, entry->d_name, entry->d_name);
    closedir(directory);
    return status;
}

void cli_profile_folder_remove_unfinished(const char *path)
{
    char inner[SWE_PATH_SIZE];
    DIR *directory = opendir(path);
    if (directory == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        if (entry->d_name[0] == '.' && prof_window_folder_is_named(entry->d_name) &&
            snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) < (int)sizeof inner)
            prof_window_folder_remove(inner);
    closedir(directory);
}

swe_status cli_profile_folder_remove(swe_context *ctx, const char *path, const swe_config *config)
{
    if (!is_concerned(config))
        return SWE_OK;
    const old_profiles old = visit_profiles(path, config, true);
    if (old.found > 0)
        rmdir(path); /* fails if the folder has other files, which stay */
    if (!old.failed)
        return SWE_OK;
    return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: old profiles cannot be removed: %s", path,
                    strerror(errno));
}

void cli_profiler_end(prof_profiler **profiler, const cli_profile_folder *profiles,
                      const char *results, bool quiet)
{
    const int windows = prof_window_count(*profiler);
    prof_destroy(profiler);
    if (windows > 0)
        cli_report_write(profiles->path, results, quiet);
}
