/* plugins/profile/<run>/<host>.xplane.pb: the trace for XProf and TensorBoard. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "outputs/output.h"
#include "base/text.h"
#include "outputs/xplane/internal.h"

/* [bytes]; longer texts are cut. */
enum { HOST_SIZE = 256, NAME_SIZE = 320, PATH_SIZE = 4200 };

/* A rank, which XProf shows as a host of the run. */
typedef struct member {
    const prof_trace *trace;
    char host[HOST_SIZE];
} member;

/* "plugins/profile/2026_11_20_15_48_37/node-1.xplane.pb": the path where TensorBoard expects the
 * file. The time is the start of the trace in UTC. */
static void file_name(const member *m, char name[NAME_SIZE])
{
    const time_t seconds = (time_t)(m->trace->start / 1000000000);
    struct tm date;
    gmtime_r(&seconds, &date);
    size_t at = strftime(name, NAME_SIZE, "plugins/profile/%Y_%m_%d_%H_%M_%S/", &date);
    for (const char *c = m->host; *c != '\0' && at + sizeof ".xplane.pb" < NAME_SIZE; c++)
        name[at++] = isalnum((unsigned char)*c) || strchr("-_.", *c) != NULL ? *c : '_';
    snprintf(name + at, NAME_SIZE - at, ".xplane.pb");
}

/* Create the folders of the path `name` in `directory`. False: after one warning. */
static bool make_folders(const char *directory, const char *name, swe_log *log)
{
    char path[PATH_SIZE];
    for (const char *slash = strchr(name, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        snprintf(path, sizeof path, "%s/%.*s", directory, (int)(slash - name), name);
        if (mkdir(path, 0777) == 0 || errno == EEXIST)
            continue;
        swe_warn(log, "%s/%s: cannot be created: %s: %s", directory, name, path, strerror(errno));
        return false;
    }
    return true;
}

static void add_warning(FILE *space, const char *text)
{
    char line[SWE_LOG_LENGTH];
    snprintf(line, sizeof line, "%s", text);
    swe_to_utf8(line);
    char *lines = line;
    ProfXplane__Space piece = PROF_XPLANE__SPACE__INIT;
    piece.n_warnings = 1;
    piece.warnings = &lines;
    prof_file_pack(space, &piece.base);
}

/* One warning for all drops: XProf shows each warning in a box of its own. */
static void add_drops(const prof_drops *drops, FILE *space)
{
    const struct {
        int64_t count;
        const char *what;
    } reasons[] = {{drops->spans, "regions and thread shares beyond the limit"},
                   {drops->ops, "GPU operations and calls beyond the limit"},
                   {drops->records, "records that CUPTI dropped because its buffers were full"},
                   {drops->rejected, "records without valid times"},
                   {drops->unknown, "records of unsupported kinds"}};
    char line[SWE_LOG_LENGTH];
    const char *separator = "not in this trace: ";
    size_t at = 0;
    for (size_t k = 0; k < sizeof reasons / sizeof *reasons; k++)
        if (reasons[k].count > 0) {
            at += (size_t)snprintf(line + at, sizeof line - at, "%s%" PRId64 " %s", separator,
                                   reasons[k].count, reasons[k].what);
            separator = ", ";
        }
    if (at > 0)
        add_warning(space, line);
}

/* Write the host's name and the warnings. */
static void add_remarks(const member *m, FILE *space)
{
    const prof_trace *trace = m->trace;
    char host[HOST_SIZE];
    snprintf(host, sizeof host, "%s", m->host);
    swe_to_utf8(host);
    char *hosts = host;
    ProfXplane__Space piece = PROF_XPLANE__SPACE__INIT;
    piece.n_hostnames = 1;
    piece.hostnames = &hosts;
    prof_file_pack(space, &piece.base);
    for (int32_t k = 0; k < trace->warning_count; k++)
        add_warning(space, trace->warnings[k]);
    add_drops(&trace->drops, space);
}

/* Write the plane with the start and the end of the trace [ns since the epoch]. */
static bool write_task(const prof_trace *trace, FILE *space)
{
    xplane_plane plane;
    xplane_begin(&plane, XPLANE_ID_TASK, "Task Environment", trace->start);
    xplane_stats stats = {.plane = &plane};
    xplane_stat_natural(&stats, "profile_start_time", (uint64_t)trace->start);
    xplane_stat_natural(&stats, "profile_stop_time", (uint64_t)trace->end);
    xplane_plane_stats(&stats);
    return xplane_end(&plane, space);
}

/* Write the file of a rank. False: after one warning. */
static bool write_member(const member *m, const char *directory, swe_log *log)
{
    const prof_trace *trace = m->trace;
    char name[NAME_SIZE];
    file_name(m, name);
    if (!make_folders(directory, name, log))
        return false;
    FILE *space = prof_file_open(directory, name, log);
    if (space == NULL)
        return false;
    add_remarks(m, space);
    xplane_program program = {.kernel_count = 0};
    const bool complete = (!trace->device.is_gpu || xplane_program_of(trace, &program)) &&
                          xplane_write_devices(trace, &program, space) &&
                          xplane_write_host(trace, space) &&
                          (!trace->device.is_gpu || xplane_write_module(trace, &program, space)) &&
                          write_task(trace, space);
    xplane_program_destroy(&program);
    if (complete)
        return prof_file_close(space, directory, name, log);
    fclose(space);
    swe_warn(log, "%s/%s: cannot be written: out of memory", directory, name);
    return false;
}

bool prof_write_xplane(const prof_trace *trace, const char *directory, swe_log *log)
{
    bool written = true;
    for (int32_t rank = 0; rank < prof_trace_shown(trace) && written; rank++) {
        member m = {.trace = prof_trace_of_rank(trace, rank)};
        if (trace->rank_count > 0)
            snprintf(m.host, sizeof m.host, "%.*s_rank_%d", HOST_SIZE - 20, m.trace->host, rank);
        else
            snprintf(m.host, sizeof m.host, "%s", trace->host);
        written = write_member(&m, directory, log);
    }
    return written;
}
