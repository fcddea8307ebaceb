/* The files that a dataflow is written to. */
#ifndef PROFILING_OUTPUTS_DATAFLOW_FILES_H
#define PROFILING_OUTPUTS_DATAFLOW_FILES_H

#include <jansson.h>
#include <stdio.h>

#include "outputs/dataflow/graph.h"

/* dataflow.json, as dataflow.schema.json describes it. NULL if there is no memory. */
json_t *flow_json(const prof_trace *trace, const flow_graph *graph);

/* dataflow.dot. */
void flow_put_dot(FILE *file, const prof_trace *trace, const flow_graph *graph);

#endif
