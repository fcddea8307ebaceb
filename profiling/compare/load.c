/* Where the files of a profile are. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compare/reading.h"
#include "report/parts.h"

/* Read one file, whatever profile it is. */
static prof_load read_file(const char *path, prof_log *log, prof_measured *measured)
{
    node all;
    reader r = {.log = log, .pool = pool_create()};
    if (r.pool == NULL)
        return PROF_LOAD_NO_MEMORY;
    if (reader_open(&r, path, &all)) {
        if (json_is_array(json_object_get(all.value, "components")))
            measured_read_study(&r, &all, measured);
        else
            measured_read_window(&r, &all, measured);
    }
    if (r.status == PROF_LOADED && r.pool->failed)
        r.status = PROF_LOAD_NO_MEMORY;
    reader_close(&r);
    pool_destroy(&r.pool);
    return r.status;
}

static bool is_there(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

static prof_load read_folder(pool *pool, const char *path, prof_log *log, prof_measured *measured)
{
    const char *study = pool_text(pool, "%s/profile.json", path);
    int count = 0;
    if (is_there(study))
        return read_file(study, log, measured);
    const char **windows = find_windows(pool, path, &count);
    prof_load status = pool->failed ? PROF_LOAD_NO_MEMORY : PROF_LOADED;
    for (int k = 0; k < count && status == PROF_LOADED; k++)
        status = read_file(pool_text(pool, "%s/summary.json", windows[k]), log, measured);
    if (count > 0 || status != PROF_LOADED)
        return status;
    prof_warn(log,
              "%s: holds no profile (profile.json, or step_*/summary.json here or in profile/)",
              path);
    return PROF_LOAD_MISSING;
}

prof_load prof_measured_load(const char *path, prof_log *log, prof_measured **out)
{
    struct stat info;
    *out = NULL;
    if (stat(path, &info) != 0) {
        prof_warn(log, "%s: %s", path, strerror(errno));
        return PROF_LOAD_MISSING;
    }
    prof_measured *measured = calloc(1, sizeof *measured);
    pool *pool = pool_create();
    prof_load status = PROF_LOAD_NO_MEMORY;
    if (measured != NULL && pool != NULL) {
        snprintf(measured->path, sizeof measured->path, "%s", path);
        status = S_ISDIR(info.st_mode) ? read_folder(pool, path, log, measured)
                                       : read_file(path, log, measured);
    }
    pool_destroy(&pool);
    if (status == PROF_LOAD_NO_MEMORY)
        prof_warn(log, "%s: out of memory", path);
    if (status == PROF_LOADED)
        *out = measured;
    else
        prof_measured_destroy(&measured);
    return status;
}
