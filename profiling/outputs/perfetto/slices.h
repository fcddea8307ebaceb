/* Slices of spans, calls and operations: their names, categories, arguments and flows. */
#ifndef PROFILING_OUTPUTS_PERFETTO_SLICES_H
#define PROFILING_OUTPUTS_PERFETTO_SLICES_H

#include "outputs/perfetto/flows.h"
#include "outputs/perfetto/timeline.h"

/* The slice of span, call or operation number `index`. */
typedef void prof_slice_function(const prof_trace *trace, const prof_flows *flows, int64_t index,
                                 prof_slice *slice);

prof_slice_function prof_slice_of_span;
prof_slice_function prof_slice_of_call;
prof_slice_function prof_slice_of_op;

void prof_argument_count(prof_slice *slice, const char *name, uint64_t count);
void prof_argument_text(prof_slice *slice, const char *name, const char *text);

#endif
