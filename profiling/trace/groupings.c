#include "trace/groupings.h"

#include <string.h>

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* Texts may be NULL: those come first. */
static int compare_texts(const char *a, const char *b)
{
    if (a == b)
        return 0;
    if (a == NULL || b == NULL)
        return a == NULL ? -1 : 1;
    return strcmp(a, b);
}

static int by_name(const void *a, const void *b)
{
    const prof_op *x = a, *y = b;
    return compare_texts(x->name, y->name);
}

static int by_stage(const void *a, const void *b)
{
    const prof_op *x = a, *y = b;
    return compare_texts(x->stage, y->stage);
}

static int by_launch(const void *a, const void *b)
{
    const prof_op *x = a, *y = b;
    int order = by_name(x, y);
    if (order == 0)
        order = by_stage(x, y);
    for (int k = 0; k < 3 && order == 0; k++)
        order = compare(x->grid[k], y->grid[k]);
    for (int k = 0; k < 3 && order == 0; k++)
        order = compare(x->block[k], y->block[k]);
    if (order == 0)
        order = compare(x->registers, y->registers);
    if (order == 0)
        order = compare(x->static_shared, y->static_shared);
    if (order == 0)
        order = compare(x->dynamic_shared, y->dynamic_shared);
    if (order == 0)
        order = compare(x->local, y->local);
    return order != 0 ? order : (x->occupancy > y->occupancy) - (x->occupancy < y->occupancy);
}

int prof_call_name_length(const char *name)
{
    const int length = (int)strlen(name);
    int digits = 0;
    while (digits < length && name[length - 1 - digits] >= '0' && name[length - 1 - digits] <= '9')
        digits++;
    const int rest = length - digits - 2;
    /* "cuMemcpyHtoD_v2" is a function of that name */
    return digits >= 4 && rest > 0 && strncmp(&name[rest], "_v", 2) == 0 ? rest : length;
}

static int by_call(const void *a, const void *b)
{
    const prof_call *x = a, *y = b;
    if (x->kind != y->kind)
        return compare(x->kind, y->kind);
    if (x->name == y->name)
        return 0;
    const int length = prof_call_name_length(x->name), other = prof_call_name_length(y->name);
    const int order = strncmp(x->name, y->name, (size_t)(length < other ? length : other));
    return order != 0 ? order : compare(length, other);
}

static int by_region(const void *a, const void *b)
{
    const prof_span *x = a, *y = b;
    const int order = compare(x->kind, y->kind);
    return order != 0 ? order : compare_texts(x->name, y->name);
}

static int by_part(const void *a, const void *b)
{
    const prof_span *x = a, *y = b;
    const int order = compare_texts(x->name, y->name);
    return order != 0 ? order : compare(x->thread, y->thread);
}

enum { KERNELS = 1 << PROF_OP_KERNEL, COPIES = 1 << PROF_OP_COPY | 1 << PROF_OP_FILL };

/* Operations of `kinds` (bits) by their times, or by their bytes. */
static prof_groups *group_ops(const prof_trace *trace, int kinds, bool bytes, prof_order *order)
{
    prof_groups *groups = prof_groups_create(trace->op_count, order);
    if (groups == NULL)
        return NULL;
    for (int64_t k = 0; k < trace->op_count; k++) {
        const prof_op *op = &trace->ops[k];
        if ((kinds & 1 << op->kind) != 0)
            prof_groups_add(groups, op, bytes ? (int64_t)op->bytes : op->end - op->start);
    }
    return prof_groups_finish(groups);
}

prof_groups *prof_group_kernels(const prof_trace *trace)
{
    return group_ops(trace, KERNELS, false, by_name);
}

prof_groups *prof_group_launches(const prof_trace *trace)
{
    return group_ops(trace, KERNELS, false, by_launch);
}

prof_groups *prof_group_copy_times(const prof_trace *trace)
{
    return group_ops(trace, COPIES, false, by_name);
}

prof_groups *prof_group_copy_sizes(const prof_trace *trace)
{
    return group_ops(trace, COPIES, true, by_name);
}

prof_groups *prof_group_stages(const prof_trace *trace)
{
    return group_ops(trace, KERNELS | COPIES, false, by_stage);
}

prof_groups *prof_group_calls(const prof_trace *trace)
{
    prof_groups *groups = prof_groups_create(trace->call_count, by_call);
    if (groups == NULL)
        return NULL;
    for (int64_t k = 0; k < trace->call_count; k++) {
        const prof_call *call = &trace->calls[k];
        prof_groups_add(groups, call, call->end - call->start);
    }
    return prof_groups_finish(groups);
}

static prof_groups *group_spans(const prof_trace *trace, bool parts, prof_order *order)
{
    prof_groups *groups = prof_groups_create(trace->span_count, order);
    if (groups == NULL)
        return NULL;
    for (int64_t k = 0; k < trace->span_count; k++) {
        const prof_span *span = &trace->spans[k];
        if ((span->kind == PROF_THREAD) == parts)
            prof_groups_add(groups, span, span->end - span->start);
    }
    return prof_groups_finish(groups);
}

prof_groups *prof_group_regions(const prof_trace *trace)
{
    return group_spans(trace, false, by_region);
}

prof_groups *prof_group_thread_shares(const prof_trace *trace)
{
    return group_spans(trace, true, by_part);
}

prof_groups *prof_group_projected(const prof_trace *trace, const prof_projection *projections)
{
    prof_groups *groups = prof_groups_create(trace->span_count, by_region);
    if (groups == NULL)
        return NULL;
    for (int64_t k = 0; k < trace->span_count; k++)
        if (trace->spans[k].kind != PROF_THREAD && projections[k].ops > 0)
            prof_groups_add(groups, &trace->spans[k], projections[k].end - projections[k].start);
    return prof_groups_finish(groups);
}
