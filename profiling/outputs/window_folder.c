/* Files of outputs, plain and compressed; the folder of a window: writing, recognising, removing.
 */
#include "outputs/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <protobuf-c/protobuf-c.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/json.h"
#include "base/output_file.h"

/* ---- files ---- */

enum { PATH_SIZE = 4200 };

static void path_of(char path[PATH_SIZE], const char *directory, const char *name)
{
    snprintf(path, PATH_SIZE, "%s/%s", directory, name);
}

FILE *prof_file_open(const char *directory, const char *name, swe_log *log)
{
    char path[PATH_SIZE];
    path_of(path, directory, name);
    const int descriptor = swe_output_create(path);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "wb") : NULL;
    if (file == NULL)
        swe_warn(log, "%s: cannot be created: %s", path, swe_output_reason(errno));
    if (file == NULL && descriptor >= 0)
        close(descriptor);
    return file;
}

bool prof_file_close(FILE *file, const char *directory, const char *name, swe_log *log)
{
    char path[PATH_SIZE];
    path_of(path, directory, name);
    errno = 0;
    const bool failed = fflush(file) != 0 || ferror(file) != 0 || fsync(fileno(file)) != 0 ||
                        !swe_output_list(path, fileno(file));
    int reason = errno;
    const bool closed = fclose(file) == 0;
    if (!failed && closed)
        return true;
    if (reason == 0)
        reason = errno;
    swe_warn(log, "%s: cannot be written: %s", path, swe_output_reason(reason));
    return false;
}

typedef struct file_buffer {
    ProtobufCBuffer base;
    FILE *file;
} file_buffer;

static void append_bytes(ProtobufCBuffer *buffer, size_t size, const uint8_t *bytes)
{
    fwrite(bytes, 1, size, ((file_buffer *)buffer)->file);
}

void prof_file_pack(FILE *file, const ProtobufCMessage *message)
{
    file_buffer buffer = {{append_bytes}, file};
    if (file != NULL)
        protobuf_c_message_pack_to_buffer(message, &buffer.base);
}

gzFile prof_gzip_open(FILE *file)
{
    const int copy = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);
    gzFile out = copy >= 0 ? gzdopen(copy, "wb") : NULL;
    if (out == NULL && copy >= 0)
        close(copy);
    return out;
}

static bool write_pieces(gzFile out, const char *bytes, size_t size)
{
    bool written = out != NULL;
    while (size > 0 && written) {
        const unsigned length = size < 1u << 20 ? (unsigned)size : 1u << 20;
        written = gzwrite(out, bytes, length) == (int)length;
        bytes += length;
        size -= length;
    }
    return written;
}

bool prof_file_write_gzip(const char *directory, const char *name, const void *bytes, size_t size,
                          swe_log *log)
{
    FILE *file = prof_file_open(directory, name, log);
    if (file == NULL)
        return false;
    errno = 0;
    gzFile out = prof_gzip_open(file);
    const bool written = write_pieces(out, bytes, size);
    int reason = errno;
    const bool closed =
        out != NULL && gzclose(out) == Z_OK; /* writes the bytes that zlib still buffers */
    if (closed && written)
        return prof_file_close(file, directory, name, log);
    if (reason == 0)
        reason = errno;
    fclose(file);
    swe_warn(log, "%s/%s: cannot be written: %s", directory, name,
             reason != 0 ? strerror(reason) : "compression failed");
    return false;
}

/* ---- JSON ---- */

prof_report_peaks prof_peaks_of(const prof_trace *trace)
{
    const prof_peaks *peaks = &trace->peaks;
    const bool single = prof_is_single(trace);
    return (prof_report_peaks){.bandwidth = peaks->copy_bandwidth,
                               .fp64 = single ? 0.0 : peaks->flops,
                               .fp32 = single ? peaks->flops : 0.0,
                               .caches = peaks->caches,
                               .cache_count = peaks->cache_count};
}

bool prof_json_write(json_t *document, size_t flags, const char *directory, const char *name,
                     swe_log *log)
{
    FILE *file = prof_file_open(directory, name, log);
    if (file == NULL) {
        json_decref(document);
        return false;
    }
    const bool complete = document != NULL && json_dumpf(document, file, flags) == 0;
    json_decref(document);
    putc('\n', file);
    if (!complete && ferror(file) == 0)
        swe_warn(log, "%s/%s: out of memory", directory, name);
    return prof_file_close(file, directory, name, log) && complete;
}

/* ---- writing a window ---- */

/* Every output and the bit of prof_trace_file that selects it; 0: always written. */
static const struct {
    prof_output *write;
    unsigned file;
} outputs[] = {
    {prof_write_tables, 0},
    {prof_write_memory, 0},
    {prof_write_perfetto, PROF_FILE_PERFETTO},
    {prof_write_json, PROF_FILE_JSON},
    {prof_write_xplane, PROF_FILE_XPLANE},
    {prof_write_dataflow, 0},
    {prof_write_summary, 0},
    {prof_write_timeline, 0},
};

static bool write_all(const prof_trace *trace, const char *folder, unsigned files, swe_log *log)
{
    for (size_t k = 0; k < sizeof outputs / sizeof outputs[0]; k++) {
        const bool selected =
            outputs[k].file == 0 || ((trace->mode == PROF_TRACE || trace->mode == PROF_FULL) &&
                                     (files & outputs[k].file) != 0);
        if (selected && !outputs[k].write(trace, folder, log))
            return false;
    }
    return true;
}

bool prof_window_folder_write(const prof_trace *trace, const char *directory, unsigned files,
                              swe_log *log)
{
    char partial[SWE_PATH_SIZE], whole[SWE_PATH_SIZE];
    /* the process id separates runs that share the directory */
    const int length = snprintf(partial, sizeof partial, "%s/.step_%08" PRId64 ".%ld.partial",
                                directory, trace->first_step, (long)getpid());
    if (length >= (int)sizeof partial) {
        swe_warn(log, "%.200s...: the path is too long", directory);
        return false;
    }
    snprintf(whole, sizeof whole, "%s/step_%08" PRId64, directory, trace->first_step);
    if (!swe_folder_create(directory) || mkdir(partial, 0777) != 0) {
        swe_warn(log, "%s: cannot be created: %s", partial, strerror(errno));
        return false;
    }
    if (write_all(trace, partial, files, log)) {
        if (swe_output_sync_folder(partial) && rename(partial, whole) == 0) {
            swe_output_moved(partial, whole);
            /* the new name survives a crash once it is on the disk */
            if (swe_output_sync_folder(directory))
                return true;
            swe_warn(log, "%s: cannot be written to the disk: %s", directory, strerror(errno));
            return false;
        }
        swe_warn(log, "%s: cannot be created: %s", whole, strerror(errno));
    }
    swe_output_moved(partial, NULL);
    prof_window_folder_remove(partial);
    return false;
}

/* ---- recognising a window: only its own files are ever removed ----
 *
 * Levels below the folder: itself, plugins/, plugins/profile/, plugins/profile/<run>/. */
enum { LEVEL_WINDOW, LEVEL_PLUGINS, LEVEL_PROFILE, LEVEL_RUN };

static const char *const window_files[] = {"summary.json",
                                           "timeline.json",
                                           "report.html",
                                           "report.html.tmp",
                                           "report.json",
                                           "report.json.tmp",
                                           "trace.perfetto-trace",
                                           "trace.json.gz",
                                           "memory.pprof.gz",
                                           "memory_before.pprof.gz",
                                           "dataflow.dot",
                                           "dataflow.json",
                                           "step.hlo", /* of earlier versions */
                                           "step.mlir",
                                           "code_lines.csv",
                                           "cpu_thread_sum.csv",
                                           "cuda_api_sum.csv",
                                           "cuda_gpu_kern_sum.csv",
                                           "cuda_gpu_mem_size_sum.csv",
                                           "cuda_gpu_trace.csv",
                                           "cuda_gpu_mem_time_sum.csv",
                                           "kernel_stats.csv",
                                           "nvtx_gpu_proj_sum.csv",
                                           "nvtx_sum.csv"};

static bool ends_with(const char *name, const char *end)
{
    const size_t length = strlen(name), wanted = strlen(end);
    return length >= wanted && strcmp(name + length - wanted, end) == 0;
}

static bool is_own_folder(int level, const char *name)
{
    return (level == LEVEL_WINDOW && strcmp(name, "plugins") == 0) ||
           (level == LEVEL_PLUGINS && strcmp(name, "profile") == 0) || level == LEVEL_PROFILE;
}

static bool is_own_file(int level, const char *name)
{
    if (level == LEVEL_RUN) /* the trace, or one of XProf's cache files */
        return ends_with(name, ".pb") || ends_with(name, ".SSTABLE") ||
               strcmp(name, "cache_version.txt") == 0 || strcmp(name, ".cached_tools.json") == 0;
    for (size_t k = 0; level == LEVEL_WINDOW && k < sizeof window_files / sizeof *window_files; k++)
        if (strcmp(name, window_files[k]) == 0)
            return true;
    return false;
}

static bool check_folder(const char *path, int level, bool remove_them, char *foreign, size_t size);

/* Whether an entry of a folder is the window's own. With `remove_them` it is removed. Otherwise
 * `foreign` receives its path. */
static bool check_entry(const char *path, const char *name, int level, bool remove_them,
                        char *foreign, size_t size)
{
    struct stat info;
    const bool found = lstat(path, &info) == 0;
    if (found && S_ISDIR(info.st_mode) && is_own_folder(level, name))
        return check_folder(path, level + 1, remove_them, foreign, size);
    if (found && S_ISREG(info.st_mode) && is_own_file(level, name))
        return !remove_them || unlink(path) == 0;
    snprintf(foreign, size, "%s", path);
    return false;
}

/* Whether a folder holds only the window's own entries; with `remove_them` they and it are removed.
 */
static bool check_folder(const char *path, int level, bool remove_them, char *foreign, size_t size)
{
    char inner[SWE_PATH_SIZE];
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
              check_entry(inner, entry->d_name, level, remove_them, foreign, size);
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
           check_folder(path, LEVEL_WINDOW, false, foreign, size);
}

bool prof_window_folder_remove(const char *path)
{
    char foreign[SWE_PATH_SIZE];
    return prof_window_folder_is_own(path, foreign, sizeof foreign) &&
           check_folder(path, LEVEL_WINDOW, true, foreign, sizeof foreign);
}
