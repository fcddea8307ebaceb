#include "window/ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "window/analysis.h"

/* ---- when the GPU worked --------------------------------------------------------------------- */

typedef struct interval {
    int64_t start, end;
} interval;

/* The operations of the GPU as intervals that do not overlap, by time. */
typedef struct work {
    interval *interval;
    int64_t count;
} work;

static bool work_of(const prof_trace *trace, work *out)
{
    out->count = 0;
    out->interval = malloc((size_t)(trace->op_count + 1) * sizeof *out->interval);
    if (out->interval == NULL)
        return false;
    for (int64_t k = 0; k < trace->op_count; k++) { /* by start */
        const prof_op *op = &trace->ops[k];
        interval *last = out->count > 0 ? &out->interval[out->count - 1] : NULL;
        if (last == NULL || op->start > last->end)
            out->interval[out->count++] = (interval){op->start, op->end};
        else if (op->end > last->end)
            last->end = op->end;
    }
    return true;
}

/* The first interval that ends after a time. */
static int64_t first_after(const work *w, int64_t time)
{
    int64_t low = 0, high = w->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (w->interval[middle].end > time)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* The part of a span in which the device does not work: on a CPU, whose thread waits, all of it. */
static int64_t idle_in(const prof_trace *trace, const work *w, const prof_span *span)
{
    int64_t idle = span->end - span->start;
    if (!trace->device.is_gpu)
        return idle;
    for (int64_t k = first_after(w, span->start); k < w->count && w->interval[k].start < span->end;
         k++) {
        const interval *i = &w->interval[k];
        const int64_t start = i->start > span->start ? i->start : span->start;
        idle -= (i->end < span->end ? i->end : span->end) - start;
    }
    return idle;
}

/* ---- what a rank did ------------------------------------------------------------------------- */

/* Times of a stage, or of all stages, in each step. */
typedef struct tally {
    const char *name;
    double *time, *exposed; /* [steps] */
    double exchanges, messages, received_bytes;
} tally;

/* The stages of a trace while its records are added up. */
typedef struct tallies {
    const prof_trace *trace;
    const prof_projection *projections;
    work work;
    tally *stage;
    int32_t count;
    int64_t steps;
    double sent_bytes;
} tallies;

static bool tally_allocate(tally *t, const char *name, int64_t steps)
{
    double *times = calloc((size_t)(2 * steps + 1), sizeof *times);
    if (times == NULL)
        return false;
    *t = (tally){.name = name, .time = times, .exposed = times + steps};
    return true;
}

/* The tally of a stage, which is added if it is new; NULL without memory. */
static tally *tally_of(tallies *all, const char *name)
{
    for (int32_t k = 0; k < all->count; k++)
        if (strcmp(all->stage[k].name, name) == 0)
            return &all->stage[k];
    tally *grown = realloc(all->stage, (size_t)(all->count + 1) * sizeof *grown);
    if (grown == NULL)
        return NULL;
    all->stage = grown;
    if (!tally_allocate(&grown[all->count], name, all->steps))
        return NULL;
    return &grown[all->count++];
}

/* The stage around a span of a step; NULL: none. */
static const prof_span *stage_around(const prof_trace *trace, int32_t span)
{
    while (span >= 0 && trace->spans[span].kind != PROF_STAGE)
        span = trace->spans[span].parent;
    return span >= 0 && trace->spans[span].step >= 0 ? &trace->spans[span] : NULL;
}

/* Add a stage, or a wait in one, to step number `step` of the window. */
static bool add_span(tallies *all, int64_t index, int64_t step)
{
    const prof_trace *trace = all->trace;
    const prof_span *span = &trace->spans[index];
    const bool is_wait = span->kind == PROF_WAIT;
    const prof_span *stage = stage_around(trace, is_wait ? span->parent : (int32_t)index);
    tally *t = stage != NULL ? tally_of(all, stage->name) : NULL;
    if (stage == NULL || t == NULL)
        return stage == NULL;
    double time = NAN;
    if (!trace->device.is_gpu || trace->op_count > 0) /* times on the device were recorded */
        time = is_wait ? (double)idle_in(trace, &all->work, span)
                       : (double)prof_device_time(trace, all->projections, index);
    if (!is_wait && time < 0.0)
        time = 0.0; /* it launched nothing */
    *(is_wait ? &t->exposed[step] : &t->time[step]) += time;
    return true;
}

/* Steps come before what is in them. */
static bool add_spans(tallies *all)
{
    int64_t step = -1;
    bool ok = true;
    for (int64_t k = 0; k < all->trace->span_count && ok; k++) {
        const prof_span *span = &all->trace->spans[k];
        step += span->kind == PROF_STEP;
        if (span->step >= 0 && step >= 0 && (span->kind == PROF_STAGE || span->kind == PROF_WAIT))
            ok = add_span(all, k, step);
    }
    return ok;
}

/* Where no wait was recorded, it is not known what is exposed. */
static bool add_exchanges(tallies *all)
{
    const prof_trace *trace = all->trace;
    for (int64_t k = 0; k < trace->exchange_count; k++) {
        const prof_exchange *exchange = &trace->exchanges[k];
        const prof_span *stage = stage_around(trace, exchange->span);
        tally *t = stage != NULL ? tally_of(all, stage->name) : NULL;
        if (stage == NULL)
            continue;
        if (t == NULL)
            return false;
        const prof_message *message = &trace->messages[exchange->first];
        t->exchanges += 1.0;
        t->messages += exchange->received;
        for (int32_t m = 0; m < exchange->received; m++)
            t->received_bytes += (double)message[m].bytes;
        for (int32_t m = 0; m < exchange->sent; m++)
            all->sent_bytes += (double)message[exchange->received + m].bytes;
        for (int64_t step = 0; exchange->wait < 0 && step < all->steps; step++)
            t->exposed[step] = NAN;
    }
    return true;
}

/* Return the medians of a tally, and add its steps to `total`, the tally of all stages (NULL:
 * none). */
static prof_rank_stage summarise(tally *t, int64_t steps, tally *total)
{
    const double count = (double)steps;
    prof_rank_stage out = {.name = t->name,
                           .exchanges = t->exchanges / count,
                           .messages = t->messages / count,
                           .received_bytes = t->received_bytes / count};
    double *work = malloc((size_t)(steps + 1) * sizeof *work);
    for (int64_t k = 0; k < steps && work != NULL; k++)
        work[k] = t->time[k] - t->exposed[k];
    for (int64_t k = 0; k < steps && total != NULL; k++) {
        total->time[k] += t->time[k];
        total->exposed[k] += t->exposed[k];
    }
    out.work = work != NULL ? prof_median(work, steps) : NAN;
    out.time = prof_median(t->time, steps);
    out.exposed = prof_median(t->exposed, steps);
    free(work);
    return out;
}

static bool summarise_all(tallies *all, prof_rank *out)
{
    tally total;
    out->stages = malloc((size_t)(all->count + 1) * sizeof *out->stages);
    if (out->stages == NULL || !tally_allocate(&total, "", all->steps))
        return false;
    for (int32_t k = 0; k < all->count; k++) {
        out->stages[k] = summarise(&all->stage[k], all->steps, &total);
        out->messages += out->stages[k].messages;
        out->received += out->stages[k].received_bytes;
    }
    out->stage_count = all->count;
    const prof_rank_stage stages = summarise(&total, all->steps, NULL);
    out->work = stages.work;
    out->exposed = stages.exposed;
    out->sent = all->sent_bytes / (double)all->steps;
    free(total.time);
    return true;
}

static bool median_step(const tallies *all, double *out)
{
    double *times = malloc((size_t)(all->steps + 1) * sizeof *times);
    int64_t count = 0;
    for (int64_t k = 0; k < all->trace->span_count && times != NULL; k++)
        if (all->trace->spans[k].kind == PROF_STEP) {
            const int64_t time = prof_device_time(all->trace, all->projections, k);
            if (time >= 0)
                times[count++] = (double)time;
        }
    *out = times != NULL && count > 0 ? prof_median(times, count) : 0.0;
    free(times);
    return times != NULL;
}

static bool measure(const prof_trace *trace, prof_rank *out)
{
    prof_projection *projections = prof_project(trace);
    tallies all = {.trace = trace, .projections = projections};
    for (int64_t k = 0; k < trace->span_count; k++)
        all.steps += trace->spans[k].kind == PROF_STEP;
    bool ok = work_of(trace, &all.work) && projections != NULL && median_step(&all, &out->step);
    if (ok && all.steps > 0)
        ok = add_spans(&all) && add_exchanges(&all) && summarise_all(&all, out);
    for (int32_t k = 0; k < all.count; k++)
        free(all.stage[k].time);
    free(all.stage);
    free(all.work.interval);
    free(projections);
    return ok;
}

bool prof_rank_of(const prof_trace *trace, prof_trace *owner, prof_rank *out)
{
    const prof_drops *drops = &trace->drops;
    *out = (prof_rank){.rank = trace->rank,
                       .host = prof_trace_intern(owner, trace->host),
                       .device = prof_trace_intern(owner, trace->device.name),
                       .process = trace->process,
                       .threads = trace->device.threads,
                       .share = trace->share,
                       .memory_peak = (double)trace->after.peak,
                       .dropped = drops->spans + drops->ops + drops->records + drops->rejected +
                                  drops->unknown};
    const bool ok = measure(trace, out);
    for (int32_t k = 0; k < out->stage_count; k++)
        out->stages[k].name = prof_trace_intern(owner, out->stages[k].name);
    return ok;
}

void prof_ranks_destroy(prof_rank *ranks, int32_t count)
{
    for (int32_t k = 0; k < count; k++)
        free(ranks[k].stages);
    free(ranks);
}

const prof_rank_stage *prof_rank_stage_named(const prof_rank *rank, const char *name)
{
    for (int32_t k = 0; k < rank->stage_count; k++)
        if (strcmp(rank->stages[k].name, name) == 0)
            return &rank->stages[k];
    return NULL;
}
