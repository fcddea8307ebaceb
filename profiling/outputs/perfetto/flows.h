/* Flows: what launched an operation of a GPU, a call or else a region. */
#ifndef PROFILING_OUTPUTS_PERFETTO_FLOWS_H
#define PROFILING_OUTPUTS_PERFETTO_FLOWS_H

#include "trace/trace.h"

/* Sources are the calls, then the spans, numbered through. A flow's number is its operation's
 * index + 1. */
typedef struct prof_flows {
    int64_t *source; /* of each operation; -1: none */
    int64_t *first;  /* of each source, and one more: where its flows begin in `flow` */
    uint64_t *flow;
} prof_flows;

/* False if there is no memory; destroy it all the same. */
bool prof_flows_create(prof_flows *flows, const prof_trace *trace);
void prof_flows_destroy(prof_flows *flows);

#endif
