/* THE DATAFLOW of a window: stages, the buffers that they read and write, and what bounds them.
 *
 * What a stage must move and compute comes from trace->costs, when and how long it ran from the
 * spans of the window's steps; stages called outside of steps are not counted there. */
#ifndef PROFILING_OUTPUTS_DATAFLOW_GRAPH_H
#define PROFILING_OUTPUTS_DATAFLOW_GRAPH_H

#include "trace/roofline.h"
#include "trace/trace.h"

/* Times are ns, 0 where not known; on a GPU those of its operations, otherwise of the host. */
typedef struct flow_stage {
    const char *name;
    const prof_cost *cost; /* NULL: not known */
    int64_t calls;         /* within steps */
    double calls_per_step;
    double time;            /* of a call: median */
    double mean;            /* of a call, as its costs are: rates, class and savings are of it */
    double time_per_step;   /* of all calls in a step: mean */
    double share;           /* of the time of a step */
    double read, written;   /* bytes of a call; 0 without a cost */
    prof_roofline roofline; /* of the mean call */
    /* of a memory-bound stage: time in a step that a memory would save that takes no time. At
     * least what its bytes take at copy bandwidth less what its arithmetic takes at the ceiling; at
     * most all but its arithmetic */
    double least_saving, most_saving;
} flow_stage;

/* A buffer; the bytes of it are the most that a call accesses. */
typedef struct flow_buffer {
    const char *name;
    double bytes;
    double read_per_step, written_per_step;
    int32_t first_stage; /* that accesses it, */
    bool written_first;  /* and only writes it */
} flow_buffer;

/* What one stage reads or writes of one buffer. */
typedef struct flow_edge {
    int32_t stage, buffer;
    bool writes;
    double bytes; /* of a call */
} flow_edge;

typedef struct flow_graph {
    flow_stage *stages; /* by their first span in a step; then those with costs that did not run */
    int32_t stage_count;
    flow_buffer *buffers; /* by their first access in that order */
    int32_t buffer_count;
    flow_edge *edges; /* by stage */
    int32_t edge_count;
    const flow_stage **offload; /* memory-bound stages, the largest least saving first */
    int32_t offload_count;
    int64_t steps;    /* seen */
    double step_time; /* mean */
} flow_graph;

/* False if there is no memory. */
bool flow_graph_of(const prof_trace *trace, flow_graph *graph);
void flow_graph_destroy(flow_graph *graph);

static inline double flow_bytes_per_step(const flow_graph *graph, const flow_edge *edge)
{
    return edge->bytes * graph->stages[edge->stage].calls_per_step;
}

/* Give every stage its class, roofline and savings, and rank them; `offload` has room for all. */
void flow_bound_stages(flow_graph *graph, prof_ceilings ceilings);

const char *flow_class_name(prof_bound bound); /* NULL if it is unknown */

#endif
