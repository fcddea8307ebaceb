/* timeline.json: what a report draws of a window. Small: names stand once, times are from the
 * window's start, and what is beyond the limits is left out, the latest first. Its contract is
 * timeline.schema.json; a change that readers notice raises schema_version. */
#include <stdlib.h>
#include <string.h>

#include "outputs/output.h"
#include "outputs/summary/values.h"

static const char file_name[] = "timeline.json";
static const int schema_version = 1;

/* Most spans, operations, changes of memory and samples, each. */
enum { MOST = 20000 };

/* The file while it grows. */
typedef struct timeline {
    const prof_trace *trace;
    json_t *names;  /* texts that rows refer to by their place here */
    json_t *places; /* of the texts in `names` */
} timeline;

/* The place of a text in the list of names; null for NULL. */
static json_t *name_of(timeline *t, const char *text)
{
    if (text == NULL)
        return json_null();
    json_t *name = summary_text(text);
    const char *key = json_string_value(name);
    json_t *place = key != NULL ? json_object_get(t->places, key) : NULL;
    if (key != NULL && place == NULL) {
        place = json_integer((json_int_t)json_array_size(t->names));
        if (json_object_set_new(t->places, key, place) != 0 ||
            json_array_append(t->names, name) != 0)
            place = NULL;
    }
    json_decref(name);
    return json_incref(place);
}

static int earlier(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The start from which on spans are left out; INT64_MAX if all are kept, INT64_MIN if there is no
 * memory to tell. */
static int64_t limit_of(const prof_trace *trace)
{
    if (trace->span_count <= MOST)
        return INT64_MAX;
    int64_t *starts = malloc((size_t)trace->span_count * sizeof *starts);
    if (starts == NULL)
        return INT64_MIN;
    for (int64_t k = 0; k < trace->span_count; k++)
        starts[k] = trace->spans[k].start;
    qsort(starts, (size_t)trace->span_count, sizeof *starts, earlier);
    const int64_t limit = starts[MOST];
    free(starts);
    return limit;
}

static json_t *spans_of(timeline *t, int64_t *omitted)
{
    static const char *const kinds[] = {"phase", "step", "part", "stage", "thread"};
    const int64_t limit = limit_of(t->trace), zero = t->trace->start;
    json_t *all = limit > INT64_MIN ? json_array() : NULL;
    for (int64_t k = 0; k < t->trace->span_count; k++) {
        const prof_span *span = &t->trace->spans[k];
        if (span->start >= limit)
            ++*omitted;
        else
            summary_append(&all, json_pack("[o, s, I, I, I, i, i]", name_of(t, span->name),
                                           kinds[span->kind], (json_int_t)(span->start - zero),
                                           (json_int_t)(span->end - span->start),
                                           (json_int_t)span->step, span->depth, span->thread));
    }
    return all;
}

static json_t *ops_of(timeline *t, int64_t *omitted)
{
    static const char *const kinds[] = {"kernel", "copy", "fill"};
    const int64_t count = t->trace->op_count < MOST ? t->trace->op_count : MOST;
    json_t *all = json_array();
    for (int64_t k = 0; k < count; k++) {
        const prof_op *op = &t->trace->ops[k];
        summary_append(
            &all, json_pack("[o, o, s, I, I, i, I]", name_of(t, op->name), name_of(t, op->stage),
                            kinds[op->kind], (json_int_t)(op->start - t->trace->start),
                            (json_int_t)(op->end - op->start), op->stream, (json_int_t)op->bytes));
    }
    *omitted = t->trace->op_count - count;
    return all;
}

/* Bytes in use: as the window opened, after every change, as it closed. */
static json_t *memory_of(const prof_trace *trace)
{
    json_t *all = json_array();
    summary_append(&all, json_pack("[i, I]", 0, (json_int_t)trace->before.in_use));
    for (int64_t k = 0; k < trace->memory_event_count && k < MOST; k++) {
        const prof_memory_event *event = &trace->memory_events[k];
        summary_append(&all, json_pack("[I, I]", (json_int_t)(event->time - trace->start),
                                       (json_int_t)event->in_use));
    }
    summary_append(&all, json_pack("[I, I]", (json_int_t)(trace->end - trace->start),
                                   (json_int_t)trace->after.in_use));
    return all;
}

static json_t *quantity(double value)
{
    return value >= 0.0 ? summary_real(value) : json_null();
}

static json_t *samples_of(const prof_trace *trace)
{
    json_t *all = json_array();
    for (int64_t k = 0; k < trace->sample_count && k < MOST; k++) {
        const prof_gpu_sample *s = &trace->samples[k];
        summary_append(
            &all, json_pack("[I, o, o, o, o, o, o]", (json_int_t)(s->time - trace->start),
                            quantity(s->sm), quantity(s->memory), quantity(s->memory_used),
                            quantity(s->sm_clock), quantity(s->power), quantity(s->temperature)));
    }
    return all;
}

static json_t *sampled_of(const prof_sampled *sampled, int64_t zero)
{
    json_t *all = json_array();
    for (int64_t k = 0; k < sampled->count && k < MOST; k++) {
        const prof_sampled_interval *interval = &sampled->intervals[k];
        json_t *row = json_pack("[I, I]", (json_int_t)(interval->start - zero),
                                (json_int_t)(interval->end - interval->start));
        for (int q = 0; q < PROF_SAMPLED_COUNT; q++)
            summary_append(&row, quantity(interval->value[q]));
        summary_append(&all, row);
    }
    return all;
}

static json_t *threads_of(const prof_trace *trace)
{
    json_t *all = json_array();
    for (int32_t k = 0; k < trace->thread_count; k++)
        summary_append(&all, summary_text(trace->threads[k].name));
    return all;
}

/* The whole; NULL if there is no memory. */
static json_t *timeline_of(const prof_trace *trace)
{
    timeline t = {trace, json_array(), json_object()};
    int64_t omitted_spans = 0, omitted_ops = 0;
    json_t *spans = spans_of(&t, &omitted_spans), *ops = ops_of(&t, &omitted_ops);
    json_decref(t.places);
    return json_pack(
        "{s:s, s:i, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:I, s:I}}", "schema",
        "cubeswe-timeline", "schema_version", schema_version, "start_ns", (json_int_t)trace->start,
        "duration_ns", (json_int_t)(trace->end - trace->start), "names", t.names, "threads",
        threads_of(trace), "spans", spans, "ops", ops, "memory", memory_of(trace), "samples",
        samples_of(trace), "sampled", sampled_of(&trace->sampled, trace->start), "omitted", "spans",
        (json_int_t)omitted_spans, "ops", (json_int_t)omitted_ops);
}

bool prof_write_timeline(const prof_trace *trace, const char *directory, prof_log *log)
{
    FILE *file = prof_file_open(directory, file_name, log);
    if (file == NULL)
        return false;
    json_t *timeline = timeline_of(trace);
    const bool complete = timeline != NULL && json_dumpf(timeline, file, JSON_COMPACT) == 0;
    json_decref(timeline);
    putc('\n', file);
    if (!complete && ferror(file) == 0)
        prof_warn(log, "%s/%s: out of memory", directory, file_name);
    return prof_file_close(file, directory, file_name, log) && complete;
}
