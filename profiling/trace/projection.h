/* Regions projected on the GPU: when the work ran that was launched in them. */
#ifndef PROFILING_TRACE_PROJECTION_H
#define PROFILING_TRACE_PROJECTION_H

#include "trace/trace.h"

typedef struct prof_projection {
    int64_t start, end; /* first start and last end of the operations; meaningless without them */
    int64_t ops;        /* launched in the span or in one below it */
} prof_projection;

/* Of every span of a trace, at its index; to be freed. NULL if there is no memory. */
prof_projection *prof_project(const prof_trace *trace);

#endif
