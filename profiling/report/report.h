/* The report of a profiled run: loading, text and page.
 *
 * Loaded from the files of a profile (summary.json, timeline.json of every window, gpu_log.csv
 * beside them), with derived data: rates, indicators, findings, the checklist. Texts and
 * arrays belong to the report. */
#ifndef PROFILING_REPORT_REPORT_H
#define PROFILING_REPORT_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/input_file.h"
#include "base/log.h"
#include "window/record.h"

/* Load the profile in a directory: that of a run's results (with profile/ in it), of profiles (with
 * step_<first step>/ in it) or of one window (with summary.json in it). A window that cannot be
 * read is left out of several, with one warning that names it. After a failure one line of the log
 * names the file and the error, and there is no report. */
swe_load prof_report_load(const char *directory, swe_log *log, prof_report **report);
void prof_report_destroy(prof_report **report);

/* Print the report for a terminal: at most 100 columns wide, with ANSI colours if `colours` is
 * true. */
void prof_report_print(const prof_report *report, FILE *out, bool colours);

/* The report as JSON (report.schema.json); NULL if there is no memory. */
json_t *prof_report_json(const prof_report *report);

/* Write the page, a self-contained file, and its JSON beside it: report.html and
 * report.json. False after one warning that names the file and the reason. */
bool prof_report_write(const prof_report *report, const char *path, swe_log *log);

#endif
