/* The parts of summary.json; summary.schema.json says what each holds. NULL if there is no memory.
 */
#ifndef PROFILING_OUTPUTS_SUMMARY_PARTS_H
#define PROFILING_OUTPUTS_SUMMARY_PARTS_H

#include <jansson.h>

#include "trace/projection.h"
#include "trace/trace.h"

/* Host */
json_t *summary_steps(const prof_trace *trace, const prof_projection *projections);
json_t *summary_regions(const prof_trace *trace, const prof_projection *projections);
json_t *summary_threads(const prof_trace *trace);
json_t *summary_calls(const prof_trace *trace);

/* GPU; `summary_gpu` is null where none computed or its time was not measured, `summary_counters`
 * where nothing was counted. */
json_t *summary_kernels(const prof_trace *trace);
json_t *summary_copies(const prof_trace *trace);
json_t *summary_stages(const prof_trace *trace);
json_t *summary_gpu(const prof_trace *trace);
json_t *summary_counters(const prof_trace *trace);

json_t *summary_costs(const prof_trace *trace);
json_t *summary_ceilings(const prof_trace *trace);
json_t *summary_memory(const prof_trace *trace);

#endif
