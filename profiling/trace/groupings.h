/* Groupings of a trace's records for tables and summary, with statistics (statistics.h).
 *
 * Items are `const prof_op *`, `const prof_call *` or `const prof_span *` into the trace; values
 * are times [ns], or sizes [B]. The caller owns the result (prof_groups_destroy); NULL without
 * memory. */
#ifndef PROFILING_TRACE_GROUPINGS_H
#define PROFILING_TRACE_GROUPINGS_H

#include "trace/projection.h"
#include "trace/statistics.h"
#include "trace/trace.h"

/* Kernels by name; and by launch: name, stage, grid, block, resources. */
prof_groups *prof_group_kernels(const prof_trace *trace);
prof_groups *prof_group_launches(const prof_trace *trace);

/* Copies and fills by name: their times, or their bytes. */
prof_groups *prof_group_copy_times(const prof_trace *trace);
prof_groups *prof_group_copy_sizes(const prof_trace *trace);

/* Operations by stage. */
prof_groups *prof_group_stages(const prof_trace *trace);

/* Calls by kind and name. */
prof_groups *prof_group_calls(const prof_trace *trace);

/* Regions by kind and name: host times; or the times of their GPU operations (projection.h). */
prof_groups *prof_group_regions(const prof_trace *trace);
prof_groups *prof_group_projected(const prof_trace *trace, const prof_projection *projections);

/* Threads' shares of stages, by stage and thread. */
prof_groups *prof_group_thread_shares(const prof_trace *trace);

/* Length of a call's name without CUPTI's version suffix ("_v7000"), as nsys prints it. */
int prof_call_name_length(const char *name);

#endif
