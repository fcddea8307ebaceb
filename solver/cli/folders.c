#define _DEFAULT_SOURCE /* realpath */
#include "cli/folders.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/results.h"
#include "files/output/hdf5_writer.h"
#include "profiler.h"

/* ---- names ----------------------------------------------------------------------------------- */

/* Names of results, besides field files. */
static const char *const result_names[] = {
    "configuration.yaml", "diagnostics.csv",  "summary.json", "convergence.json", "convergence.csv",
    "convergence.md",     "convergence.svg",  "profile.json", "bench.json",       "bench.csv",
    "bench.md",           "bench.svg",        "profile.md",   "progress.json",    "report.html",
    "report.json",        "convergence.html", "bench.html",
};

/* The text behind a prefix and at least `least` digits; NULL: no match. */
static const char *after_digits(const char *name, const char *prefix, size_t least)
{
    const size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0)
        return NULL;
    const size_t digits = strspn(name + length, "0123456789");
    return digits >= least ? name + length + digits : NULL;
}

/* A result, or an incomplete one: <name>.tmp. */
bool cli_is_result(const char *name)
{
    for (size_t k = 0; k < sizeof result_names / sizeof result_names[0]; k++) {
        const size_t length = strlen(result_names[k]);
        if (strncmp(name, result_names[k], length) == 0 &&
            (name[length] == '\0' || strcmp(name + length, ".tmp") == 0))
            return true;
    }
    /* fields_<step>.nc and fields_order<p>_n<n>.nc, complete or not */
    const char *end = after_digits(name, "fields_", 8);
    const char *n = after_digits(name, "fields_order", 1);
    if (n != NULL)
        end = after_digits(n, "_n", 4);
    return end != NULL && (strcmp(end, ".nc") == 0 || strcmp(end, ".nc.tmp") == 0);
}

static bool is_log(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strcmp(slash != NULL ? slash + 1 : path, "gpu_log.csv") == 0;
}

bool cli_is_profile(const char *name)
{
    return is_log(name) || prof_window_folder_is_named(name);
}

/* ---- inputs and parents ---------------------------------------------------------------------- */

/* Whether a file lies below a folder; follows links. */
static bool is_below(const char *path, const char *folder)
{
    char *inner = realpath(path, NULL), *outer = realpath(folder, NULL);
    const size_t length = outer != NULL ? strlen(outer) : 0;
    const bool is = inner != NULL && outer != NULL && strncmp(inner, outer, length) == 0 &&
                    inner[length] == '/';
    free(inner);
    free(outer);
    return is;
}

const char *cli_input_at(const swe_config *config, const char *path)
{
    const char *input = NULL;
    for (int k = 0; (input = swe_config_input(config, k)) != NULL; k++)
        if (input[0] != '\0' && (swe_file_is_same(input, path) || is_below(input, path)))
            return input;
    return NULL;
}

swe_status cli_refuse_removal(swe_context *ctx, const char *input, const char *folder)
{
    return swe_fail(
        ctx, SWE_CANNOT_CREATE,
        "%.300s: this command reads it, and would remove it with the old files of %.300s: "
        "copy it elsewhere",
        input, folder);
}

swe_status cli_nearest_folder(swe_context *ctx, const char *path, char *out, size_t size)
{
    struct stat info;
    if (path[0] == '\0' || snprintf(out, size, "%s", path) >= (int)size)
        return swe_fail(ctx, SWE_CANNOT_CREATE, "'%.200s': not the name of a directory", path);
    while (stat(out, &info) != 0) {
        if (lstat(out, &info) == 0)
            return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: a dangling link", out);
        char *slash = strrchr(out, '/');
        if (errno != ENOENT && errno != ENOTDIR)
            return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: %s", path, strerror(errno));
        if (slash == NULL)
            snprintf(out, size, ".");
        else if (slash == out)
            out[1] = '\0';
        else
            *slash = '\0';
    }
    if (S_ISDIR(info.st_mode) && access(out, W_OK | X_OK) == 0)
        return SWE_OK;
    return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: cannot be created: %s is not a writable directory",
                    path, out);
}

void cli_folder_warn(const swe_folder_lock *lock)
{
    if (lock->is_unprotected)
        fprintf(
            stderr,
            "cubeswe: warning: %s/run.lock: this file system has no locks: a second program can "
            "write to the same folder\n",
            lock->folder);
}

swe_status cli_folder_lock(swe_context *ctx, const char *folder, swe_folder_lock *out)
{
    SWE_TRY(swe_folder_lock_take(ctx, folder, out));
    cli_folder_warn(out);
    return SWE_OK;
}

/* ---- earlier files --------------------------------------------------------------------------- */

/* Earlier results, or profiles, of a folder. */
typedef struct old_files {
    int found;
    int remains;                 /* of them, files that a run leaves before its first result */
    const char *input;           /* an input of the command among them; NULL: none */
    char foreign[SWE_PATH_SIZE]; /* the path of a file that must not be removed; "": none */
    bool failed;                 /* the folder cannot be read, or a file not removed */
} old_files;

/* Results or profiles, as entries of a folder. */
typedef struct folder_kind {
    const char *name;
    bool (*is_member)(const char *name);
    bool (*is_unfinished)(const char *name);
    /* Whether a member may be removed; sets the path of a file that may not. */
    bool (*is_own)(const char *path, char foreign[SWE_PATH_SIZE]);
    bool (*remove)(const char *path);
} folder_kind;

/* A folder in the place of a result cannot be replaced. */
static bool is_file(const char *path, char foreign[SWE_PATH_SIZE])
{
    struct stat info;
    if (lstat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return true;
    snprintf(foreign, SWE_PATH_SIZE, "%s", path);
    return false;
}

static bool remove_file(const char *path)
{
    return unlink(path) == 0;
}

static bool is_profile_only(const char *path, char foreign[SWE_PATH_SIZE])
{
    return is_log(path) || prof_window_folder_is_own(path, foreign, SWE_PATH_SIZE);
}

static bool remove_profile(const char *path)
{
    return is_log(path) ? remove_file(path) : prof_window_folder_remove(path);
}

static bool is_unfinished(const char *name)
{
    return cli_ends_with(name, ".tmp");
}

static bool is_hidden(const char *name)
{
    return name[0] == '.';
}

static const folder_kind results = {"results", cli_is_result, is_unfinished, is_file, remove_file};
static const folder_kind profiles = {"profiles", cli_is_profile, is_hidden, is_profile_only,
                                     remove_profile};

typedef enum visit_mode { INSPECT, REMOVE, REMOVE_UNFINISHED } visit_mode;

/* Inspect the members of a folder; or remove them, or only the unfinished ones of a killed run. */
static old_files visit(const char *path, const folder_kind *kind, const swe_config *config,
                       visit_mode mode)
{
    old_files old = {.found = 0};
    char inner[SWE_PATH_SIZE];
    DIR *directory = opendir(path);
    if (directory == NULL) {
        old.failed = errno != ENOENT;
        return old;
    }
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *name = entry->d_name;
        if (!kind->is_member(name) ||
            snprintf(inner, sizeof inner, "%s/%s", path, name) >= (int)sizeof inner)
            continue;
        old.found++;
        old.remains +=
            strcmp(name, "progress.json") == 0 || is_unfinished(name) || kind->is_unfinished(name);
        if (mode != INSPECT)
            old.failed |= (mode == REMOVE || kind->is_unfinished(name)) && !kind->remove(inner);
        else if (old.input == NULL)
            old.input = cli_input_at(config, inner);
        if (mode == INSPECT && old.foreign[0] == '\0' && kind->is_own(inner, old.foreign))
            old.foreign[0] = '\0';
    }
    closedir(directory);
    return old;
}

bool cli_result_folder_is_begun(const char *path, const swe_config *config)
{
    const old_files old = visit(path, &results, config, INSPECT);
    return !old.failed && old.found == old.remains;
}

/* Inspect the earlier files of a folder, which need not exist. Refuses a folder that cannot be
 * written, or has earlier files that new ones may not replace. */
static swe_status inspect(swe_context *ctx, const char *path, const folder_kind *kind,
                          const swe_config *config, bool overwrite, old_files *out)
{
    char folder[4096];
    SWE_TRY(cli_nearest_folder(ctx, path, folder, sizeof folder));
    *out = visit(path, kind, config, INSPECT);
    if (out->failed)
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: cannot be read: %s", path, strerror(errno));
    if (overwrite || out->found == out->remains)
        return SWE_OK;
    return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: holds %s already (--overwrite replaces them)",
                    path, kind->name);
}

swe_status cli_result_folder_check(swe_context *ctx, const char *path, const swe_config *config,
                                   bool overwrite)
{
    old_files old;
    SWE_TRY(inspect(ctx, path, &results, config, overwrite, &old));
    if (old.foreign[0] != '\0')
        return swe_fail(ctx, SWE_CANNOT_CREATE,
                        "%s: a folder in the place of a result: move it away", old.foreign);
    return old.input == NULL ? SWE_OK : cli_refuse_removal(ctx, old.input, path);
}

swe_status cli_result_folder_try(swe_context *ctx, const char *path)
{
    /* the next run removes its .tmp */
    return hdf5_writer_check(ctx, CLI_PATH(path, "fields_00000000.nc"));
}

void cli_result_folder_remove(const char *path, const swe_config *config)
{
    visit(path, &results, config, REMOVE);
}

void cli_result_folder_remove_unfinished(const char *path)
{
    visit(path, &results, NULL, REMOVE_UNFINISHED);
}

/* ---- folder of profiles ---------------------------------------------------------------------- */

static bool writes_profiles(const swe_config *config)
{
    return config->profile.mode != PROF_OFF && config->profile.mode != PROF_NSYS;
}

/* Whether the folder belongs to this run: profiles are written there, or it is below the results.
 * In mode nsys the attached tool writes elsewhere. */
bool cli_profiles_concern(const swe_config *config)
{
    return writes_profiles(config) || config->profile.dir[0] == '\0';
}

swe_status cli_profile_folder_check(swe_context *ctx, const char *path, const swe_config *config,
                                    bool overwrite)
{
    old_files old;
    if (!cli_profiles_concern(config))
        return SWE_OK;
    SWE_TRY(inspect(ctx, path, &profiles, config, overwrite, &old));
    if (old.input != NULL)
        return cli_refuse_removal(ctx, old.input, path);
    if (old.foreign[0] != '\0') {
        SWE_TRY(swe_folder_lock_check(ctx, path)); /* a window that another run writes just now */
        return swe_fail(ctx, SWE_CANNOT_CREATE,
                        "%.300s: was not written by the profiler, and --overwrite would remove it: "
                        "move it away",
                        old.foreign);
    }
    return SWE_OK;
}

swe_status cli_profile_folder_lock(swe_context *ctx, const char *path, const swe_config *config,
                                   swe_folder_lock *out)
{
    *out = (swe_folder_lock){.file = 0};
    if (!writes_profiles(config) && (!cli_profiles_concern(config) || access(path, F_OK) != 0))
        return SWE_OK;
    SWE_TRY(cli_folder_lock(ctx, path, out));
    return swe_folder_lock_sign(ctx, out);
}

swe_status cli_profile_folder_remove(swe_context *ctx, const char *path, const swe_config *config)
{
    if (!cli_profiles_concern(config))
        return SWE_OK;
    const old_files old = visit(path, &profiles, config, REMOVE);
    if (old.found > 0)
        rmdir(path); /* fails if the folder has other files, which stay */
    return old.failed ? swe_fail(ctx, SWE_CANNOT_CREATE, "%s: old profiles cannot be removed", path)
                      : SWE_OK;
}

void cli_profile_folder_remove_unfinished(const char *path)
{
    visit(path, &profiles, NULL, REMOVE_UNFINISHED);
}
