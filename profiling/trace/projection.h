/* Regions projected onto the GPU: the time span of the operations launched in each region. */
#ifndef PROFILING_TRACE_PROJECTION_H
#define PROFILING_TRACE_PROJECTION_H

#include "trace/trace.h"

typedef struct prof_projection {
    int64_t start, end; /* first start and last end [ns]; undefined if ops is 0 */
    int64_t ops;        /* launched in the span or its descendants */
} prof_projection;

/* Projections of all spans, by span index; the caller frees the array. NULL without memory. */
prof_projection *prof_project(const prof_trace *trace);

#endif
