#include "sources/cupti/cupti_convert.h"

#include <stdlib.h>
#include <string.h>

#include "window/device_model.h"

/* Append a record, an operation or a call with these times, to an array of the trace, whose address
 * is stored in `array`. Records without times are rejected, those beyond the most are dropped. */
static void add_timed(prof_cupti_conversion *c, void *array, int64_t *count, int64_t *room,
                      const void *record, size_t size, int64_t start, int64_t end)
{
    if (start <= 0 || end < start) {
        c->trace->drops.rejected++;
        return;
    }
    if (c->kept >= c->most) {
        c->trace->drops.ops++;
        return;
    }
    c->kept++;
    void *records;
    memcpy(&records, array, sizeof records);
    records = prof_grow(records, *count, room, size);
    if (records == NULL) {
        c->no_memory = true;
        c->trace->drops.ops++;
        return;
    }
    memcpy(array, &records, sizeof records);
    memcpy((char *)records + (size_t)(*count)++ * size, record, size);
}

static void add_op(prof_cupti_conversion *c, prof_op op)
{
    add_timed(c, &c->trace->ops, &c->trace->op_count, &c->op_room, &op, sizeof op, op.start,
              op.end);
}

static void add_call(prof_cupti_conversion *c, prof_call call)
{
    add_timed(c, &c->trace->calls, &c->trace->call_count, &c->call_room, &call, sizeof call,
              call.start, call.end);
}

static void add_link(prof_cupti_conversion *c, prof_cupti_link link)
{
    prof_cupti_link *links = prof_grow(c->links, c->link_count, &c->link_room, sizeof link);
    if (links == NULL) {
        c->no_memory = true;
        return;
    }
    c->links = links;
    c->links[c->link_count++] = link;
}

/* Ids with the number of the window are ours. */
static void add_external(prof_cupti_conversion *c, const CUpti_ActivityExternalCorrelation *r)
{
    if (r->externalKind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0 &&
        r->externalId >> 32 == c->window)
        add_link(c, (prof_cupti_link){r->correlationId, (int32_t)r->externalId, 0, 0});
}

static void add_device(prof_cupti_conversion *c, const CUpti_ActivityDevice5 *r)
{
    if (r->isCudaVisible && (int32_t)r->id == c->trace->device.index)
        prof_cupti_describe(r, c->trace);
    if (c->capability_count < PROF_CUPTI_DEVICES)
        c->capability[c->capability_count++] = (prof_cupti_capability){
            (int32_t)r->id, (int32_t)r->computeCapabilityMajor, (int32_t)r->computeCapabilityMinor};
}

/* Allocations that the program did not report (prof_allocated) are untracked. */
static void add_memory(prof_cupti_conversion *c, const CUpti_ActivityMemory4 *r)
{
    prof_trace *t = c->trace;
    if (r->memoryOperationType != CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION ||
        r->memoryKind != CUPTI_ACTIVITY_MEMORY_KIND_DEVICE)
        return;
    for (int64_t k = 0; k < t->memory_event_count; k++)
        if (t->memory_events[k].address == r->address)
            return;
    t->untracked_blocks++;
    t->untracked_bytes += (int64_t)r->bytes;
}

static void add_record(prof_cupti_conversion *c, const CUpti_Activity *record)
{
    const void *r = record;
    prof_call call;
    switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        add_op(c, prof_cupti_kernel(c, r));
        break;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
        add_op(c, prof_cupti_copy(r));
        break;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
        add_op(c, prof_cupti_peer_copy(r));
        break;
    case CUPTI_ACTIVITY_KIND_MEMSET:
        add_op(c, prof_cupti_fill(r));
        break;
    case CUPTI_ACTIVITY_KIND_MEMORY2:
        add_memory(c, r);
        break;
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
        call = prof_cupti_call(c, r);
        add_link(c, (prof_cupti_link){call.correlation, -1, call.thread_id, call.start});
        add_call(c, call);
        break;
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
        add_call(c, prof_cupti_synchronization(r));
        break;
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
        add_call(c, prof_cupti_overhead(r));
        break;
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
        add_external(c, r);
        break;
    case CUPTI_ACTIVITY_KIND_DEVICE:
        add_device(c, r);
        break;
    default:
        c->trace->drops.unknown++;
    }
}

void prof_cupti_convert_begin(prof_cupti_conversion *c)
{
    c->first_op = c->op_room = c->trace->op_count;
    c->first_call = c->call_room = c->trace->call_count;
}

void prof_cupti_convert(prof_cupti_conversion *c, uint8_t *buffer, size_t bytes)
{
    CUpti_Activity *record = NULL;
    CUptiResult result = CUPTI_SUCCESS;
    while ((result = c->library->cuptiActivityGetNextRecord(buffer, bytes, &record)) ==
           CUPTI_SUCCESS) {
        add_record(c, record);
        prof_cupti_release(record);
    }
    /* a record that CUPTI cannot read ends the buffer: the records after it are lost */
    c->trace->drops.unknown += result != CUPTI_ERROR_MAX_LIMIT_REACHED;
}

void prof_cupti_discard(const prof_cupti_library *library, uint8_t *buffer, size_t bytes)
{
    CUpti_Activity *record = NULL;
    while (library->cuptiActivityGetNextRecord(buffer, bytes, &record) == CUPTI_SUCCESS)
        prof_cupti_release(record);
}

static int compare_links(const void *a, const void *b)
{
    const prof_cupti_link *x = a, *y = b;
    return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

/* Everything known about a correlation id, which runtime and driver call may share. The last of
 * several spans is the innermost, because it began last. */
static prof_cupti_link link_of(const prof_cupti_conversion *c, uint32_t correlation)
{
    int64_t low = 0, high = c->link_count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (c->links[middle].correlation < correlation)
            low = middle + 1;
        else
            high = middle;
    }
    prof_cupti_link all = {correlation, -1, 0, 0};
    for (; low < c->link_count && c->links[low].correlation == correlation; low++) {
        const prof_cupti_link *link = &c->links[low];
        all.span = link->span > all.span ? link->span : all.span;
        all.thread = link->thread != 0 ? link->thread : all.thread;
        all.start = link->start != 0 ? link->start : all.start;
    }
    return all;
}

static double occupancy_of(const prof_cupti_conversion *c, const prof_op *op)
{
    const prof_launch launch = {(int64_t)op->block[0] * op->block[1] * op->block[2], op->registers,
                                (int64_t)op->static_shared + op->dynamic_shared};
    for (int k = 0; k < c->capability_count; k++)
        if (c->capability[k].device == op->device)
            return prof_occupancy(c->capability[k].major, c->capability[k].minor, launch);
    return -1.0;
}

static void finish_op(prof_cupti_conversion *c, prof_op *op)
{
    const prof_cupti_link link = link_of(c, op->correlation);
    op->span = link.span;
    c->early += op->start < link.start;
    const prof_cupti_label *label = prof_cupti_names_of_node(c->names, op->graph_node);
    if (label != NULL) {
        op->stage = prof_trace_intern(c->trace, label->name);
        op->captured_step = label->step;
        op->captured_call = label->call;
    }
    if (op->kind == PROF_OP_KERNEL)
        op->occupancy = occupancy_of(c, op);
}

void prof_cupti_convert_finish(prof_cupti_conversion *c)
{
    prof_trace *t = c->trace;
    if (c->link_count > 0)
        qsort(c->links, (size_t)c->link_count, sizeof *c->links, compare_links);
    for (int64_t k = c->first_op; k < t->op_count; k++)
        finish_op(c, &t->ops[k]);
    for (int64_t k = c->first_call; k < t->call_count; k++) {
        const prof_cupti_link link = link_of(c, t->calls[k].correlation);
        t->calls[k].span = link.span;
        if (t->calls[k].thread_id == 0)
            t->calls[k].thread_id = link.thread;
    }
    free(c->links);
    prof_cupti_map_free(&c->kernels);
}
