#include "trace/ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/analysis.h"

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

/* The row of a stage, which is added if it is new; the rows have room for all regions. */
static prof_rank_stage *row_of(prof_rank *rank, const char *name)
{
    for (int32_t k = 0; k < rank->stage_count; k++)
        if (strcmp(rank->stages[k].name, name) == 0)
            return &rank->stages[k];
    rank->stages[rank->stage_count] = (prof_rank_stage){.name = name};
    return &rank->stages[rank->stage_count++];
}

/* The stage around a span of a step; NULL: none. */
static const prof_span *stage_around(const prof_trace *trace, int32_t span)
{
    while (span >= 0 && trace->spans[span].kind != PROF_STAGE)
        span = trace->spans[span].parent;
    return span >= 0 && trace->spans[span].step >= 0 ? &trace->spans[span] : NULL;
}

static bool is_in_step(const prof_span *span, prof_kind kind)
{
    return span->kind == kind && span->step >= 0;
}

/* Whether times on the device were recorded. */
static bool has_times(const prof_trace *trace)
{
    return !trace->device.is_gpu || trace->op_count > 0;
}

static void add_times(const prof_trace *trace, const prof_projection *projections, const work *w,
                      prof_rank *out)
{
    for (int64_t k = 0; k < trace->span_count; k++) {
        const prof_span *span = &trace->spans[k];
        if (is_in_step(span, PROF_STAGE)) {
            const int64_t on_device = prof_device_time(trace, projections, k);
            prof_rank_stage *row = row_of(out, span->name);
            row->time += !has_times(trace) ? NAN : on_device > 0 ? (double)on_device : 0.0;
        } else if (is_in_step(span, PROF_WAIT)) {
            const prof_span *stage = stage_around(trace, span->parent);
            if (stage != NULL)
                row_of(out, stage->name)->exposed +=
                    has_times(trace) ? (double)idle_in(trace, w, span) : NAN;
        }
    }
}

/* Where no wait was recorded, it is not known what is exposed: a stream of the GPU waits. */
static void add_exchanges(const prof_trace *trace, prof_rank *out)
{
    for (int64_t k = 0; k < trace->exchange_count; k++) {
        const prof_exchange *exchange = &trace->exchanges[k];
        const prof_span *stage = stage_around(trace, exchange->span);
        if (stage == NULL)
            continue;
        prof_rank_stage *row = row_of(out, stage->name);
        const prof_message *message = &trace->messages[exchange->first];
        row->exchanges += 1.0;
        row->messages += exchange->received;
        for (int32_t m = 0; m < exchange->received; m++)
            row->received_bytes += (double)message[m].bytes;
        for (int32_t m = 0; m < exchange->sent; m++)
            out->sent_bytes += (double)message[exchange->received + m].bytes;
        if (exchange->wait < 0)
            row->exposed = NAN;
    }
}

static int64_t count_steps(const prof_trace *trace)
{
    int64_t steps = 0;
    for (int64_t k = 0; k < trace->span_count; k++)
        steps += trace->spans[k].kind == PROF_STEP;
    return steps;
}

/* Sums over the window become means over its steps. */
static void divide(prof_rank *out, double steps)
{
    out->sent_bytes /= steps;
    for (int32_t k = 0; k < out->stage_count; k++) {
        prof_rank_stage *row = &out->stages[k];
        row->time /= steps;
        row->exposed /= steps;
        row->exchanges /= steps;
        row->messages /= steps;
        row->received_bytes /= steps;
        out->work += prof_rank_work(row);
        out->exposed += row->exposed;
        out->messages += row->messages;
        out->received_bytes += row->received_bytes;
    }
}

static bool median_step(const prof_trace *trace, const prof_projection *projections, double *out)
{
    prof_groups *times = prof_groups_create(trace->span_count, NULL);
    if (times == NULL)
        return false;
    for (int64_t k = 0; k < trace->span_count; k++) {
        const int64_t on_device = prof_device_time(trace, projections, k);
        if (trace->spans[k].kind == PROF_STEP && on_device >= 0)
            prof_groups_add(times, &trace->spans[k], on_device);
    }
    times = prof_groups_finish(times);
    *out = times != NULL && times->count > 0 ? times->group[0].median : 0.0;
    const bool ok = times != NULL;
    prof_groups_destroy(&times);
    return ok;
}

static void describe(const prof_trace *trace, prof_rank *out)
{
    const prof_drops *drops = &trace->drops;
    snprintf(out->host, sizeof out->host, "%s", trace->host);
    snprintf(out->device, sizeof out->device, "%s", trace->device.name);
    out->process = trace->process;
    out->threads = trace->device.threads;
    out->share = trace->share;
    out->memory_peak = trace->after.peak;
    out->dropped = drops->spans + drops->ops + drops->records + drops->rejected + drops->unknown;
}

static bool measure(const prof_trace *trace, prof_rank *out)
{
    work w;
    const int64_t steps = count_steps(trace);
    prof_projection *projections = prof_project(trace);
    bool ok = work_of(trace, &w) && projections != NULL && out->stages != NULL &&
              median_step(trace, projections, &out->step);
    if (ok && steps > 0) {
        add_times(trace, projections, &w, out);
        add_exchanges(trace, out);
        divide(out, (double)steps);
    }
    free(w.interval);
    free(projections);
    return ok;
}

/* Number of names of stages in a trace, at most. */
static size_t most_stages(const prof_trace *trace)
{
    size_t most = 1;
    const char *last = NULL;
    for (int64_t k = 0; k < trace->span_count; k++)
        if (trace->spans[k].kind == PROF_STAGE && trace->spans[k].name != last) {
            last = trace->spans[k].name;
            most++;
        }
    return most;
}

bool prof_rank_of(const prof_trace *trace, prof_trace *owner, prof_rank *out)
{
    *out = (prof_rank){.stages = malloc(most_stages(trace) * sizeof *out->stages)};
    describe(trace, out);
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
