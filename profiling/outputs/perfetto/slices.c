/* Flows between launches and operations, and the slices of spans, calls and operations. */
#include <stdio.h>
#include <stdlib.h>

#include "outputs/perfetto/internal.h"
#include "window/analysis.h"

/* Source of an operation; -1: none. Viewers cannot show a flow back in time, so an operation that
 * starts before its cause (a clock error) has none. */
static int64_t source_of(const prof_trace *trace, const prof_op *op, const prof_launches *launches)
{
    const prof_launch_call *launch = prof_launches_find(launches, op->correlation);
    if (launch != NULL)
        return trace->calls[launch->call].start <= op->start ? launch->call : -1;
    if (op->span >= 0 && trace->spans[op->span].start <= op->start)
        return trace->call_count + op->span;
    return -1;
}

/* The flow of a message. Numbers of flows are below 2^53, as JavaScript reads them. */
static uint64_t flow_of_message(int64_t exchange, int32_t from, int32_t to)
{
    const int64_t pairs = PROF_MOST_TRACED * PROF_MOST_TRACED;
    return (UINT64_C(1) << 48) + (uint64_t)(exchange * pairs + from * PROF_MOST_TRACED + to);
}

/* Number the messages of an exchange whose both ends are shown. */
static void number_exchange(prof_flows *flows, const prof_trace *trace, int64_t k, int32_t ranks)
{
    const prof_exchange *exchange = &trace->exchanges[k];
    uint64_t *received = flows->message + exchange->first, *sent = received + exchange->received;
    for (int32_t m = 0; m < exchange->received + exchange->sent; m++) {
        const int32_t other = trace->messages[exchange->first + m].rank;
        if (other >= ranks)
            continue;
        if (m < exchange->received)
            received[flows->received[k]++] = flow_of_message(k, other, trace->rank);
        else
            sent[flows->sent[k]++] = flow_of_message(k, trace->rank, other);
    }
}

static bool number_messages(prof_flows *flows, const prof_trace *trace, int32_t ranks)
{
    const size_t exchanges = (size_t)trace->exchange_count + 1;
    flows->message = calloc((size_t)trace->message_count + 1, sizeof *flows->message);
    flows->received = calloc(2 * exchanges, sizeof *flows->received);
    if (flows->message == NULL || flows->received == NULL)
        return false;
    flows->sent = flows->received + exchanges;
    for (int64_t k = 0; k < trace->exchange_count; k++)
        number_exchange(flows, trace, k, ranks);
    return true;
}

/* Sort the flows by source (counting sort). */
static void sort_flows(prof_flows *flows, int64_t sources, int64_t ops)
{
    for (int64_t k = 0; k < ops; k++)
        if (flows->source[k] >= 0)
            flows->first[flows->source[k] + 1]++;
    for (int64_t s = 0; s < sources; s++)
        flows->first[s + 1] += flows->first[s];
    /* placing a flow advances `first`, which ends up one source ahead: shift it back */
    for (int64_t k = 0; k < ops; k++)
        if (flows->source[k] >= 0)
            flows->flow[flows->first[flows->source[k]]++] = flows->base + (uint64_t)k;
    for (int64_t s = sources; s > 0; s--)
        flows->first[s] = flows->first[s - 1];
    flows->first[0] = 0;
}

bool prof_flows_create(prof_flows *flows, const prof_trace *trace, int32_t ranks)
{
    const int64_t sources = trace->call_count + trace->span_count, ops = trace->op_count;
    prof_launches launches;
    const bool listed = prof_launches_of(trace, &launches);
    flows->source = calloc((size_t)ops + 1, sizeof *flows->source);
    flows->first = calloc((size_t)sources + 1, sizeof *flows->first);
    flows->flow = calloc((size_t)ops + 1, sizeof *flows->flow);
    flows->base = ((uint64_t)trace->rank << 40) + 1;
    const bool numbered = number_messages(flows, trace, ranks);
    const bool ok =
        listed && numbered && flows->source != NULL && flows->first != NULL && flows->flow != NULL;
    if (ok) {
        for (int64_t k = 0; k < ops; k++)
            flows->source[k] = source_of(trace, &trace->ops[k], &launches);
        sort_flows(flows, sources, ops);
    }
    free(launches.call);
    return ok;
}

void prof_flows_destroy(prof_flows *flows)
{
    free(flows->source);
    free(flows->first);
    free(flows->flow);
    free(flows->message);
    free(flows->received);
}

static prof_argument *next_argument(prof_slice *slice, const char *name, prof_argument_kind kind)
{
    prof_argument *argument = &slice->argument[slice->arguments++];
    argument->name = name;
    argument->kind = kind;
    return argument;
}

void prof_argument_count(prof_slice *slice, const char *name, uint64_t count)
{
    next_argument(slice, name, PROF_ARGUMENT_COUNT)->value.count = count;
}

void prof_argument_text(prof_slice *slice, const char *name, const char *text)
{
    next_argument(slice, name, PROF_ARGUMENT_TEXT)->value.text = text;
}

static void add_real(prof_slice *slice, const char *name, double real)
{
    next_argument(slice, name, PROF_ARGUMENT_REAL)->value.real = real;
}

/* The flows that start at a source. */
static void add_flows(prof_slice *slice, const prof_flows *flows, int64_t source)
{
    slice->flows_out = flows->flow + flows->first[source];
    slice->flow_count = flows->first[source + 1] - flows->first[source];
}

/* The messages of an exchange that are sent, or have been received. */
static void slice_of_messages(const prof_trace *trace, const prof_flows *flows, int64_t index,
                              bool is_sent, prof_slice *slice)
{
    const prof_exchange *exchange = &trace->exchanges[index];
    const int64_t first = exchange->first + (is_sent ? exchange->received : 0);
    const int32_t count = is_sent ? exchange->sent : exchange->received;
    uint64_t bytes = 0;
    for (int32_t m = 0; m < count; m++)
        bytes += (uint64_t)trace->messages[first + m].bytes;
    *slice = (prof_slice){.name = is_sent ? "send" : "receive", .category = "message"};
    slice->start = slice->end = is_sent ? exchange->time : trace->spans[exchange->wait].end;
    prof_argument_count(slice, "messages", (uint64_t)count);
    prof_argument_count(slice, "bytes", bytes);
    *(is_sent ? &slice->flows_out : &slice->flows_in) = flows->message + first;
    *(is_sent ? &slice->flow_count : &slice->flow_in_count) =
        is_sent ? flows->sent[index] : flows->received[index];
}

void prof_slice_of_span(const prof_trace *trace, const prof_flows *flows, int64_t index,
                        prof_slice *slice)
{
    const int64_t behind = index - trace->span_count;
    if (behind >= 0) {
        slice_of_messages(trace, flows, behind / 2, behind % 2 == 0, slice);
        return;
    }
    const prof_span *span = &trace->spans[index];
    *slice = (prof_slice){.name = span->name,
                          .category = prof_kind_names[span->kind],
                          .start = span->start,
                          .end = span->end};
    if ((span->kind == PROF_STEP || span->kind == PROF_LAUNCH) && span->step >= 0)
        prof_argument_count(slice, "step", (uint64_t)span->step);
    for (int k = 0; k < PROF_COUNTER_COUNT; k++)
        if (span->kind == PROF_THREAD && span->counts[k] >= 0)
            prof_argument_count(slice, prof_counter_name(k), (uint64_t)span->counts[k]);
    add_flows(slice, flows, trace->call_count + index);
}

void prof_slice_of_call(const prof_trace *trace, const prof_flows *flows, int64_t index,
                        prof_slice *slice)
{
    static const char *const categories[] = {[PROF_CALL_RUNTIME] = "runtime",
                                             [PROF_CALL_DRIVER] = "driver",
                                             [PROF_CALL_SYNCHRONIZE] = "synchronize",
                                             [PROF_CALL_OVERHEAD] = "overhead"};
    const prof_call *call = &trace->calls[index];
    *slice = (prof_slice){.name = call->name,
                          .category = categories[call->kind],
                          .start = call->start,
                          .end = call->end};
    if (call->correlation != 0)
        prof_argument_count(slice, "correlation", call->correlation);
    if (call->result > 0)
        prof_argument_count(slice, "error", (uint64_t)call->result);
    add_flows(slice, flows, index);
}

static void add_kernel(prof_slice *slice, const prof_op *op)
{
    snprintf(slice->grid, sizeof slice->grid, "%d,%d,%d", op->grid[0], op->grid[1], op->grid[2]);
    snprintf(slice->block, sizeof slice->block, "%d,%d,%d", op->block[0], op->block[1],
             op->block[2]);
    prof_argument_text(slice, "grid", slice->grid);
    prof_argument_text(slice, "block", slice->block);
    prof_argument_count(slice, "registers_per_thread", (uint64_t)op->registers);
    prof_argument_count(slice, "static_shared_bytes", (uint64_t)op->static_shared);
    prof_argument_count(slice, "dynamic_shared_bytes", (uint64_t)op->dynamic_shared);
    prof_argument_count(slice, "local_bytes_per_thread", (uint64_t)op->local);
    if (op->occupancy >= 0.0)
        add_real(slice, "occupancy_percent", op->occupancy);
}

static void add_transfer(prof_slice *slice, const prof_op *op)
{
    static const char *const memories[] = {
        [PROF_MEMORY_UNKNOWN] = "unknown", [PROF_MEMORY_PAGEABLE] = "pageable",
        [PROF_MEMORY_PINNED] = "pinned",   [PROF_MEMORY_DEVICE] = "device",
        [PROF_MEMORY_ARRAY] = "array",     [PROF_MEMORY_MANAGED] = "managed"};
    prof_argument_count(slice, "bytes", op->bytes);
    if (op->end > op->start)
        add_real(slice, "bytes_per_second",
                 1e9 * (double)op->bytes / (double)(op->end - op->start));
    if (op->kind == PROF_OP_COPY)
        prof_argument_text(slice, "from", memories[op->from]);
    prof_argument_text(slice, "to", memories[op->to]);
    prof_argument_text(slice, "asynchronous", op->asynchronous ? "yes" : "no");
}

void prof_slice_of_op(const prof_trace *trace, const prof_flows *flows, int64_t index,
                      prof_slice *slice)
{
    static const char *const categories[] = {
        [PROF_OP_KERNEL] = "kernel", [PROF_OP_COPY] = "copy", [PROF_OP_FILL] = "fill"};
    const prof_op *op = &trace->ops[index];
    *slice = (prof_slice){
        .name = op->name, .category = categories[op->kind], .start = op->start, .end = op->end};
    if (op->stage != NULL)
        prof_argument_text(slice, "stage", op->stage);
    prof_argument_count(slice, "correlation", op->correlation);
    if (op->graph != 0) {
        prof_argument_count(slice, "graph", op->graph);
        prof_argument_count(slice, "graph_node", op->graph_node);
    }
    if (op->kind == PROF_OP_KERNEL)
        add_kernel(slice, op);
    else
        add_transfer(slice, op);
    if (flows->source[index] >= 0) {
        slice->launch_flow = flows->base + (uint64_t)index;
        slice->flows_in = &slice->launch_flow;
        slice->flow_in_count = 1;
    }
}
