/* The ranks in summary.json. */
#include <math.h>
#include <stdlib.h>

#include "base/json.h"
#include "outputs/summary/internal.h"
#include "trace/ranks.h"

/* Values of a quantity on all ranks. */
typedef struct values {
    double *value; /* NAN: unknown */
    int32_t count;
} values;

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Least, median and greatest; null if one is unknown. Sorts them. */
static json_t *over_ranks(values v)
{
    for (int32_t k = 0; k < v.count; k++)
        if (isnan(v.value[k]))
            return json_null();
    qsort(v.value, (size_t)v.count, sizeof *v.value, by_size);
    const double median = 0.5 * (v.value[(v.count - 1) / 2] + v.value[v.count / 2]);
    return json_pack("{s:o, s:o, s:o}", "least", swe_json_real(v.value[0]), "median",
                     swe_json_real(median), "greatest", swe_json_real(v.value[v.count - 1]));
}

/* The rank with the greatest value, and that value over the mean. */
static int32_t greatest(values v, double *imbalance)
{
    int32_t rank = 0;
    double sum = 0.0;
    for (int32_t k = 0; k < v.count; k++) {
        sum += v.value[k];
        rank = v.value[k] > v.value[rank] ? k : rank;
    }
    *imbalance = v.value[rank] * v.count / sum;
    return rank;
}

static json_t *rank_of(const prof_rank *r, int32_t number)
{
    return json_pack(
        "{s:i, s:o, s:i, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I}", "rank",
        number, "host", swe_json_text_or_null(r->host), "process", r->process, "device",
        swe_json_text_or_null(r->device), "threads", swe_json_positive_integer(r->threads), "share",
        swe_json_real(r->share), "clock_difference_ns", (json_int_t)r->clock_difference,
        "clock_uncertainty_ns", (json_int_t)r->clock_uncertainty, "step_ns",
        swe_json_positive(r->step), "work_ns", swe_json_positive(r->work), "exposed_ns",
        swe_json_real(r->exposed), "messages", swe_json_real(r->messages), "received_bytes",
        swe_json_real(r->received_bytes), "sent_bytes", swe_json_real(r->sent_bytes),
        "memory_peak_bytes", (json_int_t)r->memory_peak, "dropped", (json_int_t)r->dropped);
}

/* ---- stages ---------------------------------------------------------------------------------- */

/* A stage on all ranks: `row` has those that called it. */
typedef struct stage_rows {
    const char *name;
    const prof_rank_stage *first; /* of rank 0 */
    const prof_rank_stage **row;  /* by rank; NULL: not called */
    values room;
} stage_rows;

typedef double quantity(const prof_rank_stage *row);

static double time_of(const prof_rank_stage *row)
{
    return row->time;
}

static double work_of(const prof_rank_stage *row)
{
    return row->work;
}

static double exposed_of(const prof_rank_stage *row)
{
    return row->exposed;
}

static double exchanges_of(const prof_rank_stage *row)
{
    return row->exchanges;
}

static double messages_of(const prof_rank_stage *row)
{
    return row->messages;
}

static double received_of(const prof_rank_stage *row)
{
    return row->received_bytes;
}

static values values_of(const stage_rows *s, quantity *of)
{
    for (int32_t k = 0; k < s->room.count; k++)
        s->room.value[k] = s->row[k] != NULL ? of(s->row[k]) : 0.0;
    return s->room;
}

/* Each function fills the room and uses it: no other may come between. */

static json_t *spread_of(const stage_rows *s, quantity *of)
{
    return over_ranks(values_of(s, of));
}

static json_t *greatest_of(const stage_rows *s, quantity *of)
{
    double unused = 0.0;
    const values v = values_of(s, of);
    return swe_json_real(v.value[greatest(v, &unused)]);
}

static json_t *stage_of(const stage_rows *s)
{
    double imbalance = 0.0;
    const int32_t slowest = greatest(values_of(s, work_of), &imbalance);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "stage",
                     swe_json_text_or_null(s->name), "time_ns", spread_of(s, time_of), "work_ns",
                     spread_of(s, work_of), "exposed_ns", spread_of(s, exposed_of),
                     "rank_0_exposed_ns", swe_json_real(s->first->exposed), "imbalance",
                     swe_json_positive(imbalance), "slowest",
                     isnan(imbalance) ? json_null() : json_integer(slowest), "exchanges",
                     greatest_of(s, exchanges_of), "messages", greatest_of(s, messages_of),
                     "received_bytes", greatest_of(s, received_of));
}

/* A stage with its place: by the median of its times, the longest first. */
typedef struct placed_stage {
    double median;
    json_t *value;
} placed_stage;

static int by_median(const void *a, const void *b)
{
    const placed_stage *x = a, *y = b;
    return by_size(&y->median, &x->median);
}

static placed_stage place_stage(const stage_rows *s)
{
    json_t *value = stage_of(s);
    const json_t *times = json_object_get(value, "time_ns");
    return (placed_stage){json_number_value(json_object_get(times, "median")), value};
}

/* The stages that rank 0 called. */
static json_t *stages_of(const prof_trace *trace, values room, const prof_rank_stage **rows)
{
    const prof_rank *first = &trace->ranks[0];
    placed_stage *placed = malloc((size_t)(first->stage_count + 1) * sizeof *placed);
    json_t *all = placed != NULL ? json_array() : NULL;
    for (int32_t k = 0; placed != NULL && k < first->stage_count; k++) {
        const stage_rows stage = {first->stages[k].name, &first->stages[k], rows, room};
        for (int32_t rank = 0; rank < trace->rank_count; rank++)
            rows[rank] = prof_rank_stage_named(&trace->ranks[rank], stage.name);
        placed[k] = place_stage(&stage);
    }
    if (placed != NULL)
        qsort(placed, (size_t)first->stage_count, sizeof *placed, by_median);
    for (int32_t k = 0; placed != NULL && k < first->stage_count; k++)
        swe_json_append(&all, placed[k].value);
    free(placed);
    return all;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* The steps of all ranks; null if one has recorded none. */
static json_t *steps_of(const prof_trace *trace, values room)
{
    for (int32_t k = 0; k < trace->rank_count; k++)
        room.value[k] = trace->ranks[k].step > 0.0 ? trace->ranks[k].step : NAN;
    return over_ranks(room);
}

static json_t *imbalance_of(const prof_trace *trace, values room)
{
    double imbalance = 0.0;
    for (int32_t k = 0; k < trace->rank_count; k++)
        room.value[k] = trace->ranks[k].work;
    greatest(room, &imbalance);
    return swe_json_positive(imbalance);
}

static json_t *exposed_share(const prof_trace *trace)
{
    double work = 0.0, exposed = 0.0;
    for (int32_t k = 0; k < trace->rank_count; k++) {
        work += trace->ranks[k].work;
        exposed += trace->ranks[k].exposed;
    }
    return swe_json_real(exposed / (work + exposed));
}

static json_t *each_of(const prof_trace *trace)
{
    json_t *each = json_array();
    for (int32_t k = 0; k < trace->rank_count; k++)
        swe_json_append(&each, rank_of(&trace->ranks[k], k));
    return each;
}

static json_t *ranks_of(const prof_trace *trace, values room, const prof_rank_stage **rows)
{
    return json_pack("{s:i, s:i, s:o, s:o, s:o, s:o, s:o}", "count", trace->rank_count, "traced",
                     trace->traced, "step_ns", steps_of(trace, room), "imbalance",
                     imbalance_of(trace, room), "exposed_share", exposed_share(trace), "each",
                     each_of(trace), "stages", stages_of(trace, room, rows));
}

json_t *summary_ranks(const prof_trace *trace)
{
    if (trace->rank_count == 0)
        return json_null();
    const size_t count = (size_t)trace->rank_count;
    const values room = {malloc(count * sizeof(double)), trace->rank_count};
    const prof_rank_stage **rows = malloc(count * sizeof(const prof_rank_stage *));
    json_t *all = room.value != NULL && rows != NULL ? ranks_of(trace, room, rows) : NULL;
    free(room.value);
    free(rows);
    return all;
}
