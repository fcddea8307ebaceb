/* Dataflow of a window: stages, the buffers that they read and write, and the bound of each stage.
 *
 * Bytes and operations of a stage come from trace->costs; calls and times come from the spans of
 * the window's steps and from steps within graphs. Calls outside of steps are not counted. */
#ifndef PROFILING_OUTPUTS_DATAFLOW_DATAFLOW_H
#define PROFILING_OUTPUTS_DATAFLOW_DATAFLOW_H

#include <jansson.h>
#include <stdio.h>

#include "window/device_model.h"
#include "window/trace.h"

/* Times are ns, 0 where unknown: on a GPU of the operations, otherwise of the host. */
typedef struct flow_stage {
    const char *name;
    const prof_cost *cost; /* NULL: unknown */
    int64_t calls;         /* within steps */
    double calls_per_step;
    double time;          /* of a call, median */
    double mean;          /* of a call; costs are means too, so rates, bound and savings use it */
    double time_per_step; /* of all calls in a step, mean */
    double share;         /* of the time of a step */
    double read, written; /* bytes of a call; 0 without a cost */
    double reach;         /* bytes (window/reach.h); NAN: unknown */
    const prof_cache *cache; /* that serves it; NULL: the memory of the device */
    prof_roofline roofline;  /* of the mean call */
    /* Memory-bound stages: time per step [ns] that an infinitely fast memory would save. The lower
     * bound assumes that bytes move at the copy bandwidth of what serves the stage and arithmetic
     * runs at its peak; the upper bound assumes that all time beyond arithmetic at its peak is
     * spent on memory. */
    double least_saving, most_saving;
} flow_stage;

typedef struct flow_buffer {
    const char *name;
    const prof_buffer *array; /* NULL: shape unknown */
    double bytes;             /* largest number that one call accesses */
    double read_per_step, written_per_step;
    int32_t first_stage; /* first stage that accesses it */
    bool written_first;  /* whether that stage only writes it */
} flow_buffer;

/* One access of a stage to a buffer. */
typedef struct flow_edge {
    int32_t stage, buffer;
    bool writes;
    double bytes; /* of a call */
} flow_edge;

typedef struct flow_graph {
    flow_stage *stages; /* by first span in a step, then by first call in a graph; then stages with
                           costs that did not run */
    int32_t stage_count;
    flow_buffer *buffers; /* by first access in the order of the stages */
    int32_t buffer_count;
    flow_edge *edges; /* by stage */
    int32_t edge_count;
    int32_t *calls;             /* stages of one step in the order of their calls */
    int32_t call_count;         /* 0: no step was recorded */
    const flow_stage **offload; /* memory-bound stages, largest least_saving first */
    int32_t offload_count;
    int64_t steps;    /* in the window */
    double step_time; /* mean, ns */
} flow_graph;

/* Build the graph of a trace, whose names and costs it refers to. False: out of memory. */
bool flow_graph_of(const prof_trace *trace, flow_graph *graph);
void flow_graph_destroy(flow_graph *graph);

static inline double flow_bytes_per_step(const flow_graph *graph, const flow_edge *edge)
{
    return edge->bytes * graph->stages[edge->stage].calls_per_step;
}

/* Set the cache, class, roofline and savings of every stage, and rank the memory-bound ones;
 * `offload` has room for all stages. flow_graph_of does this. */
void flow_bound_stages(flow_graph *graph, const prof_peaks *peaks);

const char *flow_class_name(prof_bound bound); /* NULL: unknown */

/* ON-CHIP MEMORY that holds the working set of a call: whole fields, one panel, or a block of rows
 * of one panel with the halo rows of the stencil.
 *
 * Assumptions: fields on a cubed sphere of 6 panels with n + 1 rows, each buffer spread evenly over
 * them; interior stencils of order p, which reach p/2 rows to either side; every buffer that is
 * read needs these halo rows, one that is only written needs none; a buffer that is read and
 * written is held once. n and p are the run facts "n" and "order". */
enum { FLOW_PANELS = 6, FLOW_BLOCKS = 4 };

extern const int flow_block_rows[FLOW_BLOCKS]; /* rows of the blocks, ascending */

typedef struct flow_shape {
    double rows; /* of a panel; 0: unknown */
    double halo; /* rows to either side; negative: unknown */
} flow_shape;

flow_shape flow_shape_of(const prof_trace *trace);

/* Bytes of the whole working set of a call, and of a block of `rows` rows of a panel with its halo;
 * the shape must be known. */
double flow_whole_bytes(const prof_cost *cost);
double flow_block_bytes(const prof_cost *cost, flow_shape shape, int rows);

/* TRANSFERS: the copies of a window, by direction and size class. */
typedef enum flow_direction {
    FLOW_HOST_TO_DEVICE,
    FLOW_DEVICE_TO_HOST,
    FLOW_DEVICE_TO_DEVICE,
    FLOW_ELSEWHERE, /* arrays, peers, host to host */
    FLOW_DIRECTIONS
} flow_direction;

/* Class k holds copies of flow_size_from(k) <= bytes < flow_size_from(k + 1); the last class has no
 * upper limit. */
enum { FLOW_SIZES = 6 };
uint64_t flow_size_from(int size);

typedef struct flow_transfer {
    int64_t count, time; /* ns */
    uint64_t bytes;      /* copied, each byte counted once */
} flow_transfer;

typedef struct flow_transfers {
    flow_transfer of[FLOW_DIRECTIONS][FLOW_SIZES];
} flow_transfers;

flow_transfers flow_transfers_of(const prof_trace *trace);
const char *flow_direction_name(flow_direction direction);

/* Write dataflow.dot; step.mlir, StableHLO. False: out of memory. */
bool flow_write_dot(FILE *file, const prof_trace *trace, const flow_graph *graph);
bool flow_write_stablehlo(FILE *file, const prof_trace *trace, const flow_graph *graph);

/* The array of a buffer; one dimension of buffer->bytes where its shape is not known. */
prof_buffer flow_array_of(const prof_trace *trace, const flow_buffer *buffer);

/* A text within quotes, cut to 199 bytes. Bytes that are not UTF-8 become '?', control characters
 * spaces. `ampersand` replaces each '&'. */
void flow_write_text(FILE *file, const char *text, const char *ampersand);

#endif
