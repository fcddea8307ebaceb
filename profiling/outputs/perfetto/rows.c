/* Rows: the slices of one thread or stream, on as many tracks as they need to nest. */
#include <stdio.h>
#include <stdlib.h>

#include "outputs/perfetto/internal.h"

/* One track of a row, with the ends of its open slices, outermost first. */
typedef struct lane {
    prof_track track;
    int64_t *ends;
    int64_t depth, room;
} lane;

/* The tracks of the row being emitted. */
typedef struct lanes {
    prof_emitter *emitter;
    lane *lane;
    int count;
    bool nest;
} lanes;

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_items(const void *a, const void *b)
{
    const prof_item *x = a, *y = b;
    const int order[] = {compare(x->row, y->row), compare(x->start, y->start),
                         compare(y->end, x->end), compare(x->depth, y->depth),
                         compare(x->index, y->index)};
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        if (order[k] != 0)
            return order[k];
    return 0;
}

/* `count` items, set by `item_of`, in an array for `room`. */
static prof_item *list_items(const prof_trace *trace, int64_t count, int64_t room,
                             prof_item (*item_of)(const prof_trace *trace, int64_t k))
{
    prof_item *items = calloc((size_t)room + 1, sizeof *items);
    for (int64_t k = 0; items != NULL && k < count; k++)
        items[k] = item_of(trace, k);
    return items;
}

static prof_item *sort_items(prof_item *items, int64_t count)
{
    if (items != NULL)
        qsort(items, (size_t)count, sizeof *items, compare_items);
    return items;
}

static prof_item item_of_span(const prof_trace *trace, int64_t k)
{
    const prof_span *span = &trace->spans[k];
    return (prof_item){span->thread, span->start, span->end, k, span->depth};
}

static prof_item item_of_call(const prof_trace *trace, int64_t k)
{
    const prof_call *call = &trace->calls[k];
    return (prof_item){call->thread_id, call->start, call->end, k, 0};
}

static prof_item item_of_op(const prof_trace *trace, int64_t k)
{
    const prof_op *op = &trace->ops[k];
    return (prof_item){prof_stream_row(op->device, op->stream), op->start, op->end, k, 0};
}

/* Messages are slices of the main thread, within all others at their time. */
static int64_t add_messages(const prof_trace *trace, prof_item *items, int64_t count)
{
    for (int64_t k = 0; k < trace->exchange_count; k++) {
        const prof_exchange *exchange = &trace->exchanges[k];
        const int64_t index = trace->span_count + 2 * k;
        if (exchange->sent > 0)
            items[count++] = (prof_item){0, exchange->time, exchange->time, index, INT32_MAX};
        if (exchange->received > 0 && exchange->wait >= 0) {
            const int64_t end = trace->spans[exchange->wait].end;
            items[count++] = (prof_item){0, end, end, index + 1, INT32_MAX};
        }
    }
    return count;
}

prof_item *prof_items_of_spans(const prof_trace *trace, int64_t *count)
{
    prof_item *items = list_items(trace, trace->span_count,
                                  trace->span_count + 2 * trace->exchange_count, item_of_span);
    *count = items != NULL ? add_messages(trace, items, trace->span_count) : 0;
    return sort_items(items, *count);
}

prof_item *prof_items_of_calls(const prof_trace *trace)
{
    const int64_t count = trace->call_count;
    return sort_items(list_items(trace, count, count, item_of_call), count);
}

prof_item *prof_items_of_ops(const prof_trace *trace)
{
    const int64_t count = trace->op_count;
    return sort_items(list_items(trace, count, count, item_of_op), count);
}

int64_t prof_stream_row(int32_t device, int32_t stream)
{
    return ((int64_t)device << 32) | (uint32_t)stream;
}

int32_t prof_row_device(int64_t row)
{
    return (int32_t)(row >> 32);
}

int32_t prof_row_stream(int64_t row)
{
    return (int32_t)(uint32_t)row;
}

void prof_emit_track(prof_emitter *emitter, prof_track *track)
{
    track->id = ++emitter->tracks;
    if (track->group == 0)
        track->group = track->id;
    emitter->sink->track(emitter->sink->self, track);
}

/* Append a lane; NULL: out of memory. */
static lane *add_lane(lanes *all, const prof_track *track)
{
    lane *larger = realloc(all->lane, ((size_t)all->count + 1) * sizeof *larger);
    if (larger == NULL)
        return NULL;
    all->lane = larger;
    lane *added = &larger[all->count++];
    *added = (lane){.track = *track};
    prof_emit_track(all->emitter, &added->track);
    return added;
}

/* Append a lane for overlapping slices: beside the first track, or below it if it is a thread's,
 * because a thread has only one track of its own. */
static lane *add_overlap(lanes *all)
{
    const prof_track *first = &all->lane[0].track;
    prof_track track = *first;
    if (first->kind == PROF_TRACK_THREAD)
        track.parent = first->id;
    track.kind = PROF_TRACK_ROW;
    snprintf(track.name, sizeof track.name, "%.480s (overlap %d)", first->name, all->count);
    return add_lane(all, &track);
}

/* End the open slices of a lane that end by a time. */
static void end_until(const lanes *all, lane *l, int64_t time)
{
    const prof_sink *sink = all->emitter->sink;
    while (l->depth > 0 && l->ends[l->depth - 1] <= time)
        sink->end(sink->self, &l->track, l->ends[--l->depth]);
}

/* The first lane where an item crosses no open slice; NULL: out of memory. */
static lane *find_lane(lanes *all, const prof_item *item)
{
    for (int k = 0; k < all->count; k++) {
        lane *l = &all->lane[k];
        end_until(all, l, item->start);
        if (l->depth == 0 || (all->nest && item->end <= l->ends[l->depth - 1]))
            return l;
    }
    return add_overlap(all);
}

static bool emit_item(lanes *all, const prof_item *item, prof_slice_function *slice_of)
{
    const prof_emitter *emitter = all->emitter;
    prof_slice slice;
    lane *l = find_lane(all, item);
    int64_t *ends = l != NULL ? prof_grow(l->ends, l->depth, &l->room, sizeof *ends) : NULL;
    if (ends == NULL)
        return false;
    l->ends = ends;
    l->ends[l->depth++] = item->end;
    slice_of(emitter->trace, &emitter->flows, item->index, &slice);
    emitter->sink->begin(emitter->sink->self, &l->track, &slice);
    return true;
}

int64_t prof_emit_row(prof_emitter *emitter, const prof_track *track, int64_t row,
                      const prof_item *items, int64_t left, prof_slice_function *slice_of,
                      bool nest)
{
    lanes all = {.emitter = emitter, .nest = nest};
    int64_t done = 0;
    bool ok = add_lane(&all, track) != NULL;
    while (ok && done < left && items[done].row == row)
        ok = emit_item(&all, &items[done++], slice_of);
    for (int k = 0; k < all.count; k++) {
        end_until(&all, &all.lane[k], INT64_MAX);
        free(all.lane[k].ends);
    }
    free(all.lane);
    return ok ? done : -1;
}
