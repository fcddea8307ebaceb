/* TRANSFERS: the copies of a window, by direction and size. */
#ifndef PROFILING_OUTPUTS_DATAFLOW_TRANSFERS_H
#define PROFILING_OUTPUTS_DATAFLOW_TRANSFERS_H

#include "trace/trace.h"

typedef enum flow_direction {
    FLOW_HOST_TO_DEVICE,
    FLOW_DEVICE_TO_HOST,
    FLOW_DEVICE_TO_DEVICE,
    FLOW_ELSEWHERE, /* arrays, peers, host to host */
    FLOW_DIRECTIONS
} flow_direction;

/* Class k holds copies of at least flow_size_from(k) and less than flow_size_from(k + 1) bytes; the
 * last has no end. */
enum { FLOW_SIZES = 6 };
uint64_t flow_size_from(int size);

typedef struct flow_transfer {
    int64_t count, time; /* ns */
    uint64_t bytes;      /* each counted once */
} flow_transfer;

typedef struct flow_transfers {
    flow_transfer of[FLOW_DIRECTIONS][FLOW_SIZES];
} flow_transfers;

flow_transfers flow_transfers_of(const prof_trace *trace);
const char *flow_direction_name(flow_direction direction);

#endif
