/* The graph of a window's stages and buffers, with the bound of each stage. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "outputs/dataflow/dataflow.h"
#include "window/analysis.h"
#include "window/reach.h"
#include "window/statistics.h"

static flow_stage *stage_named(const flow_graph *graph, const char *name)
{
    for (int32_t k = 0; k < graph->stage_count; k++)
        if (strcmp(graph->stages[k].name, name) == 0)
            return &graph->stages[k];
    return NULL;
}

/* The stage of a name, appended if it is new. NULL: out of memory. */
static flow_stage *need_stage(flow_graph *graph, const char *name)
{
    flow_stage *stage = stage_named(graph, name);
    if (stage != NULL)
        return stage;
    flow_stage *stages =
        realloc(graph->stages, ((size_t)graph->stage_count + 1) * sizeof *graph->stages);
    if (stages == NULL)
        return NULL;
    graph->stages = stages;
    stage = &stages[graph->stage_count++];
    *stage = (flow_stage){.name = name};
    return stage;
}

static bool count_call(flow_graph *graph, const char *name)
{
    flow_stage *stage = need_stage(graph, name);
    if (stage != NULL)
        stage->calls++;
    return stage != NULL;
}

static bool find_stages(const prof_trace *trace, flow_graph *graph)
{
    for (int64_t k = 0; k < trace->span_count; k++)
        if (trace->spans[k].kind == PROF_STAGE && trace->spans[k].step >= 0 &&
            !count_call(graph, trace->spans[k].name))
            return false;
    for (int64_t k = 0; k < trace->replay_count; k++)
        if (trace->replays[k].kind == PROF_STAGE && !count_call(graph, trace->replays[k].name))
            return false;
    for (int32_t k = 0; k < trace->cost_count; k++) {
        const prof_cost *cost = &trace->costs[k];
        flow_stage *stage = need_stage(graph, cost->stage);
        if (stage == NULL)
            return false;
        if (stage->cost != NULL)
            continue;
        stage->cost = cost;
        for (int a = 0; a < cost->access_count; a++)
            *(cost->accesses[a].writes ? &stage->written : &stage->read) += cost->accesses[a].bytes;
    }
    return true;
}

static void time_steps(const prof_trace *trace, const prof_projection *projections,
                       flow_graph *graph)
{
    int64_t total = 0, timed = 0;
    for (int64_t k = 0; k < trace->span_count; k++) {
        if (trace->spans[k].kind != PROF_STEP)
            continue;
        graph->steps++;
        const int64_t time = prof_device_time(trace, projections, k);
        total += time >= 0 ? time : 0;
        timed += time >= 0;
    }
    for (int64_t k = 0; k < trace->replay_count; k++) {
        const prof_replay *step = &trace->replays[k];
        if (step->kind != PROF_STEP)
            continue;
        graph->steps++;
        total += step->end - step->start;
        timed++;
    }
    graph->step_time = timed > 0 ? (double)total / (double)timed : 0.0;
}

static bool time_stages(const prof_trace *trace, flow_graph *graph)
{
    prof_projection *projections = prof_project(trace);
    prof_groups *times = projections != NULL ? prof_group_stage_calls(trace, projections) : NULL;
    if (times != NULL)
        time_steps(trace, projections, graph);
    for (int32_t k = 0; times != NULL && k < graph->stage_count; k++) {
        flow_stage *stage = &graph->stages[k];
        const prof_group *group = prof_groups_find(times, &stage->name);
        if (graph->steps > 0)
            stage->calls_per_step = (double)stage->calls / (double)graph->steps;
        if (group == NULL)
            continue;
        stage->time = group->median;
        stage->mean = group->mean;
        stage->time_per_step = stage->mean * stage->calls_per_step;
        stage->share = graph->step_time > 0.0 ? stage->time_per_step / graph->step_time : 0.0;
    }
    const bool done = times != NULL;
    prof_groups_destroy(&times);
    free(projections);
    return done;
}

/* Index of the buffer of an access, appended if it is new; the array has room for all accesses. */
static int32_t need_buffer(const prof_trace *trace, flow_graph *graph, int32_t stage,
                           const prof_access *access)
{
    for (int32_t k = 0; k < graph->buffer_count; k++)
        if (strcmp(graph->buffers[k].name, access->buffer) == 0)
            return k;
    graph->buffers[graph->buffer_count] =
        (flow_buffer){.name = access->buffer,
                      .array = prof_buffer_named(trace, access->buffer),
                      .first_stage = stage,
                      .written_first = true};
    return graph->buffer_count++;
}

static void add_edge(const prof_trace *trace, flow_graph *graph, int32_t stage,
                     const prof_access *access)
{
    const flow_edge edge = {stage, need_buffer(trace, graph, stage, access), access->writes,
                            access->bytes};
    flow_buffer *buffer = &graph->buffers[edge.buffer];
    const double bytes = flow_bytes_per_step(graph, &edge);
    *(edge.writes ? &buffer->written_per_step : &buffer->read_per_step) += bytes;
    buffer->bytes = fmax(buffer->bytes, edge.bytes);
    if (!edge.writes && stage == buffer->first_stage)
        buffer->written_first = false;
    graph->edges[graph->edge_count++] = edge;
}

static bool add_edges(const prof_trace *trace, flow_graph *graph)
{
    size_t accesses = 0;
    for (int32_t k = 0; k < graph->stage_count; k++)
        if (graph->stages[k].cost != NULL)
            accesses += (size_t)graph->stages[k].cost->access_count;
    graph->edges = malloc((accesses + 1) * sizeof *graph->edges);
    graph->buffers = malloc((accesses + 1) * sizeof *graph->buffers);
    if (graph->edges == NULL || graph->buffers == NULL)
        return false;
    graph->edge_count = graph->buffer_count = 0;
    for (int32_t k = 0; k < graph->stage_count; k++) {
        const prof_cost *cost = graph->stages[k].cost;
        for (int a = 0; cost != NULL && a < cost->access_count; a++)
            add_edge(trace, graph, k, &cost->accesses[a]);
    }
    return true;
}

/* The calls of the first step. */
static bool find_calls(const prof_trace *trace, flow_graph *graph)
{
    const char **names = NULL;
    if (!prof_step_calls(trace, &names, &graph->call_count))
        return false;
    graph->calls = malloc(((size_t)graph->call_count + 1) * sizeof *graph->calls);
    for (int32_t k = 0; graph->calls != NULL && k < graph->call_count; k++)
        graph->calls[k] = (int32_t)(stage_named(graph, names[k]) - graph->stages);
    free(names);
    return graph->calls != NULL;
}

static bool set_reaches(const prof_trace *trace, flow_graph *graph)
{
    double *reaches = prof_reaches(trace);
    for (int32_t k = 0; reaches != NULL && k < graph->stage_count; k++) {
        flow_stage *stage = &graph->stages[k];
        stage->reach = stage->cost != NULL ? reaches[stage->cost - trace->costs] : NAN;
    }
    free(reaches);
    return reaches != NULL;
}

static void bound_stage(flow_stage *stage, const prof_peaks *peaks)
{
    if (stage->cost == NULL)
        return;
    stage->cache = prof_serving_cache(peaks->caches, peaks->cache_count, stage->reach);
    const prof_roofline roofline = prof_roofline_of(
        stage->read + stage->written, stage->cost->flops, stage->mean,
        stage->cache != NULL ? stage->cache->bandwidth : peaks->copy_bandwidth, peaks->flops);
    stage->roofline = roofline;
    if (roofline.bound != PROF_BOUND_MEMORY)
        return;
    stage->most_saving = stage->calls_per_step * fmax(stage->mean - roofline.computing, 0.0);
    /* bytes may move faster than a copy, in a cache that was not expected: the stage's own time is
     * the limit */
    stage->least_saving =
        stage->calls_per_step * fmax(fmin(roofline.moving, stage->mean) - roofline.computing, 0.0);
}

/* Largest saving first; equal savings in the order of the stages. */
static int by_saving(const void *a, const void *b)
{
    const flow_stage *x = *(const flow_stage *const *)a, *y = *(const flow_stage *const *)b;
    if (x->least_saving != y->least_saving)
        return x->least_saving > y->least_saving ? -1 : 1;
    return (x > y) - (x < y);
}

void flow_bound_stages(flow_graph *graph, const prof_peaks *peaks)
{
    for (int32_t k = 0; k < graph->stage_count; k++) {
        bound_stage(&graph->stages[k], peaks);
        if (graph->stages[k].roofline.bound == PROF_BOUND_MEMORY)
            graph->offload[graph->offload_count++] = &graph->stages[k];
    }
    qsort(graph->offload, (size_t)graph->offload_count, sizeof(flow_stage *), by_saving);
}

bool flow_graph_of(const prof_trace *trace, flow_graph *graph)
{
    *graph = (flow_graph){0};
    bool done = find_stages(trace, graph) && find_calls(trace, graph) &&
                set_reaches(trace, graph) && time_stages(trace, graph) && add_edges(trace, graph);
    if (done) {
        graph->offload = calloc((size_t)graph->stage_count + 1, sizeof(flow_stage *));
        done = graph->offload != NULL;
    }
    if (!done) {
        flow_graph_destroy(graph);
        return false;
    }
    flow_bound_stages(graph, &trace->peaks);
    return true;
}

void flow_graph_destroy(flow_graph *graph)
{
    free(graph->stages);
    free(graph->buffers);
    free(graph->edges);
    free(graph->calls);
    free(graph->offload);
    *graph = (flow_graph){0};
}

const char *flow_class_name(prof_bound bound)
{
    static const char *const names[] = {NULL, "memory-bound", "compute-bound", "latency-bound"};
    return names[bound];
}
