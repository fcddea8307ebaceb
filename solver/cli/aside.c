#include "cli/aside.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/durable.h"
#include "outputs/window_folder.h"

enum { PATH = 4600 };

static const char aside[] = ".replaced", dropped[] = ".replaced.dropped";

static void path_of(const char *folder, const char *which, const char *name, char *out, size_t size)
{
    snprintf(out, size, "%s/%s%s%s", folder, which, name[0] != '\0' ? "/" : "", name);
}

void cli_aside_path(const char *folder, const char *name, char *out, size_t size)
{
    path_of(folder, aside, name, out, size);
}

static bool has(const char *folder, const char *which)
{
    char path[PATH];
    struct stat info;
    path_of(folder, which, "", path, sizeof path);
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool cli_aside_is_there(const char *folder)
{
    return has(folder, aside);
}

bool cli_aside_is_dropped(const char *folder)
{
    return has(folder, dropped);
}

static swe_status refuse(swe_context *ctx, const char *path, int error)
{
    return swe_fail(ctx, swe_durable_refusal(error), "%s: cannot be moved aside: %s", path,
                    strerror(error));
}

swe_status cli_aside_make(swe_context *ctx, const char *folder)
{
    char path[PATH];
    path_of(folder, aside, "", path, sizeof path);
    return mkdir(path, 0777) == 0 || errno == EEXIST ? SWE_OK : refuse(ctx, path, errno);
}

swe_status cli_aside_move(swe_context *ctx, const char *folder, const char *name, const char *as)
{
    char from[PATH], to[PATH];
    snprintf(from, sizeof from, "%s/%s", folder, name);
    path_of(folder, aside, as, to, sizeof to);
    SWE_TRY(cli_aside_make(ctx, folder));
    return rename(from, to) == 0 || errno == ENOENT ? SWE_OK : refuse(ctx, from, errno);
}

/* Do something to every entry; errno of the last failure, 0 if there was none. */
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

void cli_aside_restore(const char *folder)
{
    char path[PATH];
    const int error = visit(folder, aside, rename);
    path_of(folder, aside, "", path, sizeof path);
    if (error == 0 && rmdir(path) == 0)
        return;
    fprintf(stderr,
            "cubeswe: warning: %s: earlier results stay there, and cannot be put back: %s\n", path,
            strerror(error != 0 ? error : errno));
}

swe_status cli_aside_decide(swe_context *ctx, const char *folder)
{
    char from[PATH], to[PATH];
    if (!cli_aside_is_there(folder))
        return SWE_OK;
    cli_aside_remove(folder);
    path_of(folder, aside, "", from, sizeof from);
    path_of(folder, dropped, "", to, sizeof to);
    if (rename(from, to) == 0 && prof_output_sync_folder(folder)) {
        prof_output_moved(from, NULL);
        return SWE_OK;
    }
    return swe_fail(ctx, SWE_IO, "%s: cannot be renamed: %s", from, strerror(errno));
}

/* Results are files, and folders of the profiler's windows. */
static int take_away(const char *path, const char *home)
{
    struct stat info;
    (void)home;
    if (lstat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return prof_window_folder_remove(path) ? 0 : -1;
    return prof_output_remove(path) ? 0 : -1;
}

void cli_aside_remove(const char *folder)
{
    char path[PATH];
    path_of(folder, dropped, "", path, sizeof path);
    if (cli_aside_is_dropped(folder) && visit(folder, dropped, take_away) == 0)
        rmdir(path);
}
