#include "outputs/xplane/launches.h"

#include <stdlib.h>

static int compare_launches(const void *a, const void *b)
{
    const xplane_launch *x = a, *y = b;
    return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

bool xplane_launches_collect(xplane_launches *all, const prof_trace *trace)
{
    *all = (xplane_launches){.trace = trace};
    all->launches = malloc((size_t)(trace->call_count + 1) * sizeof *all->launches);
    all->steps = malloc((size_t)(trace->span_count + 1) * sizeof *all->steps);
    if (all->launches == NULL || all->steps == NULL)
        return false;
    for (int64_t k = 0; k < trace->call_count; k++) {
        const prof_call *call = &trace->calls[k];
        if (call->kind == PROF_CALL_RUNTIME || call->kind == PROF_CALL_DRIVER)
            all->launches[all->launch_count++] = (xplane_launch){call->correlation, call->span};
    }
    qsort(all->launches, (size_t)all->launch_count, sizeof *all->launches, compare_launches);
    for (int64_t k = 0; k < trace->span_count; k++)
        if (trace->spans[k].kind == PROF_STEP)
            all->steps[all->step_count++] =
                (xplane_step){trace->spans[k].start, trace->spans[k].end};
    return true;
}

void xplane_launches_release(xplane_launches *all)
{
    free(all->launches);
    free(all->steps);
}

/* Is a moment (the key) before, in or after a step? */
static int compare_step(const void *key, const void *entry)
{
    const int64_t time = *(const int64_t *)key;
    const xplane_step *step = entry;
    return time < step->start ? -1 : time >= step->end;
}

bool xplane_is_of_step(const xplane_launches *all, const prof_op *op)
{
    const xplane_launch key = {op->correlation, -1};
    const xplane_launch *launch =
        bsearch(&key, all->launches, (size_t)all->launch_count, sizeof key, compare_launches);
    const int32_t span = launch != NULL && launch->span >= 0 ? launch->span : op->span;
    if (span >= 0)
        return prof_trace_step_of(all->trace, span) >= 0;
    return bsearch(&op->start, all->steps, (size_t)all->step_count, sizeof *all->steps,
                   compare_step) != NULL;
}
