/* dataflow.dot: the graph for graphviz, on one page. Stages of a step are boxes in the order of
 * time from left to right. Ellipses are the buffers that carry data from one stage to another;
 * those that the same stages access in the same way are one ellipse. The width of an edge grows
 * with its bytes per step. Omitted: constants, buffers within a stage, and edges of less than 1 %
 * of the bytes of a step, but for the largest of each stage. */
#include <math.h>
#include <stdlib.h>

#include "outputs/dataflow/dataflow.h"
#include "base/text.h"

/* Graphviz draws "&lt;" as "<", and rejects bytes that are not UTF-8. */
#define AMPERSAND "&amp;"

void flow_write_text(FILE *file, const char *text, const char *ampersand)
{
    char line[200];
    snprintf(line, sizeof line, "%s", text);
    swe_to_utf8(line);
    for (const char *c = line; *c != '\0'; c++)
        if (*c == '&')
            fputs(ampersand, file);
        else if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else
            putc((unsigned char)*c < ' ' ? ' ' : *c, file);
}

/* A non-negative number with three digits and an SI prefix. */
static void write_quantity(FILE *file, double value, const char *unit)
{
    static const char *const prefixes[] = {"n", "\xc2\xb5", "m", "", "k", "M", "G", "T", "P"};
    enum { PLAIN = 3, LAST = sizeof prefixes / sizeof *prefixes - 1 };
    int prefix = PLAIN;
    for (; value >= 999.5 && prefix < LAST; prefix++)
        value /= 1e3;
    for (; value > 0.0 && value < 0.9995 && prefix > 0; prefix--)
        value *= 1e3;
    fprintf(file, "%.3g %s%s", value, prefixes[prefix], unit);
}

static void write_times(FILE *file, const flow_graph *graph, const flow_stage *stage)
{
    fprintf(file, "\\n%.3g a step", stage->calls_per_step);
    if (stage->time > 0.0) {
        fputs(" of ", file);
        write_quantity(file, 1e-9 * stage->time, "s");
    }
    if (graph->step_time > 0.0 && stage->time > 0.0)
        fprintf(file, "\\n%.1f %% of the step", 100.0 * stage->share);
}

static void write_rates(FILE *file, const flow_stage *stage)
{
    const double bytes = stage->read + stage->written;
    if (bytes <= 0.0)
        return;
    fprintf(file, "\\n%.3g flop/B", stage->cost->flops / bytes);
    if (stage->mean > 0.0) {
        fputs(", ", file);
        write_quantity(file, 1e9 * bytes / stage->mean, "B/s");
    }
}

static void write_stage(FILE *file, const flow_graph *graph, int32_t k)
{
    static const char *const colors[] = {"#f4f4f4", "#fbe3c0", "#cfe3f7", "#e4d7f2"};
    const flow_stage *stage = &graph->stages[k];
    const char *class = flow_class_name(stage->roofline.bound);
    fprintf(file, "  stage%d [shape=box style=\"rounded,filled\" fillcolor=\"%s\" label=\"", k,
            colors[stage->roofline.bound]);
    flow_write_text(file, stage->name, AMPERSAND);
    write_times(file, graph, stage);
    write_rates(file, stage);
    if (class != NULL)
        fprintf(file, "\\n%s", class);
    fputs("\"];\n", file);
    if (k > 0) /* keeps the order of time */
        fprintf(file, "  stage%d -> stage%d [style=invis weight=10];\n", k - 1, k);
}

static bool is_called(const flow_graph *graph, int32_t stage)
{
    return graph->stages[stage].calls > 0;
}

/* The groups of buffers and the edges that are drawn. */
typedef struct picture {
    const flow_graph *graph;
    int32_t *group;            /* by buffer: the first buffer of its group; NONE: it is not drawn */
    bool *is_drawn;            /* by edge */
    double bytes, drawn_bytes; /* of a step */
} picture;

enum { NONE = -1 };
static const double least_share = 0.01;

static const flow_edge *find_edge(const flow_graph *graph, int32_t stage, int32_t buffer,
                                  bool writes)
{
    for (int32_t k = 0; k < graph->edge_count; k++)
        if (graph->edges[k].stage == stage && graph->edges[k].buffer == buffer &&
            graph->edges[k].writes == writes)
            return &graph->edges[k];
    return NULL;
}

/* Whether one stage writes a buffer that another one reads. */
static bool moves(const flow_graph *graph, int32_t buffer)
{
    for (int32_t a = 0; a < graph->stage_count; a++)
        for (int32_t b = 0; b < graph->stage_count; b++)
            if (a != b && is_called(graph, a) && is_called(graph, b) &&
                find_edge(graph, a, buffer, true) != NULL &&
                find_edge(graph, b, buffer, false) != NULL)
                return true;
    return false;
}

/* Whether the same stages read two buffers, and the same write them. */
static bool are_alike(const flow_graph *graph, int32_t a, int32_t b)
{
    for (int32_t stage = 0; stage < graph->stage_count; stage++)
        for (int writes = 0; writes < 2; writes++)
            if (is_called(graph, stage) && (find_edge(graph, stage, a, writes) != NULL) !=
                                               (find_edge(graph, stage, b, writes) != NULL))
                return false;
    return true;
}

static int32_t group_of(const picture *p, int32_t buffer)
{
    if (!moves(p->graph, buffer))
        return NONE;
    for (int32_t k = 0; k < buffer; k++)
        if (p->group[k] == k && are_alike(p->graph, k, buffer))
            return k;
    return buffer;
}

/* The bytes of a step that a stage reads from a group, or writes to it. */
static double bytes_of(const picture *p, int32_t stage, int32_t group, bool writes)
{
    double bytes = 0.0;
    for (int32_t k = 0; k < p->graph->edge_count; k++) {
        const flow_edge *edge = &p->graph->edges[k];
        if (edge->stage == stage && edge->writes == writes && p->group[edge->buffer] == group)
            bytes += flow_bytes_per_step(p->graph, edge);
    }
    return bytes;
}

/* Whether an edge is drawn for its group: only the edge of the group's first buffer is. */
static bool is_of_group(const picture *p, const flow_edge *edge)
{
    return is_called(p->graph, edge->stage) && p->group[edge->buffer] == edge->buffer;
}

static double edge_bytes(const picture *p, const flow_edge *edge)
{
    return bytes_of(p, edge->stage, edge->buffer, edge->writes);
}

static void choose_edges(picture *p)
{
    const flow_graph *graph = p->graph;
    for (int32_t k = 0; k < graph->edge_count; k++)
        p->bytes += flow_bytes_per_step(graph, &graph->edges[k]);
    for (int32_t k = 0; k < graph->edge_count; k++) {
        const flow_edge *edge = &graph->edges[k];
        if (!is_of_group(p, edge))
            continue;
        const double bytes = edge_bytes(p, edge);
        bool is_largest = true;
        for (int32_t j = 0; j < graph->edge_count && is_largest; j++)
            is_largest = graph->edges[j].stage != edge->stage ||
                         !is_of_group(p, &graph->edges[j]) ||
                         edge_bytes(p, &graph->edges[j]) <= bytes;
        p->is_drawn[k] = is_largest || bytes >= least_share * p->bytes;
        p->drawn_bytes += p->is_drawn[k] ? bytes : 0.0;
    }
}

static void write_group(const picture *p, FILE *file, int32_t group)
{
    const flow_graph *graph = p->graph;
    double bytes = 0.0;
    bool is_drawn = false;
    for (int32_t k = 0; k < graph->edge_count; k++)
        is_drawn |= p->is_drawn[k] && graph->edges[k].buffer == group;
    if (!is_drawn)
        return;
    fprintf(file, "  buffer%d [shape=ellipse label=\"", group);
    for (int32_t k = group; k < graph->buffer_count; k++) {
        if (p->group[k] != group)
            continue;
        fputs(k > group ? ", " : "", file);
        flow_write_text(file, graph->buffers[k].name, AMPERSAND);
        bytes += graph->buffers[k].bytes;
    }
    fputs("\\n", file);
    write_quantity(file, bytes, "B");
    fputs("\"];\n", file);
}

/* Whether an edge constrains the order from left to right. A buffer is to the right of the stage
 * that writes it first, or to the left of the stage that reads it first. Other writes do not count:
 * the write of the state at the end of a step leads back. */
static bool orders_buffer(const flow_graph *graph, const flow_edge *edge)
{
    const flow_buffer *buffer = &graph->buffers[edge->buffer];
    return !edge->writes || (buffer->written_first && edge->stage == buffer->first_stage);
}

static void write_edge(const picture *p, FILE *file, const flow_edge *edge, double most)
{
    const double bytes = edge_bytes(p, edge);
    if (edge->writes)
        fprintf(file, "  stage%d -> buffer%d", edge->stage, edge->buffer);
    else
        fprintf(file, "  buffer%d -> stage%d", edge->buffer, edge->stage);
    fprintf(file, " [penwidth=%.2f color=\"%s\"%s label=\"",
            most > 0.0 ? 0.5 + 5.5 * bytes / most : 0.5, edge->writes ? "#b4552d" : "#3b6ea5",
            orders_buffer(p->graph, edge) ? "" : " constraint=false");
    write_quantity(file, bytes, "B");
    fputs("\"];\n", file);
}

static void write_head(const picture *p, FILE *file, const prof_trace *trace)
{
    fputs("digraph dataflow {\n  rankdir=LR;\n  nodesep=0.3;\n  size=\"11,7.5\";\n  labelloc=t;\n"
          "  label=\"",
          file);
    flow_write_text(file, trace->case_name != NULL ? trace->case_name : "", AMPERSAND);
    fprintf(file, "\\nbytes of a step; %s\\n",
            trace->device.is_gpu ? "times on the GPU" : "times on the host");
    if (p->bytes > 0.0)
        fprintf(file, "%.0f %% of the bytes are drawn", 100.0 * p->drawn_bytes / p->bytes);
    fputs("\";\n  graph [fontname=\"Helvetica\"];\n  node [fontname=\"Helvetica\" fontsize=11];\n"
          "  edge [fontname=\"Helvetica\" fontsize=9];\n",
          file);
}

static void write_picture(const picture *p, FILE *file, const prof_trace *trace)
{
    const flow_graph *graph = p->graph;
    write_head(p, file, trace);
    /* stages that are called come first */
    for (int32_t k = 0; k < graph->stage_count && is_called(graph, k); k++)
        write_stage(file, graph, k);
    for (int32_t k = 0; k < graph->buffer_count; k++)
        if (p->group[k] == k)
            write_group(p, file, k);
    double most = 0.0;
    for (int32_t k = 0; k < graph->edge_count; k++)
        if (p->is_drawn[k])
            most = fmax(most, edge_bytes(p, &graph->edges[k]));
    for (int32_t k = 0; k < graph->edge_count; k++)
        if (p->is_drawn[k])
            write_edge(p, file, &graph->edges[k], most);
    fputs("}\n", file);
}

bool flow_write_dot(FILE *file, const prof_trace *trace, const flow_graph *graph)
{
    picture p = {.graph = graph,
                 .group = malloc(((size_t)graph->buffer_count + 1) * sizeof *p.group),
                 .is_drawn = calloc((size_t)graph->edge_count + 1, sizeof *p.is_drawn)};
    const bool has_memory = p.group != NULL && p.is_drawn != NULL;
    if (has_memory) {
        for (int32_t k = 0; k < graph->buffer_count; k++)
            p.group[k] = group_of(&p, k);
        choose_edges(&p);
        write_picture(&p, file, trace);
    }
    free(p.group);
    free(p.is_drawn);
    return has_memory;
}
