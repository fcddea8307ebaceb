/* dataflow.json, dataflow.dot and step.mlir: the dataflow between the stages of a step.
 * The JSON has the bound of each stage, too, and estimates for moving stages to faster memory.
 *
 * dataflow.schema.json is the contract of the JSON; an incompatible change raises schema_version. A
 * NULL among the values means out of memory; json_pack passes it on. */
#include "outputs/dataflow/dataflow.h"
#include "base/json.h"
#include "outputs/output.h"
#include "window/fields.h"

static const int schema_version = 1;

static json_t *if_known(bool known, double value)
{
    return known ? swe_json_real(value) : json_null();
}

/* Amount per second, from an amount in a time [ns]; null if the time is unknown. */
static json_t *rate(double amount, double time)
{
    return if_known(time > 0.0, 1e9 * amount / time);
}

static json_t *row_blocks(const prof_cost *cost, flow_shape shape)
{
    json_t *all = json_array();
    const flow_shape bare = {shape.rows, 0.0};
    for (int k = 0; k < FLOW_BLOCKS; k++) {
        const int rows = flow_block_rows[k];
        if (rows > shape.rows)
            break;
        swe_json_append(&all,
                        json_pack("{s:i, s:o, s:o}", "rows", rows, "bytes",
                                  if_known(shape.halo >= 0.0, flow_block_bytes(cost, shape, rows)),
                                  "bytes_without_halo",
                                  swe_json_real(flow_block_bytes(cost, bare, rows))));
    }
    return all;
}

static json_t *on_chip_of(const prof_cost *cost, flow_shape shape)
{
    if (cost == NULL)
        return json_null();
    const double whole = flow_whole_bytes(cost);
    return json_pack("{s:o, s:o, s:o}", "whole_bytes", swe_json_real(whole), "panel_bytes",
                     if_known(shape.rows > 0.0, whole / FLOW_PANELS), "row_blocks",
                     row_blocks(cost, shape));
}

static json_t *measured_of(const flow_stage *stage)
{
    const bool costs = stage->cost != NULL, timed = stage->mean > 0.0;
    const double bytes = stage->read + stage->written, flops = costs ? stage->cost->flops : 0.0;
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s?}", "time_ns", swe_json_positive(stage->time),
        "time_per_step_ns", swe_json_positive(stage->time_per_step), "share_of_step",
        swe_json_positive(stage->share), "bandwidth_bytes_per_s",
        rate(bytes, costs ? stage->mean : 0.0), "flops_per_s",
        rate(flops, costs ? stage->mean : 0.0), "roofline_ns",
        swe_json_positive(stage->roofline.time), "roofline_share",
        if_known(timed && stage->roofline.time > 0.0, stage->roofline.time / stage->mean), "class",
        flow_class_name(stage->roofline.bound));
}

static json_t *stage_of(const prof_trace *trace, const flow_stage *stage, flow_shape shape)
{
    const bool knows_memory = stage->reach > 0.0 && trace->peaks.copy_bandwidth > 0.0;
    const bool costs = stage->cost != NULL;
    const double bytes = stage->read + stage->written;
    json_t *json = json_pack(
        "{s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s?}", "name",
        swe_json_text_or_null(stage->name), "calls", (json_int_t)stage->calls, "calls_per_step",
        swe_json_real(stage->calls_per_step), "read_bytes", if_known(costs, stage->read),
        "written_bytes", if_known(costs, stage->written), "flops",
        if_known(costs, costs ? stage->cost->flops : 0.0), "intensity_flops_per_byte",
        if_known(bytes > 0.0, costs ? stage->cost->flops / bytes : 0.0), "on_chip",
        on_chip_of(stage->cost, shape), "reach_bytes", if_known(stage->reach > 0.0, stage->reach),
        "served_by",
        stage->cache != NULL ? stage->cache->name
        : knows_memory       ? "memory"
                             : NULL);
    swe_json_extend(&json, measured_of(stage));
    return json;
}

static json_t *stages_of(const prof_trace *trace, const flow_graph *graph, flow_shape shape)
{
    json_t *all = json_array();
    for (int32_t k = 0; k < graph->stage_count; k++)
        swe_json_append(&all, stage_of(trace, &graph->stages[k], shape));
    return all;
}

static json_t *buffers_of(const flow_graph *graph)
{
    json_t *all = json_array();
    for (int32_t k = 0; k < graph->buffer_count; k++) {
        const flow_buffer *buffer = &graph->buffers[k];
        json_t *shape = buffer->array != NULL ? json_array() : json_null();
        for (int d = 0; buffer->array != NULL && d < buffer->array->dimensions; d++)
            swe_json_append(&shape, json_integer((json_int_t)buffer->array->shape[d]));
        swe_json_append(
            &all, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name",
                            swe_json_text_or_null(buffer->name), "shape", shape, "value_bytes",
                            buffer->array != NULL ? json_integer(buffer->array->value_bytes)
                                                  : json_null(),
                            "bytes", swe_json_real(buffer->bytes), "read_per_step_bytes",
                            swe_json_real(buffer->read_per_step), "written_per_step_bytes",
                            swe_json_real(buffer->written_per_step)));
    }
    return all;
}

static json_t *edges_of(const flow_graph *graph)
{
    json_t *all = json_array();
    for (int32_t k = 0; k < graph->edge_count; k++) {
        const flow_edge *edge = &graph->edges[k];
        swe_json_append(&all,
                        json_pack("{s:o, s:o, s:s, s:o, s:o}", "stage",
                                  swe_json_text_or_null(graph->stages[edge->stage].name), "buffer",
                                  swe_json_text_or_null(graph->buffers[edge->buffer].name),
                                  "access", edge->writes ? "write" : "read", "per_call_bytes",
                                  swe_json_real(edge->bytes), "per_step_bytes",
                                  swe_json_real(flow_bytes_per_step(graph, edge))));
    }
    return all;
}

static json_t *calls_of(const flow_graph *graph)
{
    json_t *all = json_array();
    for (int32_t k = 0; k < graph->call_count; k++)
        swe_json_append(&all, swe_json_text_or_null(graph->stages[graph->calls[k]].name));
    return all;
}

static json_t *offload_of(const flow_graph *graph)
{
    json_t *all = json_array();
    for (int32_t k = 0; k < graph->offload_count; k++) {
        const flow_stage *stage = graph->offload[k];
        swe_json_append(
            &all,
            json_pack("{s:o, s:o, s:o, s:o}", "stage", swe_json_text_or_null(stage->name),
                      "least_saving_ns", swe_json_real(stage->least_saving), "most_saving_ns",
                      swe_json_real(stage->most_saving), "least_saving_share_of_step",
                      if_known(graph->step_time > 0.0, stage->least_saving / graph->step_time)));
    }
    return all;
}

static json_t *transfer_of(const flow_transfer *transfer)
{
    return json_pack("{s:I, s:I, s:I, s:o}", "count", (json_int_t)transfer->count, "bytes",
                     (json_int_t)transfer->bytes, "time_ns", (json_int_t)transfer->time,
                     "bandwidth_bytes_per_s",
                     rate((double)transfer->bytes, (double)transfer->time));
}

static json_t *direction_of(const flow_transfer *sizes, flow_direction direction)
{
    flow_transfer sum = {0};
    json_t *classes = json_array();
    for (int k = 0; k < FLOW_SIZES; k++) {
        sum.count += sizes[k].count;
        sum.bytes += sizes[k].bytes;
        sum.time += sizes[k].time;
        json_t *range = json_pack(
            "{s:I, s:o}", "from_bytes", (json_int_t)flow_size_from(k), "below_bytes",
            k + 1 < FLOW_SIZES ? json_integer((json_int_t)flow_size_from(k + 1)) : json_null());
        swe_json_extend(&range, transfer_of(&sizes[k]));
        swe_json_append(&classes, range);
    }
    return json_pack("{s:s, s:o, s:o}", "direction", flow_direction_name(direction), "all",
                     transfer_of(&sum), "sizes", classes);
}

static json_t *transfers_of(const prof_trace *trace)
{
    const flow_transfers transfers = flow_transfers_of(trace);
    json_t *all = json_array();
    for (int k = 0; k < FLOW_DIRECTIONS; k++)
        swe_json_append(&all, direction_of(transfers.of[k], (flow_direction)k));
    return all;
}

static json_t *peaks_of(const prof_trace *trace)
{
    const prof_peaks *peaks = &trace->peaks;
    const bool both = peaks->copy_bandwidth > 0.0 && peaks->flops > 0.0;
    const prof_report_peaks measured = prof_peaks_of(trace);
    json_t *all = swe_json_record(prof_peaks_fields, &measured);
    swe_json_set(&all, "ridge_flops_per_byte",
                 if_known(both, both ? peaks->flops / peaks->copy_bandwidth : 0.0));
    return all;
}

/* The document of dataflow.json; NULL: out of memory. */
static json_t *document_of(const prof_trace *trace, const flow_graph *graph)
{
    const flow_shape shape = flow_shape_of(trace);
    json_t *assumed = json_pack("{s:i, s:o, s:o, s:o, s:o}", "panels", FLOW_PANELS,
                                "rows_of_a_panel", swe_json_positive(shape.rows), "halo_rows",
                                if_known(shape.halo >= 0.0, shape.halo), "latency_ns",
                                swe_json_real(prof_latency), "latency_roofline_share",
                                swe_json_real(prof_latency_share));
    return json_pack("{s:s, s:i, s:o, s:I, s:I, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "schema", "cubeswe-dataflow", "schema_version", schema_version, "case",
                     swe_json_text_or_null(trace->case_name), "first_step",
                     (json_int_t)trace->first_step, "steps", (json_int_t)graph->steps, "clock",
                     trace->device.is_gpu ? "gpu" : "host", "step_ns",
                     swe_json_positive(graph->step_time), "ceilings", peaks_of(trace), "assumed",
                     assumed, "stages", stages_of(trace, graph, shape), "calls", calls_of(graph),
                     "buffers", buffers_of(graph), "edges", edges_of(graph), "offload",
                     offload_of(graph), "transfers", transfers_of(trace));
}

/* A file of text that shows the graph. */
typedef struct view {
    const char *name;
    bool (*write)(FILE *file, const prof_trace *trace, const flow_graph *graph);
} view;

static bool write_view(const view *view, const prof_trace *trace, const flow_graph *graph,
                       const char *directory, swe_log *log)
{
    FILE *file = prof_file_open(directory, view->name, log);
    if (file == NULL)
        return false;
    const bool has_memory = view->write(file, trace, graph);
    if (!has_memory)
        swe_warn(log, "%s/%s: out of memory", directory, view->name);
    return prof_file_close(file, directory, view->name, log) && has_memory;
}

bool prof_write_dataflow(const prof_trace *trace, const char *directory, swe_log *log)
{
    static const view views[] = {{"dataflow.dot", flow_write_dot},
                                 {"step.mlir", flow_write_stablehlo}};
    flow_graph graph;
    if (!flow_graph_of(trace, &graph)) {
        swe_warn(log, "%s: the dataflow of a step: out of memory", directory);
        return false;
    }
    bool written = prof_json_write(document_of(trace, &graph), JSON_INDENT(1), directory,
                                   "dataflow.json", log);
    for (size_t k = 0; written && k < sizeof views / sizeof *views; k++)
        written = write_view(&views[k], trace, &graph, directory, log);
    flow_graph_destroy(&graph);
    return written;
}
