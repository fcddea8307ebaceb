/* The outputs: each writes what a trace holds to a file or a few in the folder of its window. */
#ifndef PROFILING_OUTPUTS_OUTPUT_H
#define PROFILING_OUTPUTS_OUTPUT_H

#include <stdio.h>

#include "record/log.h"
#include "trace/trace.h"

/* Write a trace to files in `directory`, which is there. False, after one warning that names the
 * file and the reason, if that could not be done. */
typedef bool prof_output(const prof_trace *trace, const char *directory, prof_log *log);

prof_output prof_write_perfetto; /* trace.perfetto-trace */
prof_output prof_write_json;     /* trace.json.gz */
prof_output prof_write_xplane;   /* plugins/profile/<run>/<host>.xplane.pb */
prof_output prof_write_memory;   /* memory_before.pprof.gz, memory.pprof.gz */
prof_output prof_write_tables;   /* *.csv */
prof_output prof_write_dataflow; /* dataflow.json, dataflow.dot */
prof_output prof_write_summary;  /* summary.json */
prof_output prof_write_timeline; /* timeline.json */

/* Open DIRECTORY/NAME for writing; NULL after a warning. Close it; false after a warning if
 * anything could not be written. */
FILE *prof_file_open(const char *directory, const char *name, prof_log *log);
bool prof_file_close(FILE *file, const char *directory, const char *name, prof_log *log);

/* Write bytes to DIRECTORY/NAME, compressed by gzip. */
bool prof_file_write_gzip(const char *directory, const char *name, const void *bytes, size_t size,
                          prof_log *log);

#endif
