/* How a report comes about: windows are loaded, then what follows from them is derived. */
#ifndef PROFILING_REPORT_INTERNAL_H
#define PROFILING_REPORT_INTERNAL_H

#include "report/pool.h"
#include "report/reader.h"
#include "report/report.h"

/* The folders of the windows that a directory stands for: the directory of a run's results (with
 * profile/ in it), of profiles (with step_<first step>/ in it) or of one window (with summary.json
 * in it). In order of their first steps. */
const char **find_windows(pool *pool, const char *directory, int *count);

/* Load summary.json, an open file. What is told there of the run goes to `report`. */
void load_summary(reader *reader, const node *summary, prof_report *report,
                  prof_report_window *window);
/* Load one window: its summary.json, and its timeline.json if there is one. */
prof_load load_window(const char *folder, prof_log *log, pool *pool, prof_report *report,
                      prof_report_window *window);
/* What the GPU did: kernels, copies, calls, its time and samples. */
void load_gpu(reader *reader, const node *summary, prof_report_window *window);
/* The timeline, from a file that is there. */
prof_load load_timeline(const char *file, prof_log *log, pool *pool, prof_timeline *timeline);

/* The log of the GPU's state, if the file is there. One that is not what it should be is left out,
 * with one warning. */
void load_log(const char *file, prof_log *log, pool *pool, prof_report_log *out);

/* Stages with their costs: `costs` of the summary. To be loaded after all else. */
void load_stages(reader *reader, const node *summary, bool is_gpu, prof_report_window *window);
/* One of them; NULL if it did not run. */
prof_report_stage *stage_named(const prof_report_window *window, const char *name);

/* What the GPU counted, beside the costs: to be loaded after the stages. */
void load_counters(reader *reader, const node *summary, prof_report_window *window);

/* Rates and the roofline, once everything is loaded. */
void derive_rates(const prof_report_device *device, prof_report_window *window);

/* Indicators, findings and checks; each reads what was made before it. */
void derive_indicators(pool *pool, const prof_report *report, prof_report_window *window);
void derive_findings(pool *pool, const prof_report *report, prof_report_window *window);
void derive_checks(pool *pool, const prof_report *report, prof_report_window *window);

/* Whether both are known and differ by more than the threshold of the findings. */
bool counters_differ(const prof_cost_check *pair);

/* How many stages have a quantity that differs. */
int counters_count_differing(const prof_report_window *window);

/* Why there is nothing that was counted, and how to get it; a sentence or two. */
const char *counters_missing_reason(const prof_report *report, const prof_report_window *window);

/* Bytes and operations of stages side by side: the sentence that says how they compare. */
enum { COUNTERS_VERDICT_SIZE = 200 };
void counters_verdict(const prof_report_window *window, char text[COUNTERS_VERDICT_SIZE]);

#endif
