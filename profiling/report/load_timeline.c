/* Loads timeline.json of a window. */
#include <math.h>
#include <string.h>

#include "report/internal.h"

/* Allocate a structure for each row of an array; NULL if there are none. */
static void *begin_rows(reader *r, const node *array, size_t size, int64_t *count)
{
    void *rows = pool_array(r->pool, read_size(array), size);
    *count = rows != NULL ? (int64_t)read_size(array) : 0;
    return rows;
}

static bool more(const reader *r, int64_t k, int64_t count)
{
    return k < count && r->status == SWE_LOADED;
}

/* An index in a row that must be less than `count`. */
static int32_t index_in(reader *r, const node *row, size_t column, int64_t count)
{
    const int64_t index = row_integer(r, row, column);
    if (index >= 0 && index < count)
        return (int32_t)index;
    const node n = read_item(row, column);
    reader_refuse(r, &n, "is no place in its list");
    return 0;
}

/* Index of a row's text in a list. */
static int kind_in(reader *r, const node *row, size_t column, const char *const *kinds, int count)
{
    const char *text = row_text(r, row, column);
    for (int k = 0; k < count; k++)
        if (strcmp(kinds[k], text) == 0)
            return k;
    const node n = read_item(row, column);
    reader_refuse(r, &n, "is no kind that there is");
    return 0;
}

/* End of an event from its start and its duration, a column of its row. */
static int64_t end_of(reader *r, const node *row, size_t column, int64_t start)
{
    const int64_t length = row_integer(r, row, column);
    if (length >= 0)
        return start + length; /* cannot overflow: see json_reader.h */
    const node n = read_item(row, column);
    reader_refuse(r, &n, "ends before it starts");
    return start;
}

/* Bytes in a row; 0 if they are not known. */
static int64_t bytes_in(reader *r, const node *row, size_t column)
{
    const double bytes = row_known(r, row, column);
    return bytes > 0.0 ? (int64_t)bytes : 0;
}

static const char *name_in(reader *r, const node *row, size_t column, const prof_timeline *t)
{
    const int32_t k = index_in(r, row, column, t->name_count);
    return r->status == SWE_LOADED ? t->names[k] : "";
}

static void load_spans(reader *r, const node *root, prof_timeline *t)
{
    const node rows = read_array(r, root, "spans");
    t->spans = begin_rows(r, &rows, sizeof *t->spans, &t->span_count);
    for (int64_t k = 0; more(r, k, t->span_count); k++) {
        const node row = read_item(&rows, (size_t)k);
        prof_span *span = &t->spans[k];
        span->name = name_in(r, &row, 0, t);
        span->kind = (prof_kind)kind_in(r, &row, 1, prof_kind_names, PROF_KINDS);
        span->start = row_integer(r, &row, 2);
        span->end = end_of(r, &row, 3, span->start);
        span->step = row_integer(r, &row, 4);
        span->depth = (int32_t)row_integer(r, &row, 5);
        span->thread = index_in(r, &row, 6, t->thread_count);
    }
}

static void load_ops(reader *r, const node *root, prof_timeline *t)
{
    static const char *const kinds[] = {"kernel", "copy", "fill"};
    const node rows = read_array(r, root, "ops");
    t->ops = begin_rows(r, &rows, sizeof *t->ops, &t->op_count);
    for (int64_t k = 0; more(r, k, t->op_count); k++) {
        const node row = read_item(&rows, (size_t)k), stage = read_item(&row, 1);
        prof_op *op = &t->ops[k];
        op->name = name_in(r, &row, 0, t);
        op->stage = json_is_null(stage.value) ? "" : name_in(r, &row, 1, t);
        op->kind = (prof_op_kind)kind_in(r, &row, 2, kinds, 3);
        op->start = row_integer(r, &row, 3);
        op->end = end_of(r, &row, 4, op->start);
        op->stream = (int32_t)row_integer(r, &row, 5);
        op->bytes = (uint64_t)bytes_in(r, &row, 6);
    }
}

static void load_memory(reader *r, const node *root, prof_timeline *t)
{
    const node rows = read_array(r, root, "memory");
    t->memory = begin_rows(r, &rows, sizeof *t->memory, &t->memory_count);
    for (int64_t k = 0; more(r, k, t->memory_count); k++) {
        const node row = read_item(&rows, (size_t)k);
        t->memory[k] =
            (prof_memory_event){.time = row_integer(r, &row, 0), .in_use = bytes_in(r, &row, 1)};
    }
}

static void load_samples(reader *r, const node *root, prof_timeline *t)
{
    const node rows = read_array(r, root, "samples");
    t->samples = begin_rows(r, &rows, sizeof *t->samples, &t->sample_count);
    for (int64_t k = 0; more(r, k, t->sample_count); k++) {
        const node row = read_item(&rows, (size_t)k);
        t->samples[k] = (prof_gpu_sample){.time = row_integer(r, &row, 0),
                                          .sm = row_known(r, &row, 1),
                                          .memory = row_known(r, &row, 2),
                                          .memory_used = row_known(r, &row, 3),
                                          .sm_clock = row_known(r, &row, 4),
                                          .memory_clock = NAN,
                                          .power = row_known(r, &row, 5),
                                          .temperature = row_known(r, &row, 6)};
    }
}

static void load_sampled(reader *r, const node *root, prof_timeline *t)
{
    const node rows = read_array(r, root, "sampled");
    t->sampled = begin_rows(r, &rows, sizeof *t->sampled, &t->sampled_count);
    for (int64_t k = 0; more(r, k, t->sampled_count); k++) {
        const node row = read_item(&rows, (size_t)k);
        prof_sampled_interval *interval = &t->sampled[k];
        interval->start = row_integer(r, &row, 0);
        interval->end = end_of(r, &row, 1, interval->start);
        for (size_t q = 0; q < PROF_SAMPLED_COUNT; q++)
            interval->value[q] = row_known(r, &row, 2 + q);
    }
}

static void load_all(reader *r, const node *root, prof_timeline *t)
{
    read_table(r, root, prof_timeline_fields, t);
    for (int k = 0; k < t->name_count; k++)
        t->names[k] = reader_current(r, SWE_NAMED_STAGE, t->names[k]);
    load_spans(r, root, t);
    load_ops(r, root, t);
    load_memory(r, root, t);
    load_samples(r, root, t);
    load_sampled(r, root, t);
}

swe_load load_timeline(const char *file, swe_log *log, pool *pool, prof_timeline *t)
{
    reader r = {.log = log, .pool = pool};
    node root;
    if (reader_open(&r, file, &root) && reader_expect(&r, &root, "cubeswe-timeline", 1))
        load_all(&r, &root, t);
    reader_close(&r);
    t->is_known = r.status == SWE_LOADED;
    return r.status;
}
