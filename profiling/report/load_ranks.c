/* Loads what a window has of all ranks of its computation. */
#include <math.h>

#include "report/internal.h"

/* Ranks are found by their numbers, stages by their names. */
static void check_ranks(reader *r, const node *object, const prof_report_ranks *ranks)
{
    const node each = read_array(r, object, "each"), stages = read_array(r, object, "stages");
    if (ranks->count < 2)
        reader_refuse(r, object, "is of fewer than two ranks");
    if (ranks->each_count != ranks->count)
        reader_refuse(r, &each, "is not of all ranks");
    for (int k = 0; k < ranks->each_count; k++) {
        const node rank = read_item(&each, (size_t)k);
        if (ranks->each[k].rank != k)
            reader_refuse(r, &rank, "is not the rank of its place");
        if (!(ranks->each[k].share > 0.0 && ranks->each[k].share <= 1.0))
            reader_refuse(r, &rank, "has a share that is not above 0 and at most 1");
    }
    refuse_duplicates(r, &stages, UNIQUE("stage"));
    for (int k = 0; k < ranks->stage_count; k++) {
        const node stage = read_item(&stages, (size_t)k);
        if (ranks->stages[k].slowest >= ranks->count)
            reader_refuse(r, &stage, "has a slowest rank that there is not");
    }
}

static void set_count(prof_over_ranks *values, int64_t count)
{
    values->count = isfinite(values->median) ? count : 0;
}

void load_ranks(reader *r, const node *summary, prof_report_window *w)
{
    prof_report_ranks *ranks = &w->ranks;
    const node object = read_object(r, summary, "ranks", true);
    if (!ranks->is_known) {
        *ranks = (prof_report_ranks){.imbalance = NAN, .exposed_share = NAN};
        return;
    }
    check_ranks(r, &object, ranks);
    set_count(&ranks->step, ranks->count);
    for (int k = 0; k < ranks->stage_count; k++) {
        set_count(&ranks->stages[k].time, ranks->count);
        set_count(&ranks->stages[k].work, ranks->count);
        set_count(&ranks->stages[k].exposed, ranks->count);
    }
}
