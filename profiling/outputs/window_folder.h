/* The folder of a window: DIRECTORY/step_<first step>/. It is written under a hidden name and
 * renamed when it is complete. */
#ifndef PROFILING_OUTPUTS_WINDOW_FOLDER_H
#define PROFILING_OUTPUTS_WINDOW_FOLDER_H

#include "record/log.h"
#include "trace/trace.h"

/* Write all outputs of a window: always tables, memory, dataflow, summary and timeline; in mode
 * PROF_TRACE also the trace files of `files` (prof_trace_file bits). If one of them cannot be
 * written, the folder is removed, one warning gives the reason, and the result is false. */
bool prof_window_folder_write(const prof_trace *trace, const char *directory, unsigned files,
                              prof_log *log);

/* Whether an entry of DIRECTORY has the name of a window's folder, complete or partial. */
bool prof_window_folder_is_named(const char *name);

/* Whether a folder holds only files that a window writes, or that XProf stores beside its trace.
 * Otherwise `foreign` receives the path of the first other entry. Links are other entries. */
bool prof_window_folder_is_own(const char *path, char *foreign, size_t size);

/* Remove a window's folder if it holds only such files. False if any of them remains. */
bool prof_window_folder_remove(const char *path);

#endif
