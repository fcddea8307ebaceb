/* Rows: what a thread or a stream did, as slices that nest. */
#ifndef PROFILING_OUTPUTS_PERFETTO_ROWS_H
#define PROFILING_OUTPUTS_PERFETTO_ROWS_H

#include "outputs/perfetto/slices.h"

/* A span, call or operation, and the row that it belongs to. */
typedef struct prof_item {
    int64_t row; /* thread's index, or thread's id, or device and stream: prof_stream_row */
    int64_t start, end;
    int64_t index;
    int32_t depth;
} prof_item;

/* All spans, calls or operations, row by row and in the order in which they start, what encloses
 * others before them. NULL if there is no memory. */
prof_item *prof_items_of_spans(const prof_trace *trace);
prof_item *prof_items_of_calls(const prof_trace *trace);
prof_item *prof_items_of_ops(const prof_trace *trace);

int64_t prof_stream_row(int32_t device, int32_t stream);
int32_t prof_row_device(int64_t row);
int32_t prof_row_stream(int64_t row);

/* What tells tracks and slices to a sink. */
typedef struct prof_teller {
    const prof_trace *trace;
    const prof_sink *sink;
    prof_flows flows;
    int32_t tracks; /* told so far */
} prof_teller;

/* Number a track and tell it; of a process or GPU, its group. */
void prof_tell_track(prof_teller *teller, prof_track *track);

/* Tell a row's track, and all items of that row from `items` on, of which there are `left`; `nest`:
 * what encloses another is its parent. Where items cross, the later one goes to a further track.
 * Returns the number of items of the row; -1 if there is no memory. */
int64_t prof_tell_row(prof_teller *teller, const prof_track *track, int64_t row,
                      const prof_item *items, int64_t left, prof_slice_function *slice_of,
                      bool nest);

#endif
