/* Building tracks: flows, slices of spans, calls and operations, and rows of slices. */
#ifndef PROFILING_OUTPUTS_PERFETTO_INTERNAL_H
#define PROFILING_OUTPUTS_PERFETTO_INTERNAL_H

#include "outputs/items.h"
#include "outputs/perfetto/tracks.h"

/* Flows from calls, or else regions, to the operations of a GPU that they launched. Sources are the
 * calls, then the spans, numbered consecutively. The number of a flow is the index of its operation
 * plus `base`. Flows of messages have larger numbers, the same on the rank that sends and on the
 * rank that receives. */
typedef struct prof_flows {
    uint64_t base; /* of the rank */
    uint64_t
        *message; /* flows of the messages between ranks that the trace shows: of those that an
                     exchange receives from its first message on, then of those that it sends */
    int32_t *received, *sent; /* their numbers, of each exchange */
    int64_t *source;          /* by operation; -1: none */
    int64_t *first; /* index into `flow` of each source's first flow, and one past the last */
    uint64_t *flow;
} prof_flows;

/* Create the flows of a trace that is shown beside those of `ranks` ranks. False: out of memory.
 * Destroy the flows even after a failure. */
bool prof_flows_create(prof_flows *flows, const prof_trace *trace, int32_t ranks);
void prof_flows_destroy(prof_flows *flows);

/* Set the slice of the span, call or operation `index`: name, category, arguments and flows. Spans
 * are followed by two slices for each exchange: messages are sent, and have been received. */
typedef void prof_slice_function(const prof_trace *trace, const prof_flows *flows, int64_t index,
                                 prof_slice *slice);

prof_slice_function prof_slice_of_span;
prof_slice_function prof_slice_of_call;
prof_slice_function prof_slice_of_op;

/* Append an argument. The slice keeps the pointers `name` and `text`. */
void prof_argument_count(prof_slice *slice, const char *name, uint64_t count);
void prof_argument_text(prof_slice *slice, const char *name, const char *text);

/* Passes tracks and slices to a sink. */
typedef struct prof_emitter {
    const prof_trace *trace; /* of the rank */
    int32_t ranks;           /* that the trace shows */
    int32_t added;   /* to its process and thread ids: those of other machines must differ */
    char prefix[24]; /* before names of process and GPUs: "rank 3: " */
    const prof_sink *sink;
    prof_flows flows;
    int32_t tracks; /* emitted so far */
} prof_emitter;

/* Assign the id of a track (and its group, if it is a process or GPU), and pass it to the sink. */
void prof_emit_track(prof_emitter *emitter, prof_track *track);

/* Emit the track of a row with all items of that row; `items` has `left` items from the row on.
 * With `nest` an item that encloses another is its parent. If two items cross, the later one goes
 * to an additional track. Returns the number of items of the row; -1: out of memory. */
int64_t prof_emit_row(prof_emitter *emitter, const prof_track *track, int64_t row,
                      const prof_item *items, int64_t left, prof_slice_function *slice_of,
                      bool nest);

#endif
