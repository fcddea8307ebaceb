#include "window/analysis.h"

#include <stdlib.h>
#include <string.h>

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* ---- projections ---- */

static void enlarge(prof_projection *projection, prof_projection by)
{
    if (projection->ops == 0 || by.start < projection->start)
        projection->start = by.start;
    if (projection->ops == 0 || by.end > projection->end)
        projection->end = by.end;
    projection->ops += by.ops;
}

prof_projection *prof_project(const prof_trace *trace)
{
    prof_projection *of = calloc((size_t)trace->span_count + 1, sizeof *of);
    if (of == NULL)
        return NULL;
    for (int64_t k = 0; k < trace->op_count; k++) {
        const prof_op *op = &trace->ops[k];
        if (op->span >= 0)
            enlarge(&of[op->span], (prof_projection){op->start, op->end, 1});
    }
    /* parents precede their children: in reverse order all children are complete */
    for (int64_t k = trace->span_count - 1; k >= 0; k--)
        if (of[k].ops > 0 && trace->spans[k].parent >= 0)
            enlarge(&of[trace->spans[k].parent], of[k]);
    return of;
}

int64_t prof_device_time(const prof_trace *trace, const prof_projection *projections, int64_t span)
{
    const prof_projection *on_gpu = &projections[span];
    if (trace->device.is_gpu)
        return on_gpu->ops > 0 ? on_gpu->end - on_gpu->start : -1;
    return trace->spans[span].end - trace->spans[span].start;
}

/* ---- groupings ---- */

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

static int by_text(const void *a, const void *b)
{
    return compare_texts(*(const char *const *)a, *(const char *const *)b);
}

prof_groups *prof_group_stage_calls(const prof_trace *trace, const prof_projection *projections)
{
    prof_groups *groups = prof_groups_create(trace->span_count + trace->replay_count, by_text);
    if (groups == NULL)
        return NULL;
    for (int64_t k = 0; k < trace->span_count; k++) {
        const prof_span *span = &trace->spans[k];
        const int64_t time = prof_device_time(trace, projections, k);
        if (span->kind == PROF_STAGE && span->step >= 0 && time >= 0)
            prof_groups_add(groups, &span->name, time);
    }
    for (int64_t k = 0; k < trace->replay_count; k++) {
        const prof_replay *call = &trace->replays[k];
        if (call->kind == PROF_STAGE)
            prof_groups_add(groups, &call->name, call->end - call->start);
    }
    return prof_groups_finish(groups);
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

/* ---- use of the GPU ---- */

int64_t prof_gpu_busy(const prof_trace *trace)
{
    int64_t busy = 0, until = trace->start;
    for (int64_t k = 0; k < trace->op_count; k++) { /* by their start */
        const prof_op *op = &trace->ops[k];
        const int64_t start = op->start > until ? op->start : until;
        const int64_t end = op->end < trace->end ? op->end : trace->end;
        if (end > start) {
            busy += end - start;
            until = end;
        }
    }
    return busy;
}

static int by_correlation(const void *a, const void *b)
{
    const prof_launch_call *x = a, *y = b;
    return x->correlation != y->correlation ? compare(x->correlation, y->correlation)
                                            : compare(x->call, y->call);
}

bool prof_launches_of(const prof_trace *trace, prof_launches *launches)
{
    prof_launch_call *calls = malloc((size_t)(trace->call_count + 1) * sizeof *calls);
    *launches = (prof_launches){calls, 0};
    for (int64_t k = 0; calls != NULL && k < trace->call_count; k++) {
        const prof_call *call = &trace->calls[k];
        const bool may_launch = call->kind == PROF_CALL_RUNTIME || call->kind == PROF_CALL_DRIVER;
        if (may_launch && call->correlation != 0)
            calls[launches->count++] = (prof_launch_call){call->correlation, false, k};
    }
    if (launches->count > 0)
        qsort(calls, (size_t)launches->count, sizeof *calls, by_correlation);
    return calls != NULL;
}

prof_launch_call *prof_launches_find(const prof_launches *launches, uint32_t correlation)
{
    int64_t low = 0, high = launches->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (launches->call[middle].correlation < correlation)
            low = middle + 1;
        else
            high = middle;
    }
    return low < launches->count && launches->call[low].correlation == correlation
               ? &launches->call[low]
               : NULL;
}

/* Use the first operation of every call: a graph launch has many operations, and the later ones
 * wait for each other. */
static void add_delays(const prof_trace *trace, const prof_launches *launches,
                       const prof_launch_delays *delays)
{
    for (int64_t k = 0; k < trace->op_count; k++) { /* by their start */
        const prof_op *op = &trace->ops[k];
        prof_launch_call *launch = prof_launches_find(launches, op->correlation);
        if (launch == NULL || launch->is_used)
            continue;
        const prof_call *call = &trace->calls[launch->call];
        launch->is_used = true;
        prof_groups_add(delays->latency, NULL, op->start - call->start);
        prof_groups_add(delays->queue, NULL, op->start > call->end ? op->start - call->end : 0);
    }
}

bool prof_launch_delays_of(const prof_trace *trace, prof_launch_delays *delays)
{
    prof_launches launches;
    bool done = prof_launches_of(trace, &launches);
    delays->latency = prof_groups_create(trace->op_count, NULL);
    delays->queue = prof_groups_create(trace->op_count, NULL);
    if (done && delays->latency != NULL && delays->queue != NULL) {
        add_delays(trace, &launches, delays);
        delays->latency = prof_groups_finish(delays->latency);
        delays->queue = prof_groups_finish(delays->queue);
    }
    free(launches.call);
    done = done && delays->latency != NULL && delays->queue != NULL;
    if (!done)
        prof_launch_delays_destroy(delays);
    return done;
}

void prof_launch_delays_destroy(prof_launch_delays *delays)
{
    prof_groups_destroy(&delays->latency);
    prof_groups_destroy(&delays->queue);
}

/* ---- work of the CPU threads ---- */

static void sum_counts(prof_thread_work *work)
{
    int64_t instructions = 0, cycles = 0;
    for (int c = 0; c < PROF_COUNTER_COUNT; c++)
        work->counts[c] = -1;
    for (int64_t k = 0; k < work->parts.count; k++) {
        const prof_span *part = work->parts.values[k].item;
        for (int c = 0; c < PROF_COUNTER_COUNT; c++)
            if (part->counts[c] >= 0)
                work->counts[c] = (work->counts[c] >= 0 ? work->counts[c] : 0) + part->counts[c];
        if (part->counts[PROF_COUNTER_instructions] >= 0 && part->counts[PROF_COUNTER_cycles] > 0) {
            instructions += part->counts[PROF_COUNTER_instructions];
            cycles += part->counts[PROF_COUNTER_cycles];
        }
    }
    work->instructions_per_cycle = cycles > 0 ? (double)instructions / (double)cycles : -1.0;
}

static prof_thread_work work_of(const prof_trace *trace, const prof_groups *regions,
                                const prof_group *parts)
{
    const prof_span *part = parts->item;
    prof_thread_work work = {.stage = part->name, .thread = part->thread, .parts = *parts};
    const prof_group *stage =
        part->parent >= 0 ? prof_groups_find(regions, &trace->spans[part->parent]) : NULL;
    work.stage_total = stage != NULL ? stage->total : 0;
    work.share = work.stage_total > 0 ? (double)parts->total / (double)work.stage_total : 0.0;
    sum_counts(&work);
    return work;
}

static int by_stage_and_thread(const void *a, const void *b)
{
    const prof_thread_work *x = a, *y = b;
    const int stage = strcmp(x->stage, y->stage);
    return stage != 0 ? stage : compare(x->thread, y->thread);
}

/* Set the imbalance of one stage, whose threads are neighbours. */
static void set_imbalance(prof_thread_work *work, int64_t threads)
{
    int64_t total = 0, most = 0;
    for (int64_t k = 0; k < threads; k++) {
        total += work[k].parts.total;
        if (work[k].parts.total > most)
            most = work[k].parts.total;
    }
    for (int64_t k = 0; k < threads; k++)
        work[k].imbalance =
            total > 0 ? (double)most * (double)threads / (double)total : 1.0; /* all idle: even */
}

bool prof_thread_works_of(const prof_trace *trace, prof_thread_works *works)
{
    prof_groups *regions = prof_group_regions(trace);
    *works = (prof_thread_works){.groups = prof_group_thread_shares(trace)};
    const int64_t count = works->groups != NULL ? works->groups->count : 0;
    works->work = malloc((size_t)(count + 1) * sizeof *works->work);
    if (regions == NULL || works->groups == NULL || works->work == NULL) {
        prof_groups_destroy(&regions);
        prof_thread_works_destroy(works);
        return false;
    }
    for (; works->count < count; works->count++)
        works->work[works->count] = work_of(trace, regions, &works->groups->group[works->count]);
    prof_groups_destroy(&regions);
    qsort(works->work, (size_t)works->count, sizeof *works->work, by_stage_and_thread);
    for (int64_t start = 0, end = 0; start < count; start = end) {
        const char *stage = works->work[start].stage;
        while (end < count && strcmp(works->work[end].stage, stage) == 0)
            end++;
        set_imbalance(&works->work[start], end - start);
    }
    return true;
}

void prof_thread_works_destroy(prof_thread_works *works)
{
    free(works->work);
    works->work = NULL;
    works->count = 0;
    prof_groups_destroy(&works->groups);
}
