/* Build tracks from spans, calls and GPU operations, with their flows. */
#ifndef PROFILING_OUTPUTS_PERFETTO_INTERNAL_H
#define PROFILING_OUTPUTS_PERFETTO_INTERNAL_H

#include "outputs/items.h"
#include "outputs/perfetto/tracks.h"

/* A launch flow connects a call with a GPU operation that it launched. If the call is unknown, the
 * operation's span is the source. Source numbers: calls first, then spans from call_count on. The
 * number of a launch flow is the index of its operation plus `base`. Message flows have larger
 * numbers. Sender and receiver use the same number. */
typedef struct prof_flows {
    uint64_t base; /* offset of the rank's launch flows */
    /* Flow numbers of messages between shown ranks. Received messages of an exchange start at its
     * index `first`, its sent messages at `first` + `received` of the exchange. */
    uint64_t *message;
    int32_t *received, *sent; /* counts of these messages, by exchange */
    int64_t *source;          /* by operation; -1: none */
    int64_t *first;           /* index into `flow`, by source; one extra entry at the end */
    uint64_t *flow;           /* numbers of launch flows, sorted by source */
} prof_flows;

/* Create the flows of one of `ranks` traces that are shown together. False: out of memory. Destroy
 * the flows even after a failure. */
bool prof_flows_create(prof_flows *flows, const prof_trace *trace, int32_t ranks);
void prof_flows_destroy(prof_flows *flows);

/* Set every member of the slice of span, call or operation `index`. Each exchange has two indices
 * after the spans: sent messages, then received messages. The slice points into `trace`, `flows`
 * and itself: do not copy it. */
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
    int32_t ranks;           /* number of shown ranks */
    int32_t added;           /* offset of process and thread ids: ids of two machines must differ */
    char prefix[24];         /* before names of process and GPUs: "rank 3: " */
    const prof_sink *sink;
    prof_flows flows;
    int32_t tracks; /* emitted so far */
} prof_emitter;

/* Set the id of a track and pass the track to the sink. A process or GPU track becomes its own
 * group. */
void prof_emit_track(prof_emitter *emitter, prof_track *track);

/* Emit one row on a track. `items` points to the row's first item; `left` items remain in the list.
 * With `nest`, an enclosing item becomes the parent. Of two items that overlap otherwise, the later
 * item goes to an additional track. Returns the number of items of the row; -1: out of memory. */
int64_t prof_emit_row(prof_emitter *emitter, const prof_track *track, int64_t row,
                      const prof_item *items, int64_t left, prof_slice_function *slice_of,
                      bool nest);

#endif
