/* Loads a report: finds the windows of a profile, reads them, derives the diagnosis. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/output_file.h"
#include "outputs/output.h"
#include "report/internal.h"

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool path_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

/* Whether an entry is the folder of a complete window. */
static int is_window(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && prof_window_folder_is_named(entry->d_name);
}

/* By first step: names have eight digits or more. */
static int compare_names(const struct dirent **a, const struct dirent **b)
{
    const size_t x = strlen((*a)->d_name), y = strlen((*b)->d_name);
    return x != y ? (x > y) - (x < y) : strcmp((*a)->d_name, (*b)->d_name);
}

/* Paths of the windows in a folder of profiles; none if it is not such a folder. */
static const char **windows_in(pool *pool, const char *path, int *count)
{
    struct dirent **names = NULL;
    const int found = scandir(path, &names, is_window, compare_names);
    const char **folders = found > 0 ? pool_array(pool, (size_t)found, sizeof *folders) : NULL;
    *count = folders != NULL ? found : 0;
    for (int k = 0; k < found; k++) {
        if (folders != NULL)
            folders[k] = pool_text(pool, "%s/%s", path, names[k]->d_name);
        free(names[k]);
    }
    free(names);
    return folders;
}

const char **find_windows(pool *pool, const char *directory, int *count)
{
    const char *inner = pool_text(pool, "%s/profile", directory);
    const char **folders = windows_in(pool, is_folder(inner) ? inner : directory, count);
    if (*count > 0 || is_folder(inner) ||
        !path_exists(pool_text(pool, "%s/summary.json", directory)))
        return folders;
    folders = pool_array(pool, 1, sizeof *folders);
    if (folders == NULL)
        return NULL;
    folders[0] = directory;
    *count = 1;
    return folders;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Index of the window with the median step time; of two, the earlier. */
static int median_window(pool *pool, const prof_report *report)
{
    double *times = pool_array(pool, (size_t)report->window_count, sizeof *times);
    int known = 0, shown = 0;
    for (int k = 0; times != NULL && k < report->window_count; k++)
        if (isfinite(report->windows[k].step))
            times[known++] = report->windows[k].step;
    if (known == 0)
        return 0;
    qsort(times, (size_t)known, sizeof *times, compare_doubles);
    while (report->windows[shown].step != times[(known - 1) / 2])
        shown++;
    return shown;
}

/* Load one more window and pass on the notes of its reader, or state why it cannot be loaded. */
static swe_load read_window(prof_report *report, const char *folder, prof_report *run,
                            swe_log *notes, const char **why)
{
    swe_log log = {0};
    prof_report_window *window = &report->windows[report->window_count];
    *run = (prof_report){0};
    *window = (prof_report_window){0}; /* a window that failed may have left members */
    const swe_load status = load_window(folder, &log, report->pool, run, window);
    if (status == SWE_LOADED) {
        derive_rates(run, window);
        report->window_count++;
        for (int k = 0; k < log.count; k++)
            swe_log_once(notes, log.line[k]);
    } else if (log.count > 0) {
        *why = pool_text(report->pool, "%s", log.line[log.count - 1]);
    }
    return status;
}

/* Load the windows that can be read, `window_count` of them then; each of the others is one
 * warning. If there is none, the first one's failure. */
static swe_load read_windows(prof_report *report, const char **folders, prof_report *runs,
                             swe_log *log)
{
    const int found = report->window_count;
    const char **why = pool_array(report->pool, (size_t)found, sizeof *why);
    swe_load first = SWE_LOADED;
    report->window_count = 0;
    for (int k = 0; k < found; k++) {
        const swe_load status =
            why != NULL ? read_window(report, folders[k], &runs[report->window_count], log, &why[k])
                        : SWE_LOAD_NO_MEMORY;
        if (status == SWE_LOAD_NO_MEMORY)
            return status;
        first = k == 0 ? status : first;
    }
    if (report->window_count == 0) {
        swe_warn(log, "%s", why[0]);
        return first;
    }
    for (int k = 0; k < found; k++)
        if (why[k] != NULL)
            swe_warn(log, "%.900s; this window is left out", why[k]);
    return SWE_LOADED;
}

/* Read all windows. The facts of the run are read from the shown window. */
static swe_load load_windows(prof_report *report, const char **folders, swe_log *log)
{
    prof_report *runs = pool_array(report->pool, (size_t)report->window_count, sizeof *runs);
    if (report->windows == NULL || runs == NULL)
        return SWE_LOAD_NO_MEMORY;
    const swe_load status = read_windows(report, folders, runs, log);
    if (status != SWE_LOADED)
        return status;
    prof_report whole = runs[median_window(report->pool, report)];
    whole.directory = report->directory;
    whole.windows = report->windows;
    whole.window_count = report->window_count;
    whole.shown = median_window(report->pool, report);
    whole.pool = report->pool;
    for (int k = 0; k < report->window_count; k++)
        if (runs[k].process != whole.process || strcmp(runs[k].host, whole.host) != 0) {
            swe_warn(log, "%s: holds windows of several runs; the report shows the run of %s",
                     report->directory, report->windows[whole.shown].folder);
            break;
        }
    *report = whole;
    return SWE_LOADED;
}

static swe_load load(prof_report *report, swe_log *log)
{
    if (!is_folder(report->directory)) {
        swe_warn(log, "%s: %s", report->directory,
                 path_exists(report->directory) ? "no directory" : strerror(errno));
        return SWE_LOAD_MISSING;
    }
    const char **folders = find_windows(report->pool, report->directory, &report->window_count);
    if (report->window_count == 0 && !report->pool->failed) {
        swe_warn(log, "%s: no profile in it (cubeswe run --profile writes one)", report->directory);
        return SWE_LOAD_MISSING;
    }
    if (report->window_count == 0)
        return SWE_LOAD_NO_MEMORY;
    report->windows =
        pool_array(report->pool, (size_t)report->window_count, sizeof *report->windows);
    swe_load status = load_windows(report, folders, log);
    if (status == SWE_LOADED)
        status = load_timeline(report->windows[report->shown].folder, log, report->pool,
                               &report->timeline);
    if (status == SWE_LOADED)
        load_log(pool_text(report->pool, "%s/../gpu_log.csv", folders[0]), log, report->pool,
                 &report->log);
    for (int k = 0; status == SWE_LOADED && k < report->window_count; k++) {
        derive_indicators(report->pool, report, &report->windows[k]);
        derive_findings(report->pool, report, &report->windows[k]);
        derive_checks(report->pool, report, &report->windows[k]);
    }
    return status == SWE_LOADED && report->pool->failed ? SWE_LOAD_NO_MEMORY : status;
}

swe_load prof_report_load(const char *directory, swe_log *log, prof_report **out)
{
    prof_report *report = calloc(1, sizeof *report);
    swe_load status = SWE_LOAD_NO_MEMORY;
    *out = NULL;
    if (report != NULL)
        report->pool = pool_create();
    if (report != NULL && report->pool != NULL) {
        report->directory = pool_text(report->pool, "%s", directory);
        status = load(report, log);
    }
    if (status == SWE_LOAD_NO_MEMORY)
        swe_warn(log, "%s: out of memory for the report", directory);
    if (status == SWE_LOADED)
        *out = report;
    else
        prof_report_destroy(&report);
    return status;
}

void prof_report_destroy(prof_report **report)
{
    if (*report == NULL)
        return;
    json_decref((*report)->timeline);
    pool_destroy(&(*report)->pool);
    free(*report);
    *report = NULL;
}
