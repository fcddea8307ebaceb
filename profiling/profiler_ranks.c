/* Windows of several ranks: rank 0 has the traces of all on its own clock. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler_internal.h"
#include "window/ranks.h"

/* ---- clocks ---------------------------------------------------------------------------------- */

enum { CLOCK_MESSAGES = 16 };

/* Another rank answers each message with its time. The fastest answer has its time from the middle
 * between both ends, give or take half of what it took. */
static prof_clock compare_clock(const prof_profiler *p, int rank)
{
    const prof_ranks *ranks = p->options.ranks;
    prof_clock best = {0, INT64_MAX};
    for (int k = 0; k < CLOCK_MESSAGES; k++) {
        int64_t theirs = 0;
        const int64_t asked = prof_window_clock(p);
        ranks->send(rank, &asked, sizeof asked);
        ranks->receive(rank, &theirs, sizeof theirs);
        const int64_t half = (prof_window_clock(p) - asked) / 2;
        if (half < best.uncertainty)
            best = (prof_clock){theirs - (asked + half), half};
    }
    if (llabs(best.difference) <= best.uncertainty) { /* it may be the same clock */
        best.uncertainty += llabs(best.difference);
        best.difference = 0;
    }
    return best;
}

static void answer(const prof_profiler *p)
{
    const prof_ranks *ranks = p->options.ranks;
    for (int k = 0; k < CLOCK_MESSAGES; k++) {
        int64_t asked = 0;
        ranks->receive(0, &asked, sizeof asked);
        const int64_t now = prof_window_clock(p);
        ranks->send(0, &now, sizeof now);
    }
}

void prof_compare_clocks(prof_profiler *p)
{
    const prof_ranks *ranks = p->options.ranks;
    if (ranks == NULL)
        return;
    if (ranks->own > 0) {
        answer(p);
        return;
    }
    if (p->clocks == NULL)
        p->clocks = calloc((size_t)ranks->count, sizeof *p->clocks);
    for (int rank = 1; rank < ranks->count; rank++) {
        const prof_clock clock = compare_clock(p, rank);
        if (p->clocks != NULL)
            p->clocks[rank] = clock;
    }
}

/* ---- traces ---------------------------------------------------------------------------------- */

bool prof_send_trace(const prof_trace *trace, const prof_ranks *ranks)
{
    size_t size = 0;
    bool is_wanted = false, is_written = false;
    void *bytes = trace != NULL ? prof_trace_pack(trace, &size) : NULL;
    if (bytes == NULL)
        size = 0;
    ranks->send(0, &size, sizeof size);
    ranks->receive(0, &is_wanted, sizeof is_wanted);
    if (is_wanted)
        ranks->send(0, bytes, size);
    free(bytes);
    ranks->receive(0, &is_written, sizeof is_written);
    return is_written;
}

void prof_end_traces(const prof_ranks *ranks, bool is_written)
{
    for (int rank = 1; ranks != NULL && rank < ranks->count; rank++)
        ranks->send(rank, &is_written, sizeof is_written);
}

/* The trace of another rank; NULL if it is lost, or not wanted. */
static prof_trace *receive_trace(const prof_ranks *ranks, int rank, bool is_wanted)
{
    size_t size = 0;
    ranks->receive(rank, &size, sizeof size);
    void *bytes = is_wanted && size > 0 ? malloc(size) : NULL;
    const bool has_room = bytes != NULL;
    ranks->send(rank, &has_room, sizeof has_room);
    if (bytes == NULL)
        return NULL;
    ranks->receive(rank, bytes, size);
    prof_trace *trace = prof_trace_unpack(bytes, size);
    free(bytes);
    return trace;
}

/* Warnings that rank 0 does not have: the first rank of each, and how many have it. */
typedef struct other_warnings {
    const char *text[SWE_LOG_MOST];
    int32_t first[SWE_LOG_MOST], ranks[SWE_LOG_MOST];
    int count;
} other_warnings;

static bool has_warning(const prof_trace *trace, const char *text)
{
    for (int32_t k = 0; k < trace->warning_count; k++)
        if (strcmp(trace->warnings[k], text) == 0)
            return true;
    return false;
}

static void note_warning(other_warnings *all, int32_t rank, const char *text, prof_trace *owner)
{
    for (int k = 0; k < all->count; k++)
        if (strcmp(all->text[k], text) == 0) {
            all->ranks[k]++;
            return;
        }
    if (all->count == SWE_LOG_MOST)
        return;
    all->text[all->count] = prof_trace_intern(owner, text);
    all->first[all->count] = rank;
    all->ranks[all->count++] = 1;
}

/* "rank 3: ...", "rank 3 and 2 others: ..." */
static bool add_warnings(const other_warnings *all, prof_trace *to)
{
    const char **warnings =
        realloc(to->warnings, (size_t)(to->warning_count + all->count + 1) * sizeof *warnings);
    if (warnings == NULL)
        return false;
    to->warnings = warnings;
    for (int k = 0; k < all->count; k++) {
        char line[SWE_LOG_LENGTH], others[32] = "";
        if (all->ranks[k] > 1)
            snprintf(others, sizeof others, " and %d other%s", all->ranks[k] - 1,
                     all->ranks[k] > 2 ? "s" : "");
        snprintf(line, sizeof line, "rank %d%s: %s", all->first[k], others, all->text[k]);
        warnings[to->warning_count++] = prof_trace_intern(to, line);
    }
    return true;
}

/* Add the trace of another rank to the trace of rank 0, which owns it afterwards. The window of the
 * other rank is set to begin with the window of rank 0: rank 0 opens its window last, before the
 * first step. */
static bool add_trace(const prof_profiler *p, prof_trace *other, prof_trace *trace,
                      other_warnings *warnings)
{
    const prof_clock clock = p->clocks != NULL ? p->clocks[other->rank] : (prof_clock){0, 0};
    prof_trace_shift(other, -clock.difference);
    other->start = trace->start;
    prof_rank *rank = &trace->ranks[trace->rank_count++];
    const bool ok = prof_describe_run(p, other->share, other) && prof_rank_of(other, trace, rank);
    for (int32_t k = 0; k < other->warning_count; k++)
        if (!has_warning(trace, other->warnings[k]))
            note_warning(warnings, other->rank, other->warnings[k], trace);
    rank->clock_difference = (double)clock.difference;
    rank->clock_uncertainty = (double)clock.uncertainty;
    if (ok && trace->traced < PROF_MOST_TRACED)
        trace->others[trace->traced++ - 1] = other;
    else
        prof_trace_destroy(&other);
    return ok;
}

/* Make room for all ranks, and begin with rank 0. */
static bool begin_ranks(const prof_ranks *ranks, prof_trace *trace)
{
    trace->ranks = calloc((size_t)ranks->count, sizeof *trace->ranks);
    trace->others = calloc((size_t)ranks->count, sizeof(prof_trace *));
    if (trace->ranks == NULL || trace->others == NULL)
        return false;
    trace->rank_count = trace->traced = 1;
    return prof_rank_of(trace, trace, &trace->ranks[0]);
}

bool prof_receive_traces(prof_profiler *p, prof_trace *trace)
{
    const prof_ranks *ranks = p->options.ranks;
    if (ranks == NULL)
        return trace != NULL;
    other_warnings warnings = {.count = 0};
    bool complete = trace != NULL && begin_ranks(ranks, trace);
    for (int rank = 1; rank < ranks->count; rank++) {
        const bool was_complete = complete;
        prof_trace *other = receive_trace(ranks, rank, complete);
        complete = trace != NULL && other != NULL && add_trace(p, other, trace, &warnings);
        if (was_complete && !complete)
            swe_warn(&p->log,
                     "profile: out of memory for the records of rank %d: the window at step "
                     "%" PRId64 " is lost",
                     rank, p->window_step);
    }
    return complete && add_warnings(&warnings, trace);
}
