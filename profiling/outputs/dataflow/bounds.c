/* What bounds the stages, and which of them a faster memory would help. */
#include <math.h>
#include <stdlib.h>

#include "outputs/dataflow/graph.h"

static void bound(flow_stage *stage, prof_ceilings ceilings)
{
    if (stage->cost == NULL)
        return;
    const prof_roofline roofline =
        prof_roofline_of(stage->read + stage->written, stage->cost->flops, stage->mean, ceilings);
    stage->roofline = roofline;
    if (roofline.bound != PROF_BOUND_MEMORY)
        return;
    stage->most_saving = stage->calls_per_step * fmax(stage->mean - roofline.computing, 0.0);
    /* what moves faster than a copy does lies in a cache, and takes no longer than it takes */
    stage->least_saving =
        stage->calls_per_step * fmax(fmin(roofline.moving, stage->mean) - roofline.computing, 0.0);
}

/* Equal savings stay in the order of the stages. */
static int by_saving(const void *a, const void *b)
{
    const flow_stage *x = *(const flow_stage *const *)a, *y = *(const flow_stage *const *)b;
    if (x->least_saving != y->least_saving)
        return x->least_saving > y->least_saving ? -1 : 1;
    return (x > y) - (x < y);
}

void flow_bound_stages(flow_graph *graph, prof_ceilings ceilings)
{
    for (int32_t k = 0; k < graph->stage_count; k++) {
        bound(&graph->stages[k], ceilings);
        if (graph->stages[k].roofline.bound == PROF_BOUND_MEMORY)
            graph->offload[graph->offload_count++] = &graph->stages[k];
    }
    qsort(graph->offload, (size_t)graph->offload_count, sizeof(flow_stage *), by_saving);
}

const char *flow_class_name(prof_bound bound)
{
    static const char *const names[] = {NULL, "memory-bound", "compute-bound", "latency-bound"};
    return names[bound];
}
