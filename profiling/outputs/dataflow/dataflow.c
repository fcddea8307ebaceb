/* dataflow.json and dataflow.dot: what flows between the stages of a step, what bounds them, and
 * what it would take to compute them elsewhere. */
#include "outputs/dataflow/files.h"
#include "outputs/output.h"

static bool write_json(const prof_trace *trace, const flow_graph *graph, const char *directory,
                       prof_log *log)
{
    static const char name[] = "dataflow.json";
    FILE *file = prof_file_open(directory, name, log);
    if (file == NULL)
        return false;
    json_t *json = flow_json(trace, graph);
    const bool complete = json != NULL && json_dumpf(json, file, JSON_INDENT(1)) == 0;
    json_decref(json);
    putc('\n', file);
    if (!complete && ferror(file) == 0)
        prof_warn(log, "%s/%s: out of memory", directory, name);
    return prof_file_close(file, directory, name, log) && complete;
}

static bool write_dot(const prof_trace *trace, const flow_graph *graph, const char *directory,
                      prof_log *log)
{
    static const char name[] = "dataflow.dot";
    FILE *file = prof_file_open(directory, name, log);
    if (file == NULL)
        return false;
    flow_put_dot(file, trace, graph);
    return prof_file_close(file, directory, name, log);
}

bool prof_write_dataflow(const prof_trace *trace, const char *directory, prof_log *log)
{
    flow_graph graph;
    if (!flow_graph_of(trace, &graph)) {
        prof_warn(log, "%s: dataflow.json and dataflow.dot: out of memory", directory);
        return false;
    }
    const bool written =
        write_json(trace, &graph, directory, log) && write_dot(trace, &graph, directory, log);
    flow_graph_destroy(&graph);
    return written;
}
