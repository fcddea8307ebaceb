#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

/* Names of the files that our commands write. */
static const char *const result_patterns[] = {
    "configuration.yaml", "diagnostics.csv", "summary.json", "fields_*.nc",
    "fields_*.nc.tmp",    "convergence.*",   "profile.json", "profile.md"};

static bool is_result(const char *name)
{
    for (size_t k = 0; k < sizeof result_patterns / sizeof result_patterns[0]; k++)
        if (fnmatch(result_patterns[k], name, 0) == 0)
            return true;
    return false;
}

/* Look at every entry that is a result; remove it if asked. Number found, -1 on failure. */
static int visit_results(const char *path, bool remove_them)
{
    DIR *directory = opendir(path);
    if (directory == NULL)
        return -1;
    int found = 0;
    for (struct dirent *entry; found >= 0 && (entry = readdir(directory)) != NULL;) {
        if (!is_result(entry->d_name))
            continue;
        found++;
        if (remove_them && unlinkat(dirfd(directory), entry->d_name, 0) != 0)
            found = -1;
    }
    closedir(directory);
    return found;
}

/* Make a directory and those above it. */
static bool make_path(const char *path)
{
    char part[4096];
    const size_t length = strlen(path);
    if (length == 0 || length >= sizeof part)
        return false;
    memcpy(part, path, length + 1);
    for (size_t k = 1; k <= length; k++) {
        if (part[k] != '/' && part[k] != '\0')
            continue;
        const char end = part[k];
        part[k] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return false;
        part[k] = end;
    }
    return true;
}

swe_status cli_directory_check(swe_context *ctx, const char *path)
{
    char part[4096];
    struct stat info;
    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part || path[0] == '\0')
        return swe_fail(ctx, SWE_CANNOT_CREATE, "'%.200s': cannot be created", path);
    while (stat(part, &info) != 0) { /* the nearest folder that is there */
        char *slash = strrchr(part, '/');
        if (errno != ENOENT && errno != ENOTDIR)
            return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: %s", path, strerror(errno));
        if (slash == NULL)
            strcpy(part, ".");
        else if (slash == part)
            part[1] = '\0';
        else
            *slash = '\0';
    }
    if (!S_ISDIR(info.st_mode) || access(part, W_OK | X_OK) != 0)
        return swe_fail(ctx, SWE_CANNOT_CREATE,
                        "%s: cannot be created: %s is no directory that can "
                        "be written",
                        path, part);
    return SWE_OK;
}

swe_status cli_directory_create(swe_context *ctx, const char *path, bool overwrite)
{
    if (path[0] == '\0')
        return swe_fail(ctx, SWE_CANNOT_CREATE, "the output directory has no name");
    if (!make_path(path))
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: cannot be created: %s", path, strerror(errno));
    const int found = visit_results(path, false);
    if (found < 0 || access(path, W_OK | X_OK) != 0)
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: not a directory that can be written", path);
    if (found > 0 && !overwrite)
        return swe_fail(ctx, SWE_CANNOT_CREATE,
                        "%s: holds results already (--overwrite replaces them)", path);
    if (found > 0 && visit_results(path, true) < 0)
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: old results cannot be removed: %s", path,
                        strerror(errno));
    return SWE_OK;
}

swe_status cli_file_open(swe_context *ctx, const char *directory, const char *name, FILE **out)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    *out = fopen(path, "w");
    if (*out == NULL)
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: %s", path, strerror(errno));
    return SWE_OK;
}

swe_status cli_file_close(swe_context *ctx, const char *directory, const char *name, FILE **file)
{
    const bool failed = ferror(*file) != 0;
    const bool closed = fclose(*file) == 0;
    *file = NULL;
    if (failed || !closed)
        return swe_fail(ctx, SWE_IO, "%s/%s: cannot be written", directory, name);
    return SWE_OK;
}
