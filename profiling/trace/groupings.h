/* What a trace holds, in the groups that tables and summary tell: see statistics.h. Items are
 * `const prof_op *`, `const prof_call *` or `const prof_span *` into the trace. To be destroyed;
 * NULL if there is no memory. */
#ifndef PROFILING_TRACE_GROUPINGS_H
#define PROFILING_TRACE_GROUPINGS_H

#include "trace/projection.h"
#include "trace/statistics.h"
#include "trace/trace.h"

/* Kernels by name; and by everything that a launch has: name, stage, grid, block, resources. */
prof_groups *prof_group_kernels(const prof_trace *trace);
prof_groups *prof_group_launches(const prof_trace *trace);

/* Copies and fills by name: their times, or their bytes. */
prof_groups *prof_group_copy_times(const prof_trace *trace);
prof_groups *prof_group_copy_sizes(const prof_trace *trace);

/* Operations by the region that launched or captured them. */
prof_groups *prof_group_stages(const prof_trace *trace);

/* Calls by kind and name. */
prof_groups *prof_group_calls(const prof_trace *trace);

/* Regions by kind and name: their times on the host, or those of their projections for those that
 * have operations. */
prof_groups *prof_group_regions(const prof_trace *trace);
prof_groups *prof_group_projected(const prof_trace *trace, const prof_projection *projections);

/* Threads' parts of stages, by stage and thread. */
prof_groups *prof_group_parts(const prof_trace *trace);

/* Length of a call's name without the version that CUPTI appends ("_v7000"), as nsys tells it. */
int prof_call_name_length(const char *name);

#endif
