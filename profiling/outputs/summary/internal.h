/* Sections of summary.json; summary.schema.json defines each. NULL: out of memory. */
#ifndef PROFILING_OUTPUTS_SUMMARY_INTERNAL_H
#define PROFILING_OUTPUTS_SUMMARY_INTERNAL_H

#include <jansson.h>

#include "trace/analysis.h"
#include "trace/trace.h"

/* One item for each group; destroys the groups. NULL for NULL. */
json_t *summary_groups(prof_groups *groups, json_t *(*item)(const prof_group *group));

/* Host; `projections` are those of prof_project, one per span. */
json_t *summary_steps(const prof_trace *trace, const prof_projection *projections);
json_t *summary_regions(const prof_trace *trace, const prof_projection *projections);
json_t *summary_threads(const prof_trace *trace);
json_t *summary_parts(const prof_trace *trace);
json_t *summary_calls(const prof_trace *trace);

/* GPU. summary_gpu is null without a GPU and in mode counters; summary_counters is null unless
 * counters were measured. */
json_t *summary_kernels(const prof_trace *trace);
json_t *summary_copies(const prof_trace *trace);
json_t *summary_stages(const prof_trace *trace, const prof_projection *projections);
json_t *summary_gpu(const prof_trace *trace);
json_t *summary_counters(const prof_trace *trace);

/* All ranks; null for one. */
json_t *summary_ranks(const prof_trace *trace);

/* The device that computed, CPU or GPU. */
json_t *summary_memory(const prof_trace *trace);
json_t *summary_costs(const prof_trace *trace);

#endif
