/* timeline.json: the window's events over time, for the timeline of the report.
 *
 * The file is small: each name is stored once and referred to by its index, times [ns] count from
 * the window's start, and each list is cut at its limit, the latest entries first.
 * timeline.schema.json is the contract; an incompatible change raises schema_version. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "outputs/output.h"

static const int schema_version = 1;

/* Limit of each list: spans, operations, changes of memory, samples. */
enum { MOST = 20000 };

/* The table of names of one file. */
typedef struct timeline {
    const prof_trace *trace;
    prof_texts names;
} timeline;

/* The index of a text in the table of names, appended if it is new; null for NULL. */
static json_t *name_of(timeline *t, const char *text)
{
    if (text == NULL)
        return json_null();
    const prof_text *name = prof_texts_find(&t->names, text);
    return name != NULL ? json_integer(name->number - 1) : NULL;
}

static int earlier(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Spans that start at or after the result are omitted. INT64_MAX: none; INT64_MIN: out of memory.
 */
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
    const int64_t limit = limit_of(t->trace), zero = t->trace->start;
    json_t *all = limit > INT64_MIN ? json_array() : NULL;
    for (int64_t k = 0; k < t->trace->span_count; k++) {
        const prof_span *span = &t->trace->spans[k];
        if (span->start >= limit)
            ++*omitted;
        else
            swe_json_append(&all,
                            json_pack("[o, s, I, I, I, i, i]", name_of(t, span->name),
                                      prof_kind_names[span->kind], (json_int_t)(span->start - zero),
                                      (json_int_t)(span->end - span->start), (json_int_t)span->step,
                                      span->depth, span->thread));
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
        swe_json_append(
            &all, json_pack("[o, o, s, I, I, i, I]", name_of(t, op->name), name_of(t, op->stage),
                            kinds[op->kind], (json_int_t)(op->start - t->trace->start),
                            (json_int_t)(op->end - op->start), op->stream, (json_int_t)op->bytes));
    }
    *omitted = t->trace->op_count - count;
    return all;
}

/* Bytes in use when the window opened, after every change, and when it closed. */
static json_t *memory_of(const prof_trace *trace)
{
    json_t *all = json_array();
    swe_json_append(&all, json_pack("[i, I]", 0, (json_int_t)trace->before.in_use));
    for (int64_t k = 0; k < trace->memory_event_count && k < MOST; k++) {
        const prof_memory_event *event = &trace->memory_events[k];
        swe_json_append(&all, json_pack("[I, I]", (json_int_t)(event->time - trace->start),
                                        (json_int_t)event->in_use));
    }
    swe_json_append(&all, json_pack("[I, I]", (json_int_t)(trace->end - trace->start),
                                    (json_int_t)trace->after.in_use));
    return all;
}

static json_t *samples_of(const prof_trace *trace)
{
    json_t *all = json_array();
    for (int64_t k = 0; k < trace->sample_count && k < MOST; k++) {
        const prof_gpu_sample *s = &trace->samples[k];
        swe_json_append(
            &all, json_pack("[I, o, o, o, o, o, o]", (json_int_t)(s->time - trace->start),
                            swe_json_nonnegative(s->sm), swe_json_nonnegative(s->memory),
                            swe_json_nonnegative(s->memory_used), swe_json_nonnegative(s->sm_clock),
                            swe_json_nonnegative(s->power), swe_json_nonnegative(s->temperature)));
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
            swe_json_append(&row, swe_json_nonnegative(interval->value[q]));
        swe_json_append(&all, row);
    }
    return all;
}

/* The document; NULL: out of memory. */
static json_t *timeline_of(const prof_trace *trace)
{
    timeline t = {.trace = trace};
    int64_t omitted_spans = 0, omitted_ops = 0;
    json_t *spans = spans_of(&t, &omitted_spans), *ops = ops_of(&t, &omitted_ops);
    json_t *names = json_array(), *threads = json_array();
    for (int64_t k = 0; k < t.names.count; k++)
        swe_json_append(&names, swe_json_text_or_null(t.names.item[k]->text));
    for (int32_t k = 0; k < trace->thread_count; k++)
        swe_json_append(&threads, swe_json_text_or_null(trace->threads[k].name));
    prof_texts_destroy(&t.names);
    return json_pack("{s:s, s:i, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:I, s:I}}",
                     "schema", "cubeswe-timeline", "schema_version", schema_version, "start_ns",
                     (json_int_t)trace->start, "duration_ns",
                     (json_int_t)(trace->end - trace->start), "names", names, "threads", threads,
                     "spans", spans, "ops", ops, "memory", memory_of(trace), "samples",
                     samples_of(trace), "sampled", sampled_of(&trace->sampled, trace->start),
                     "omitted", "spans", (json_int_t)omitted_spans, "ops", (json_int_t)omitted_ops);
}

bool prof_write_timeline(const prof_trace *trace, const char *directory, swe_log *log)
{
    return prof_json_write(timeline_of(trace), JSON_COMPACT, directory, "timeline.json", log);
}
