/* Outputs: each writes one view of a window's trace to files in the window's folder. */
#ifndef PROFILING_OUTPUTS_OUTPUT_H
#define PROFILING_OUTPUTS_OUTPUT_H

#include <jansson.h>
#include <stdio.h>

#include "base/log.h"
#include "window/statistics.h"
#include "window/trace.h"
#include "window/record.h"

/* Write a trace to files in `directory`, which must exist. On failure one warning names the file
 * and the reason, and the result is false. */
typedef bool prof_output(const prof_trace *trace, const char *directory, swe_log *log);

prof_output prof_write_perfetto; /* trace.perfetto-trace */
prof_output prof_write_json;     /* trace.json.gz */
prof_output prof_write_xplane;   /* plugins/profile/<run>/<host>.xplane.pb */
prof_output prof_write_memory;   /* memory_before.pprof.gz, memory.pprof.gz */
prof_output prof_write_tables;   /* *.csv */
prof_output prof_write_dataflow; /* dataflow.json, dataflow.dot, step.mlir */
prof_output prof_write_summary;  /* summary.json */
prof_output prof_write_timeline; /* timeline.json */

/* Open DIRECTORY/NAME for writing; NULL after one warning. */
FILE *prof_file_open(const char *directory, const char *name, swe_log *log);
/* Flush and close a file; false after one warning if any of its bytes could not be written. */
bool prof_file_close(FILE *file, const char *directory, const char *name, swe_log *log);

/* Append a protobuf message. The file keeps its own write errors, which prof_file_close reports;
 * NULL is no file. */
struct ProtobufCMessage;
void prof_file_pack(FILE *file, const struct ProtobufCMessage *message);

/* A gzip stream (zlib's gzFile) over an open file. Close it with gzclose before the file. NULL with
 * errno on failure. */
struct gzFile_s *prof_gzip_open(FILE *file);
/* Write `size` bytes to DIRECTORY/NAME, compressed by gzip. False after one warning. */
bool prof_file_write_gzip(const char *directory, const char *name, const void *bytes, size_t size,
                          swe_log *log);

/* ---- JSON ---- */

/* Measured peaks (`ceilings` in summary.schema.json). */
prof_report_peaks prof_peaks_of(const prof_trace *trace);

/* Write a document to DIRECTORY/NAME and release it; `flags` are json_dumpf's. False after one
 * warning. */
bool prof_json_write(json_t *document, size_t flags, const char *directory, const char *name,
                     swe_log *log);

/* ---- rows of comma-separated values (RFC 4180, lines end in LF) ---- */

typedef struct csv {
    FILE *file;
    bool within_row;
} csv;

/* Append a field. It is quoted where necessary, and preceded by an apostrophe if a spreadsheet
 * could evaluate it as a formula. NULL is an empty field. */
void csv_text(csv *out, const char *text);
void csv_format(csv *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void csv_integer(csv *out, int64_t value);
void csv_real(csv *out, double value, int decimals);
void csv_empty(csv *out, int fields);
void csv_end_row(csv *out);

/* Statistics of a group as nsys prints them: mean, median, least, most and standard deviation [ns],
 * five fields. csv_summary writes share (percent of `all`), total and count before them, eight. */
void csv_times(csv *out, const prof_group *group);
void csv_summary(csv *out, const prof_group *group, int64_t all);

/* ---- the folder of a window: DIRECTORY/step_<first step>/ ----
 *
 * It is written under a hidden name and renamed when it is complete. */

/* Write all outputs of a window: always tables, memory, dataflow, summary and timeline; in mode
 * PROF_TRACE also the trace files of `files` (prof_trace_file bits). If one of them cannot be
 * written, the folder is removed, one warning gives the reason, and the result is false. */
bool prof_window_folder_write(const prof_trace *trace, const char *directory, unsigned files,
                              swe_log *log);

#endif
