#include "outputs/dataflow/transfers.h"

#include <string.h>

/* Names of the directions, and of the operations that go there. */
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

static int size_of(uint64_t bytes)
{
    int size = 0;
    while (size + 1 < FLOW_SIZES && bytes >= flow_size_from(size + 1))
        size++;
    return size;
}

static flow_direction direction_of(const char *operation)
{
    for (int k = 0; k < FLOW_ELSEWHERE; k++)
        if (strcmp(directions[k].operation, operation) == 0)
            return (flow_direction)k;
    return FLOW_ELSEWHERE;
}

flow_transfers flow_transfers_of(const prof_trace *trace)
{
    flow_transfers transfers = {0};
    for (int64_t k = 0; k < trace->op_count; k++) {
        const prof_op *op = &trace->ops[k];
        if (op->kind != PROF_OP_COPY)
            continue;
        flow_transfer *transfer = &transfers.of[direction_of(op->name)][size_of(op->bytes)];
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
