#include "outputs/items.h"

#include <stdlib.h>

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_items(const void *a, const void *b)
{
    const prof_item *x = a, *y = b;
    const int order[] = {compare(x->row, y->row), compare(x->start, y->start),
                         compare(y->end, x->end), compare(x->depth, y->depth),
                         compare(x->index, y->index)};
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        if (order[k] != 0)
            return order[k];
    return 0;
}

void prof_items_sort(prof_item *items, int64_t count)
{
    if (items != NULL)
        qsort(items, (size_t)count, sizeof *items, compare_items);
}

/* Messages are slices of the main thread, within all others at their time. */
static int64_t add_messages(const prof_trace *trace, prof_item *items, int64_t count)
{
    for (int64_t k = 0; k < trace->exchange_count; k++) {
        const prof_exchange *exchange = &trace->exchanges[k];
        const int64_t index = trace->span_count + 2 * k;
        if (exchange->sent > 0)
            items[count++] = (prof_item){0, exchange->time, exchange->time, index, INT32_MAX};
        if (exchange->received > 0 && exchange->wait >= 0) {
            const int64_t end = trace->spans[exchange->wait].end;
            items[count++] = (prof_item){0, end, end, index + 1, INT32_MAX};
        }
    }
    return count;
}

prof_item *prof_items_of_spans(const prof_trace *trace, int64_t *count)
{
    const int64_t most = trace->span_count + 2 * trace->exchange_count;
    prof_item *items = calloc((size_t)most + 1, sizeof *items);
    for (int64_t k = 0; items != NULL && k < trace->span_count; k++) {
        const prof_span *span = &trace->spans[k];
        items[k] = (prof_item){span->thread, span->start, span->end, k, span->depth};
    }
    *count = items != NULL ? add_messages(trace, items, trace->span_count) : 0;
    prof_items_sort(items, *count);
    return items;
}

prof_item *prof_items_of_calls(const prof_trace *trace)
{
    prof_item *items = calloc((size_t)trace->call_count + 1, sizeof *items);
    for (int64_t k = 0; items != NULL && k < trace->call_count; k++) {
        const prof_call *call = &trace->calls[k];
        items[k] = (prof_item){call->thread_id, call->start, call->end, k, 0};
    }
    prof_items_sort(items, trace->call_count);
    return items;
}

prof_item *prof_items_of_ops(const prof_trace *trace)
{
    prof_item *items = calloc((size_t)trace->op_count + 1, sizeof *items);
    for (int64_t k = 0; items != NULL && k < trace->op_count; k++) {
        const prof_op *op = &trace->ops[k];
        const int64_t row = (int64_t)op->device << 32 | (uint32_t)op->stream;
        items[k] = (prof_item){row, op->start, op->end, k, 0};
    }
    prof_items_sort(items, trace->op_count);
    return items;
}
