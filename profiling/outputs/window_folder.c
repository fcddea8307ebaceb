#include "outputs/window_folder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output_file.h"
#include "outputs/folder.h"
#include "outputs/output.h"

/* Every output, and the bit that asks for it (0: always). */
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

static bool write_all(const prof_trace *trace, const char *folder, unsigned files, prof_log *log)
{
    for (size_t k = 0; k < sizeof outputs / sizeof outputs[0]; k++) {
        const bool asked =
            outputs[k].file == 0 || (trace->mode == PROF_TRACE && (files & outputs[k].file) != 0);
        if (asked && !outputs[k].write(trace, folder, log))
            return false;
    }
    return true;
}

/* Put the new name of a window on the disk. */
static bool publish_name(const char *directory, prof_log *log)
{
    if (prof_output_sync_folder(directory))
        return true;
    prof_warn(log, "%s: cannot be put on the disk: %s", directory, strerror(errno));
    return false;
}

bool prof_window_folder_write(const prof_trace *trace, const char *directory, unsigned files,
                              prof_log *log)
{
    char partial[PROF_PATH_SIZE], whole[PROF_PATH_SIZE];
    /* the process's number keeps runs that share the directory apart */
    const int length = snprintf(partial, sizeof partial, "%s/.step_%08" PRId64 ".%ld.partial",
                                directory, trace->first_step, (long)getpid());
    if (length >= (int)sizeof partial) {
        prof_warn(log, "%.200s...: the path is too long", directory);
        return false;
    }
    snprintf(whole, sizeof whole, "%s/step_%08" PRId64, directory, trace->first_step);
    if (!prof_folder_make(directory) || mkdir(partial, 0777) != 0) {
        prof_warn(log, "%s: cannot be created: %s", partial, strerror(errno));
        return false;
    }
    if (write_all(trace, partial, files, log)) {
        if (prof_output_sync_folder(partial) && rename(partial, whole) == 0) {
            prof_output_moved(partial, whole);
            return publish_name(directory, log);
        }
        prof_warn(log, "%s: cannot be created: %s", whole, strerror(errno));
    }
    prof_output_moved(partial, NULL);
    prof_window_folder_remove(partial);
    return false;
}
