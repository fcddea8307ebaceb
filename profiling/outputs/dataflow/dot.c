/* dataflow.dot: the graph as graphviz draws it. Stages are boxes from left to right in time,
 * buffers ellipses; the more bytes go along an edge in a step, the wider it is. Stages that no step
 * calls, and buffers that only they access, are left out. */
#include <math.h>

#include "outputs/dataflow/files.h"
#include "outputs/utf8.h"

/* A text within quotes, cut if it is long. What is not UTF-8, and refused by graphviz, becomes '?'.
 */
static void put_text(FILE *file, const char *text)
{
    char line[200];
    snprintf(line, sizeof line, "%s", text);
    prof_make_utf8(line);
    for (const char *c = line; *c != '\0'; c++)
        if (*c == '&') /* otherwise "&lt;" would be drawn as "<" */
            fputs("&amp;", file);
        else if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else
            putc((unsigned char)*c < ' ' ? ' ' : *c, file);
}

/* Three digits of a number that is not negative, with the prefix of its unit. */
static void put_quantity(FILE *file, double value, const char *unit)
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

static void put_times(FILE *file, const flow_graph *graph, const flow_stage *stage)
{
    fprintf(file, "\\n%.3g a step", stage->calls_per_step);
    if (stage->time > 0.0) {
        fputs(" of ", file);
        put_quantity(file, 1e-9 * stage->time, "s");
    }
    if (graph->step_time > 0.0 && stage->time > 0.0)
        fprintf(file, "\\n%.1f %% of the step", 100.0 * stage->share);
}

static void put_rates(FILE *file, const flow_stage *stage)
{
    const double bytes = stage->read + stage->written;
    if (bytes <= 0.0)
        return;
    fprintf(file, "\\n%.3g flop/B", stage->cost->flops / bytes);
    if (stage->mean > 0.0) {
        fputs(", ", file);
        put_quantity(file, 1e9 * bytes / stage->mean, "B/s");
    }
}

static void put_stage(FILE *file, const flow_graph *graph, int32_t k)
{
    const flow_stage *stage = &graph->stages[k];
    const char *class = flow_class_name(stage->roofline.bound);
    fprintf(file, "  stage%d [shape=box style=\"rounded,filled\" fillcolor=\"%s\" label=\"", k,
            color_of(stage->roofline.bound));
    put_text(file, stage->name);
    put_times(file, graph, stage);
    put_rates(file, stage);
    if (class != NULL)
        fprintf(file, "\\n%s", class);
    fputs("\"];\n", file);
    if (k > 0) /* holds the order in time */
        fprintf(file, "  stage%d -> stage%d [style=invis weight=10];\n", k - 1, k);
}

static bool is_called(const flow_graph *graph, int32_t stage)
{
    return graph->stages[stage].calls > 0;
}

/* Whether a stage that is drawn accesses a buffer. */
static bool is_accessed(const flow_graph *graph, int32_t buffer)
{
    for (int32_t k = 0; k < graph->edge_count; k++)
        if (graph->edges[k].buffer == buffer && is_called(graph, graph->edges[k].stage))
            return true;
    return false;
}

static void put_buffer(FILE *file, const flow_buffer *buffer, int32_t k)
{
    fprintf(file, "  buffer%d [shape=ellipse label=\"", k);
    put_text(file, buffer->name);
    fputs("\\n", file);
    put_quantity(file, buffer->bytes, "B");
    fputs("\"];\n", file);
}

static double most_bytes(const flow_graph *graph)
{
    double most = 0.0;
    for (int32_t k = 0; k < graph->edge_count; k++)
        most = fmax(most, flow_bytes_per_step(graph, &graph->edges[k]));
    return most;
}

/* A buffer stands right of the stage that writes it first, or left of the one that reads it first.
 * Other writes do not place it: that of a state at the end of a step leads back. */
static bool places(const flow_graph *graph, const flow_edge *edge)
{
    const flow_buffer *buffer = &graph->buffers[edge->buffer];
    return !edge->writes || (buffer->written_first && edge->stage == buffer->first_stage);
}

static void put_edge(FILE *file, const flow_graph *graph, const flow_edge *edge, double most)
{
    const double bytes = flow_bytes_per_step(graph, edge);
    if (edge->writes)
        fprintf(file, "  stage%d -> buffer%d", edge->stage, edge->buffer);
    else
        fprintf(file, "  buffer%d -> stage%d", edge->buffer, edge->stage);
    fprintf(file, " [penwidth=%.2f color=\"%s\"%s label=\"",
            most > 0.0 ? 0.5 + 5.5 * bytes / most : 0.5, edge->writes ? "#b4552d" : "#3b6ea5",
            places(graph, edge) ? "" : " constraint=false");
    put_quantity(file, bytes, "B");
    fputs("\"];\n", file);
}

void flow_put_dot(FILE *file, const prof_trace *trace, const flow_graph *graph)
{
    fputs("digraph dataflow {\n  rankdir=LR;\n  nodesep=0.3;\n  labelloc=t;\n  label=\"", file);
    put_text(file, trace->case_name != NULL ? trace->case_name : "");
    fprintf(file, "\\nbytes of a step; %s\";\n",
            trace->device.is_gpu ? "times on the GPU" : "times on the host");
    fputs("  graph [fontname=\"Helvetica\"];\n  node [fontname=\"Helvetica\" fontsize=11];\n"
          "  edge [fontname=\"Helvetica\" fontsize=9];\n",
          file);
    /* those that are called come first */
    for (int32_t k = 0; k < graph->stage_count && is_called(graph, k); k++)
        put_stage(file, graph, k);
    for (int32_t k = 0; k < graph->buffer_count; k++)
        if (is_accessed(graph, k))
            put_buffer(file, &graph->buffers[k], k);
    const double most = most_bytes(graph);
    for (int32_t k = 0; k < graph->edge_count; k++)
        if (is_called(graph, graph->edges[k].stage))
            put_edge(file, graph, &graph->edges[k], most);
    fputs("}\n", file);
}
