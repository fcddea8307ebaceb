/* Sizes: on-chip memory that stages need, and copies by size. */
#include <math.h>
#include <string.h>

#include "outputs/dataflow/dataflow.h"

const int flow_block_rows[FLOW_BLOCKS] = {1, 4, 16, 64};

/* A numeric fact of the run; `missing` if the program recorded none. */
static double fact_of(const prof_trace *trace, const char *name, double missing)
{
    const prof_fact *fact = prof_fact_named(trace, name);
    return fact != NULL && fact->text == NULL ? fact->number : missing;
}

flow_shape flow_shape_of(const prof_trace *trace)
{
    const double n = fact_of(trace, "n", 0.0), order = fact_of(trace, "order", -1.0);
    return (flow_shape){n > 0.0 ? n + 1.0 : 0.0, order >= 0.0 ? order / 2.0 : -1.0};
}

prof_buffer flow_array_of(const prof_trace *trace, const flow_buffer *buffer)
{
    if (buffer->array != NULL)
        return *buffer->array;
    const int value = prof_is_single(trace) ? (int)sizeof(float) : (int)sizeof(double);
    return (prof_buffer){buffer->name, 1, {(int64_t)(buffer->bytes / value)}, value};
}

/* Bytes that hold the given fractions of the bytes read and written by a call. A buffer that is
 * read and written counts once, with the larger of both. */
static double held_bytes(const prof_cost *cost, double read_fraction, double written_fraction)
{
    double sum = 0.0;
    for (int k = 0; k < cost->access_count; k++) {
        const prof_access *access = &cost->accesses[k];
        double most = 0.0;
        bool seen = false;
        for (int j = 0; j < cost->access_count && !seen; j++) {
            const prof_access *other = &cost->accesses[j];
            if (strcmp(access->buffer, other->buffer) != 0)
                continue;
            seen = j < k;
            most = fmax(most, other->bytes * (other->writes ? written_fraction : read_fraction));
        }
        sum += seen ? 0.0 : most;
    }
    return sum;
}

double flow_whole_bytes(const prof_cost *cost)
{
    return held_bytes(cost, 1.0, 1.0);
}

double flow_block_bytes(const prof_cost *cost, flow_shape shape, int rows)
{
    const double row = 1.0 / (FLOW_PANELS * shape.rows);
    return held_bytes(cost, row * fmin(rows + 2.0 * shape.halo, shape.rows), row * rows);
}

/* Names of the directions, and of the operations in each. */
static const struct {
    const char *name, *operation;
} directions[FLOW_DIRECTIONS] = {{"host_to_device", "[CUDA memcpy Host-to-Device]"},
                                 {"device_to_host", "[CUDA memcpy Device-to-Host]"},
                                 {"device_to_device", "[CUDA memcpy Device-to-Device]"},
                                 {"other", NULL}};

uint64_t flow_size_from(int size)
{
    return size == 0 ? 0 : UINT64_C(1024) << 4 * (size - 1); /* 1 KiB, 16 KiB, ... 64 MiB */
}

flow_transfers flow_transfers_of(const prof_trace *trace)
{
    flow_transfers transfers = {0};
    for (int64_t k = 0; k < trace->op_count; k++) {
        const prof_op *op = &trace->ops[k];
        if (op->kind != PROF_OP_COPY)
            continue;
        int direction = 0, size = 0;
        while (direction < FLOW_ELSEWHERE && strcmp(directions[direction].operation, op->name) != 0)
            direction++;
        while (size + 1 < FLOW_SIZES && op->bytes >= flow_size_from(size + 1))
            size++;
        flow_transfer *transfer = &transfers.of[direction][size];
        transfer->count++;
        transfer->time += op->end - op->start;
        transfer->bytes += op->bytes;
    }
    return transfers;
}

const char *flow_direction_name(flow_direction direction)
{
    return directions[direction].name;
}
