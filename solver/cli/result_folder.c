#define _DEFAULT_SOURCE /* realpath */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/cli.h"
#include "cli/folders.h"
#include "cli/kept_results.h"

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

/* fields_<step>.nc and fields_order<p>_n<n>.nc, complete or not. */
static bool is_field_file(const char *name)
{
    const char *end = after_digits(name, "fields_", 8);
    const char *n = after_digits(name, "fields_order", 1);
    if (n != NULL)
        end = after_digits(n, "_n", 4);
    return end != NULL && (strcmp(end, ".nc") == 0 || strcmp(end, ".nc.tmp") == 0);
}

/* A result, or an incomplete one: <name>.tmp. */
static bool is_result(const char *name)
{
    for (size_t k = 0; k < sizeof result_names / sizeof result_names[0]; k++) {
        const size_t length = strlen(result_names[k]);
        if (strncmp(name, result_names[k], length) == 0 &&
            (name[length] == '\0' || strcmp(name + length, ".tmp") == 0))
            return true;
    }
    return is_field_file(name);
}

static bool is_unfinished(const char *name)
{
    const size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".tmp") == 0;
}

/* Whether a run that was killed before its first result may leave this file. */
static bool is_remains(const char *name)
{
    return strcmp(name, "progress.json") == 0 || is_unfinished(name);
}

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

/* Earlier results of a folder. */
typedef struct old_results {
    int found;
    int remains;       /* number of progress.json and incomplete files among them */
    const char *input; /* an input of the command among them; NULL: none */
    char folder[300];  /* a folder with the name of a result; "": none */
    bool failed;       /* the directory cannot be read, or a file not removed */
} old_results;

static bool is_folder(int directory, const char *name)
{
    struct stat info;
    return fstatat(directory, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
}

/* Inspect every result of a folder; remove it if `remove_them`. */
static old_results visit_results(const char *path, const swe_config *config, bool remove_them)
{
    old_results old = {.found = 0};
    char inner[4600];
    DIR *directory = opendir(path);
    if (directory == NULL) {
        old.failed = true;
        return old;
    }
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (!is_result(entry->d_name))
            continue;
        old.found++;
        old.remains += is_remains(entry->d_name);
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (old.input == NULL)
            old.input = cli_input_at(config, inner);
        if (is_folder(dirfd(directory), entry->d_name))
            snprintf(old.folder, sizeof old.folder, "%s", entry->d_name);
        if (remove_them && unlinkat(dirfd(directory), entry->d_name, 0) != 0)
            old.failed = true;
    }
    closedir(directory);
    return old;
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

bool cli_result_folder_is_begun(const char *path, const swe_config *config)
{
    const old_results old = visit_results(path, config, false);
    return !old.failed && old.found == old.remains;
}

swe_status cli_result_folder_check(swe_context *ctx, const char *path, const swe_config *config,
                                   bool overwrite)
{
    char folder[4096];
    SWE_TRY(cli_nearest_folder(ctx, path, folder, sizeof folder));
    if (strcmp(folder, path) != 0)
        return SWE_OK; /* it does not exist yet */
    const old_results old = visit_results(path, config, false);
    if (old.failed)
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: cannot be read: %s", path, strerror(errno));
    if (old.found > old.remains && !overwrite)
        return swe_fail(ctx, SWE_CANNOT_CREATE,
                        "%s: holds results already (--overwrite replaces them)", path);
    if (old.folder[0] != '\0')
        return swe_fail(ctx, SWE_CANNOT_CREATE,
                        "%s/%s: a folder in the place of a result: move it away", path, old.folder);
    if (old.input != NULL)
        return cli_refuse_removal(ctx, old.input, path);
    return SWE_OK;
}

swe_status cli_result_folder_keep(swe_context *ctx, const char *path)
{
    swe_status status = SWE_OK;
    DIR *directory = opendir(path);
    if (directory == NULL)
        return swe_fail(ctx, SWE_CANNOT_CREATE, "%s: cannot be read: %s", path, strerror(errno));
    for (struct dirent *entry; status == SWE_OK && (entry = readdir(directory)) != NULL;)
        if (is_result(entry->d_name))
            status = cli_kept_move(ctx, path, entry->d_name, entry->d_name);
    closedir(directory);
    return status;
}

void cli_result_folder_remove(const char *path, const swe_config *config)
{
    visit_results(path, config, true);
}

void cli_result_folder_remove_unfinished(const char *path)
{
    DIR *directory = opendir(path);
    if (directory == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        if (is_result(entry->d_name) && is_unfinished(entry->d_name))
            unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
}

swe_status cli_result_open(swe_context *ctx, const char *directory, const char *name,
                           prof_output_file *out)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return swe_durable_stream(ctx, path, out);
}

bool cli_result_has(const char *directory, const char *name, const char *text)
{
    char path[4200];
    const size_t length = strlen(text);
    struct stat info;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    const int file = prof_output_open(path, O_RDONLY);
    bool is_same = file >= 0 && fstat(file, &info) == 0 && (size_t)info.st_size == length;
    FILE *stream = is_same ? fdopen(file, "r") : NULL;
    for (size_t k = 0; stream != NULL && is_same && k < length; k++)
        is_same = getc(stream) == (unsigned char)text[k];
    is_same = is_same && stream != NULL && prof_output_list(path, file);
    if (stream != NULL)
        fclose(stream);
    else if (file >= 0)
        close(file);
    return is_same;
}

swe_status cli_result_write(swe_context *ctx, const char *directory, const char *name,
                            const char *text)
{
    char path[4200];
    prof_output_file out;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (cli_result_has(directory, name, text))
        return SWE_OK;
    SWE_TRY(swe_durable_stream(ctx, path, &out));
    fputs(text, out.stream); /* a failure is reported when the stream is closed */
    return swe_durable_end(ctx, &out);
}

swe_status cli_check_results(swe_context *ctx, swe_status status)
{
    swe_context found = {""};
    if ((status != SWE_OK && status != SWE_STOPPED) || swe_durable_check(&found) == SWE_OK)
        return status;
    return swe_fail(ctx, SWE_IO, "%s", found.message);
}
