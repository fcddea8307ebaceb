/* ITEMS: spans, calls and operations of a trace in the order in which timelines show them. */
#ifndef PROFILING_OUTPUTS_ITEMS_H
#define PROFILING_OUTPUTS_ITEMS_H

#include "window/trace.h"

/* A span, call or operation, with the row (thread or stream) that it belongs to. */
typedef struct prof_item {
    int64_t row; /* as the list states */
    int64_t start, end;
    int64_t index; /* into the spans, calls or operations */
    int32_t depth; /* orders items of equal times, the outer one first */
} prof_item;

/* Sort by row, then by start, parents before children. NULL: no items. */
void prof_items_sort(prof_item *items, int64_t count);

/* Sorted lists; free() them. NULL: out of memory. */

/* All spans by thread, with two further items for each exchange, numbered after the spans: messages
 * are sent, and have been received. */
prof_item *prof_items_of_spans(const prof_trace *trace, int64_t *count);
/* All calls by thread id. */
prof_item *prof_items_of_calls(const prof_trace *trace);
/* All operations by stream. */
prof_item *prof_items_of_ops(const prof_trace *trace);

/* The device and the stream of a row of operations. */
static inline int32_t prof_row_device(int64_t row)
{
    return (int32_t)(row >> 32);
}

static inline int32_t prof_row_stream(int64_t row)
{
    return (int32_t)(uint32_t)row;
}

#endif
