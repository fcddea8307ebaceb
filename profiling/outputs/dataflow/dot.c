/* dataflow.dot: the graph for graphviz. Stages are boxes in the order of time from left to right,
 * buffers are ellipses, and the width of an edge grows with its bytes per step. Stages that no step
 * calls are omitted, with the buffers that only they access. */
#include <math.h>

#include "outputs/dataflow/dataflow.h"
#include "base/text.h"

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

/* Graphviz draws "&lt;" as "<", and rejects bytes that are not UTF-8. */
static void write_text(FILE *file, const char *text)
{
    flow_write_text(file, text, "&amp;");
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

static const char *color_of(prof_bound bound)
{
    static const char *const colors[] = {"#f4f4f4", "#fbe3c0", "#cfe3f7", "#e4d7f2"};
    return colors[bound];
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
    const flow_stage *stage = &graph->stages[k];
    const char *class = flow_class_name(stage->roofline.bound);
    fprintf(file, "  stage%d [shape=box style=\"rounded,filled\" fillcolor=\"%s\" label=\"", k,
            color_of(stage->roofline.bound));
    write_text(file, stage->name);
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

/* Whether a drawn stage accesses a buffer. */
static bool is_accessed(const flow_graph *graph, int32_t buffer)
{
    for (int32_t k = 0; k < graph->edge_count; k++)
        if (graph->edges[k].buffer == buffer && is_called(graph, graph->edges[k].stage))
            return true;
    return false;
}

static void write_buffer(FILE *file, const flow_buffer *buffer, int32_t k)
{
    fprintf(file, "  buffer%d [shape=ellipse label=\"", k);
    write_text(file, buffer->name);
    fputs("\\n", file);
    write_quantity(file, buffer->bytes, "B");
    fputs("\"];\n", file);
}

static double most_bytes(const flow_graph *graph)
{
    double most = 0.0;
    for (int32_t k = 0; k < graph->edge_count; k++)
        most = fmax(most, flow_bytes_per_step(graph, &graph->edges[k]));
    return most;
}

/* Whether an edge constrains the order from left to right. A buffer is to the right of the stage
 * that writes it first, or to the left of the stage that reads it first. Other writes do not count:
 * the write of the state at the end of a step leads back. */
static bool orders_buffer(const flow_graph *graph, const flow_edge *edge)
{
    const flow_buffer *buffer = &graph->buffers[edge->buffer];
    return !edge->writes || (buffer->written_first && edge->stage == buffer->first_stage);
}

static void write_edge(FILE *file, const flow_graph *graph, const flow_edge *edge, double most)
{
    const double bytes = flow_bytes_per_step(graph, edge);
    if (edge->writes)
        fprintf(file, "  stage%d -> buffer%d", edge->stage, edge->buffer);
    else
        fprintf(file, "  buffer%d -> stage%d", edge->buffer, edge->stage);
    fprintf(file, " [penwidth=%.2f color=\"%s\"%s label=\"",
            most > 0.0 ? 0.5 + 5.5 * bytes / most : 0.5, edge->writes ? "#b4552d" : "#3b6ea5",
            orders_buffer(graph, edge) ? "" : " constraint=false");
    write_quantity(file, bytes, "B");
    fputs("\"];\n", file);
}

bool flow_write_dot(FILE *file, const prof_trace *trace, const flow_graph *graph)
{
    fputs("digraph dataflow {\n  rankdir=LR;\n  nodesep=0.3;\n  labelloc=t;\n  label=\"", file);
    write_text(file, trace->case_name != NULL ? trace->case_name : "");
    fprintf(file, "\\nbytes of a step; %s\";\n",
            trace->device.is_gpu ? "times on the GPU" : "times on the host");
    fputs("  graph [fontname=\"Helvetica\"];\n  node [fontname=\"Helvetica\" fontsize=11];\n"
          "  edge [fontname=\"Helvetica\" fontsize=9];\n",
          file);
    /* stages that are called come first */
    for (int32_t k = 0; k < graph->stage_count && is_called(graph, k); k++)
        write_stage(file, graph, k);
    for (int32_t k = 0; k < graph->buffer_count; k++)
        if (is_accessed(graph, k))
            write_buffer(file, &graph->buffers[k], k);
    const double most = most_bytes(graph);
    for (int32_t k = 0; k < graph->edge_count; k++)
        if (is_called(graph, graph->edges[k].stage))
            write_edge(file, graph, &graph->edges[k], most);
    fputs("}\n", file);
    return true;
}
