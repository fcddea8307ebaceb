/* The folder of a window: DIRECTORY/step_<first step>/, there when it is complete. */
#ifndef PROFILING_OUTPUTS_WINDOW_FOLDER_H
#define PROFILING_OUTPUTS_WINDOW_FOLDER_H

#include "record/log.h"
#include "trace/trace.h"

/* Write all outputs of a window: always tables, memory, dataflow and summary; in mode PROF_TRACE
 * the trace files of `files` (prof_trace_file bits), too. If one of them cannot be written the
 * folder is not there afterwards, and one warning says why. */
bool prof_window_folder_write(const prof_trace *trace, const char *directory, unsigned files,
                              prof_log *log);

/* Whether an entry of DIRECTORY has the name of a window's folder, finished or not. */
bool prof_window_folder_is_named(const char *name);

/* Whether a window's folder holds nothing but what is written there, or what XProf leaves beside
 * its trace; otherwise `foreign` takes the path of something else. Links are something else. */
bool prof_window_folder_is_own(const char *path, char *foreign, size_t size);

/* Remove a window's folder if it is nothing but that. False if something is left. */
bool prof_window_folder_remove(const char *path);

#endif
