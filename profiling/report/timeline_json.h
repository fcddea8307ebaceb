/* Time series as JSON: timeline rows, sampled lines, gaps. NULL if out of memory.
 */
#ifndef PROFILING_REPORT_TIMELINE_JSON_H
#define PROFILING_REPORT_TIMELINE_JSON_H

#include <jansson.h>

#include "report/report.h"

/* Regions by depth, CPU threads, streams of the GPU; null if nothing is known. */
json_t *timeline_json(const prof_timeline *timeline);

/* Lines of at most LINE_POINTS points: those of many samples are the means of neighbours. */
enum { LINE_POINTS = 500 };
json_t *samples_json(const prof_timeline_sample *samples, int64_t count);
json_t *sampled_json(const prof_timeline *timeline);

/* Memory in use: times and bytes, where it changes. */
json_t *memory_json(const prof_timeline *timeline);

/* Gaps between the GPU's operations, by length. */
json_t *gaps_json(const prof_timeline *timeline);

#endif
