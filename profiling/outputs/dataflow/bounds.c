/* What bounds the stages, and which of them a faster memory would help. */
#include <math.h>
#include <stdlib.h>

#include "outputs/dataflow/graph.h"

static const double nanoseconds = 1e9;

static void bound(flow_stage *stage, prof_ceilings ceilings)
{
    if (stage->cost == NULL || ceilings.copy_bandwidth <= 0.0 || ceilings.flops <= 0.0)
        return;
    const double moving = nanoseconds * (stage->read + stage->written) / ceilings.copy_bandwidth;
    const double computing = nanoseconds * stage->cost->flops / ceilings.flops;
    stage->roofline = fmax(moving, computing);
    if (stage->mean <= 0.0 || stage->roofline <= 0.0)
        return;
    if (stage->roofline < flow_latency && stage->roofline < flow_latency_share * stage->mean)
        stage->class = FLOW_LATENCY;
    else if (moving <= computing)
        stage->class = FLOW_COMPUTE;
    else {
        stage->class = FLOW_MEMORY;
        stage->most_saving = stage->calls_per_step * fmax(stage->mean - computing, 0.0);
        /* what moves faster than a copy does lies in a cache, and takes no longer than it takes */
        stage->least_saving =
            stage->calls_per_step * fmax(fmin(moving, stage->mean) - computing, 0.0);
    }
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
        if (graph->stages[k].class == FLOW_MEMORY)
            graph->offload[graph->offload_count++] = &graph->stages[k];
    }
    qsort(graph->offload, (size_t)graph->offload_count, sizeof(flow_stage *), by_saving);
}

const char *flow_class_name(flow_class class)
{
    static const char *const names[] = {NULL, "memory-bound", "compute-bound", "latency-bound"};
    return names[class];
}
