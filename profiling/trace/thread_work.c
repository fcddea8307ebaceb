#include "trace/thread_work.h"

#include <stdlib.h>
#include <string.h>

#include "trace/groupings.h"

static void sum_counts(prof_thread_work *work)
{
    int64_t instructions = 0, cycles = 0;
    for (int c = 0; c < PROF_COUNTER_COUNT; c++)
        work->counts[c] = -1;
    for (int64_t k = 0; k < work->parts.count; k++) {
        const prof_span *part = work->parts.values[k].item;
        for (int c = 0; c < PROF_COUNTER_COUNT; c++)
            if (part->counts[c] >= 0)
                work->counts[c] = (work->counts[c] >= 0 ? work->counts[c] : 0) + part->counts[c];
        if (part->counts[PROF_COUNTER_instructions] >= 0 && part->counts[PROF_COUNTER_cycles] > 0) {
            instructions += part->counts[PROF_COUNTER_instructions];
            cycles += part->counts[PROF_COUNTER_cycles];
        }
    }
    work->instructions_per_cycle = cycles > 0 ? (double)instructions / (double)cycles : -1.0;
}

static prof_thread_work work_of(const prof_trace *trace, const prof_groups *regions,
                                const prof_group *parts)
{
    const prof_span *part = parts->item;
    prof_thread_work work = {.stage = part->name, .thread = part->thread, .parts = *parts};
    const prof_group *stage =
        part->parent >= 0 ? prof_groups_find(regions, &trace->spans[part->parent]) : NULL;
    work.stage_total = stage != NULL ? stage->total : 0;
    work.share = work.stage_total > 0 ? (double)parts->total / (double)work.stage_total : 0.0;
    sum_counts(&work);
    return work;
}

static int by_stage_and_thread(const void *a, const void *b)
{
    const prof_thread_work *x = a, *y = b;
    const int stage = strcmp(x->stage, y->stage);
    return stage != 0 ? stage : (x->thread > y->thread) - (x->thread < y->thread);
}

/* Of the threads of one stage, which lie one after another. */
static void set_imbalance(prof_thread_work *work, int64_t threads)
{
    int64_t total = 0, most = 0;
    for (int64_t k = 0; k < threads; k++) {
        total += work[k].parts.total;
        if (work[k].parts.total > most)
            most = work[k].parts.total;
    }
    for (int64_t k = 0; k < threads; k++)
        work[k].imbalance =
            total > 0 ? (double)most * (double)threads / (double)total : 1.0; /* all idle: even */
}

static void set_imbalances(const prof_thread_works *works)
{
    for (int64_t start = 0, end = 0; start < works->count; start = end) {
        const char *stage = works->work[start].stage;
        while (end < works->count && strcmp(works->work[end].stage, stage) == 0)
            end++;
        set_imbalance(&works->work[start], end - start);
    }
}

bool prof_thread_works_of(const prof_trace *trace, prof_thread_works *works)
{
    prof_groups *regions = prof_group_regions(trace);
    *works = (prof_thread_works){.groups = prof_group_thread_shares(trace)};
    const int64_t count = works->groups != NULL ? works->groups->count : 0;
    works->work = malloc((size_t)(count + 1) * sizeof *works->work);
    if (regions == NULL || works->groups == NULL || works->work == NULL) {
        prof_groups_destroy(&regions);
        prof_thread_works_destroy(works);
        return false;
    }
    for (; works->count < count; works->count++)
        works->work[works->count] = work_of(trace, regions, &works->groups->group[works->count]);
    prof_groups_destroy(&regions);
    qsort(works->work, (size_t)works->count, sizeof *works->work, by_stage_and_thread);
    set_imbalances(works);
    return true;
}

void prof_thread_works_destroy(prof_thread_works *works)
{
    free(works->work);
    works->work = NULL;
    works->count = 0;
    prof_groups_destroy(&works->groups);
}
