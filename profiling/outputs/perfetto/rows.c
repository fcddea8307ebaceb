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
    for (; l->depth > 0 && l->ends[l->depth - 1] <= time; l->depth--)
        if (sink->end != NULL)
            sink->end(sink->self, &l->track, l->ends[l->depth - 1]);
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
