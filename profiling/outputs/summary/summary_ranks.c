/* The ranks in summary.json. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "outputs/summary/internal.h"
#include "trace/ranks.h"

/* Values of a quantity on all ranks. */
typedef struct values {
    double *value; /* NAN: unknown */
    int32_t count;
} values;

/* Least, median and greatest; null if one is unknown. Sorts them. */
static json_t *over_ranks(values v)
{
    const double median = prof_median(v.value, v.count);
    if (isnan(median))
        return json_null();
    return json_pack("{s:o, s:o, s:o}", "least", swe_json_real(v.value[0]), "median",
                     swe_json_real(median), "greatest", swe_json_real(v.value[v.count - 1]));
}

/* The rank with the greatest value. */
static int32_t greatest(values v)
{
    int32_t rank = 0;
    for (int32_t k = 0; k < v.count; k++)
        rank = v.value[k] > v.value[rank] ? k : rank;
    return rank;
}

/* That value over the mean; NAN: one is unknown. */
static double imbalance_of(values v)
{
    double sum = 0.0;
    for (int32_t k = 0; k < v.count; k++)
        sum += v.value[k];
    return v.value[greatest(v)] * v.count / sum;
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

/* A stage on all ranks. */
typedef struct stage_rows {
    const prof_rank_stage *first; /* of rank 0 */
    const prof_rank_stage **row;  /* by rank; NULL: not called */
    values room;
} stage_rows;

/* A quantity of the stage on all ranks, by its offset in prof_rank_stage. */
static values values_of(const stage_rows *s, size_t quantity)
{
    for (int32_t k = 0; k < s->room.count; k++) {
        s->room.value[k] = 0.0;
        if (s->row[k] != NULL)
            memcpy(&s->room.value[k], (const char *)s->row[k] + quantity, sizeof(double));
    }
    return s->room;
}

/* Each call fills the room and uses it before another one does. */

static json_t *spread_of(const stage_rows *s, size_t quantity)
{
    return over_ranks(values_of(s, quantity));
}

static json_t *greatest_of(const stage_rows *s, size_t quantity)
{
    const values v = values_of(s, quantity);
    return swe_json_real(v.value[greatest(v)]);
}

#define SPREAD(member)   spread_of(s, offsetof(prof_rank_stage, member))
#define GREATEST(member) greatest_of(s, offsetof(prof_rank_stage, member))

static json_t *stage_of(const stage_rows *s)
{
    const values work = values_of(s, offsetof(prof_rank_stage, work));
    const double imbalance = imbalance_of(work);
    const int32_t slowest = greatest(work);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "stage",
                     swe_json_text_or_null(s->first->name), "time_ns", SPREAD(time), "work_ns",
                     SPREAD(work), "exposed_ns", SPREAD(exposed), "rank_0_exposed_ns",
                     swe_json_real(s->first->exposed), "imbalance", swe_json_positive(imbalance),
                     "slowest", isnan(imbalance) ? json_null() : json_integer(slowest), "exchanges",
                     GREATEST(exchanges), "messages", GREATEST(messages), "received_bytes",
                     GREATEST(received_bytes));
}

/* A stage with its place: by the median of its times, the longest first. */
typedef struct placed_stage {
    double median;
    json_t *value;
} placed_stage;

static int by_median(const void *a, const void *b)
{
    const placed_stage *x = a, *y = b;
    return (y->median > x->median) - (y->median < x->median);
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
        const stage_rows stage = {&first->stages[k], rows, room};
        for (int32_t rank = 0; rank < trace->rank_count; rank++)
            rows[rank] = prof_rank_stage_named(&trace->ranks[rank], stage.first->name);
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

static json_t *imbalance_of_ranks(const prof_trace *trace, values room)
{
    for (int32_t k = 0; k < trace->rank_count; k++)
        room.value[k] = trace->ranks[k].work;
    return swe_json_positive(imbalance_of(room));
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
                     imbalance_of_ranks(trace, room), "exposed_share", exposed_share(trace), "each",
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
