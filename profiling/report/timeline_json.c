#include "report/internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page/page.h"

enum { MAX_STREAMS = 64 };
static const double NO_BYTES = -1.0; /* not a copy or fill */

/* Which rows there are: depths of regions, then threads with work, then streams. */
typedef struct plan {
    int depths, threads, streams;
    int32_t stream[MAX_STREAMS]; /* those beyond share the last row */
} plan;

/* A row while it is filled: numbers of its events, and where the last one began. */
typedef struct row {
    json_t *events;
    int64_t before;
} row;

/* The rows and the names of their events. */
typedef struct rows {
    plan plan;
    row *row;
    json_t *names;
    prof_texts numbers; /* of the names, by name and stage */
} rows;

static int32_t stream_row(const plan *p, int32_t stream)
{
    int k = 0;
    while (k < p->streams - 1 && p->stream[k] != stream)
        k++;
    return p->depths + p->threads + k;
}

static void plan_stream(plan *p, int32_t stream)
{
    for (int k = 0; k < p->streams; k++)
        if (p->stream[k] == stream)
            return;
    if (p->streams < MAX_STREAMS)
        p->stream[p->streams++] = stream;
}

static plan plan_rows(const prof_timeline *t)
{
    plan p = {0};
    for (int64_t k = 0; k < t->span_count; k++) {
        const prof_span *span = &t->spans[k];
        if (span->kind == PROF_THREAD)
            p.threads = t->thread_count;
        else if (span->depth >= p.depths)
            p.depths = span->depth + 1;
    }
    for (int64_t k = 0; k < t->op_count; k++)
        plan_stream(&p, t->ops[k].stream);
    return p;
}

/* The number of a name; -1: no memory. */
static json_int_t number_of(rows *r, const char *name, const char *stage, double bytes)
{
    char key[1200];
    snprintf(key, sizeof key, "%.900s\n%.200s\n%.0f", name, stage, bytes);
    const int64_t known = r->numbers.count;
    const prof_text *text = prof_texts_find(&r->numbers, key);
    if (text != NULL && r->numbers.count > known)
        swe_json_append(&r->names,
                        json_pack("{s:o, s:o, s:o}", "name", swe_json_text(name), "stage",
                                  swe_json_text(stage), "bytes", swe_json_nonnegative(bytes)));
    return text != NULL && r->names != NULL ? text->number - 1 : -1;
}

/* Start after the start of the event before, length, name. */
static bool add_event(row *to, int64_t start, int64_t end, json_int_t name)
{
    swe_json_append(&to->events, json_integer(start - to->before));
    swe_json_append(&to->events, json_integer(end - start));
    swe_json_append(&to->events, json_integer(name));
    to->before = start;
    return name >= 0 && to->events != NULL;
}

static bool add_span(rows *r, const prof_span *span)
{
    const int32_t at = span->kind == PROF_THREAD ? r->plan.depths + span->thread : span->depth;
    char name[64];
    if (span->kind != PROF_STEP)
        return add_event(&r->row[at], span->start, span->end,
                         number_of(r, span->name, "", NO_BYTES));
    snprintf(name, sizeof name, "step %lld", (long long)span->step);
    return add_event(&r->row[at], span->start, span->end, number_of(r, name, "", NO_BYTES));
}

static bool add_op(rows *r, const prof_op *op)
{
    const double bytes = op->kind == PROF_OP_KERNEL ? NO_BYTES : (double)op->bytes;
    return add_event(&r->row[stream_row(&r->plan, op->stream)], op->start, op->end,
                     number_of(r, op->name, op->stage, bytes));
}

static json_t *row_json(const rows *r, const prof_timeline *t, int at)
{
    const plan *p = &r->plan;
    const int thread = at - p->depths, stream = thread - p->threads;
    char label[64];
    const char *kind = thread < 0 ? "regions" : stream < 0 ? "thread" : "stream";
    if (thread < 0)
        snprintf(label, sizeof label, "%s", at == 0 ? "regions" : "");
    else if (stream < 0)
        snprintf(label, sizeof label, "%s", t->threads[thread]);
    else
        snprintf(label, sizeof label, "stream %d%s", (int)p->stream[stream],
                 stream == MAX_STREAMS - 1 ? " ..." : "");
    return json_pack("{s:s, s:o, s:O}", "kind", kind, "label", swe_json_text(label), "events",
                     r->row[at].events);
}

static bool fill_rows(rows *r, const prof_timeline *t)
{
    const int count = r->plan.depths + r->plan.threads + r->plan.streams;
    bool filled = r->row != NULL;
    for (int k = 0; k < count && filled; k++)
        filled = (r->row[k].events = json_array()) != NULL;
    for (int64_t k = 0; k < t->span_count && filled; k++)
        filled = add_span(r, &t->spans[k]);
    for (int64_t k = 0; k < t->op_count && filled; k++)
        filled = add_op(r, &t->ops[k]);
    return filled;
}

json_t *timeline_json(const prof_timeline *t)
{
    if (!t->is_known || t->duration <= 0 || t->span_count + t->op_count == 0)
        return json_null();
    rows r = {.plan = plan_rows(t), .names = json_array()};
    const int count = r.plan.depths + r.plan.threads + r.plan.streams;
    r.row = calloc((size_t)count + 1, sizeof *r.row);
    json_t *all = fill_rows(&r, t) ? json_array() : NULL;
    for (int k = 0; k < count && all != NULL; k++)
        swe_json_append(&all, row_json(&r, t, k));
    json_t *out = json_pack("{s:I, s:I, s:I, s:O, s:o}", "duration_ns", (json_int_t)t->duration,
                            "omitted_spans", (json_int_t)t->omitted_spans, "omitted_ops",
                            (json_int_t)t->omitted_ops, "names", r.names, "rows", all);
    for (int k = 0; k < count && r.row != NULL; k++)
        json_decref(r.row[k].events);
    free(r.row);
    json_decref(r.names);
    prof_texts_destroy(&r.numbers);
    return out;
}

/* Values of samples: the one at `offset` of each structure of `size` bytes. */
typedef struct series {
    const void *first;
    size_t size, offset;
    int64_t count;
} series;

static double sample_at(const series *s, int64_t k)
{
    double value;
    memcpy(&value, (const char *)s->first + (size_t)k * s->size + s->offset, sizeof value);
    return value;
}

/* Means of the values that are known, of samples that share a point; null where none is. */
static json_t *means_of(series s)
{
    const int64_t points = s.count < LINE_POINTS ? s.count : LINE_POINTS;
    json_t *all = json_array();
    for (int64_t p = 0; p < points && all != NULL; p++) {
        double sum = 0.0, known = 0.0;
        for (int64_t k = p * s.count / points; k < (p + 1) * s.count / points; k++)
            if (isfinite(sample_at(&s, k))) {
                sum += sample_at(&s, k);
                known += 1.0;
            }
        swe_json_append(&all, known > 0.0 ? swe_json_real(sum / known) : json_null());
    }
    return all;
}

/* The mean time of the samples of every point: `from` and `to` of each of them. */
static json_t *times_of(const void *first, size_t size, size_t from, size_t to, int64_t count)
{
    const int64_t points = count < LINE_POINTS ? count : LINE_POINTS;
    json_t *all = json_array();
    for (int64_t p = 0; p < points && all != NULL; p++) {
        int64_t begin, end;
        const int64_t next = (p + 1) * count / points;
        memcpy(&begin, (const char *)first + (size_t)(p * count / points) * size + from,
               sizeof begin);
        memcpy(&end, (const char *)first + (size_t)(next - 1) * size + to, sizeof end);
        swe_json_append(&all, swe_json_real(0.5 * ((double)begin + (double)end)));
    }
    return all;
}

json_t *samples_json(const prof_gpu_sample *samples, int64_t count)
{
    static const struct {
        const char *key;
        size_t offset;
    } values[] = {{"sm_percent", offsetof(prof_gpu_sample, sm)},
                  {"memory_percent", offsetof(prof_gpu_sample, memory)},
                  {"power_watts", offsetof(prof_gpu_sample, power)},
                  {"sm_clock_mhz", offsetof(prof_gpu_sample, sm_clock)},
                  {"memory_clock_mhz", offsetof(prof_gpu_sample, memory_clock)}};
    json_t *all = json_object();
    const size_t time = offsetof(prof_gpu_sample, time);
    swe_json_set(&all, "time_ns", times_of(samples, sizeof *samples, time, time, count));
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        swe_json_set(&all, values[k].key,
                     means_of((series){samples, sizeof *samples, values[k].offset, count}));
    return all;
}

json_t *sampled_json(const prof_timeline *t)
{
    static const char *const names[] = {
#define SAMPLED(name, title, unit, meaning) #name,
        PROF_SAMPLED_LIST(SAMPLED)
#undef SAMPLED
    };
    json_t *all = json_object();
    swe_json_set(&all, "time_ns",
                 times_of(t->sampled, sizeof *t->sampled, offsetof(prof_sampled_interval, start),
                          offsetof(prof_sampled_interval, end), t->sampled_count));
    for (int k = 0; k < PROF_SAMPLED_COUNT; k++)
        swe_json_set(
            &all, names[k],
            means_of((series){t->sampled, sizeof *t->sampled,
                              offsetof(prof_sampled_interval, value) + (size_t)k * sizeof(double),
                              t->sampled_count}));
    return all;
}

json_t *memory_json(const prof_timeline *t)
{
    json_t *times = json_array(), *bytes = json_array();
    for (int64_t k = 0; k < t->memory_count; k++) {
        swe_json_append(&times, json_integer(t->memory[k].time));
        swe_json_append(&bytes, swe_json_real((double)t->memory[k].in_use));
    }
    return json_pack("{s:I, s:o, s:o}", "duration_ns", (json_int_t)t->duration, "time_ns", times,
                     "in_use_bytes", bytes);
}

json_t *gaps_json(const prof_timeline *t)
{
    enum { BINS = 5 };
    static const double edges[BINS] = {0.0, 1e3, 1e4, 1e5, 1e6}; /* ns */
    struct {
        int64_t count;
        double total;
    } bins[BINS] = {{0, 0.0}};
    json_t *all = json_array();
    int64_t end = t->op_count > 0 ? t->ops[0].end : 0;
    for (int64_t k = 1; k < t->op_count; k++) {
        const double gap = (double)(t->ops[k].start - end);
        int bin = BINS - 1;
        while (bin > 0 && gap < edges[bin])
            bin--;
        if (gap > 0.0) {
            bins[bin].count++;
            bins[bin].total += gap;
        }
        end = t->ops[k].end > end ? t->ops[k].end : end;
    }
    for (int k = 0; k < BINS; k++)
        swe_json_append(&all, json_pack("{s:o, s:o, s:I, s:o}", "from_ns", swe_json_real(edges[k]),
                                        "to_ns", swe_json_real(k + 1 < BINS ? edges[k + 1] : NAN),
                                        "count", (json_int_t)bins[k].count, "total_ns",
                                        swe_json_real(bins[k].total)));
    return all;
}
