#include "report/html/timeline_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/html/colour.h"

enum { STREAMS_MOST = 64 };

/* Which rows there are: depths of regions, then threads with parts, then streams. */
typedef struct plan {
    int depths, threads, streams;
    int32_t stream[STREAMS_MOST]; /* those beyond share the last row */
} plan;

static int32_t stream_row(const plan *rows, int32_t stream)
{
    int k = 0;
    while (k < rows->streams - 1 && rows->stream[k] != stream)
        k++;
    return rows->depths + rows->threads + k;
}

static void plan_stream(plan *rows, int32_t stream)
{
    for (int k = 0; k < rows->streams; k++)
        if (rows->stream[k] == stream)
            return;
    if (rows->streams < STREAMS_MOST)
        rows->stream[rows->streams++] = stream;
}

static plan plan_rows(const prof_timeline *t)
{
    plan rows = {0};
    for (int64_t k = 0; k < t->span_count; k++) {
        const prof_timeline_span *span = &t->spans[k];
        if (span->kind == PROF_THREAD)
            rows.threads = t->thread_count;
        else if (span->depth >= rows.depths)
            rows.depths = span->depth + 1;
    }
    for (int64_t k = 0; k < t->op_count; k++)
        plan_stream(&rows, t->ops[k].stream);
    return rows;
}

static void label_rows(timeline_rows *rows, const plan *from, const prof_timeline *t)
{
    for (int k = 0; k < from->depths; k++)
        snprintf(rows->labels[k].text, sizeof rows->labels[k].text, "%s", k == 0 ? "regions" : "");
    for (int k = 0; k < from->threads; k++) {
        row_label *label = &rows->labels[from->depths + k];
        snprintf(label->text, sizeof label->text, "%s", t->threads[k]);
        label->begins_group = k == 0;
    }
    for (int k = 0; k < from->streams; k++) {
        row_label *label = &rows->labels[from->depths + from->threads + k];
        snprintf(label->text, sizeof label->text, "stream %d%s", (int)from->stream[k],
                 k == STREAMS_MOST - 1 ? " ..." : "");
        label->begins_group = k == 0;
    }
}

static bool is_same(const row_name *a, const row_name *b)
{
    return a->step == b->step && a->bytes == b->bytes &&
           (a->text == b->text || strcmp(a->text, b->text) == 0) &&
           (a->stage == b->stage || strcmp(a->stage, b->stage) == 0);
}

/* The number of a name; -1 if there is no memory. A step's comes once. */
static int32_t name_number(timeline_rows *rows, const row_name *name)
{
    for (int k = 0; name->step < 0 && k < rows->name_count; k++)
        if (is_same(&rows->names[k], name))
            return k;
    if (rows->name_count == rows->name_room) {
        const int room = rows->name_room > 0 ? 2 * rows->name_room : 64;
        row_name *names = realloc(rows->names, (size_t)room * sizeof *names);
        if (names == NULL)
            return -1;
        rows->names = names;
        rows->name_room = room;
    }
    rows->names[rows->name_count] = *name;
    return rows->name_count++;
}

static bool add_event(timeline_rows *rows, int64_t start, int64_t end, int32_t row,
                      const row_name *name)
{
    const int32_t number = name_number(rows, name);
    if (number < 0)
        return false;
    rows->events[rows->event_count++] = (row_event){start, end, row, number};
    return true;
}

static bool add_span(timeline_rows *rows, const plan *from, const prof_report_window *w,
                     const prof_timeline_span *span)
{
    const bool is_part = span->kind == PROF_THREAD;
    const int32_t row = is_part ? from->depths + span->thread : span->depth;
    const row_name name = {span->name, span->kind == PROF_STEP ? span->step : -1, "", 0.0,
                           colour_of(w, span->name)};
    return add_event(rows, span->start, span->end, row, &name);
}

static bool add_op(timeline_rows *rows, const plan *from, const prof_report_window *w,
                   const prof_timeline_op *op)
{
    const bool is_kernel = op->kind == PROF_OP_KERNEL;
    const row_name name = {op->name, -1, op->stage, is_kernel ? 0.0 : op->bytes,
                           is_kernel ? colour_of(w, op->stage) : COLOUR_TRANSFER};
    return add_event(rows, op->start, op->end, stream_row(from, op->stream), &name);
}

static int by_row(const void *left, const void *right)
{
    const row_event *a = left, *b = right;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->end < b->end) - (a->end > b->end); /* longer ones first */
}

static void sort_events(timeline_rows *rows)
{
    if (rows->event_count > 0)
        qsort(rows->events, (size_t)rows->event_count, sizeof *rows->events, by_row);
    int64_t at = 0;
    for (int r = 0; r <= rows->count; r++) {
        while (at < rows->event_count && rows->events[at].row < r)
            at++;
        rows->first[r] = at;
    }
}

bool timeline_rows_create(const prof_report_window *window, timeline_rows *rows)
{
    const prof_timeline *t = &window->timeline;
    const plan from = plan_rows(t);
    *rows = (timeline_rows){.count = from.depths + from.threads + from.streams};
    rows->labels = calloc((size_t)rows->count + 1, sizeof *rows->labels);
    rows->first = calloc((size_t)rows->count + 1, sizeof *rows->first);
    rows->events = calloc((size_t)(t->span_count + t->op_count) + 1, sizeof *rows->events);
    bool made = rows->labels != NULL && rows->first != NULL && rows->events != NULL;
    for (int64_t k = 0; k < t->span_count && made; k++)
        made = add_span(rows, &from, window, &t->spans[k]);
    for (int64_t k = 0; k < t->op_count && made; k++)
        made = add_op(rows, &from, window, &t->ops[k]);
    if (!made) {
        timeline_rows_destroy(rows);
        return false;
    }
    label_rows(rows, &from, t);
    sort_events(rows);
    return true;
}

void timeline_rows_destroy(timeline_rows *rows)
{
    free(rows->labels);
    free(rows->first);
    free(rows->events);
    free(rows->names);
    *rows = (timeline_rows){0};
}
