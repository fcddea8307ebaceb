/* Internal functions of the report: loading of windows, then derivation of rates, indicators,
 * findings and checks. Texts and arrays belong to the pool; errors are one line of the log. */
#ifndef PROFILING_REPORT_INTERNAL_H
#define PROFILING_REPORT_INTERNAL_H

#include "base/json_reader.h"
#include "report/report.h"
#include "window/fields.h"

/* The folders of the windows that a directory stands for: the directory of a run's results (with
 * profile/ in it), of profiles (with step_<first step>/ in it) or of one window (with summary.json
 * in it). In order of their first steps. */
const char **find_windows(pool *pool, const char *directory, int *count);

/* Load summary.json, an open file. Facts of the run go to `report`. */
void load_summary(reader *reader, const node *summary, prof_report *report,
                  prof_report_window *window);
/* Load one window: its summary.json. Its timeline.json, if there is one, is checked only. */
swe_load load_window(const char *folder, swe_log *log, pool *pool, prof_report *report,
                     prof_report_window *window);
/* Refuse kernels that cannot have been launched; derive shares and bandwidths. */
void refuse_launches(reader *reader, const node *summary, const prof_report_window *window);
void derive_kernels_and_copies(prof_report_window *window);
/* Load the document of timeline.json, for its schema alone, with today's names of stages. Without
 * the file *timeline stays as it is. The caller releases it. */
swe_load load_timeline(const char *folder, swe_log *log, pool *pool, json_t **timeline);

/* Load the log of the GPU's state if the file exists. A malformed log is one warning, and `out`
 * stays empty. */
void load_log(const char *file, swe_log *log, pool *pool, prof_report_log *out);

/* Set the stages of a window by its regions, times on the GPU and costs. */
void load_stages(reader *reader, bool is_gpu, prof_report_window *window);
/* The stage of that name; NULL if it did not run. */
prof_report_stage *stage_named(const prof_report_window *window, const char *name);

/* Load GPU counters; call it after load_stages, whose static costs it reads. */
void load_counters(reader *reader, const node *summary, prof_report_window *window);

/* Load what the window has of all ranks. */
void load_ranks(reader *reader, const node *summary, prof_report_window *window);

/* Whether other threads used the cores of a CPU in a window: no ratio, grade or finding rests on
 * its times. */
bool is_disturbed(const prof_report *report, const prof_report_window *window);

/* Rates and the roofline, once everything is loaded. */
void derive_rates(const prof_report *report, prof_report_window *window);

/* Indicators, findings and checks; each reads the results of the previous ones. */
void derive_indicators(pool *pool, const prof_report *report, prof_report_window *window);
void derive_findings(pool *pool, const prof_report *report, prof_report_window *window);
void derive_checks(pool *pool, const prof_report *report, prof_report_window *window);

/* Whether both are known and differ by more than the threshold of the findings. */
bool counters_differ(const prof_cost_check *pair);

/* Number of stages in which bytes or operations differ. */
int counters_count_differing(const prof_report_window *window);

/* Why the window has no counters, and how to record them; one or two sentences. */
const char *counters_missing_reason(const prof_report *report, const prof_report_window *window);

/* One sentence: agreement of static cost and counters over all stages. */
enum { COUNTERS_VERDICT_SIZE = 200 };
void counters_verdict(const prof_report_window *window, char text[COUNTERS_VERDICT_SIZE]);

#endif
