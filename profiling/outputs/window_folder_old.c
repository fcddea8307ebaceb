/* Windows of earlier runs: what is theirs, so that nothing else is ever removed. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outputs/folder.h"
#include "outputs/window_folder.h"

/* Levels below the folder: itself, plugins/, plugins/profile/, plugins/profile/<run>/. */
enum { LEVEL_WINDOW, LEVEL_PLUGINS, LEVEL_PROFILE, LEVEL_RUN };

static const char *const files[] = {"summary.json",          "timeline.json",
                                    "report.html",           "report.html.tmp",
                                    "report.json",           "report.json.tmp",
                                    "trace.perfetto-trace",  "trace.json.gz",
                                    "memory.pprof.gz",       "memory_before.pprof.gz",
                                    "dataflow.dot",          "dataflow.json",
                                    "cpu_thread_sum.csv",    "cuda_api_sum.csv",
                                    "cuda_gpu_kern_sum.csv", "cuda_gpu_mem_size_sum.csv",
                                    "cuda_gpu_trace.csv",    "cuda_gpu_mem_time_sum.csv",
                                    "kernel_stats.csv",      "nvtx_gpu_proj_sum.csv",
                                    "nvtx_sum.csv"};

static bool is_window_file(const char *name)
{
    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++)
        if (strcmp(name, files[k]) == 0)
            return true;
    return false;
}

static bool ends_with(const char *name, const char *end)
{
    const size_t length = strlen(name), wanted = strlen(end);
    return length >= wanted && strcmp(name + length - wanted, end) == 0;
}

/* The trace, and what XProf keeps of it. */
static bool is_xprof_file(const char *name)
{
    return ends_with(name, ".pb") || ends_with(name, ".SSTABLE") ||
           strcmp(name, "cache_version.txt") == 0 || strcmp(name, ".cached_tools.json") == 0;
}

static bool is_own_folder(int level, const char *name)
{
    return (level == LEVEL_WINDOW && strcmp(name, "plugins") == 0) ||
           (level == LEVEL_PLUGINS && strcmp(name, "profile") == 0) || level == LEVEL_PROFILE;
}

static bool is_own_file(int level, const char *name)
{
    return (level == LEVEL_WINDOW && is_window_file(name)) ||
           (level == LEVEL_RUN && is_xprof_file(name));
}

static bool walk(const char *path, int level, bool remove_them, char *foreign, size_t size);

/* An entry of a folder: whether it is own, and removed if asked. */
static bool visit(const char *path, const char *name, int level, bool remove_them, char *foreign,
                  size_t size)
{
    struct stat info;
    const bool found = lstat(path, &info) == 0;
    if (found && S_ISDIR(info.st_mode) && is_own_folder(level, name))
        return walk(path, level + 1, remove_them, foreign, size);
    if (found && S_ISREG(info.st_mode) && is_own_file(level, name))
        return !remove_them || unlink(path) == 0;
    snprintf(foreign, size, "%s", path);
    return false;
}

/* A folder: whether all in it is own, and with that removed if asked. */
static bool walk(const char *path, int level, bool remove_them, char *foreign, size_t size)
{
    char inner[PROF_PATH_SIZE];
    DIR *directory = opendir(path);
    if (directory == NULL) {
        snprintf(foreign, size, "%s", path);
        return false;
    }
    bool own = true;
    for (struct dirent *entry; own && (entry = readdir(directory)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        own = snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) < (int)sizeof inner &&
              visit(inner, entry->d_name, level, remove_them, foreign, size);
    }
    closedir(directory);
    return own && (!remove_them || rmdir(path) == 0);
}

/* The text after a number of at least `least` digits; NULL if there is none. */
static const char *after_number(const char *text, size_t least)
{
    const size_t digits = strspn(text, "0123456789");
    return digits >= least ? text + digits : NULL;
}

bool prof_window_folder_is_named(const char *name)
{
    const bool is_partial = name[0] == '.';
    name += is_partial;
    const char *end = strncmp(name, "step_", 5) == 0 ? after_number(name + 5, 8) : NULL;
    if (!is_partial || end == NULL)
        return end != NULL && *end == '\0';
    end = *end == '.' ? after_number(end + 1, 1) : NULL;
    return end != NULL && strcmp(end, ".partial") == 0;
}

bool prof_window_folder_is_own(const char *path, char *foreign, size_t size)
{
    struct stat info;
    snprintf(foreign, size, "%s", path);
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode) &&
           walk(path, LEVEL_WINDOW, false, foreign, size);
}

bool prof_window_folder_remove(const char *path)
{
    char foreign[PROF_PATH_SIZE];
    return prof_window_folder_is_own(path, foreign, sizeof foreign) &&
           walk(path, LEVEL_WINDOW, true, foreign, sizeof foreign);
}
