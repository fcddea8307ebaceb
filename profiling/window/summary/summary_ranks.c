/* The ranks in summary.json. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "window/summary/internal.h"
#include "window/ranks.h"

/* Values of a quantity on all ranks. */
typedef struct values {
    double *value; /* NAN: unknown */
    int32_t count;
} values;

/* Least, median and greatest; unknown if one is. Sorts them. */
static prof_over_ranks over_ranks(values v)
{
    const double median = prof_median(v.value, v.count);
    if (isnan(median))
        return (prof_over_ranks){.count = 0};
    return (prof_over_ranks){v.count, v.value[0], median, v.value[v.count - 1]};
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

static double greatest_of(const stage_rows *s, size_t quantity)
{
    const values v = values_of(s, quantity);
    return v.value[greatest(v)];
}

#define SPREAD(member)   over_ranks(values_of(s, offsetof(prof_rank_stage, member)))
#define GREATEST(member) greatest_of(s, offsetof(prof_rank_stage, member))

static prof_report_rank_stage stage_of(const stage_rows *s)
{
    const values work = values_of(s, offsetof(prof_rank_stage, work));
    const double imbalance = imbalance_of(work);
    const int32_t slowest = isnan(imbalance) ? -1 : greatest(work);
    return (prof_report_rank_stage){.stage = s->first->name,
                                    .time = SPREAD(time),
                                    .work = SPREAD(work),
                                    .exposed = SPREAD(exposed),
                                    .rank_0_exposed = s->first->exposed,
                                    .imbalance = imbalance,
                                    .slowest = slowest,
                                    .exchanges = GREATEST(exchanges),
                                    .messages = GREATEST(messages),
                                    .received = GREATEST(received_bytes)};
}

/* By the median of their times, the longest first. */
static int by_median(const void *a, const void *b)
{
    const prof_report_rank_stage *x = a, *y = b;
    return (y->time.median > x->time.median) - (y->time.median < x->time.median);
}

/* Set the stages that rank 0 called. */
static void set_stages(const prof_trace *trace, values room, const prof_rank_stage **rows,
                       prof_report_ranks *ranks)
{
    for (; ranks->stage_count < trace->ranks[0].stage_count; ranks->stage_count++) {
        const stage_rows stage = {&trace->ranks[0].stages[ranks->stage_count], rows, room};
        for (int32_t rank = 0; rank < trace->rank_count; rank++)
            rows[rank] = prof_rank_stage_named(&trace->ranks[rank], stage.first->name);
        ranks->stages[ranks->stage_count] = stage_of(&stage);
    }
    qsort(ranks->stages, (size_t)ranks->stage_count, sizeof *ranks->stages, by_median);
}

/* ---- all ------------------------------------------------------------------------------------- */

static double exposed_share(const prof_trace *trace)
{
    double work = 0.0, exposed = 0.0;
    for (int32_t k = 0; k < trace->rank_count; k++) {
        work += trace->ranks[k].work;
        exposed += trace->ranks[k].exposed;
    }
    return exposed / (work + exposed);
}

void summary_ranks(const prof_trace *trace, pool *pool, prof_report_window *w)
{
    const size_t count = (size_t)trace->rank_count;
    const values room = {pool_array(pool, count, sizeof(double)), trace->rank_count};
    const prof_rank_stage **rows = pool_array(pool, count, sizeof(const prof_rank_stage *));
    if (room.value == NULL || rows == NULL)
        return;
    for (int32_t k = 0; k < trace->rank_count; k++) /* unknown if one rank has recorded no steps */
        room.value[k] = trace->ranks[k].step > 0.0 ? trace->ranks[k].step : NAN;
    const prof_over_ranks step = over_ranks(room);
    for (int32_t k = 0; k < trace->rank_count; k++)
        room.value[k] = trace->ranks[k].work;
    w->ranks = (prof_report_ranks){.is_known = true,
                                   .count = trace->rank_count,
                                   .traced = trace->traced,
                                   .step = step,
                                   .imbalance = imbalance_of(room),
                                   .exposed_share = exposed_share(trace),
                                   .each = trace->ranks,
                                   .each_count = trace->rank_count};
    w->ranks.stages =
        pool_array(pool, (size_t)trace->ranks[0].stage_count, sizeof *w->ranks.stages);
    if (w->ranks.stages != NULL)
        set_stages(trace, room, rows, &w->ranks);
}
