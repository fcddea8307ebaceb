/* Where the files of a profile are. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compare/loading.h"

enum { PATH_SIZE = 4300 };

prof_load loading_fails(const loading *file, prof_load status, const char *format, ...)
{
    char why[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    snprintf(file->reason, PROF_REASON_SIZE, "%.220s: %s", file->path, why);
    return status;
}

bool loading_number(const loading *file, const json_t *object, const char *key, double *out)
{
    const json_t *value = json_object_get(object, key);
    *out = json_number_value(value);
    if (json_is_number(value) && *out >= 0.0)
        return true;
    loading_fails(file, PROF_LOAD_BAD, "%s is not a number, or a negative one", key);
    return false;
}

const char *loading_text(const loading *file, const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (text == NULL)
        loading_fails(file, PROF_LOAD_BAD, "%s is not a text", key);
    return text;
}

/* Read one file, whatever profile it is. */
static prof_load read_file(const char *path, char *reason, prof_measured *measured)
{
    const loading file = {path, reason};
    json_error_t error;
    FILE *stream = fopen(path, "r");
    if (stream == NULL)
        return loading_fails(&file, PROF_LOAD_MISSING, "%s", strerror(errno));
    json_t *all = json_loadf(stream, JSON_REJECT_DUPLICATES, &error);
    fclose(stream);
    if (all == NULL)
        return loading_fails(&file, PROF_LOAD_BAD, "line %d: %s", error.line, error.text);
    const char *schema = json_string_value(json_object_get(all, "schema"));
    prof_load status;
    if (schema != NULL && strcmp(schema, "cubeswe-profile") == 0)
        status = measured_read_window(&file, all, measured);
    else if (json_is_array(json_object_get(all, "components")))
        status = measured_read_study(&file, all, measured);
    else
        status =
            loading_fails(&file, PROF_LOAD_BAD,
                          "is not of a profile (cubeswe run --profile and cubeswe profile make "
                          "them)");
    json_decref(all);
    if (status == PROF_LOAD_NO_MEMORY)
        loading_fails(&file, status, "out of memory");
    return status;
}

/* step_<digits>: a window that is complete. */
static int is_window(const struct dirent *entry)
{
    const char *digits = entry->d_name + 5;
    return strncmp(entry->d_name, "step_", 5) == 0 && isdigit((unsigned char)*digits) &&
           digits[strspn(digits, "0123456789")] == '\0';
}

/* In the order of their steps: longer numbers are larger. */
static int by_step(const struct dirent **a, const struct dirent **b)
{
    const size_t length_a = strlen((*a)->d_name), length_b = strlen((*b)->d_name);
    if (length_a != length_b)
        return length_a < length_b ? -1 : 1;
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Read all windows of a folder; PROF_LOAD_MISSING, without a reason, if there are none. */
static prof_load read_windows(const char *folder, char *reason, prof_measured *measured)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, is_window, by_step);
    prof_load status = count > 0 ? PROF_LOADED : PROF_LOAD_MISSING;
    for (int k = 0; k < count; k++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%.3900s/%s/summary.json", folder, entries[k]->d_name);
        if (status == PROF_LOADED)
            status = read_file(path, reason, measured);
        free(entries[k]);
    }
    free(entries);
    return status;
}

static bool is_there(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

static prof_load read_folder(const char *path, char *reason, prof_measured *measured)
{
    char inner[PATH_SIZE];
    snprintf(inner, sizeof inner, "%.4000s/profile.json", path);
    if (is_there(inner))
        return read_file(inner, reason, measured);
    snprintf(inner, sizeof inner, "%.4000s/profile", path);
    prof_load status = read_windows(inner, reason, measured);
    if (status == PROF_LOAD_MISSING && reason[0] == '\0')
        status = read_windows(path, reason, measured);
    if (status != PROF_LOAD_MISSING || reason[0] != '\0')
        return status;
    snprintf(inner, sizeof inner, "%.4000s/summary.json", path);
    if (is_there(inner))
        return read_file(inner, reason, measured);
    const loading folder = {path, reason};
    return loading_fails(&folder, PROF_LOAD_MISSING,
                         "holds no profile (profile.json, or step_*/summary.json here or in "
                         "profile/)");
}

prof_load prof_measured_load(const char *path, prof_measured **out, char reason[PROF_REASON_SIZE])
{
    const loading whole = {path, reason};
    struct stat info;
    *out = NULL;
    reason[0] = '\0';
    if (stat(path, &info) != 0)
        return loading_fails(&whole, PROF_LOAD_MISSING, "%s", strerror(errno));
    prof_measured *measured = calloc(1, sizeof *measured);
    if (measured == NULL)
        return loading_fails(&whole, PROF_LOAD_NO_MEMORY, "out of memory");
    snprintf(measured->path, sizeof measured->path, "%s", path);
    const prof_load status = S_ISDIR(info.st_mode) ? read_folder(path, reason, measured)
                                                   : read_file(path, reason, measured);
    if (status == PROF_LOADED)
        *out = measured;
    else
        prof_measured_destroy(&measured);
    return status;
}
