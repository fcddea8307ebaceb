/* The report of a profiled run: loading, text and page.
 *
 * Loaded from the files of a profile (summary.json of every window, timeline.json of the shown one,
 * gpu_log.csv beside them), with derived data: rates, indicators, findings, the checklist. Texts,
 * arrays and the timeline belong to the report. */
#ifndef PROFILING_REPORT_REPORT_H
#define PROFILING_REPORT_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/input_file.h"
#include "base/log.h"
#include "window/record.h"

/* Load the profile in a directory. The directory holds the results of a run (with profile/),
 * profiles (with step_<first step>/) or one window (with summary.json). If one of several windows
 * cannot be read, it is left out, with one warning that names it. After a failure one line of the
 * log names the file and the error, and *report is NULL. Free the report with
 * prof_report_destroy. */
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
